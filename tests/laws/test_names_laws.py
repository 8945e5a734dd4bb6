"""What holds for every generated name, and for every classification, order and renaming of dependencies."""

from __future__ import annotations

import copy
from itertools import product
from string import ascii_lowercase, digits, hexdigits
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nvcre_render.checks.names import is_dns_label, is_dns_subdomain
from nvcre_render.planning import dependencies, naming, renaming
from tests.plans import Json

BOUNDED = settings(max_examples=80, deadline=None)

LABELS = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,78}[a-z0-9])?", fullmatch=True)
SUBDOMAINS = st.lists(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True), min_size=1, max_size=4)
GROUPS = st.integers(0, 99_999).map("group-{}".format) | st.integers(0, 99_999).map("group-{}-overflow".format)


@BOUNDED
@given(st.one_of(LABELS, SUBDOMAINS.map(".".join)), st.integers(7, 70))
def test_truncation(name: str, limit: int) -> None:
    cut = naming.truncate(name, limit)
    assert len(cut) <= limit
    assert (cut == name) == (len(name) <= limit)
    assert naming.truncate(cut, limit) == cut
    if is_dns_label(name):
        assert is_dns_label(cut)
    else:
        assert is_dns_subdomain(cut) == (".-" not in cut)


@BOUNDED
@given(LABELS, st.integers(1, 3), st.integers(1, 3), st.integers(1, 20), GROUPS)
def test_names_keep_their_limits(workflow: str, groups: int, iterations: int, iteration: int, group: str) -> None:
    names = naming.names(workflow, groups, iterations, iteration)
    job = names.job(group)
    assert len(job) <= naming.JOB_LIMIT
    assert naming.train_job(job) == f"{job}-workload"
    assert len(naming.train_job(job)) <= naming.TRAIN_JOB_LIMIT
    assert len(naming.copy(workflow, names.suffix(group))) <= naming.COPY_LIMIT
    mark = naming.workflow_hash(workflow)
    assert len(mark) == 5
    assert set(mark) <= set(hexdigits) or workflow.endswith(f"-{mark}")


@BOUNDED
@given(LABELS, st.lists(GROUPS, min_size=1, max_size=4, unique=True), st.integers(1, 4))
def test_groups_and_iterations_differ(workflow: str, groups: list[str], iterations: int) -> None:
    jobs, suffixes = [], []
    for group, iteration in product(groups, range(1, iterations + 1)):
        names = naming.names(workflow, len(groups), iterations, iteration)
        suffixes.append(names.suffix(group))
        jobs.append(names.job(group))
    assert len(set(suffixes)) == len(suffixes)
    if len(f"{workflow}-{max(groups, key=len)}-iter-{iterations}") <= naming.JOB_LIMIT:
        assert len(set(jobs)) == len(jobs)


# -- dependencies

