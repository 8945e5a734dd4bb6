"""Shared or copied, and in which order."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nvcre_render.planning import dependencies
from tests.plans import CONTROLLER, Json, config

REFERRING = {"workload": {"trainJob": {"runtimeRef": {"name": "run-runtime"}}}}


def document(name: str, kind: str = "ConfigMap", **fields: Any) -> Json:
    return {"kind": kind, "metadata": {"name": name}, **fields}


def copied(job_spec: Json, *documents: Json) -> list[str]:
    before = copy.deepcopy((job_spec, documents))
    shared, own = dependencies.classify(job_spec, documents)
    assert before == (job_spec, documents)
    assert sorted(map(dependencies.name, documents)) == sorted(map(dependencies.name, [*shared, *own]))
    assert shared == [each for each in documents if each in shared]
    return [dependencies.name(each) for each in own]


@pytest.mark.parametrize(
    ("text", "shaped"),
    [
        ("abc", True),
        ("a-b.c", True),
        ("1a2", True),
        ("gpu.nvidia.com", True),
        ("a" * 253, True),
        ("a" * 254, False),
        ("ab", False),
        ("123", False),
        ("1-2", False),
        ("Abc", False),
        ("-ab", False),
        ("ab-", False),
        (".ab", False),
        ("a_b", False),
        ("a/b", False),
        ("é-ab", False),
        ("", False),
    ],
)
def test_what_looks_like_a_name(text: str, shaped: bool) -> None:
    assert dependencies.is_name_shaped(text) is shaped


def test_what_the_job_names_is_copied_and_drags_along_what_it_names() -> None:
    runtime = document("run-runtime", "TrainingRuntime", spec={"volumes": [{"configMap": {"name": "run-config"}}]})
    documents = [
        document("secret"),
        config("run-config", secret="secret"),  # noqa: S106 - the name of a Secret
        runtime,
        document("aside"),
    ]
    assert copied(REFERRING, *documents) == ["secret", "run-config", "run-runtime"]


def test_a_word_in_two_documents_ties_them() -> None:
    runtime = document("run-runtime", spec={"claim": "my-claim", "user": "my-user"})
    domain, chained = document("domain", claim="my-claim", tail="far-tail"), document("chained", tail="far-tail")
    assert copied(REFERRING, chained, domain, runtime, document("aside", x="my-other")) == [
        "chained",
        "domain",
        "run-runtime",
    ]


@pytest.mark.parametrize("word", ["ab", "128", "Upper", "a/b", "run-runtime"])
def test_other_words_do_not_tie(word: str) -> None:
    assert copied(REFERRING, document("run-runtime", x=word), document("aside", x=word)) == ["run-runtime"]


def test_keys_are_no_words() -> None:
    assert copied(REFERRING, document("run-runtime", x={"aside": 1}), document("aside")) == ["run-runtime"]


def test_kinds_of_the_cluster_are_shared_and_tie_nothing() -> None:
    cluster = document("run-runtime", "ClusterTrainingRuntime", x="my-claim")
    assert copied(REFERRING, cluster, document("aside", x="my-claim")) == []
    named = document("aside", x="my-role")
    role = document("my-role", "ClusterRole", x="my-claim")
    assert copied(REFERRING, document("run-runtime", x="my-role"), role, named) == ["run-runtime"]


PATCH: Json = {
    "manager": CONTROLLER,
    "trainingRuntimeSpec": {
        "template": {
            "metadata": {"labels": {"a": "one"}},
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {"annotations": {"a": "two"}},
                            "spec": {"template": {"metadata": {"labels": {"a": "three"}}, "spec": {"x": "four"}}},
                        },
                    }
                ]
            },
        }
    },
}


def test_the_user_s_labels_and_annotations_name_nothing() -> None:
    spec = {"workloadMetadata": {"labels": {"a": "five"}}, "workload": {"trainJob": {"runtimePatches": [PATCH]}}}
    documents = [document(name) for name in ("one", "two", "three", "four", "five")]
    assert copied(spec, *documents) == ["four"]
    assert list(dependencies.protected(spec)) == [
        {"labels": {"a": "five"}},
        {"a": "one"},
        {"a": "two"},
        {"a": "three"},
    ]


def test_documents_without_a_name_are_shared() -> None:
    assert dependencies.classify({"x": ""}, [{"kind": "A"}, {"metadata": {"name": ""}}])[1] == []


@pytest.mark.parametrize(
    ("documents", "order"),
    [
        ([("a", ""), ("b", "")], "a b"),
        ([("a", "b"), ("b", "c"), ("c", "")], "c b a"),
        ([("a", "c"), ("b", "c"), ("c", ""), ("d", "")], "c d a b"),
        # each one created releases others at the end of the queue
        ([("a", "d"), ("b", ""), ("c", "b"), ("d", "")], "b d c a"),
        # a cycle follows in its own order, with what waits for it
        ([("x", "a"), ("a", "b"), ("b", "a"), ("c", "")], "c x a b"),
        ([("a", "a")], "a"),
        ([], ""),
    ],
)
def test_a_document_comes_after_those_it_names(documents: list[tuple[str, str]], order: str) -> None:
    listed = [document(name, x=other) for name, other in documents]
    assert " ".join(map(dependencies.name, dependencies.order(listed))) == order
