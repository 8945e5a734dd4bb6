"""Words that two copied dependencies share by chance, and that are renamed for it. (NVCRE guide, dependencies.)"""

from __future__ import annotations

from nvcre_render.checks import plan_rules as rules
from nvcre_render.diagnostics import field_path
from nvcre_render.plan.dependencies import name, protected
from nvcre_render.plan.renaming import cross_references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic, Path
    from nvcre_render.plan.dependencies import Document

# Ends of paths whose words are meant to be the same in several documents and to change with them.
_TIES = (
    ("labels", "app"),
    ("resourceClaimTemplateName",),
    ("resourceClaimTemplate", "name"),
)


def notes(job_spec: Mapping[str, Any], copied: Sequence[Document], suffix: str) -> list[Diagnostic]:
    """Return a warning for each word that is renamed although it looks like a value rather than a tie."""
    words = set(cross_references(copied))
    if not words:
        return []
    places: dict[str, list[str]] = {word: [] for word in words}
    doubtful: set[str] = set()
    for where, document, kept in _sources(job_spec, copied):
        for path, word in _walk(document, (), kept):
            if word in words:
                places[word].append(f"{field_path(path)} of {where}")
                if not any(path[-len(tie) :] == tie for tie in _TIES):
                    doubtful.add(word)
    return [_note(word, places[word], suffix) for word in sorted(doubtful)]


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


def _note(word: str, places: Sequence[str], suffix: str) -> Diagnostic:
    listed = " and ".join(places[:2]) + (f" and {len(places) - 2} more" if len(places) > len(places[:2]) else "")
    message = f'"{word}" stands at {listed}; in the copies of a group it becomes "{word}{suffix}" in all of them'
    return rules.finding(rules.SHARED_WORD, message, ("spec", "dependencies"), rules.SHARED_WORD.remedy)
