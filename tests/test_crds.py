"""What a render emits, held against the CustomResourceDefinitions of Kubeflow Trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import crds

GOLDEN = sorted(Path("golden").glob("*/*.yaml"))
WORKFLOWS = [path for path in GOLDEN if not path.parent.name.startswith("executor-")]
# Trainer 2.1 has the field and NVCRE writes it; later releases prune it without effect.
ACCEPTED = "spec.mlPolicy.torch: Additional properties are not allowed ('numProcPerNode' was unexpected)"


@pytest.mark.parametrize("release", crds.RELEASES)
def test_every_train_job_and_runtime_of_the_goldens_is_valid(release: str) -> None:
    found: dict[str, list[str]] = {}
    for path in WORKFLOWS:
        spec = yaml.safe_load(path.read_text())["spec"]
        faults = crds.faults("TrainJob", release, train_job(spec))
        for dependency in spec["dependencies"]:
            if dependency["kind"] == "TrainingRuntime":
                faults += crds.faults("TrainingRuntime", release, dependency)
        faults = [fault for fault in faults if fault != ACCEPTED]
        if faults:
            found[str(path)] = faults
    assert found == {}


def train_job(spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "judged"},
        "spec": spec["jobTemplate"]["spec"]["workload"]["trainJob"],
    }


@pytest.mark.parametrize("release", crds.RELEASES)
def test_the_judge_sees_unknown_fields_and_wrong_types(release: str) -> None:
    job = train_job({"jobTemplate": {"spec": {"workload": {"trainJob": {"runtimeRef": {"name": "r"}, "trainr": {}}}}}})
    assert any("'trainr' was unexpected" in fault for fault in crds.faults("TrainJob", release, job))
    job["spec"] = {"runtimeRef": {"name": "r"}, "trainer": {"numNodes": "two"}}
    assert any(fault.startswith("spec.trainer.numNodes") for fault in crds.faults("TrainJob", release, job))
