"""Live objects and mappings: read by their attributes, copied, and refused where they hold no plain data."""

from __future__ import annotations

import copy
import enum
from types import MappingProxyType
from typing import Any

import pytest

from nvcre_render.diagnostics import RenderError
from tests.executors import IMAGE, WORKDIR, built, codes, ready, task


class KubeflowExecutor:
    """A stand-in for NeMo-Run's class: plain attributes, some of its own."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)
        self._kube_client = object()
        self.experiment_dir = "/not/a/field"


class Torchrun:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


class Script(Torchrun): ...


class Config:
    """What fiddle's Config shows: a class and the arguments that are set."""

    def __init__(self, kind: type, **arguments: Any) -> None:
        self.__fn_or_cls__ = kind
        self.__arguments__ = arguments


def test_an_object_gives_what_its_mapping_gives() -> None:
    fields: dict[str, Any] = {"image": IMAGE, "num_nodes": 2, "launcher": Torchrun(rdzv_id=3), "job_name": "train"}
    made = built(KubeflowExecutor(**fields), task=Script(path="t.py", entrypoint="python"))
    launcher = {"_target_": "nemo_run.core.execution.launcher.Torchrun", "rdzv_id": 3}
    plain = task({"path": "t.py", "entrypoint": "python"}, num_nodes=2, launcher=launcher)
    assert made.train_job == built(plain).train_job


def test_a_lazy_configuration_gives_what_is_set() -> None:
    lazy = Config(KubeflowExecutor, image=IMAGE, launcher=Config(Torchrun, rdzv_port=31000), num_nodes=2)
    made = built(lazy, name="train", task={"path": "t.py", "entrypoint": "python"}, drawn_rdzv_id=4)
    assert "$PET_MASTER_ADDR:31000" in made.train_job["spec"]["trainer"]["command"]


def test_other_mappings_and_tuples_do_as_well() -> None:
    made = built(MappingProxyType(ready(command=("a", "b"), labels=MappingProxyType({"a": "b"}))))
    assert made.train_job["spec"]["trainer"]["command"] == ["a", "b"]
    assert made.train_job["metadata"]["labels"] == {"a": "b"}


def test_nothing_given_is_changed_or_kept() -> None:
    given = task(**WORKDIR, volumes=[{"name": "v", "emptyDir": {}}], tolerations=[{"operator": "Exists"}])
    before = copy.deepcopy(given)
    made = built(given)
    assert made.data_mover is not None
    made.train_job["spec"]["podTemplateOverrides"][0]["spec"]["tolerations"][0]["operator"] = "Equal"
    assert made.data_mover["spec"]["tolerations"] == [{"operator": "Exists"}]
    assert given == before


class Level(enum.Enum):
    LOW = "low"


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({"labels": {"a": Level.LOW}}, "NR202", r'labels\["a"\]: an object of type Level'),
        ({"labels": {1: "a"}}, "NR103", "labels: the key 1 is not a text"),
        ({"pod_spec_overrides": {"a": float("inf")}}, "NR109", "inf has no form"),
    ],
)
def test_what_is_no_plain_data_is_refused(fields: dict[str, Any], code: str, text: str) -> None:
    with pytest.raises(RenderError, match=text) as refusal:
        built(ready(**fields))
    assert code in [found.code for found in refusal.value.diagnostics]


def test_a_mapping_inside_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    assert "NR108" in codes(ready(pod_spec_overrides=endless))


def test_another_class_is_refused() -> None:
    class SlurmExecutor:
        def __init__(self) -> None:
            self.job_name = "train"

    assert codes(SlurmExecutor(), command=["true"]) == ["NR907"]
