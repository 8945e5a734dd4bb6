"""A plan as plain text, for people who have never seen one."""

from __future__ import annotations

from textwrap import wrap

from nvcre_render.planning import naming, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nvcre_render.planning.result import Plan

WIDTH = 110
_NARROWEST = 30  # columns that a list of nodes gets however wide the columns before it
_GAP = "  "


def text(plan: Plan, width: int = WIDTH) -> str:
    """Return the plan as lines of about `width` columns: the sum, the arithmetic, the groups, the nodes left out."""
    parts = [[summary.headline(plan)], list(_facts(plan)), list(_groups(plan, width)), list(_left_out(plan, width))]
    lines = [line for part in parts if part for line in (*part, "")]
    return "\n".join(lines[:-1]) + "\n"


def _facts(plan: Plan) -> Iterator[str]:
    for line in (*summary.arithmetic(plan), summary.fleet_line(plan), summary.start_line(plan)):
        yield f"  {line}"


def _groups(plan: Plan, width: int) -> Iterator[str]:
    starts, borrowed = summary.starts(plan), summary.borrowed(plan)
    titles = ["GROUP", "JOB", "START"]
    rows = [[group.name, plan.template.names.job(group.name), starts[group.name]] for group in plan.groups]
    if any(group.domains is not None for group in plan.groups):
        titles.append("DOMAINS")
        for row, group in zip(rows, plan.groups, strict=True):
            row.append(",".join(group.domains or ()))
    lists = [
        [f"{node}*" if node in borrowed.get(group.name, ()) else node for node in group.nodes] for group in plan.groups
    ]
    if plan.unpinned:
        lists = [[f"any {plan.nodes_per_job} of the eligible nodes"]]
    yield from _table([*titles, "NODES"], rows, lists, width)
    if any(borrowed.values()):
        yield "* borrowed: the node also belongs to another group"
    train_job = naming.train_job(rows[0][1])
    several = len(rows) > 1
    yield (
        f"Each Job runs one TrainJob: {train_job} and so on." if several else f"The Job runs the TrainJob {train_job}."
    )


def _table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], lists: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    """Yield lines of columns; the last one is a list of words that continues below itself."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=False)]
    head = sum(widths) + len(_GAP) * len(widths)
    room = max(_NARROWEST, width - head)
    yield _row([*titles[:-1]], widths) + titles[-1]
    for row, words in zip(rows, lists, strict=True):
        lines = _wrapped(words, room) or [""]
        yield (_row(row, widths) + lines[0]).rstrip()
        for line in lines[1:]:
            yield " " * head + line


def _row(cells: Iterable[str], widths: Sequence[int]) -> str:
    return "".join(cell.ljust(width) + _GAP for cell, width in zip(cells, widths, strict=False))


def _wrapped(words: Iterable[str], width: int) -> list[str]:
    return wrap(" ".join(words), width, break_long_words=False, break_on_hyphens=False)


def _left_out(plan: Plan, width: int) -> Iterator[str]:
    reasons = summary.left_out(plan)
    if not reasons:
        yield f"No node is left out: all {len(plan.fleet.everyone):,} of the list are eligible."
        return
    yield f"Left out: {len(plan.left_out):,} of the {summary.count(len(plan.fleet.everyone), 'node')} of the list"
    for reason, nodes in reasons.items():
        yield f"  {reason}:"
        for line in _wrapped(nodes, width - 4):
            yield f"    {line}"
