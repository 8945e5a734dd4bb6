"""What is built and said, held against Kubeflow Trainer's own TrainJob CRDs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from nvcre_render.executor.releases import OVERRIDES, release
from tests import executor_crds as crds
from tests.cases.document import load
from tests.executor_strategies import RELEASES, executors
from tests.executors import built

pytestmark = pytest.mark.skipif(not crds.present(), reason=crds.MISSING)

CASES = crds.FOLDER.parent / "cases" / "kubeflow-executor"
EXAMPLES = sorted(Path("examples").glob("executor-*.yaml"))


def unknown(job: dict[str, Any], target: str) -> list[str]:
    return list(crds.unknown(job, crds.trainjob(target)))


def invalid(job: dict[str, Any], target: str) -> list[str]:
    return list(crds.invalid(job, crds.trainjob(target)))


def same_fields(shape: Any, schema: dict[str, Any], path: str) -> None:
    """Every field of a shape is one of the schema's and the other way round, as deep as the shape goes."""
    if isinstance(shape, list):
        same_fields(shape[0], schema["items"], f"{path}[]")
    elif isinstance(shape, dict):
        assert sorted(shape) == sorted(schema["properties"]), path
        for key, inner in shape.items():
            same_fields(inner, schema["properties"][key], f"{path}.{key}")


@pytest.mark.parametrize("target", RELEASES)
def test_the_table_of_fields_is_the_crds(target: str) -> None:
    table = release(target)
    assert isinstance(table.shape, dict)
    spec = dict(table.shape["spec"])
    trainer = {key: form for key, form in spec["trainer"].items() if key not in table.moved}
    overrides = spec if table.pod_field == OVERRIDES else {key: spec[key] for key in spec if key != OVERRIDES}
    same_fields({**overrides, "trainer": trainer}, crds.trainjob(target)["properties"]["spec"], "spec")


@pytest.mark.parametrize("target", ["2.2", "2.3"])
def test_bounds_are_the_crds(target: str) -> None:
    spec = crds.trainjob(target)["properties"]["spec"]["properties"]
    trainer, table = spec["trainer"]["properties"], release(target)
    for name in ("command", "args", "env"):
        assert table.items[name] == trainer[name]["maxItems"]
    assert table.characters["image"] == trainer["image"]["maxLength"]
    assert table.characters["command"] == trainer["command"]["items"]["maxLength"]
    assert table.items["runtimePatches"] == spec["runtimePatches"]["maxItems"]
    assert trainer["numProcPerNode"]["type"] == "integer"
    for earlier in ("2.0", "2.1"):
        assert "maxItems" not in str(crds.trainjob(earlier)["properties"]["spec"]["properties"]["trainer"])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("target", RELEASES)
def test_examples_are_accepted_by_every_release(path: Path, target: str) -> None:
    job = built(path.read_text(), trainer_release=target).train_job
    assert (unknown(job, target), invalid(job, target)) == ([], [])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(executors())
def test_a_release_gets_only_what_it_has_and_what_it_refuses_is_an_error(data: dict[str, Any]) -> None:
    for target in RELEASES:
        made = built(data, trainer_release=target)
        dropped = unknown(made.train_job, target)
        assert len(dropped) == (len([f for f in made.diagnostics if f.code == "NR922"]) if target == "2.1" else 0)
        assert not (made.ok and invalid(made.train_job, target))


def judged() -> list[Any]:
    return [pytest.param(path, id=path.parent.name) for path in sorted(CASES.glob("*/schema.yaml"))]


@pytest.mark.parametrize("path", judged())
def test_the_judge_agrees_with_the_judgements_of_the_shared_cases(path: Path) -> None:
    expected = load(str(path))
    job = built((path.parent / "executor.yaml").read_text()).nemo_run
    for target in RELEASES:
        assert sorted(unknown(job, target)) == sorted(expected[target]["unknown"])
        assert len(invalid(job, target)) == len(expected[target]["invalid"])
