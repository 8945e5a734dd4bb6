"""The NIC resource found among what nodes offer, alone and in a render for a node list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nvcre_render as nr
from nvcre_render.cli.main import main
from nvcre_render.planning import nics
from tests.manifests import manifest


def node(name: str, allocatable: dict[str, Any], product: str = "NVIDIA-GB300", provider: str = "") -> dict[str, Any]:
    labels = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": product}
    offers = {"nvidia.com/gpu": "4", **allocatable}
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"providerID": provider},
        "status": {"allocatable": offers},
    }


@pytest.mark.parametrize(
    ("offers", "count", "found"),
    [
        ([{"rdma/ib": "8"}, {"rdma/ib": "8"}], 8, "rdma/ib"),
        ([{"nvidia.com/mlnxnics": "8"}, {"nvidia.com/mlnxnics": "9"}], 8, "nvidia.com/mlnxnics"),
        ([{"rdma/ib": "8"}, {"rdma/ib": "4"}], 8, None),  # too few on one node
        ([{"rdma/ib": "8"}, {}], 8, None),  # missing on one node
        ([{"rdma/a": "8", "rdma/b": "8"}], 8, None),  # several would do
        ([{"rdma/a": "8", "rdma/b": "2"}], 8, "rdma/a"),  # only one is large enough
        ([{"rdma/ib": "1"}], 0, "rdma/ib"),  # at least one is needed even for a count of 0
        ([{"rdma/ib": "0"}], 0, None),
        ([{"example.com/rdma": "8", "nvidia.com/mlnxnicsx": "8"}], 8, None),  # neither the prefix nor the exact name
        ([{}], 8, None),
    ],
)
def test_exactly_one_resource_that_every_node_offers(
    offers: list[dict[str, str]], count: int, found: str | None
) -> None:
    name, words = nics.detect([node(f"n{index}", offer) for index, offer in enumerate(offers)], count)
    assert name == found
    assert (found is None) == words.endswith("so none is requested")


def rendered(tmp_path: Path, nodes: list[dict[str, Any]], capsys: pytest.CaptureFixture[str], **spec: Any) -> Any:
    (tmp_path / "run.json").write_text(json.dumps(manifest(**spec)))
    (tmp_path / "nodes.json").write_text(json.dumps({"kind": "List", "items": nodes}))
    call = ["render", str(tmp_path / "run.json"), "--nodes", str(tmp_path / "nodes.json"), "-o", "json"]
    assert main(call) == 0
    seen = capsys.readouterr()
    return json.loads(seen.out), seen.err


def worker_limits(workflow: Any) -> dict[str, Any]:
    pod = workflow["spec"]["dependencies"][0]["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]
    limits: dict[str, Any] = pod["template"]["spec"]["containers"][0]["resources"]["limits"]
    return limits


def test_a_render_for_a_node_list_finds_its_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [node(name, {"rdma/ib": "8"}) for name in ("a", "b")]
    workflow, said = rendered(tmp_path, nodes, capsys)
    assert workflow["metadata"]["annotations"] == {
        "nvcrectl.nvidia.com/detected-gpu-architecture": "gb300",
        "nvcrectl.nvidia.com/detected-platform": "onprem",
    }
    assert worker_limits(workflow) == {"nvidia.com/gpu": "4", "rdma/ib": "8"}
    assert "NR307 note" in said


def test_a_name_of_the_users_own_is_not_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [node("a", {"rdma/ib": "8"})]
    workflow, said = rendered(tmp_path, nodes, capsys, nicResourceName="rdma/mine", mlnxPerNode=2)
    assert worker_limits(workflow) == {"nvidia.com/gpu": "4", "rdma/mine": "2"}
    assert "NR307" not in said


def test_other_platforms_are_not_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [node("a", {"rdma/ib": "8"}, provider="aws://x")]
    workflow, said = rendered(tmp_path, nodes, capsys)
    assert "rdma/ib" not in worker_limits(workflow)
    assert "NR307" not in said


def test_nodes_that_do_not_fit_are_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_text(json.dumps(manifest(target={"nodeNames": ["elsewhere"]})))
    (tmp_path / "nodes.json").write_text(json.dumps({"kind": "List", "items": [node("a", {})]}))
    assert main(["render", str(tmp_path / "run.json"), "--nodes", str(tmp_path / "nodes.json")]) == 1
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "NR8" in seen.err


def test_a_plan_uses_the_same_detection() -> None:
    plan = nr.plan(manifest(), nodes=[node(name, {"rdma/ib": "8"}) for name in ("a", "b")])
    runtime = plan.shared[0] if plan.shared else next(iter(plan.dependencies.values()))[0]
    assert worker_limits({"spec": {"dependencies": [runtime]}})["rdma/ib"] == "8"