WORDS = st.sampled_from(
    ["my-runtime", "my-config", "my-claim", "my-secret", "word", "other", "ab", "128", "Upper", "x y", "v1alpha1"]
)
KINDS = st.sampled_from(["ConfigMap", "TrainingRuntime", "ComputeDomain", "ClusterThing"])
BODIES = st.recursive(
    WORDS | st.integers(0, 3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def lists(draw: st.DrawFn) -> list[Json]:
    """Draw documents with distinct names, most of which name others."""
    names = draw(st.lists(st.sampled_from(["my-runtime", "my-config", "my-claim", "my-secret", "far"]), unique=True))
    return [{"kind": draw(KINDS), "metadata": {"name": name}, "body": draw(BODIES)} for name in names]


JOBS = st.fixed_dictionaries(
    {"workload": BODIES, "checkpoint": BODIES, "workloadMetadata": st.just({"labels": {"a": "word"}})}
)


def named(documents: Any) -> set[str]:
    return {dependencies.name(each) for each in documents}


@BOUNDED
@given(JOBS, lists(), st.randoms(use_true_random=False))
def test_classification(job: Json, documents: list[Json], random: Any) -> None:
    before = copy.deepcopy((job, documents))
    shared, copied = dependencies.classify(job, documents)
    assert (job, documents) == before
    assert [each for each in documents if each in shared] == shared
    assert [each for each in documents if each in copied] == copied
    assert len(shared) + len(copied) == len(documents)
    shuffled = list(documents)
    random.shuffle(shuffled)
    assert named(dependencies.classify(job, shuffled)[1]) == named(copied)
    assert not any(dependencies.is_shared_by_nature(each) for each in copied)
    words = dependencies.job_texts(job)
    plain = [each for each in shared if not dependencies.is_shared_by_nature(each)]
    nameable = [each for each in documents if not dependencies.is_shared_by_nature(each)]
    assert bool(copied) == bool(named(nameable) & words)
    # Closed: nothing that stays shared is named by what is copied, nor tied to it.
    held = {text for each in copied for text in dependencies.texts(each)}
    assert not named(plain) & (words | held)
    ties = {text for text in held if dependencies.is_name_shaped(text)} - named(documents)
    assert not any(ties & dependencies.texts(each) for each in plain)


@BOUNDED
@given(JOBS, lists(), WORDS)
def test_one_more_word_in_the_job_copies_no_less(job: Json, documents: list[Json], word: str) -> None:
    before = named(dependencies.classify(job, documents)[1])
    assert before <= named(dependencies.classify({**job, "more": word}, documents)[1])


@BOUNDED
@given(lists())
def test_creation_order(documents: list[Json]) -> None:
    ordered = dependencies.order(documents)
    assert sorted(map(dependencies.name, ordered)) == sorted(map(dependencies.name, documents))
    needs = {
        dependencies.name(each): (dependencies.texts(each) & named(documents)) - {dependencies.name(each)}
        for each in documents
    }
    free = [dependencies.name(each) for each in documents if not needs[dependencies.name(each)]]
    found = [dependencies.name(each) for each in ordered]
    assert found[: len(free)] == free
    if not cyclic(needs):
        assert all(needs[name] <= set(found[:index]) for index, name in enumerate(found))


def cyclic(needs: dict[str, set[str]]) -> bool:
    left = dict(needs)
    while ready := [name for name, others in left.items() if not others & left.keys()]:
        for name in ready:
            del left[name]
    return bool(left)


@BOUNDED
@given(lists(), st.sampled_from(["-71c03-job", "-71c03-group-0-iter-1"]))
def test_renaming(documents: list[Json], suffix: str) -> None:
    before = copy.deepcopy(documents)
    new = renaming.replacements(renaming.renamed_words(documents), suffix)
    renamed = [renaming.substitute(each, new) for each in documents]
    assert documents == before
    assert len(set(new.values())) == len(new)
    assert named(documents) <= new.keys()
    for old, made in zip(documents, renamed, strict=True):
        assert old["kind"] == made["kind"]
        pairs = zip(scalars(old), scalars(made), strict=True)
        assert all(right == new.get(left, left) if isinstance(left, str) else right == left for left, right in pairs)
    # Undone by the reversed map, so a new name stands exactly where the old one stood.
    back = {value: key for key, value in new.items()}
    assert [renaming.substitute(each, back) for each in renamed] == documents


def scalars(value: Any) -> list[Any]:
    """Return keys and values in order."""
    if isinstance(value, dict):
        return [each for key, item in value.items() for each in (key, *scalars(item))]
    return [each for item in value for each in scalars(item)] if isinstance(value, list) else [value]


@BOUNDED
@given(st.text(alphabet=ascii_lowercase + digits + "-.AZ_/", max_size=8))
def test_name_shaped_words(text: str) -> None:
    expected = (
        len(text) >= 3
        and all(each in ascii_lowercase + digits + "-." for each in text)
        and text[0] not in "-."
        and text[-1] not in "-."
        and any(each in ascii_lowercase for each in text)
    )
    assert dependencies.is_name_shaped(text) == expected
