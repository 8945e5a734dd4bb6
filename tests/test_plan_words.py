"""Warnings about words that are renamed by chance."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.planning import words
from tests.plans import Json, config, runtime
from tests.test_plan_dependencies import PATCH, document

SUFFIX = "-71c03-job"


def noted(job_spec: Json, *documents: Any) -> list[str]:
    return [found.message for found in words.notes(job_spec, documents, SUFFIX)]


def test_a_value_that_equals_a_name_inside_the_runtime() -> None:
    (message,) = noted({}, runtime(), config(mode="node"))
    assert message == (
        '"node" stands at spec.template.spec.replicatedJobs[0].name of the TrainingRuntime run-runtime and at '
        'data.mode of the ConfigMap run-config (and 1 more); each group renames it, to "node-71c03-job" and so on'
    )


def test_the_run_s_own_label_is_a_tie_until_the_job_uses_the_word() -> None:
    documents = [
        runtime(labels={"app": "run"}),
        {**config(), "metadata": {"name": "run-config", "labels": {"app": "run"}}},
    ]
    assert noted({}, *documents) == []
    (message,) = noted({"workload": {"trainJob": {"trainer": {"args": ["--name", "run"]}}}}, *documents)
    assert message.startswith('"run" stands at workload.trainJob.trainer.args[1] of the job template and at')


@pytest.mark.parametrize(
    "field",
    [
        {"resourceClaimTemplateName": "my-claim"},
        {"channel": {"resourceClaimTemplate": {"name": "my-claim"}}},
        {"devices": {"requests": [{"name": "my-claim"}]}},
        {"resources": {"claims": [{"name": "my-claim"}]}},
    ],
)
def test_claims_are_ties(field: Json) -> None:
    assert noted({}, document("a-one", x=field), document("b-two", resourceClaims=[{"name": "my-claim"}])) == []


def test_a_namespace_written_twice_is_no_tie() -> None:
    documents = [runtime(namespace="team"), {**config(), "metadata": {"name": "run-config", "namespace": "team"}}]
    assert len(noted({}, *documents)) == 1


def test_protected_words_of_the_job_do_not_count() -> None:
    spec = {"workload": {"trainJob": {"runtimePatches": [PATCH]}}}
    documents = [document("a-one", labels={"app": "one"}), document("b-two", labels={"app": "one"})]
    assert noted(spec, *documents) == []
