"""The Go round trip: what NVCRE's typed reader drops, keeps and adds when it writes a run again."""

from __future__ import annotations

from typing import Any

import pytest

from nvcre_render.checks import schema
from nvcre_render.document import from_mapping
from tests.manifests import Json, judged, manifest, normal


def container(**fields: Any) -> Json:
    """Return what becomes of an init container with these fields."""
    (written,) = normal(initContainers=[{"name": "a", **fields}])["initContainers"]
    result: Json = written
    return result


def volume(**fields: Any) -> Json:
    """Return what becomes of a volume with these fields, its name apart."""
    (written,) = normal(volumes=[{"name": "a", **fields}])["volumes"]
    return {key: value for key, value in written.items() if key != "name"}


# A zero value of a plain field cannot be told from an absent one.


@pytest.mark.parametrize(
    "fields",
    [
        {"image": ""},
        {"command": []},
        {"args": []},
        {"env": []},
        {"stdin": False},
        {"tty": False},
        {"workingDir": ""},
        {"imagePullPolicy": ""},
    ],
)
def test_a_zero_vanishes_from_a_container(fields: Json) -> None:
    assert container(**fields) == {"name": "a", "resources": {}}


@pytest.mark.parametrize("field", ["imagePullSecrets", "env", "volumes", "volumeMounts", "initContainers", "overrides"])
def test_an_empty_list_vanishes_from_the_spec(field: str) -> None:
    assert normal(**{field: []}) == {}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"persistentVolumeClaim": {"claimName": "c", "readOnly": False}}, {"claimName": "c"}),
        ({"nfs": {"server": "s", "path": "/p", "readOnly": False}}, {"server": "s", "path": "/p"}),
        ({"configMap": {"name": "c", "items": []}}, {"name": "c"}),
        ({"emptyDir": {"medium": ""}}, {}),
        # behind pointers, an explicit zero is a value
        ({"configMap": {"name": "c", "optional": False}}, {"name": "c", "optional": False}),
        ({"configMap": {"name": "c", "defaultMode": 0}}, {"name": "c", "defaultMode": 0}),
        ({"secret": {"secretName": "s", "optional": False}}, {"secretName": "s", "optional": False}),
        ({"secret": {"secretName": "s", "defaultMode": 0}}, {"secretName": "s", "defaultMode": 0}),
        ({"projected": {"sources": [], "defaultMode": 0}}, {"sources": [], "defaultMode": 0}),
        ({"hostPath": {"path": "/p", "type": ""}}, {"path": "/p", "type": ""}),
        ({"csi": {"driver": "d", "readOnly": False}}, {"driver": "d", "readOnly": False}),
        ({"emptyDir": {}}, {}),
        ({"secret": {}}, {}),
        # a list without omitempty is null when it was left out
        ({"projected": {}}, {"sources": None}),
    ],
)
def test_the_sources_of_volumes(given: Json, written: Json) -> None:
    (kind,) = given
    assert volume(**given) == {kind: written}


def test_modes_of_single_files_keep_a_zero() -> None:
    items = [{"key": "k", "path": "p", "mode": 0}]
    assert volume(configMap={"name": "c", "items": items}) == {"configMap": {"name": "c", "items": items}}


def test_the_security_context_keeps_every_explicit_zero() -> None:
    context = {"privileged": False, "runAsUser": 0, "runAsNonRoot": False, "allowPrivilegeEscalation": False}
    assert container(securityContext=context)["securityContext"] == context
    assert container(securityContext={})["securityContext"] == {}


