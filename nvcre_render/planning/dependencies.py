"""Which dependencies of a Workflow all groups share and which each group gets a copy of, and in which order.

(NVCRE guide, dependencies.) What counts are the text values of a document, metadata included; keys never do. Two
documents are tied by a name-shaped word that stands in both.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Document = Mapping[str, Any]

SHORTEST, LONGEST = 3, 253  # characters of a word that is taken for a name
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_ENDS = _LETTERS | frozenset("0123456789")
_INNER = _ENDS | frozenset("-.")
_CLUSTER = "Cluster"  # kinds with this prefix exist once in a cluster


def name(document: Document) -> str:
    """Return the name of a document, empty when it has none."""
    found = (document.get("metadata") or {}).get("name")
    return found if isinstance(found, str) else ""


def is_shared_by_nature(document: Document) -> bool:
    """Tell whether the kind of a document is one of the cluster's, of which no group gets a copy."""
    return str(document.get("kind") or "").startswith(_CLUSTER)


def is_name_shaped(text: str) -> bool:
    """Tell whether a text could be the name of an object: 3 to 253 lower-case letters, digits, hyphens and dots.

    >>> [is_name_shaped(text) for text in ("my-claim", "ab", "128", "a/b")]
    [True, False, False, False]
    """
    return (
        SHORTEST <= len(text) <= LONGEST
        and text[0] in _ENDS
        and text[-1] in _ENDS
        and _INNER.issuperset(text)
        and not _LETTERS.isdisjoint(text)
    )


def texts(value: Any) -> set[str]:
    """Return every text value inside a value."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.add(each)
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found


def classify(job_spec: Document, dependencies: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Return the dependencies that all groups share and those that each group copies, both in their order.

    Copied is what the job spec names (labels and annotations of the workload and of its patches aside), what a
    copied document names, and what shares with a copied one a word that is no dependency's name.
    """
    copied = _copied(job_spec, dependencies)
    shared = [each for index, each in enumerate(dependencies) if index not in copied]
    return shared, [each for index, each in enumerate(dependencies) if index in copied]


def _copied(job_spec: Document, dependencies: Sequence[Document]) -> set[int]:
    """Return the indices of the copied dependencies: everything that the job spec reaches."""
    words = [texts(each) for each in dependencies]
    names = {name(each) for each in dependencies}
    holders: dict[str, list[int]] = {}
    named: dict[str, list[int]] = {}
    for index, each in enumerate(dependencies):
        if is_shared_by_nature(each):
            continue
        if name(each):
            named.setdefault(name(each), []).append(index)
        for word in words[index] - names:
            if is_name_shaped(word):
                holders.setdefault(word, []).append(index)
    found: set[int] = set()
    waiting = [index for word in job_texts(job_spec) for index in named.get(word, ())]
    while waiting:
        index = waiting.pop()
        if index in found:
            continue
        found.add(index)
        for word in words[index]:
            waiting += named.get(word, ())
            waiting += holders.get(word, ())
    return found


def job_texts(job_spec: Document) -> set[str]:
    """Return the texts of a job spec by which it can name a dependency."""
    kept = {id(each) for each in protected(job_spec)}
    return texts(_without(job_spec, kept))


def _without(value: Any, kept: set[int]) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, kept) for key, item in value.items() if id(item) not in kept}
    return [_without(item, kept) for item in value if id(item) not in kept] if isinstance(value, list) else value


def protected(job_spec: Document) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a job spec whose words are the user's own: never taken for names, never renamed.

    They are workloadMetadata, and the labels and annotations of every metadata inside runtimePatches.
    """
    if isinstance(job_spec.get("workloadMetadata"), dict):
        yield job_spec["workloadMetadata"]
    for patch in _dig(job_spec, "workload", "trainJob", "runtimePatches") or ():
        template = _dig(patch, "trainingRuntimeSpec", "template")
        jobs = [_dig(job, "template") for job in _dig(template, "spec", "replicatedJobs") or ()]
        for level in (template, *jobs, *(_dig(job, "spec", "template") for job in jobs)):
            for part in ("labels", "annotations"):
                found = _dig(level, "metadata", part)
                if isinstance(found, dict):
                    yield found


def _dig(value: Any, *path: str) -> Any:
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def order(documents: Sequence[Document]) -> list[Document]:
    """Return the documents in the order in which they are created: each after those of the list that it names.

    First come those that name no other, in their order; each one created releases those it was the last to hold
    back. The members of a cycle follow at the end, in their order.
    """
    places: dict[str, list[int]] = {}
    for index, each in enumerate(documents):
        if name(each):
            places.setdefault(name(each), []).append(index)
    missing: list[int] = []
    releases: list[list[int]] = [[] for _ in documents]
    for index, each in enumerate(documents):
        before = {place for word in texts(each) for place in places.get(word, ())} - {index}
        missing.append(len(before))
        for place in before:
            releases[place].append(index)
    created = [index for index, count in enumerate(missing) if count == 0]
    for index in created:  # grows while it is walked
        for later in releases[index]:
            missing[later] -= 1
            if missing[later] == 0:
                created.append(later)
    cycle = sorted(set(range(len(documents))) - set(created))
    return [documents[index] for index in created + cycle]
