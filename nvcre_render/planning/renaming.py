"""New names for a group's copies: the map, and its application to documents. (NVCRE guide, dependencies.)"""

from __future__ import annotations

from collections import Counter

from nvcre_render.planning import naming
from nvcre_render.planning.dependencies import is_name_shaped, name, protected, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Document = Mapping[str, Any]


def renamed_words(copied: Sequence[Document]) -> list[str]:
    """Return what gets a suffix in the copies: the names of the copied documents, then words that tie two of them."""
    names = dict.fromkeys(filter(None, map(name, copied)))
    return [*names, *cross_references(copied)]


def cross_references(copied: Sequence[Document]) -> list[str]:
    """Return the name-shaped words that stand in at least two of the documents and name none of them, sorted."""
    names = {name(each) for each in copied}
    counts = Counter(word for each in copied for word in texts(each) - names)
    return sorted(word for word, count in counts.items() if count > 1 and is_name_shaped(word))


def replacements(words: Sequence[str], suffix: str) -> dict[str, str]:
    """Return old name to new name.

    >>> replacements(["nccl-runtime"], "-71c03-job")
    {'nccl-runtime': 'nccl-runtime-71c03-job'}
    """
    return {word: naming.copy(word, suffix) for word in words}


def substitute(value: Any, new: Mapping[str, str], kept: frozenset[int] = frozenset()) -> Any:
    """Return a copy of plain data in which every text that is entirely an old name is the new one, keys included.

    Mappings whose identity is in `kept` are copied as they are.
    """
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, dict):
        if id(value) in kept:
            return substitute(value, {})
        return {new.get(key, key): substitute(item, new, kept) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, new, kept) for item in value]
    return value


def job_spec(spec: Document, new: Mapping[str, str]) -> dict[str, Any]:
    """Return the job spec of a group: names replaced, the user's own labels and annotations as they were."""
    kept = frozenset(id(each) for each in protected(spec))
    own = {key: item for key, item in spec.items() if key == "workloadMetadata"}
    named = {key: item for key, item in spec.items() if key not in own}
    return {**substitute(named, new, kept), **substitute(own, {})}