@pytest.mark.parametrize(
    ("field", "given", "written"),
    [
        ("env", {"name": "A", "value": ""}, {"name": "A"}),
        (
            "env",
            {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": False}}},
            {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": False}}},
        ),
        (
            "env",
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": ""}}},
            {"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ),
        (
            "env",
            {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
            {"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}},
        ),
        (
            "volumeMounts",
            {"name": "a", "mountPath": "/a", "readOnly": False, "subPath": ""},
            {"name": "a", "mountPath": "/a"},
        ),
        ("volumeMounts", {"name": "", "mountPath": ""}, {"name": "", "mountPath": ""}),
    ],
)
def test_entries_of_lists(field: str, given: Json, written: Json) -> None:
    assert normal(**{field: [given]}) == {field: [written]}


# Keys without omitempty are always written; those that are required are findings as well.


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"env": [{}]}, {"env": [{"name": ""}]}),
        ({"volumeMounts": [{}]}, {"volumeMounts": [{"name": "", "mountPath": ""}]}),
        ({"volumes": [{}]}, {"volumes": [{"name": ""}]}),
        ({"initContainers": [{}]}, {"initContainers": [{"name": "", "resources": {}}]}),
        ({"volumes": [{"name": "a", "hostPath": {}}]}, {"volumes": [{"name": "a", "hostPath": {"path": ""}}]}),
        (
            {"volumes": [{"name": "a", "persistentVolumeClaim": {}}]},
            {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": ""}}]},
        ),
        (
            {"volumes": [{"name": "a", "nfs": {}}]},
            {"volumes": [{"name": "a", "nfs": {"server": "", "path": ""}}]},
        ),
        ({"volumes": [{"name": "a", "csi": {}}]}, {"volumes": [{"name": "a", "csi": {"driver": ""}}]}),
        (
            {"initContainers": [{"name": "a", "ports": [{}]}]},
            {"initContainers": [{"name": "a", "ports": [{"containerPort": 0}], "resources": {}}]},
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]},
            {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": ""}}}]},
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {}}}]},
            {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": ""}}}]},
        ),
        (
            {"target": {"matchExpressions": [{"values": []}]}},
            {"target": {"matchExpressions": [{"key": "", "operator": ""}]}},
        ),
    ],
)
def test_keys_that_are_always_written(given: Json, written: Json) -> None:
    spec, findings = judged(manifest(**given))
    assert {finding.code for finding in findings} == {"NR205"}
    assert {key: spec[key] for key in written} == written


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"target": {}}, {"target": {}}),
        ({"config": {}}, {"config": {}}),
        ({"resources": {}}, {"resources": {}}),
        ({"config": {"inline": {}}}, {"config": {}}),
        ({"resources": {"limits": {}}}, {"resources": {}}),
        ({"target": {"nodeSelector": {}, "nodeNames": []}}, {"target": {}}),
        ({"thresholds": {}}, {}),
        # NVCRE holds these behind pointers
        ({"mlnxPerNode": 0}, {"mlnxPerNode": 0}),
        ({"enableMNNVL": False}, {"enableMNNVL": False}),
        ({"orchestration": {"maxConcurrent": 0}}, {"orchestration": {}}),
    ],
)
def test_empty_objects_and_zeros_of_nvcre_itself(given: Json, written: Json) -> None:
    assert normal(**given) == written


def test_a_null_inside_a_mapping_is_absent_too() -> None:
    assert container(image=None, securityContext={"privileged": None}) == {
        "name": "a",
        "resources": {},
        "securityContext": {},
    }
    assert volume(emptyDir=None) == {}


# Keys stand in the order of the API, those of maps and of free JSON in alphabetical order.


def test_keys_are_in_the_order_of_the_go_struct() -> None:
    (mount,) = normal(volumeMounts=[{"subPath": "s", "mountPath": "/m", "readOnly": True, "name": "a"}])["volumeMounts"]
    assert list(mount) == ["name", "readOnly", "mountPath", "subPath"]
    written = container(securityContext={}, env=[{"value": "v", "name": "A"}], image="i")
    assert list(written) == ["name", "image", "env", "resources", "securityContext"]
    assert list(written["env"][0]) == ["name", "value"]


def test_keys_of_maps_are_sorted() -> None:
    selector = normal(target={"nodeSelector": {"b": "1", "a": "2"}})["target"]["nodeSelector"]
    assert list(selector) == ["a", "b"]
    limits = normal(resources={"limits": {"memory": "1Gi", "cpu": "1"}})["resources"]["limits"]
    assert list(limits) == ["cpu", "memory"]
    (override,) = normal(overrides=[{"jobTemplate": {"z": {"b": 1, "a": 2}, "y": 3}, "when": {}}])["overrides"]
    assert list(override) == ["when", "jobTemplate"]
    assert list(override["jobTemplate"]) == ["y", "z"]
    assert list(override["jobTemplate"]["z"]) == ["a", "b"]


def test_what_was_read_is_not_changed() -> None:
    run = manifest(env=[{"name": "A", "value": ""}], resources={"limits": {"memory": "1024Mi"}}, config=None)
    document = from_mapping(run, "run.yaml")
    normalised, _ = schema.check(document, "workloadrun.v1alpha1")
    assert normalised != run
    assert document.data == run
