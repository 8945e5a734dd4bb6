"""Generated names."""

from __future__ import annotations

import pytest

from nvcre_render.planning import naming


@pytest.mark.parametrize(
    ("text", "digits"),
    # The offset basis of 32-bit FNV-1a, and published test vectors of the algorithm.
    [("", "811c9"), ("a", "e40c2"), ("foobar", "bf9cf")],
)
def test_the_hash_is_fnv_1a(text: str, digits: str) -> None:
    assert naming.digest(text) == digits


@pytest.mark.parametrize(
    ("name", "limit", "cut"),
    [
        ("short", 5, "short"),
        ("nemotron5-certification-training-nemotron5", 31, "nemotron5-certification-t-9b1bc"),
        # the hyphens before the cut are dropped
        ("ab----------------", 10, f"ab-{naming.digest('ab----------------')}"),
        # at least one character stays
        ("abcdefgh", 4, f"a-{naming.digest('abcdefgh')}"),
    ],
)
def test_a_name_is_cut_and_marked_with_its_hash(name: str, limit: int, cut: str) -> None:
    assert naming.truncate(name, limit) == cut


@pytest.mark.parametrize(
    ("workflow", "mark"),
    [
        ("nccl-bench", "bench"),
        ("a-12345", "12345"),
        ("nccl", naming.digest("nccl")),
        ("bench", naming.digest("bench")),
        ("nccl-run", naming.digest("nccl-run")),
        ("x-", naming.digest("x-")),
    ],
)
def test_a_tail_of_five_stands_for_the_hash(workflow: str, mark: str) -> None:
    assert naming.workflow_hash(workflow) == mark


LONG = ("nccl-group-1-iter-1", "-71c03-group-1-iter-1")


@pytest.mark.parametrize(
    ("groups", "iterations", "iteration", "diagnose", "made"),
    [
        (1, 1, 1, False, ("nccl-job", "-71c03-job")),
        (0, 0, 1, False, ("nccl-job", "-71c03-job")),
        (2, 1, 1, False, LONG),
        (1, 2, 1, False, LONG),
        (1, 3, 2, False, ("nccl-group-1-iter-2", "-71c03-group-1-iter-2")),
        (1, 1, 2, False, ("nccl-job", "-71c03-group-1-iter-2")),
        (1, 1, 1, True, LONG),
    ],
)
def test_groups_and_iterations_show_where_there_are_several(
    groups: int, iterations: int, iteration: int, diagnose: bool, made: tuple[str, str]
) -> None:
    names = naming.names("nccl", groups, iterations, iteration, diagnose=diagnose)
    assert (names.job("group-1"), names.suffix("group-1")) == made


def test_the_documented_chain() -> None:
    job = naming.names("nccl-all-reduce-certifica-98b3c", 1, 1).job("group-0")
    assert job == "nccl-all-reduce-certifica-98b3c-job"
    assert naming.train_job(job) == "nccl-all-reduce-certifica-98b3c-job-workload"


def test_documented_names_that_coincide() -> None:
    names = naming.names("llama-pretrain-certification", 1000, 1)
    assert names.job("group-714") == names.job("group-890") == "llama-pretrain-certification-782e3"


def test_copies_end_at_63() -> None:
    assert naming.copy("x" * 40, "-71c03-group-0-iter-1") == "x" * 40 + "-71c03-group-0-iter-1"
    long = naming.copy("x" * 60, "-71c03-group-0-iter-1")
    assert (len(long), long[:58]) == (63, "x" * 57 + "-")
