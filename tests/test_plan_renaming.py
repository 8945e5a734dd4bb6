"""New names, and where they go."""

from __future__ import annotations

import copy
from typing import Any

from nvcre_render.planning import renaming
from tests.plans import Json
from tests.test_plan_dependencies import PATCH, document

SUFFIX = "-71c03-group-0-iter-1"


def test_names_and_words_in_two_documents_are_renamed() -> None:
    documents = [
        document("run-runtime", x=["shared-word", "shared-word", "alone"], y="run-config", z="Upper"),
        document("run-config", x="shared-word", z="Upper"),
    ]
    assert renaming.renamed_words(documents) == ["run-runtime", "run-config", "shared-word"]
    assert renaming.replacements(["shared-word"], SUFFIX) == {"shared-word": f"shared-word{SUFFIX}"}


def test_a_word_twice_in_one_document_is_no_tie() -> None:
    assert renaming.cross_references([document("a-one", x="word", y="word"), document("b-two")]) == []


def test_whole_texts_are_replaced_values_and_keys_alike() -> None:
    value: Json = {"old": "old", "x": ["old", "an old one", 1, None, True], "old.d": {"old": "older"}}
    before = copy.deepcopy(value)
    assert renaming.substitute(value, {"old": "new"}) == {
        "new": "new",
        "x": ["new", "an old one", 1, None, True],
        "old.d": {"new": "older"},
    }
    assert value == before


def test_the_user_s_labels_and_annotations_stay() -> None:
    patch: Any = copy.deepcopy(PATCH)
    metadata = {"labels": {"one": "two"}}
    spec = {
        "workloadMetadata": copy.deepcopy(metadata),
        "checkpoint": {"pvcName": "two"},
        "workload": {"trainJob": {"runtimePatches": [patch], "env": None}},
    }
    renamed = renaming.job_spec(spec, {"one": "1", "two": "2", "three": "3", "four": "4", "workloadMetadata": "x"})
    assert renamed["workloadMetadata"] == metadata
    assert renamed["checkpoint"] == {"pvcName": "2"}
    assert renamed["workload"]["trainJob"]["env"] is None
    (made,) = renamed["workload"]["trainJob"]["runtimePatches"]
    expected = copy.deepcopy(PATCH)
    expected["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"] = {
        "x": "4"
    }
    assert made == expected
    # Nothing of the result is part of the template.
    made["trainingRuntimeSpec"]["template"]["metadata"]["labels"]["a"] = "changed"
    assert patch == PATCH
