"""What Unpinned allows, ignores and warns of."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.planning import placement
from nvcre_render.planning.fleet import Fleet
from tests.plans import Json, planned


@pytest.mark.parametrize(("given", "unpinned"), [("Unpinned", True), ("Pinned", False), ("", False), (None, False)])
def test_empty_is_pinned(given: str | None, unpinned: bool) -> None:
    assert placement.is_unpinned(given) is unpinned


@pytest.mark.parametrize(
    ("orchestration", "key"),
    [
        ({"placement": "Unpinned", "topology": {"topologyKey": "rack"}}, "rack"),
        ({"placement": "Unpinned"}, ""),
        ({"placement": "Pinned", "topology": {"topologyKey": "rack"}}, ""),
    ],
)
def test_a_bare_key_is_ignored(orchestration: Json, key: str) -> None:
    assert placement.ignored_key(orchestration) == key


def fleet(synthesized: tuple[str, ...], others: tuple[str, ...]) -> Fleet:
    return Fleet(
        platform="onprem",
        gpu_architecture="h100",
        nodes=(),
        products=(),
        synthesized=synthesized,
        other_architecture=others,
    )


def test_made_up_labels_and_a_second_architecture_are_refused() -> None:
    with pytest.raises(nr.RenderError) as refusal:
        placement.require_products(fleet(("a", "b"), ("c",)))
    (found,) = refusal.value.diagnostics
    assert found.message == (
        "PartitionError: placement Unpinned leaves the choice of nodes to the scheduler, but 2 of them have no real "
        "nvidia.com/gpu.product label (a, b) and 1 node is of another GPU architecture than h100 (c)"
    )
    for way_out in ("target.nodeSelector", "target.matchExpressions", "Pinned"):
        assert way_out in found.remedy


@pytest.mark.parametrize(("synthesized", "others"), [((), ("c",)), (("a",), ())])
def test_either_alone_is_fine(synthesized: tuple[str, ...], others: tuple[str, ...]) -> None:
    placement.require_products(fleet(synthesized, others))


GANG = {"gangScheduler": {"schedulerName": "kai-scheduler"}}


@pytest.mark.parametrize(
    ("size", "orchestration", "spec", "codes"),
    [
        (2, {"placement": "Unpinned"}, {}, ["unpinned-without-gang"]),
        (1, {"placement": "Unpinned"}, {}, []),
        (2, {"placement": "Unpinned"}, GANG, []),
        (2, {"placement": "Pinned"}, {}, []),
        (1, {"placement": "Unpinned", "topology": {"topologyKey": "rack"}}, {}, ["unpinned-topology"]),
    ],
)
def test_warnings(size: int, orchestration: Json, spec: Json, codes: list[str]) -> None:
    found = placement.notes({"orchestration": orchestration, **spec}, size)
    assert [(each.rule.name, each.severity) for each in found] == [(code, "warning") for code in codes]


@pytest.mark.parametrize(
    ("field", "value"),
    [("diagnose", {}), ("topology", {"topologyKey": "rack", "strictDomain": True})],
)
def test_what_means_several_jobs_is_refused(field: str, value: Any) -> None:
    with pytest.raises(nr.RenderError, match=r"orchestration\.placement: Unpinned") as refusal:
        planned(placement="Unpinned", **{field: value})
    assert f"orchestration.{field}" in str(refusal.value)
