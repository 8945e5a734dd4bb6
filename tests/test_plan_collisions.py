"""Names that coincide."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from nvcre_render.planning import collisions, naming
from nvcre_render.planning.group import Group
from tests.plans import config

LONG = "llama-pretrain-certification"


def groups(*numbers: int) -> list[Group]:
    return [Group(name=f"group-{number}", nodes=()) for number in numbers]


def test_two_jobs_of_one_name_are_refused_with_both_groups() -> None:
    names = naming.names(LONG, 1000, 1)
    with pytest.raises(nr.RenderError) as refusal:
        collisions.require_distinct_jobs(names, groups(1, 714, 890))
    (found,) = refusal.value.diagnostics
    assert found.message == (
        "the Jobs of group-714 and group-890 would both be called llama-pretrain-certification-782e3"
    )
    collisions.require_distinct_jobs(names, groups(1, 714))


@pytest.mark.parametrize(("length", "refused"), [(63, False), (64, True)])
def test_a_workflow_s_name_must_fit_a_label(length: int, refused: bool) -> None:
    names = naming.names("x" * length, 1, 1)
    if not refused:
        collisions.require_distinct_jobs(names, groups(0))
        return
    with pytest.raises(nr.RenderError, match="has 64 characters, the label that repeats it on Jobs takes 63"):
        collisions.require_distinct_jobs(names, groups(0))


def test_copies_of_one_name_are_a_warning() -> None:
    names = naming.names("run", 5000, 1)
    several, long = groups(*range(5000)), config("x" * 60)
    taken: dict[str, str] = {}
    expected = ""
    for group in several:
        copy = naming.copy("x" * 60, names.suffix(group.name))
        if copy in taken and not expected:
            expected = f"the copies of ConfigMap {'x' * 60} for {taken[copy]} and {group.name} are both called {copy}"
        taken.setdefault(copy, group.name)
    assert expected, "5,000 hashes of 20 bits coincide"
    found = collisions.copies(names, [config("short"), long], several)
    assert [(each.severity, each.message) for each in found] == [("warning", expected)]
    assert collisions.copies(names, [config("short"), long], several[:2]) == []
