"""The walk along the schema: what the API server would refuse, where, and with which words to mend it."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from nvcre_render.checks import schema
from tests.manifests import MARK, faults, finding, judged, manifest, marks, normal, with_spec

# Unknown fields


@pytest.mark.parametrize(
    ("lines", "field", "remedy"),
    [
        ("@volumeMount: []", "spec.volumeMount", 'did you mean "volumeMounts"?'),
        ("@envs: []", "spec.envs", 'did you mean "env"?'),
        ("@NumNodes: 4", "spec.NumNodes", 'did you mean "numNodes"?'),
        ("@ENV: []", "spec.ENV", 'did you mean "env"?'),
        ("@imagePullSecret: []", "spec.imagePullSecret", 'did you mean "imagePullSecrets"?'),
        ("@enableMnnvl: true", "spec.enableMnnvl", 'did you mean "enableMNNVL"?'),
        ("@queue: team", "spec.queue", "did you mean spec.gangScheduler.queue?"),
        ("@nodeSelector: {zone: a}", "spec.nodeSelector", "did you mean spec.target.nodeSelector?"),
        ("@testScale: intra-node", "spec.testScale", "did you mean spec.orchestration.testScale?"),
        ("@inline: {a.sh: x}", "spec.inline", "did you mean spec.config.inline?"),
        ("@namespace: team", "spec.namespace", "did you mean metadata.namespace?"),
        ("orchestration: {@maxRestarts: 1}", "spec.orchestration.maxRestarts", "did you mean spec.checkpoint."),
        ("volumes: [{name: a, @emptydir: {}}]", "spec.volumes[0].emptydir", 'did you mean "emptyDir"?'),
        (
            "volumes:\n  - name: a\n    configMap:\n      name: b\n      @optionl: true",
            "spec.volumes[0].configMap.optionl",
            'did you mean "optional"?',
        ),
        (
            "initContainers: [{name: a, securityContext: {@priviledged: true}}]",
            "spec.initContainers[0].securityContext.priviledged",
            'did you mean "privileged"?',
        ),
        (
            "overrides: [{when: {platform: {@equal: aws}}}]",
            "spec.overrides[0].when.platform.equal",
            'did you mean "equals"?',
        ),
        ("@zebra: 1", "spec.zebra", "the fields here are image, framework, numNodes, "),
        ("config: {@zebra: null}", "spec.config.zebra", "the fields here are inline, configMapRef"),
    ],
)
def test_an_unknown_field_is_refused_with_the_name_that_was_meant(lines: str, field: str, remedy: str) -> None:
    found = finding(lines)
    assert (found.code, found.field) == ("NR201", field)
    assert found.remedy.startswith(remedy)
    assert f'unknown field "{field.rpartition(".")[2]}"' in found.message


@pytest.mark.parametrize("field", ["retries", "bisect", "exclude", "topology", "validation", "diagnose"])
def test_fields_of_a_workflow_are_unknown_in_a_run(field: str) -> None:
    assert finding(f"@{field}: {{}}").code == "NR201"


def test_a_topology_names_the_override_that_reaches_it() -> None:
    remedy = finding("orchestration: {@topology: {topologyKey: rack}}").remedy
    assert "orchestration.topology.topologyKey" in remedy
    assert "spec.overrides" in remedy


def test_unknown_fields_are_refused_at_the_top_and_in_metadata() -> None:
    text = with_spec("").replace("{name: run}", "{name: run, owner: me}") + "numNodes: 2\nStatus: {}\n"
    _, found = judged(text)
    assert [(each.field, each.remedy) for each in found if each.field != "metadata.owner"] == [
        ("numNodes", "did you mean spec.numNodes?"),
        ("Status", 'did you mean "status"?'),
    ]
    assert {each.code for each in found} == {"NR201"}
    assert len(found) == 3


def test_free_json_has_no_unknown_fields() -> None:
    override = {"when": {"config": {"a": 1}}, "jobTemplate": {"x": {"y": 1}}, "jobTemplatePatch": [{"op": 5}]}
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "size": 3}
    assert normal(overrides=[{**override, "dependencies": [thing]}]) == {
        "overrides": [{**override, "dependencies": [thing]}]
    }


# Types


@pytest.mark.parametrize(
    ("lines", "code", "remedy"),
    [
        ('gpusPerNode: @"4"', "NR204", "write 4 without quotes"),
        ('mlnxPerNode: @"0"', "NR204", "write 0 without quotes"),
        ('enableMNNVL: @"true"', "NR204", "write true without quotes"),
        # without quotes these would be another number, or none
        ('gpusPerNode: @"08"', "NR204", "write a whole number"),
        ('enableMNNVL: @"on"', "NR204", "write true or false"),
        ("gpusPerNode: @eight", "NR204", "write a whole number"),
        ("gpusPerNode: @2.5", "NR202", "write a whole number"),
        ("gpusPerNode: @true", "NR202", "write a whole number"),
        ("enableMNNVL: @1", "NR202", "write true or false"),
        ("gpusPerNode: @[8]", "NR202", "write a whole number"),
        ("nicResourceName: @[rdma/ib]", "NR202", "write a text"),
        ("target: @[a]", "NR202", "write a mapping"),
        ("gangScheduler: @kai-scheduler", "NR202", "write a mapping that has schedulerName"),
        ("env: @{A: b}", "NR202", "write a list of mappings that have name"),
        ("env: @A=b", "NR202", "write a list of mappings that have name"),
        ("env: [@A=b]", "NR202", "write a mapping that has name"),
        ("volumeMounts: [@null]", "NR202", "write a mapping that has name, mountPath"),
        ("imagePullSecrets: @regcred", "NR202", "write a list of mappings"),
        ("config: {inline: @[a]}", "NR202", "write a mapping"),
        ("initContainers: [{name: a, livenessProbe: {tcpSocket: {port: @1.5}}}]", "NR202", "write a whole number or"),
        ("resources: {limits: {cpu: @true}}", "NR202", "write a text or a number"),
        ("resources: {limits: {cpu: @null}}", "NR202", "write a text or a number"),
    ],
)
def test_a_wrong_type_is_refused_with_what_to_write(lines: str, code: str, remedy: str) -> None:
    found = finding(lines)
    assert found.code == code
    assert found.remedy.startswith(remedy)


def test_a_count_may_have_a_fraction_of_zero_and_a_port_may_be_a_name() -> None:
    spec, found = judged(with_spec("gpusPerNode: 2.0"))
    assert (spec["gpusPerNode"], found) == (2, [])
    for port in (22, "ssh"):
        probe = {"tcpSocket": {"port": port}}
        (container,) = normal(initContainers=[{"name": "a", "livenessProbe": probe}])["initContainers"]
        assert container["livenessProbe"] == probe


# Texts that are none


@pytest.mark.parametrize(
    ("typed", "meaning"),
    [
        ("22", "the number 22"),
        ("yes", "true"),
        ("off", "false"),
        ("1e3", "the number 1000"),
        ("010", "the number 8"),
        ("0o17", "the number 15"),
        ("1_000", "the number 1000"),
        ("1.10", "the number 1.1"),
    ],
)
def test_an_unquoted_value_is_quoted_as_it_was_typed(typed: str, meaning: str) -> None:
    found = finding(f"env: [{{name: FIRST}}, {{name: LEVEL, value: @{typed}}}]")
    assert found.code == "NR203"
    assert found.remedy == f'write "{typed}" in quotes'
    assert found.message == f'spec.env[1].value ("LEVEL"): {typed} means {meaning} where a text belongs'


@pytest.mark.parametrize(
    ("lines", "remedy"),
    [
        ("target: {nodeSelector: {zone: @1}}", 'write "1" in quotes'),
        ("target: {nodeNames: [a, @5]}", 'write "5" in quotes'),
        ("thresholds: {goodputRatio: @0.9}", 'write "0.9" in quotes'),
        ("config: {inline: {run.sh: @no}}", 'write "no" in quotes'),
        ("target: {nodeNames: [@null]}", 'write "null" in quotes'),
        ("target: {nodeNames: [@~]}", 'write "~" in quotes'),
        ("config: {inline: {run.sh: @}}", 'write "" for an empty text'),
        ("orchestration: {timeoutPerJob: @90}", "write a Go duration such as 90s, 15m or 1h30m"),
        (
            "goodputMeasurement: {logProfileRef: a, sampleInterval: @60}",
            "write a Go duration such as 90s, 15m or 1h30m",
        ),
    ],
)
def test_an_unquoted_text_is_found_wherever_a_text_belongs(lines: str, remedy: str) -> None:
    found = finding(lines)
    assert (found.code, found.remedy) == ("NR203", remedy)


@pytest.mark.parametrize("typed", ["2026-01-01", "22:22", "1:30", "0x", "1e", "yes please", "08:00", "'22'", '"yes"'])
def test_what_kubernetes_reads_as_text_needs_no_quotes(typed: str) -> None:
    assert judged(with_spec(f"env: [{{name: A, value: {typed}}}]"))[1] == []


@pytest.mark.parametrize(("value", "shown"), [(22, "22"), (True, "true"), (1.5, "1.5")])
def test_a_mapping_shows_the_value_as_json(value: object, shown: str) -> None:
    (found,) = judged(manifest(env=[{"name": "A", "value": value}]))[1]
    assert (found.code, found.remedy, found.position) == ("NR203", f'write "{shown}" in quotes', None)


# Missing fields, and null, which is the same


@pytest.mark.parametrize("given", ["left out", "null"])
@pytest.mark.parametrize("field", ["image", "numNodes", "framework"])
def test_required_fields_of_the_spec(field: str, given: str) -> None:
    run = manifest()
    run["spec"][field] = None
    if given == "left out":
        del run["spec"][field]
    (found,) = judged(run)[1]
    assert (found.code, found.field) == ("NR205", "spec")
    assert f'"{field}" is missing' in found.message
    assert found.remedy.startswith(f"add {field}: with ")


@pytest.mark.parametrize(
    ("lines", "field", "missing"),
    [
        ("env: [@{value: a}]", "spec.env[0]", "name"),
        ("volumeMounts: [@{name: a}]", "spec.volumeMounts[0]", "mountPath"),
        ("volumes: [@{emptyDir: {}}]", "spec.volumes[0]", "name"),
        ("volumes: [{name: a, @hostPath: {}}]", "spec.volumes[0].hostPath", "path"),
        ("initContainers: [@{image: a}]", "spec.initContainers[0]", "name"),
        ("@checkpoint: {maxRestarts: 1}", "spec.checkpoint", "storageSize"),
        ("@goodputMeasurement: {}", "spec.goodputMeasurement", "logProfileRef"),
        ("@bandwidthMeasurement: {testType: a}", "spec.bandwidthMeasurement", "logProfileRef"),
        ("@gangScheduler: {queue: a}", "spec.gangScheduler", "schedulerName"),
        ("overrides: [@{jobTemplate: {}}]", "spec.overrides[0]", "when"),
        ("target: {taintSelectors: [@{value: a}]}", "spec.target.taintSelectors[0]", "key"),
        ("target: {matchExpressions: [@{key: a}]}", "spec.target.matchExpressions[0]", "operator"),
    ],
)
def test_required_fields_below(lines: str, field: str, missing: str) -> None:
    found = finding(lines)
    assert (found.code, found.field) == ("NR205", field)
    assert f'the required field "{missing}" is missing' in found.message


SPEC_FIELDS = schema.load("workloadrun.v1alpha1")["$defs"]["WorkloadRunSpec"]["properties"]


@pytest.mark.parametrize("field", sorted(SPEC_FIELDS.keys() - {"image", "numNodes", "framework"}))
def test_null_is_absent(field: str) -> None:
    assert normal(**{field: None}) == {}


# Many at once


def test_ten_mistakes_are_ten_findings_in_reading_order() -> None:
    text = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: @Example}
spec:
  image: @""
  numNodes: @"2"
  framework: {torch: {script: /t.py, @module: t}}
  @volumeMount: []
  env: [{name: A, value: @1}]
  orchestration: {placement: @Loose}
  checkpoint: {storageSize: @10 GB}
  volumes: [{name: @dshm, emptyDir: {}}]
  workloadMetadata: {labels: {@nvcre.nvidia.com/a: b}}
"""
    report = nr.validate(text.replace(MARK, ""), filename="run.yaml")
    codes = ["NR222", "NR206", "NR204", "NR209", "NR201", "NR203", "NR208", "NR207", "NR401", "NR511"]
    assert [found.code for found in report] == codes
    places = [found.position and (found.position.line, found.position.column) for found in report]
    assert places == marks(text)


@pytest.mark.parametrize("document", ["- a\n", "just text\n", "5\n", "true\n"])
def test_a_document_that_is_no_mapping_is_one_finding(document: str) -> None:
    assert faults(document) == [("NR202", "")]
