"""Node lists as text."""

from __future__ import annotations

import json

import pytest
import yaml

from nvcre_render.planning import nodefile
from nvcre_render.planning.node import read
from tests.plans import Json, node
from tests.test_plan_nodelist import listed
from tests.test_plan_slices import device, resource_slice


def full(name: str) -> Json:
    """Return a node with the ballast that kubectl prints."""
    made = node(name, spec={"providerID": "aws://x", "taints": [{"key": "t"}]}, zone="Ort")
    made["metadata"]["annotations"] = {"a": "b"}
    made["metadata"]["managedFields"] = [{"f:status": {}}]
    made["status"]["images"] = [{"names": ["x"], "sizeBytes": 1}]
    made["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return made


LIST = listed(full("a"), full("b"), resource_slice("a", device()))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LIST),
        json.dumps(LIST, indent=4).encode(),
        yaml.safe_dump(LIST),
        yaml.safe_dump(LIST, default_flow_style=True).encode(),
        "\ufeff" + json.dumps(LIST),
        b"\xef\xbb\xbf" + yaml.safe_dump(LIST).encode(),
        yaml.safe_dump(LIST).encode("utf-16"),
        yaml.safe_dump_all([full("a"), full("b"), resource_slice("a", device())]),
        "---\n---\n" + yaml.safe_dump(LIST),
    ],
)
def test_every_form_gives_the_same_nodes(text: str | bytes) -> None:
    nodes, found = nodefile.read(text, "nodes")
    assert found == []
    for given, made in zip((full("a"), full("b")), nodes.nodes, strict=True):
        left, right = read(made), read(given)
        assert [getattr(left, field) for field in left.__slots__] == [
            getattr(right, field) for field in right.__slots__
        ]
    assert [each["spec"] for each in nodes.slices] == [resource_slice("a", device())["spec"]]


def test_yaml_leaves_out_what_no_plan_reads() -> None:
    (made,) = nodefile.read(yaml.safe_dump(full("a")), "nodes")[0].nodes
    assert made["status"] == {"allocatable": {"nvidia.com/gpu": "8"}}
    assert "annotations" not in made["metadata"]
    assert "managedFields" not in made["metadata"]


def test_aliases_and_merges_stand_for_what_they_repeat() -> None:
    text = """
- metadata: &meta
    name: a
    labels: &labels {x: "1", y: "2"}
- metadata:
    <<: *meta
    name: b
- metadata:
    name: c
    labels: {<<: [*labels, {y: "9", z: "3"}], x: "0"}
- metadata: {name: d, labels: *labels}
"""
    nodes, found = nodefile.read(text, "nodes")
    assert found == []
    assert [(each["metadata"]["name"], each["metadata"]["labels"]) for each in nodes.nodes] == [
        ("a", {"x": "1", "y": "2"}),
        ("b", {"x": "1", "y": "2"}),
        ("c", {"x": "0", "y": "2", "z": "3"}),
        ("d", {"x": "1", "y": "2"}),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("kind: List\nitems:\n- kind: Node\n  metadata:\n    name: a\n    labels:\n      x: yes\n", "n:7:10: NR804"),
        ("- metadata: {name: a}\n- metadata: {name: a}\n", "n:2:20: NR803"),
        ("metadata: {labels: {}}\n", "n:1:11: NR802"),
        ('[\n {"metadata": {"name": 1}}]', "n:2:24: NR802"),
        ("a: [\n", "n:2:1: NR101"),
        ('{"a":', "n:1:6: NR101"),
        ("kind: Pod\n", "n:1:1: NR801"),
        ("", "n:1:1: NR801"),
        ("[" * 100_000, "n:1:1: NR108"),
        ("- " * 200 + "x", "n:1:201: NR108"),
        (b"a: \xff", "n:1:4: NR107"),
        ("---\nkind: Pod\n---\nmetadata: {name: 1}\n", "n:4:18: NR802"),
        ('[{"metadata": {"name": "\\ud83d\\ude00"}}, {"metadata": {"name": 1}}]', "n:1:1: NR802"),
    ],
)
def test_findings_have_their_place(text: str | bytes, shown: str) -> None:
    found = nodefile.read(text, "n")[1]
    assert [str(each).partition(" error")[0] for each in found] == [shown]


def test_paths_do_not_count_documents() -> None:
    (found,) = nodefile.read("items: [{metadata: {}}]\nkind: List\n", "n")[1]
    assert found.field == "items[0].metadata.name"


def test_progress_is_reported_while_yaml_is_read() -> None:
    seen: list[float] = []
    text = yaml.safe_dump(listed(*(full(f"n{index}") for index in range(400))))
    nodes, found = nodefile.read(text, "n", seen.append)
    assert (len(nodes.nodes), found) == (400, [])
    assert seen == sorted(seen)
    assert all(0 < part <= 1 for part in seen)


def test_an_alias_inside_its_own_anchor_ends() -> None:
    assert nodefile.read("&a [*a, {metadata: {name: x}}]", "n")[1][0].rule.name == "malformed-node"


def test_aliases_that_multiply_are_read_at_once() -> None:
    lines = ["a0: &a0 {x: y}"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, 40)]
    assert nodefile.read("\n".join([*lines, "kind: Pod"]), "n")[1][0].rule.name == "not-a-node-list"
