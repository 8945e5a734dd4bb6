"""Generated names that coincide: they are cut to a limit and told apart by 20 bits. (NVCRE guide, generated names.)"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.checks.names import MAX_LABEL
from nvcre_render.planning import dependencies, naming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.planning.dependencies import Document
    from nvcre_render.planning.group import Group
    from nvcre_render.planning.naming import Names

_NAME = ("metadata", "name")


def require_distinct_jobs(names: Names, groups: Sequence[Group]) -> None:
    """Raise RenderError when two groups have Jobs of one name, or the Workflow's name fits no label."""
    if len(names.workflow) > MAX_LABEL:
        count = len(names.workflow)
        message = f"the Workflow's name has {count} characters, the label that repeats it on Jobs takes {MAX_LABEL}"
        raise rules.refusal(rules.LONG_WORKFLOW_NAME, message, _NAME, rules.LONG_WORKFLOW_NAME.remedy)
    owners: dict[str, str] = {}
    for group in groups:
        job = names.job(group.name)
        if owners.setdefault(job, group.name) != group.name:
            message = f"the Jobs of {owners[job]} and {group.name} would both be called {job}"
            raise rules.refusal(rules.REPEATED_JOB_NAME, message, _NAME, rules.REPEATED_JOB_NAME.remedy)


def copies(names: Names, copied: Sequence[Document], groups: Sequence[Group]) -> list[Diagnostic]:
    """Return a warning for each dependency of which two groups have copies of one name."""
    longest = max(len(names.suffix(group.name)) for group in groups)
    found = []
    for each in copied:
        name = dependencies.name(each)
        if len(name) + longest <= naming.COPY_LIMIT:
            continue
        owners: dict[str, str] = {}
        for group in groups:
            copy = naming.copy(name, names.suffix(group.name))
            if owners.setdefault(copy, group.name) != group.name:
                both = f"{owners[copy]} and {group.name}"
                message = f"the copies of {each.get('kind')} {name} for {both} are both called {copy}"
                path = ("spec", "dependencies")
                found.append(rules.finding(rules.REPEATED_COPY_NAME, message, path, rules.REPEATED_COPY_NAME.remedy))
                break
    return found
