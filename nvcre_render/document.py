"""A document with the place of everything in it."""

from __future__ import annotations

import yaml

from nvcre_render.scalars import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from nvcre_render.positions import Path, Places, Position

MAX_DEPTH = 100  # levels; CustomResourceDefinitions, the deepest manifests in use, stay below 60
PLAIN = "plain"  # the tag our parser gives to plain scalars that carry none
CORE = "tag:yaml.org,2002:"  # what the tags of YAML's own types begin with


class Document:
    """One document: its `data` (plain mappings, lists and scalars) and the place of everything in it.

    `data` belongs to the document and is never changed by this package. Documents made from a mapping have no
    text, so their places are None.
    """

    def __init__(self, file: str, data: Any, root: Any = None, places: Places | None = None) -> None:
        """Pair `data` with the composed libyaml node it came from, if any."""
        self.file = file
        self.data = data
        self._root, self._places = root, places
        self._known: dict[int, dict[str, tuple[Any, Any]]] = {}

    def position(self, path: Path) -> Position | None:
        """Return where the value at `path` begins; the nearest enclosing value when it is absent."""
        return self._place(self._node(path))

    def key_position(self, path: Path) -> Position | None:
        """Return where the last key of `path` stands; for a list item the item itself."""
        parent = self._node(path[:-1])
        if path and isinstance(parent, yaml.MappingNode) and path[-1] in self._entries(parent):
            return self._place(self._entries(parent)[path[-1]][0])
        return self.position(path)

    def raw(self, path: Path) -> str | None:
        """Return the scalar at `path` as it was typed, None when there is no text."""
        node = self._node(path)
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def replaced(self, path: Path, value: Any) -> Document:
        """Return a document with `value` at the mapping path `path`, its places kept; this one is unchanged."""
        return Document(self.file, _replaced(self.data, path, value), self._root, self._places)

    def _node(self, path: Path) -> Any:
        node = self._root
        for step in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
            elif isinstance(node, yaml.MappingNode) and step in self._entries(node):
                node = self._entries(node)[step][1]
            else:
                break
        return node

    def _entries(self, mapping: Any) -> dict[Any, tuple[Any, Any]]:
        """Return the key and value node of every key; remembered, since a finding may ask for each of many keys."""
        if id(mapping) not in self._known:
            known = [entry for entry in reversed(entries(mapping)) if isinstance(entry[0], yaml.ScalarNode)]
            self._known[id(mapping)] = {key.value: (key, value) for key, value in known}
        return self._known[id(mapping)]

    def _place(self, node: Any) -> Position | None:
        return self._places.at(node.start_mark.index) if self._places and node else None


def _replaced(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    inner = data if isinstance(data, dict) else {}
    return {**inner, path[0]: _replaced(inner.get(path[0]), path[1:], value)}


def from_mapping(data: Mapping[str, Any], file: str) -> Document:
    """Return a document for a manifest that is already a mapping; `data` is copied, not kept."""
    return Document(file, _copy(data))


def not_json(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield what in a mapping has no form in a manifest, with its path: dates, bytes, infinity, odd keys."""
    if len(path) > MAX_DEPTH:
        yield path, f"nested more than {MAX_DEPTH} levels deep, or a value stands inside itself"
    elif isinstance(value, str):
        if not _is_unicode(value):
            yield path, "the text holds half of a surrogate pair"
    elif isinstance(value, float):
        if value - value != 0:
            yield path, f"{value} has no form in a Kubernetes object"
    elif hasattr(value, "items"):
        for key, item in value.items():
            if isinstance(key, str) and _is_unicode(key):
                yield from not_json(item, (*path, key))
            else:
                yield path, f"the key {key!r} is not a text"
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from not_json(item, (*path, index))
    elif value is not None and not isinstance(value, (bool, int)):
        yield path, f"a {type(value).__name__} has no form in a Kubernetes object"


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _copy(value: Any) -> Any:
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(item) for item in value]
    return whole(value)


def is_merge(node: Any) -> bool:
    """Tell whether a key node is the merge key <<."""
    return isinstance(node, yaml.ScalarNode) and node.value == "<<" and node.tag in (PLAIN, CORE + "merge")


def entries(mapping: Any) -> list[tuple[Any, Any]]:
    """Return the entries of a mapping as Kubernetes sees them: own keys first, then those that << merges."""
    own = [entry for entry in mapping.value if not is_merge(entry[0])]
    for key, value in mapping.value:
        if is_merge(key):
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            own += [entry for source in sources if isinstance(source, yaml.MappingNode) for entry in entries(source)]
    return own
