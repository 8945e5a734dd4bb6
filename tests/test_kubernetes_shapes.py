"""The Kubernetes shapes: fresh, closed, and true to what Go writes."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "scripts" / "kubernetes_shapes.py"
FILE = ROOT / "schemas" / "kubernetes-core.v1.json"
DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
DEFINITIONS: dict[str, dict[str, Any]] = DOCUMENT["$defs"]
REFERENCE = "#/$defs/"


def load_script() -> Any:
    """Import the script, which belongs to no package."""
    spec = importlib.util.spec_from_file_location("kubernetes_shapes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHAPES = load_script()
TABLE: dict[str, dict[str, Any]] = SHAPES.load_table()


def references(schema: Any) -> Iterator[str]:
    """Every name that a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            assert schema["$ref"].startswith(REFERENCE)
            yield schema["$ref"].removeprefix(REFERENCE)
        for value in schema.values():
            yield from references(value)


def properties() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of every type, by `Type.field`."""
    for name, definition in DEFINITIONS.items():
        for key, schema in definition["properties"].items():
            yield f"{name}.{key}", schema


PROPERTIES = dict(properties())


def written(schema: dict[str, Any], value: Any) -> Any:
    """What Go writes for a value that it has read, by the meaning of the two keywords."""
    if schema.get("type") == "array":
        return [written(schema["items"], item) for item in value]
    if "$ref" not in schema:
        return value
    result = {}
    for key, field in DEFINITIONS[schema["$ref"].removeprefix(REFERENCE)]["properties"].items():
        if value.get(key) is None:
            if "x-go-default" in field:
                result[key] = field["x-go-default"]
            continue
        rewritten = written(field, value[key])
        if rewritten or "x-go-pointer" in field or "x-go-default" in field:
            result[key] = rewritten
    return result


# The file


def test_the_file_is_fresh() -> None:
    assert SHAPES.main(["--check"]) == 0


def test_a_stale_or_missing_file_is_reported_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SHAPES, "ROOT", tmp_path)
    monkeypatch.setattr(SHAPES, "TARGET", tmp_path / "shapes.json")
    assert SHAPES.main(["--check"]) == 1
    assert not SHAPES.TARGET.exists()
    SHAPES.TARGET.write_bytes(FILE.read_bytes().replace(b"\n", b"\r\n"))
    assert SHAPES.main(["--check"]) == 1
    assert capsys.readouterr().err.count("is stale") == 2
    assert SHAPES.main([]) == 0
    assert SHAPES.TARGET.read_bytes() == FILE.read_bytes()
    assert SHAPES.main(["--check"]) == 0


def test_a_table_at_odds_with_the_schemas_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SHAPES, "ROOT", tmp_path)
    monkeypatch.setattr(SHAPES, "TARGET", tmp_path / "shapes.json")
    monkeypatch.setattr(SHAPES, "load_table", dict)
    assert SHAPES.main([]) == 2
    assert capsys.readouterr().err == "error: EnvVar: not in the table; its fields are name value valueFrom\n"
    assert not SHAPES.TARGET.exists()


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("EnvVar", "name! value valueFrom colour", r"EnvVar\.colour: only in the table"),
        ("EnvVar", "name! value", r"EnvVar\.valueFrom: only in the schemas"),
        ("EnvVar", "name! value valueFrom?", r"EnvVar\.valueFrom: needs no `\?`"),
        ("Capabilities", "add? drop", r"Capabilities\.add: needs no `\?`"),
        ("Colour", "name", r"types that nothing reaches: \['Colour'\]"),
        ("EnvVar", "name!! value valueFrom", "'name!!' is no field"),
        ("EnvVar", "name! name value valueFrom", "'name' is no field, or stands there twice"),
    ],
)
def test_the_table_and_the_schemas_must_agree(name: str, line: str, message: str) -> None:
    with pytest.raises(SHAPES.ShapeError, match=message):
        SHAPES.document(SHAPES.load_source(), {**TABLE, name: SHAPES.parse_fields(name, line)})


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "string", "pattern": "a"}, r"unknown keywords \['pattern'\]"),
        ({"type": ["string", "integer"]}, "cannot read the type"),
        ({"type": "integer", "format": "int16"}, "unknown format 'int16'"),
        ({"$ref": "#/$defs/io.k8s.api.core.v1.Nothing"}, "not in the schemas"),
        ({"$ref": "#/$defs/io.k8s.api.core.v2.Volume"}, "Volume stands for"),
    ],
)
def test_a_schema_form_that_is_not_known_stops_the_script(schema: dict[str, Any], message: str) -> None:
    source = SHAPES.load_source()
    name = "io.k8s.api.core.v1.Volume"
    struct = source.definitions[name]
    changed = {**struct, "properties": {**struct["properties"], "name": schema}}
    with pytest.raises(SHAPES.ShapeError, match=message):
        SHAPES.document(source._replace(definitions={**source.definitions, name: changed}), TABLE)


# The document


def test_it_is_a_json_schema_with_definitions_only() -> None:
    Draft202012Validator.check_schema(DOCUMENT)
    assert list(DOCUMENT) == ["$schema", "$id", "title", "description", "$defs"]
    assert list(DEFINITIONS) == sorted(DEFINITIONS)
    assert FILE.read_text(encoding="utf-8").endswith("}\n")


def test_every_reference_resolves_and_nothing_is_unreachable() -> None:
    reached: set[str] = set()
    waiting = [SHAPES.short_name(root) for root in SHAPES.ROOTS]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += references(DEFINITIONS[name])
    assert reached == set(DEFINITIONS)


def test_every_definition_is_a_closed_struct() -> None:
    for name, definition in DEFINITIONS.items():
        assert list(definition) == ["type", "properties", "required", "additionalProperties"], name
        assert definition["type"] == "object"
        assert definition["additionalProperties"] is False
        assert set(definition["required"]) <= set(definition["properties"]), name


def test_properties_use_few_keywords_and_no_text_of_others() -> None:
    known = {"type", "format", "items", "additionalProperties", "$ref", "x-go-pointer", "x-go-default"}
    for place, schema in PROPERTIES.items():
        assert set(schema) <= known, place
        assert not {"x-go-pointer", "x-go-default"} <= set(schema), place
        assert schema.get("x-go-pointer", True) is True, place
        assert ("type" in schema) != ("$ref" in schema), place
    formats = {schema["format"]: schema["type"] for schema in PROPERTIES.values() if "format" in schema}
    assert formats == {
        "quantity": ["string", "number"],
        "int-or-string": ["integer", "string"],
        "int32": "integer",
        "int64": "integer",
        "date-time": "string",
    }


def test_every_struct_field_is_a_pointer_or_always_written() -> None:
    for place, schema in PROPERTIES.items():
        if "$ref" in schema:
            assert "x-go-pointer" in schema or "x-go-default" in schema, place
        if schema.get("type") == "array" or place.endswith((".limits", ".labels")):
            assert "x-go-pointer" not in schema, place


# What Go writes


@pytest.mark.parametrize(
    ("place", "zero"),
    [
        ("EnvVar.name", ""),
        ("VolumeMount.name", ""),
        ("VolumeMount.mountPath", ""),
        ("Volume.name", ""),
        ("Container.name", ""),
        ("Container.resources", {}),
        ("ContainerPort.containerPort", 0),
        ("HostPathVolumeSource.path", ""),
        ("PersistentVolumeClaimVolumeSource.claimName", ""),
        ("NFSVolumeSource.server", ""),
        ("NFSVolumeSource.path", ""),
        ("CSIVolumeSource.driver", ""),
        ("ConfigMapKeySelector.key", ""),
        ("SecretKeySelector.key", ""),
        ("ObjectFieldSelector.fieldPath", ""),
        ("ResourceFieldSelector.resource", ""),
        ("ResourceFieldSelector.divisor", "0"),
        ("ProjectedVolumeSource.sources", None),
        ("NodeSelectorRequirement.key", ""),
        ("NodeSelectorRequirement.operator", ""),
        ("NodeSelector.nodeSelectorTerms", None),
        ("HTTPGetAction.port", 0),
        ("GRPCAction.service", None),
        ("PersistentVolumeClaimTemplate.metadata", {}),
        ("PersistentVolumeClaimTemplate.spec", {"resources": {}}),
        ("WeightedPodAffinityTerm.podAffinityTerm", {"topologyKey": ""}),
    ],
)
def test_always_written(place: str, zero: object) -> None:
    assert "x-go-default" in PROPERTIES[place]
    assert PROPERTIES[place]["x-go-default"] == zero


@pytest.mark.parametrize(
    "place",
    [
        "SecurityContext.privileged",
        "SecurityContext.runAsUser",
        "SecurityContext.capabilities",
        "PodSecurityContext.runAsNonRoot",
        "PodSecurityContext.fsGroupChangePolicy",
        "ConfigMapVolumeSource.defaultMode",
        "ConfigMapVolumeSource.optional",
        "SecretVolumeSource.optional",
        "ProjectedVolumeSource.defaultMode",
        "KeyToPath.mode",
        "SecretKeySelector.optional",
        "Volume.emptyDir",
        "Volume.image",
        "Container.securityContext",
        "Container.restartPolicy",
        "HostPathVolumeSource.type",
        "CSIVolumeSource.readOnly",
        "EmptyDirVolumeSource.sizeLimit",
        "VolumeMount.mountPropagation",
        "Probe.terminationGracePeriodSeconds",
        "Toleration.tolerationSeconds",
        "PersistentVolumeClaimSpec.storageClassName",
    ],
)
def test_an_explicit_zero_stays(place: str) -> None:
    assert PROPERTIES[place]["x-go-pointer"] is True


@pytest.mark.parametrize(
    "place",
    [
        "EnvVar.value",
        "VolumeMount.readOnly",
        "VolumeMount.subPath",
        "PersistentVolumeClaimVolumeSource.readOnly",
        "NFSVolumeSource.readOnly",
        "Container.tty",
        "Container.stdin",
        "Container.env",
        "Container.imagePullPolicy",
        "ContainerPort.hostPort",
        "Probe.periodSeconds",
        "ResourceRequirements.limits",
        "Capabilities.add",
        "PodSecurityContext.supplementalGroups",
        "EmptyDirVolumeSource.medium",
        "CSIVolumeSource.volumeAttributes",
        "SecretKeySelector.name",
        "LocalObjectReference.name",
        "NodeSelectorRequirement.values",
        "Toleration.key",
        "ObjectMeta.creationTimestamp",
    ],
)
def test_a_zero_vanishes(place: str) -> None:
    assert not {"x-go-pointer", "x-go-default"} & PROPERTIES[place].keys()


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("EnvVar", "name value valueFrom"),
        ("VolumeMount", "name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr"),
        ("ResourceRequirements", "limits requests claims"),
        ("Capabilities", "add drop"),
        ("SELinuxOptions", "user role type level"),
        ("NodeSelectorRequirement", "key operator values"),
        ("Toleration", "key operator value effect tolerationSeconds"),
    ],
)
def test_properties_stand_in_the_order_of_the_go_struct(name: str, order: str) -> None:
    assert list(DEFINITIONS[name]["properties"]) == order.split()


# Both sides as kubectl 1.36.3 read and wrote them (see scripts/go_types.yaml).
@pytest.mark.parametrize(
    ("name", "read", "expected"),
    [
        ("EnvVar", {"value": ""}, {"name": ""}),
        (
            "EnvVarSource",
            {"configMapKeyRef": {"name": "", "optional": False}, "resourceFieldRef": {}},
            {
                "resourceFieldRef": {"resource": "", "divisor": "0"},
                "configMapKeyRef": {"key": "", "optional": False},
            },
        ),
        (
            "VolumeMount",
            {"subPath": "", "mountPath": "/data", "readOnly": False, "mountPropagation": ""},
            {"name": "", "mountPath": "/data", "mountPropagation": ""},
        ),
        ("Volume", {"emptyDir": {"medium": ""}}, {"name": "", "emptyDir": {}}),
        ("Volume", {"projected": {}}, {"name": "", "projected": {"sources": None}}),
        ("Volume", {"projected": {"sources": []}}, {"name": "", "projected": {"sources": []}}),
        (
            "EphemeralVolumeSource",
            {"volumeClaimTemplate": {"spec": {"accessModes": []}}},
            {"volumeClaimTemplate": {"metadata": {}, "spec": {"resources": {}}}},
        ),
        (
            "Container",
            {"securityContext": {"privileged": False}, "tty": False, "ports": [{"hostPort": 0}], "name": "c"},
            {
                "name": "c",
                "ports": [{"containerPort": 0}],
                "resources": {},
                "securityContext": {"privileged": False},
            },
        ),
        (
            "Container",
            {"startupProbe": {"periodSeconds": 0, "grpc": {}}, "livenessProbe": None, "name": "c"},
            {"name": "c", "resources": {}, "startupProbe": {"grpc": {"port": 0, "service": None}}},
        ),
        ("PodSecurityContext", {"fsGroup": 0, "sysctls": []}, {"fsGroup": 0}),
    ],
)
def test_a_round_trip_through_go(name: str, read: dict[str, Any], expected: dict[str, Any]) -> None:
    assert json.dumps(written({"$ref": REFERENCE + name}, read)) == json.dumps(expected)


# What a validator says


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("EnvVar", {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}),
        ("Volume", {"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": 1.5}}),
        ("Volume", {"name": "v", "image": {"reference": "example.com/data:1"}}),
        ("ResourceRequirements", {"limits": {"nvidia.com/gpu": 8, "memory": "64Gi"}}),
        ("HTTPGetAction", {"port": "health"}),
        ("HTTPGetAction", {"port": 8080}),
        ("ObjectMeta", {"labels": {"a": "b"}, "managedFields": [{"fieldsV1": {"f:spec": {}}}]}),
        ("Container", {"name": "c", "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}),
    ],
)
def test_a_good_instance_passes(name: str, instance: object) -> None:
    Draft202012Validator({**DOCUMENT, "$ref": REFERENCE + name}).validate(instance)


@pytest.mark.parametrize(
    ("name", "instance", "path", "keyword"),
    [
        ("EnvVar", {"name": "A", "valeu": "1"}, "$", "additionalProperties"),
        ("EnvVar", {"value": "1"}, "$", "required"),
        ("EnvVar", {"name": "A", "value": 1}, "$.value", "type"),
        ("EnvVar", {"name": None}, "$.name", "type"),
        ("Volume", {"name": "v", "nfs": {"server": "s"}}, "$.nfs", "required"),
        ("VolumeMount", {"name": "v", "mountPath": "/", "readOnly": "yes"}, "$.readOnly", "type"),
        ("ResourceRequirements", {"limits": {"cpu": [1]}}, "$.limits.cpu", "type"),
        ("ContainerPort", {"containerPort": 80.5}, "$.containerPort", "type"),
        ("TCPSocketAction", {"port": True}, "$.port", "type"),
        ("Container", {"name": "c", "env": [{"name": "A"}, {}]}, "$.env[1]", "required"),
        ("Container", {"name": "c", "command": "sh"}, "$.command", "type"),
        ("NodeSelectorRequirement", {"key": "k", "operator": "In", "values": [1]}, "$.values[0]", "type"),
    ],
)
def test_a_bad_instance_fails_at_its_place(name: str, instance: object, path: str, keyword: str) -> None:
    errors = list(Draft202012Validator({**DOCUMENT, "$ref": REFERENCE + name}).iter_errors(instance))
    assert [(error.json_path, error.validator) for error in errors] == [(path, keyword)]
