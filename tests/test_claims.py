"""Claims that pods on several nodes mount at once."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import nvcre_render as nr
from tests.manifests import Json, manifest


def claim(*modes: str, name: str = "shared", **metadata: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, **metadata},
        "spec": {"accessModes": list(modes)},
    }


def run(*, read_only: bool = False, claim_read_only: bool = False, mounted: bool = True, **spec: Any) -> Json:
    source = {"claimName": "shared", "readOnly": claim_read_only}
    mounts = [{"name": "data", "mountPath": "/data", "readOnly": read_only}] if mounted else []
    return manifest(volumes=[{"name": "data", "persistentVolumeClaim": source}], volumeMounts=mounts, **spec)


def judged(*documents: Any) -> list[str]:
    """Return the codes of what validate says, without the notes about objects of other kinds."""
    text = yaml.safe_dump_all(documents)
    return [found.code for found in nr.validate(text) if found.code != "NR114"]


@pytest.mark.parametrize(
    ("modes", "read_only", "expected"),
    [
        (["ReadWriteMany"], False, []),
        (["ReadWriteMany"], True, []),
        (["ReadOnlyMany"], True, []),
        (["ReadOnlyMany"], False, ["NR531"]),
        (["ReadWriteOnce"], False, ["NR531"]),
        (["ReadWriteOnce"], True, ["NR531"]),
        (["ReadWriteOncePod"], False, ["NR531"]),
        (["ReadWriteOnce", "ReadWriteMany"], False, []),
        ([], False, []),
    ],
)
def test_a_claim_of_the_same_file(modes: list[str], read_only: bool, expected: list[str]) -> None:
    assert judged(run(read_only=read_only), claim(*modes)) == expected
    assert judged(claim(*modes), run(claim_read_only=read_only)) == expected


def test_the_finding_shows_the_access_modes() -> None:
    text = yaml.safe_dump_all([run(), claim("ReadWriteOnce")])
    (found,) = (each for each in nr.validate(text, filename="f") if each.code == "NR531")
    assert found.field == "spec.volumes[0].persistentVolumeClaim.claimName"
    ((place, _),) = found.related
    assert text.splitlines()[place.line - 1] == "  - ReadWriteOnce"


def test_another_claim_of_the_same_name_or_file_is_not_the_one() -> None:
    assert judged(run(), claim("ReadWriteOnce", name="other")) == ["NR532"]
    mine = run()
    mine["metadata"]["namespace"] = "team"
    assert judged(mine, claim("ReadWriteOnce", namespace="other")) == ["NR532"]
    assert judged(mine, claim("ReadWriteOnce", namespace="team")) == ["NR531"]
    assert judged(mine, claim("ReadWriteOnce")) == ["NR531"]  # applied to the same namespace


def test_a_claim_of_elsewhere_is_advice_only_when_it_is_written_to() -> None:
    assert judged(run()) == ["NR532"]
    assert judged(run(read_only=True)) == []
    assert judged(run(claim_read_only=True)) == []
    assert judged(run(mounted=False)) == []


def test_init_containers_write_too() -> None:
    stage = {"name": "stage", "image": "fetch:2", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    assert judged(run(read_only=True, initContainers=[stage])) == ["NR532"]


@pytest.mark.parametrize(
    ("fields", "several"),
    [
        ({}, True),
        ({"numNodes": 1}, True),  # one job a node, all at once
        ({"numNodes": 1, "orchestration": {"maxConcurrent": 1}}, False),
        ({"numNodes": 1, "target": {"nodeNames": ["a"]}}, False),
        ({"numNodes": 1, "target": {"nodeNames": ["a", "b"]}}, True),
        ({"numNodes": 1, "orchestration": {"placement": "Unpinned"}}, False),
        (
            {"orchestration": {"placement": "Unpinned"}, "gangScheduler": {"schedulerName": "kai-scheduler"}},
            True,
        ),
    ],
)
def test_when_several_nodes_mount_at_once(fields: Json, several: bool) -> None:
    assert judged(run(**fields)) == (["NR532"] if several else [])


def test_the_generated_claim_of_checkpoints_is_for_many_nodes() -> None:
    mine = run(checkpoint={"storageSize": "1Ti"})
    mine["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] = "run-checkpoint-pvc"
    assert judged(mine) == []


@pytest.mark.parametrize(
    "broken",
    [
        {"kind": "PersistentVolumeClaim"},
        {**claim("x"), "spec": None},
        {**claim("x"), "metadata": []},
        {**claim(), "spec": {"accessModes": "x"}},
    ],
)
def test_an_unsound_claim_is_no_matter_of_the_run(broken: Any) -> None:
    assert judged(run(), broken) in (["NR532"], [])


def test_a_render_warns_and_gives_no_advice() -> None:
    rendered = nr.render(yaml.safe_dump_all([run(), claim("ReadWriteOnce")]), gpu_arch="h100")
    assert [found.code for found in rendered.diagnostics if found.code != "NR114"] == ["NR531"]
    assert nr.render(run(), gpu_arch="h100").diagnostics == ()
