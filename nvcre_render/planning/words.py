"""Words that two copied dependencies share by chance, and that are renamed for it. (NVCRE guide, dependencies.)"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.planning import naming
from nvcre_render.planning.dependencies import name, protected
from nvcre_render.planning.renaming import cross_references
from nvcre_render.positions import field_path
from nvcre_render.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.planning.dependencies import Document
    from nvcre_render.positions import Path

# Ends of paths, list indices left out, whose words tie documents on purpose or mean something inside one alone.
_TIES = (
    ("labels", "app"),
    ("resourceClaimTemplateName",),
    ("resourceClaimTemplate", "name"),
    ("resourceClaims", "name"),
    ("claims", "name"),
    ("requests", "name"),
    ("requests",),
)


class _Place(Record):
    """Where a word stands, and whether it looks like a value there rather than a tie."""

    document: str
    path: Path
    doubtful: bool

    def __str__(self) -> str:
        """Show as the path, and what it is a path of."""
        return f"{field_path(self.path)} of {self.document}"


def notes(job_spec: Mapping[str, Any], copied: Sequence[Document], suffix: str) -> list[Diagnostic]:
    """Return a warning for each word that is renamed although it looks like a value rather than a tie."""
    places: dict[str, list[_Place]] = {word: [] for word in cross_references(copied)}
    if not places:
        return []
    for document, value, kept in _sources(job_spec, copied):
        for path, word in _walk(value, (), kept):
            if word in places:
                places[word].append(_Place(document=document, path=path, doubtful=not _ties(path)))
    return [_note(word, found, suffix) for word, found in places.items() if any(place.doubtful for place in found)]


def _ties(path: Path) -> bool:
    keys = tuple(step for step in path if isinstance(step, str))
    return any(keys[-len(tie) :] == tie for tie in _TIES)


def _sources(job_spec: Document, copied: Sequence[Document]) -> Iterator[tuple[str, Document, frozenset[int]]]:
    for each in copied:
        yield f"the {each.get('kind')} {name(each)}", each, frozenset()
    yield "the job template", job_spec, frozenset(id(each) for each in protected(job_spec))


def _walk(value: Any, path: Path, kept: frozenset[int]) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict) and id(value) not in kept:
        for key, item in value.items():
            yield from _walk(item, (*path, key), kept)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, index), kept)


def _note(word: str, places: Sequence[_Place], suffix: str) -> Diagnostic:
    first = next(place for place in places if place.doubtful)
    other = next(place for place in places if place.document != first.document)
    more = len(places) - len((first, other))
    elsewhere = f" (and {more} more)" if more else ""
    renamed = naming.copy(word, suffix)
    message = f'"{word}" stands at {first} and at {other}{elsewhere}; each group renames it, to "{renamed}" and so on'
    return rules.finding(rules.SHARED_WORD, message, ("spec", "dependencies"), rules.SHARED_WORD.remedy)
