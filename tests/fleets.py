"""Hypothesis strategies for nodes and targets that meet often: few labels, few values, few taints."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nvcre_render.planning.discovery import CORDON_TAINT
from tests.plans import GPU, PRESENT, PRODUCT, RACK

Json = dict[str, Any]

CORDON = {"key": CORDON_TAINT, "effect": "NoSchedule"}
TAINTS = st.lists(
    st.sampled_from([CORDON, {"key": "t", "value": "v", "effect": "NoSchedule"}, {"key": "t"}, {"key": "u"}]),
    max_size=3,
)
PRODUCTS = ["NVIDIA-H100-80GB-HBM3", "NVIDIA-H100-NVL", "NVIDIA-GB200", "NVIDIA A100", ""]
NAMES = st.one_of(st.integers(1, 40).map("node-{}".format), st.sampled_from(["A", "z", "node-", "n.1"]))
VALUES = st.sampled_from(["1", "2", "10", ""])
EXPRESSIONS = st.fixed_dictionaries(
    {
        "key": st.sampled_from(["pool", "zone", RACK, "not a key"]),
        "operator": st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Gt"]),
    },
    optional={"values": st.lists(VALUES, max_size=2)},
)
SELECTORS = st.fixed_dictionaries(
    {"key": st.sampled_from(["t", "u", CORDON_TAINT])},
    optional={"value": st.sampled_from(["v", ""]), "effect": st.sampled_from(["NoSchedule", ""])},
)


@st.composite
def nodes(draw: st.DrawFn, name: str, *, usable: bool = False) -> Json:
    """Draw a v1 Node; a usable one is on premises and passes every filter but that of the target."""
    labels = draw(st.dictionaries(st.sampled_from(["pool", "zone"]), VALUES, max_size=2))
    labels[RACK] = draw(st.sampled_from(["r1", "r2", "r10"]))
    labels[PRESENT] = "true" if usable else draw(st.sampled_from(["true", "true", "true", "True", ""]))
    product = draw(st.sampled_from(PRODUCTS))
    if product:
        labels[PRODUCT] = product
    spec: Json = (
        {} if usable else {"unschedulable": draw(st.sampled_from([False, False, True])), "taints": draw(TAINTS)}
    )
    gpus = draw(st.sampled_from(["8", "8", "4", "0", None, 1]))
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": {} if gpus is None else {GPU: gpus}},
    }


@st.composite
def fleets(draw: st.DrawFn, *, usable: bool = False, most: int = 10) -> list[Json]:
    """Draw 1 to `most` nodes with distinct names."""
    names = draw(st.lists(NAMES, min_size=1, max_size=most, unique=True))
    return [draw(nodes(name, usable=usable)) for name in names]


@st.composite
def targets(draw: st.DrawFn) -> Json:
    """Draw a target, any part of which may be absent."""
    target: Json = {}
    if draw(st.integers(0, 3)) == 0:
        target["nodeSelector"] = draw(st.dictionaries(st.sampled_from(["pool", "zone"]), VALUES, max_size=1))
    if draw(st.integers(0, 3)) == 0:
        target["matchExpressions"] = draw(st.lists(EXPRESSIONS, max_size=2))
    if draw(st.integers(0, 5)) == 0:
        target["nodeNames"] = draw(st.lists(NAMES, max_size=12))
    if draw(st.integers(0, 5)) == 0:
        target["taintSelectors"] = draw(st.lists(SELECTORS, max_size=2))
    return target
