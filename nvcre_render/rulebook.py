"""Every rule there is, and the page of each: the same text on the command line, in docs/rules and in SARIF."""

from __future__ import annotations

from nvcre_render.diagnostics import REGISTRY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.diagnostics import Rule

FAMILIES = {
    "NR1": "The text itself",
    "NR2": "Fields and Kubernetes shapes",
    "NR3": "What is rendered for",
    "NR4": "Reserved names and paths",
    "NR5": "Scheduling and labels",
    "NR6": "Measurements, environment and advice",
    "NR7": "Overrides and fragments",
    "NR8": "Plans",
    "NR9": "KubeflowExecutor settings",
}
_HEAD = """\
# Rules

Made by `make generate` from the rules in `nvcre_render/checks/`; `nvcre-render explain CODE` prints the same pages.
What a severity means:

- error: the API server, NVCRE or Kubeflow Trainer would refuse the run, or it could not work
- warning: accepted, but silently without effect, or not what it says
- note: worth knowing, never a fault"""
_PREFIX = 3  # characters of a code that name its family


def rules() -> dict[str, Rule]:
    """Return all rules by code, in the order of the codes; every module of checks is loaded for it."""
    from importlib import import_module
    from pkgutil import walk_packages

    from nvcre_render import checks

    for module in walk_packages(checks.__path__, f"{checks.__name__}."):
        import_module(module.name)
    return dict(sorted(REGISTRY.items()))


def find(name: str) -> Rule | None:
    """Return the rule with this code or name, in any letter case, None when there is none."""
    wanted = name.lower()
    return next((rule for rule in rules().values() if wanted in (rule.code.lower(), rule.name)), None)


def page(rule: Rule) -> str:
    """Return the page of a rule as Markdown that reads as plain text too."""
    parts = [
        f"# {rule.name} ({rule.code})",
        f"Severity: {rule.severity}.",
        rule.summary,
        f"## Why\n\n{rule.why}",
        f"## What to do\n\n{_sentence(rule.remedy)}",
    ]
    if rule.bad:
        # Not plain `yaml`: what a page shows as such has to render.
        parts.append(f"## Example\n\n```yaml bad\n{_ended(rule.bad)}```")
    if rule.good:
        parts.append(f"## Instead\n\n```yaml\n{_ended(rule.good)}```")
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """Return the index page: all rules in tables, one a family."""
    made = [_HEAD]
    for family, title in FAMILIES.items():
        found = [rule for code, rule in rules().items() if code[:_PREFIX] == family]
        rows = [f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {_cell(rule)} |" for rule in found]
        if rows:
            made.append("\n".join([f"## {title}\n", "| code | name | severity | flags |", "|---|---|---|---|", *rows]))
    return "\n\n".join(made) + "\n"


def _cell(rule: Rule) -> str:
    return rule.summary.replace("|", "\\|")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
