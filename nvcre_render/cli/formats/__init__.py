"""The forms findings are printed in: one module a form, each a pure function of the findings."""
