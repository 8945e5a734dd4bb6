"""Near spellings and misplaced fields: what a writer probably meant."""

from __future__ import annotations

import difflib

from nvcre_render.positions import field_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from nvcre_render.positions import Path

_MAX_DEPTH = 6  # levels of our own documents; below them every name occurs everywhere


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Return the known name nearest to `word`: another letter case, a plural, or a few letters off."""
    folded = {fold(name): name for name in reversed(list(known))}
    cutoff = 0.6 if len(word) < 5 else 0.75  # noqa: PLR2004  # in a short word one letter weighs more
    close = difflib.get_close_matches(fold(word), folded, n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def fold(word: str) -> str:
    """Make letters alike that people take for one another."""
    return word.lower().replace("o", "0").replace("l", "1")


def placement(word: str, root: dict[str, Any], path: Path) -> str | None:
    """Return a hint when the schema knows a field `word` at another place than `path`."""
    if word == "topology" and path == ("spec", "orchestration"):
        return "a WorkloadRun has no topology; set orchestration.topology.topologyKey in an entry of spec.overrides"
    places = [field_path(place) for place in _places(word, root, root, ()) if place[:-1] != path]
    return f"did you mean {min(places, key=len)}?" if places else None


def _places(word: str, schema: dict[str, Any], root: dict[str, Any], path: Path) -> Iterator[Path]:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if len(path) >= _MAX_DEPTH:
        return
    for key, field in schema.get("properties", {}).items():
        if key == word:
            yield (*path, key)
        yield from _places(word, field, root, (*path, key))
