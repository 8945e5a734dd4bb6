"""`python -m tests.cases DIR...`: examples as data, run against the product."""
