"""The objects of a node list: nodes and ResourceSlices told apart, and what no cluster would hold.

Taken are what kubectl and the API print: a List, NodeList or ResourceSliceList, single objects, several documents,
and a bare array of objects.
"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.diagnostics import Diagnostic
from nvcre_render.positions import field_path
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Rule
    from nvcre_render.positions import Path

NODE, SLICE = "Node", "ResourceSlice"
_LISTS = {"List": NODE, "NodeList": NODE, "ResourceSliceList": SLICE}


class NodeList(Record):
    """The v1 Nodes of a list, with distinct names, and the ResourceSlices beside them."""

    nodes: tuple[Mapping[str, Any], ...]
    slices: tuple[Mapping[str, Any], ...] = ()


def read(documents: Sequence[Any]) -> tuple[NodeList, list[Diagnostic]]:
    """Return the nodes and slices of plain documents, and the findings about them.

    The path of a finding starts with the index of its document; findings have no position. Objects of other kinds
    are passed over.
    """
    objects = [entry for index, document in enumerate(documents) for entry in _objects(document, index)]
    nodes = [(path, value) for path, kind, value in objects if kind == NODE]
    found = list(_check(nodes))
    if not nodes:
        found.append(rules.finding(rules.NOT_A_NODE_LIST, _what(documents), (), rules.NOT_A_NODE_LIST.remedy))
    slices = tuple(value for _, kind, value in objects if kind == SLICE and isinstance(value, dict))
    return NodeList(nodes=tuple(value for _, value in nodes), slices=slices), found


def _objects(document: Any, index: int) -> Iterator[tuple[Path, str, Any]]:
    """Yield path, kind and value of every object; items of a list from the API leave their kind out."""
    path: Path = (index,)
    items, kind = document, NODE
    if isinstance(document, dict) and document.get("kind") in _LISTS:
        items, path, kind = document.get("items") or [], (index, "items"), _LISTS[document["kind"]]
    if not isinstance(items, list):
        yield path, _kind_of(items, kind), items
        return
    for place, item in enumerate(items):
        yield (*path, place), _kind_of(item, kind), item


def _kind_of(value: Any, default: str) -> str:
    return str(value.get("kind") or default) if isinstance(value, dict) else default


def _what(documents: Sequence[Any]) -> str:
    if not documents:
        return "the node list is empty"
    first = documents[0]
    if not isinstance(first, dict):
        return "the list holds no nodes"
    kind = first.get("kind")
    if kind in _LISTS:
        kinds = sorted({str(item.get("kind")) for item in first.get("items") or () if isinstance(item, dict)})
        return f"the {kind} holds no nodes, only {', '.join(kinds)}" if kinds else f"the {kind} is empty"
    return f"a {kind} is no list of nodes"


def _check(nodes: Iterable[tuple[Path, Any]]) -> Iterator[Diagnostic]:
    seen: dict[str, Path] = {}
    for path, node in nodes:
        metadata = node.get("metadata") if isinstance(node, dict) else None
        if not isinstance(metadata, dict):
            message = "a node is a mapping with metadata" if isinstance(node, dict) else f"{_kind(node)} is no node"
            yield _found(rules.MALFORMED_NODE, message, path)
            continue
        name = metadata.get("name")
        if not isinstance(name, str) or not name:
            message = "the node has no name" if not name else f"the name is {_kind(name)}, not a text"
            yield _found(rules.UNNAMED_NODE, message, (*path, "metadata", "name"))
        elif name in seen:
            yield _found(
                rules.REPEATED_NODE,
                f"a node {name} is listed before, at {field_path(seen[name][1:])}",
                (*path, "metadata", "name"),
            )
        else:
            seen[name] = path
        yield from _types(node, metadata, path)


def _types(node: Mapping[str, Any], metadata: Mapping[str, Any], path: Path) -> Iterator[Diagnostic]:
    """Yield what has a type that the API server would not take, as far as a plan reads it."""
    yield from _texts(metadata.get("labels"), (*path, "metadata", "labels"))
    spec = node.get("spec")
    if spec is not None and not isinstance(spec, dict):
        yield _found(rules.MALFORMED_NODE, f"spec is {_kind(spec)}, not a mapping", (*path, "spec"))
    elif spec:
        yield from _spec_types(spec, (*path, "spec"))
    status = node.get("status")
    place: Path = (*path, "status")
    if isinstance(status, dict):
        status, place = status.get("allocatable"), (*place, "allocatable")
    if status is not None and not isinstance(status, dict):
        yield _found(rules.MALFORMED_NODE, f"{place[-1]} is {_kind(status)}, not a mapping", place)


def _spec_types(spec: Mapping[str, Any], path: Path) -> Iterator[Diagnostic]:
    for key, expected, words in (("providerID", str, "a text"), ("unschedulable", bool, "true or false")):
        value = spec.get(key)
        if value is not None and not isinstance(value, expected):
            yield _found(rules.MALFORMED_NODE, f"{key} is {_kind(value)}, not {words}", (*path, key))
    taints = spec.get("taints")
    if taints is None:
        return
    if not isinstance(taints, list):
        yield _found(rules.MALFORMED_NODE, f"taints is {_kind(taints)}, not a list", (*path, "taints"))
        return
    for index, taint in enumerate(taints):
        yield from _texts(taint, (*path, "taints", index))


def _texts(value: Any, path: Path) -> Iterator[Diagnostic]:
    """Yield what is not a text in a mapping of texts; null, the mapping or a value, counts as absent."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield _found(rules.MALFORMED_NODE, f"{_kind(value)} where a mapping belongs", path)
        return
    for key, text in value.items():
        if not isinstance(text, str) and text is not None:
            yield _found(rules.MALFORMED_NODE, f"{key} is {_kind(text)}, not a text", (*path, key))


def _found(rule: Rule, message: str, path: Path) -> Diagnostic:
    return rules.finding(rule, message, path, rule.remedy)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    kinds: dict[type, str] = {dict: "a mapping", list: "a list", str: "a text"}
    return kinds.get(type(value), "nothing")
