"""Values that the schema bounds: ranges, forms, enumerations, quantities and durations."""

from __future__ import annotations

from typing import Any

import pytest

import nvcre_render as nr
from tests.manifests import Json, finding, judged, manifest, normal

LONG = "a" * 63  # the longest name part of a label


def only(**spec: Any) -> nr.Diagnostic:
    """Return the one finding about a run with these fields."""
    (found,) = judged(manifest(**spec))[1]
    return found


# Ranges


@pytest.mark.parametrize(
    ("lines", "remedy"),
    [
        ("gpusPerNode: @0", "write a number of at least 1"),
        ("gpusPerNode: @-8", "write a number of at least 1"),
        ("gpusPerNode: @2147483648", "write a number of at most 2147483647"),
        ("mlnxPerNode: @-1", "write a number of at least 0"),
        ("orchestration: {repeatCount: @0}", "write a number of at least 1"),
        ("orchestration: {maxConcurrent: @-1}", "write a number of at least 0"),
        ("checkpoint: {storageSize: 1Gi, maxRestarts: @-1}", "write a number of at least 0"),
        ("overrides: [{when: {}, orchestration: {iterations: @0}}]", "write a number of at least 1"),
        # core/v1 says no more than the width of the number
        ("initContainers: [{name: a, ports: [{containerPort: @2147483648}]}]", "write a number of at most 2147483647"),
        (
            "initContainers: [{name: a, securityContext: {runAsUser: @9223372036854775808}}]",
            "write a number of at most 9223372036854775807",
        ),
    ],
)
def test_a_number_out_of_range(lines: str, remedy: str) -> None:
    found = finding(lines)
    assert (found.code, found.remedy) == ("NR206", remedy)
    assert "is out of range" in found.message


def test_the_limits_themselves_are_within() -> None:
    limits = {"gpusPerNode": 1, "mlnxPerNode": 0, "orchestration": {"repeatCount": 2**31 - 1}}
    assert normal(**limits) == limits


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('gangScheduler: {schedulerName: @""}', "must have at least 1 character"),
        ('goodputMeasurement: {logProfileRef: @""}', "must have at least 1 character"),
        ('target: {taintSelectors: [{key: @""}]}', "must have at least 1 character"),
        # too long and so of another form: one mistake, one finding
        (f"gangScheduler: {{schedulerName: a, queue: @{LONG}a}}", "has 64 characters; the maximum is 63"),
        (f"workloadMetadata: {{labels: {{a: @{LONG}a}}}}", "has 64 characters; the maximum is 63"),
        (f"nicResourceName: @{'a.' * 125}a/nic", "has 255 characters; the maximum is 253"),
        (f"priorityClassName: @{'a' * 254}", "has 254 characters; the maximum is 253"),
    ],
)
def test_a_text_too_short_or_too_long(lines: str, message: str) -> None:
    found = finding(lines)
    assert found.code == "NR206"
    assert found.message.endswith(f": {message}")


@pytest.mark.parametrize(
    ("framework", "field"),
    [
        ({"torch": {"script": ""}}, "spec.framework.torch.script"),
        ({"torch": {"module": ""}}, "spec.framework.torch.module"),
        ({"mpi": {"binary": "", "mpirunPath": "/m"}}, "spec.framework.mpi.binary"),
        ({"mpi": {"binary": "/b", "mpirunPath": ""}}, "spec.framework.mpi.mpirunPath"),
        ({"exec": {"command": []}}, "spec.framework.exec.command"),
    ],
)
def test_the_parts_of_a_framework_are_not_empty(framework: Json, field: str) -> None:
    report = nr.validate(manifest(framework=framework))
    assert [(found.code, found.field) for found in report] == [("NR206", field)]


# Forms


FORMS = [
    ("storageSize", ["0", "10", "1.5Gi", "10Ki", "10Mi", "10Ti", "10Pi", "10Ei"]),
    ("nicResourceName", ["rdma/ib", "nvidia.com/mlnxnics", "a.b-c.d/X_y.z", f"a/{LONG}"]),
    ("priorityClassName", ["a", "high-priority", "team.high", "0"]),
    ("queue", ["", "a", "A.b_c-d", "0", LONG]),
    ("queueLabelKey", ["", "Queue", "runai/queue", "kai.scheduler/queue", "kueue.x-k8s.io/queue-name", f"a/{LONG}"]),
    ("label", ["", "a", "A.b_c-d", LONG]),
]
BAD_FORMS = [
    ("storageSize", ["10 GB", "10G", "10gi", "-1Gi", "1.Gi", ".5Gi", "", "Gi", "1e3", "1,5Gi"]),
    (
        "nicResourceName",
        ["ib", "/ib", "rdma/", "RDMA/ib", "a_b/c", "rdma/-x", "rdma/x-", "a/b/c", "-a/b", f"a/{LONG}a"],
    ),
    ("priorityClassName", ["High", "a_b", "-a", "a-", "a.", "a..b", ""]),
    ("queue", ["-a", "a-", "_a", "a b", "a/b"]),
    ("queueLabelKey", ["a/b/c", "/queue", "kai/", "Kai/queue", "a b", "-a", f"a/{LONG}a"]),
    ("label", ["-a", "a-", ".a", "a b", "a/b"]),
]


def formed(field: str, value: str) -> Json:
    """Return the spec fields that carry a value of this form."""
    fields: dict[str, Json] = {
        "storageSize": {"checkpoint": {"storageSize": value}},
        "nicResourceName": {"nicResourceName": value},
        "priorityClassName": {"priorityClassName": value},
        "queue": {"gangScheduler": {"schedulerName": "a", "queue": value}},
        "queueLabelKey": {"gangScheduler": {"schedulerName": "a", "queueLabelKey": value}},
        "label": {"workloadMetadata": {"labels": {"team": value}}},
    }
    return fields[field]


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in FORMS for value in values])
def test_a_value_of_the_right_form(field: str, value: str) -> None:
    assert judged(manifest(**formed(field, value)))[1] == []


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD_FORMS for value in values])
def test_a_value_of_another_form(field: str, value: str) -> None:
    found = only(**formed(field, value))
    assert found.code == "NR207"
    assert f'"{value}" does not have the form of this field' in found.message
    assert found.remedy.startswith("write ")
    assert "text that matches" not in found.remedy  # words, not a regular expression


@pytest.mark.parametrize(("field", "value"), [(field, values[1]) for field, values in FORMS])
def test_a_final_line_feed_is_part_of_a_value(field: str, value: str) -> None:
    assert only(**formed(field, value + "\n")).code == "NR207"


# Enumerations


@pytest.mark.parametrize(
    ("lines", "remedy"),
    [
        ("orchestration: {placement: @Loose}", "write Pinned or Unpinned"),
        ("orchestration: {placement: @unpinned}", 'write Pinned or Unpinned; did you mean "Unpinned"?'),
        ("orchestration: {testScale: @diagnose}", "write intra-node or intra-rack or full-scale"),
        (
            "orchestration: {testScale: @intranode}",
            'write intra-node or intra-rack or full-scale; did you mean "intra-node"?',
        ),
        (
            "overrides: [{when: {}, orchestration: {placement: @pinned}}]",
            'write Pinned or Unpinned; did you mean "Pinned"?',
        ),
    ],
)
def test_a_value_outside_an_enumeration(lines: str, remedy: str) -> None:
    found = finding(lines)
    assert (found.code, found.remedy) == ("NR208", remedy)


@pytest.mark.parametrize(("key", "value"), [("kind", "Workloadrun"), ("apiVersion", "nvcre.nvidia.com/v1")])
def test_another_kind_or_version_names_the_only_one(key: str, value: str) -> None:
    (found,) = nr.validate({**manifest(), key: value})
    only_value = manifest()[key]
    assert (found.code, found.field, found.remedy) == ("NR208", key, f"write {only_value}")
    assert f'"{value}"' in found.message


def test_every_value_of_an_enumeration_is_accepted_and_the_empty_one_vanishes() -> None:
    for placement in ("Pinned", "Unpinned"):
        assert normal(orchestration={"placement": placement}) == {"orchestration": {"placement": placement}}
    for scale in ("intra-node", "intra-rack", "full-scale"):
        assert normal(orchestration={"testScale": scale}) == {"orchestration": {"testScale": scale}}
    assert normal(orchestration={"placement": "", "testScale": ""}) == {"orchestration": {}}


# Quantities and durations


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("1024Mi", "1Gi"),
        ("0.5", "500m"),
        (0.5, "500m"),
        ("1000m", "1"),
        (8, "8"),
        ("8", "8"),
        ("1.5Gi", "1536Mi"),
        ("2000", "2k"),
        (2000, "2k"),
        (0, "0"),
    ],
)
def test_a_quantity_is_written_in_its_canonical_form(given: str | float, written: str) -> None:
    amounts = {"example.com/a": given}
    assert normal(resources={"limits": amounts, "requests": amounts})["resources"] == {
        "limits": {"example.com/a": written},
        "requests": {"example.com/a": written},
    }


def test_quantities_are_canonical_wherever_core_v1_has_them() -> None:
    written = normal(
        volumes=[{"name": "a", "emptyDir": {"sizeLimit": "2048Mi"}}],
        initContainers=[{"name": "b", "image": "c", "resources": {"requests": {"cpu": "1500m"}}}],
        env=[{"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1000m"}}}],
    )
    assert written["volumes"] == [{"name": "a", "emptyDir": {"sizeLimit": "2Gi"}}]
    assert written["initContainers"][0]["resources"] == {"requests": {"cpu": "1500m"}}
    assert written["env"][0]["valueFrom"]["resourceFieldRef"]["divisor"] == "1"


@pytest.mark.parametrize("value", ["10 GB", "abc", "1Gib", "", "1.5.5", "0x10", "1K", "1Gi\n"])
def test_a_quantity_of_another_form(value: str) -> None:
    found = only(resources={"limits": {"memory": value}})
    assert (found.code, found.field) == ("NR207", "spec.resources.limits.memory")
    assert "is not a quantity" in found.message
    assert "16Gi" in found.remedy


@pytest.mark.parametrize(("given", "written"), [("90s", "1m30s"), ("60m", "1h0m0s"), ("1500ms", "1.5s"), ("0", "0s")])
def test_a_duration_is_written_in_its_canonical_form(given: str, written: str) -> None:
    for block in ("goodputMeasurement", "bandwidthMeasurement"):
        measured = normal(**{block: {"logProfileRef": "a", "sampleInterval": given}})
        assert measured == {block: {"logProfileRef": "a", "sampleInterval": written}}


@pytest.mark.parametrize("value", ["1d", "90", "soon", "1 h", "9999999999h"])
def test_a_duration_of_another_form(value: str) -> None:
    found = only(goodputMeasurement={"logProfileRef": "a", "sampleInterval": value})
    assert (found.code, found.field) == ("NR207", "spec.goodputMeasurement.sampleInterval")
    assert "1h30m" in found.remedy
