"""Fields that exclude each other: the framework, what torch runs, config files, and a variable's value."""

from __future__ import annotations

import pytest

import nvcre_render as nr
from tests import manifests
from tests.manifests import Json, manifest, normal, with_spec

OURS = ("NR20", "NR210")  # structure and unions; what else may be said of these runs is not looked at


def faults(run: Json | str) -> list[tuple[str, str]]:
    return manifests.faults(run, *OURS)


def complaint(text: str) -> nr.Diagnostic:
    return manifests.complaint(text, *OURS)


TORCH, MPI, EXEC = "torch: {script: /t}", "mpi: {binary: /b, mpirunPath: /m}", "exec: {command: [a]}"


@pytest.mark.parametrize("framework", [TORCH, MPI, EXEC, "torch: {module: a}", f"{TORCH}, exec: null"])
def test_one_framework_is_right(framework: str) -> None:
    assert faults(with_spec("", f"{{{framework}}}")) == []


@pytest.mark.parametrize("framework", ["{}", "{torch: null}", "{torch: null, mpi: null}"])
def test_none_is_refused_with_the_choice(framework: str) -> None:
    found = complaint(with_spec("", framework).replace("framework", "@framework"))
    assert (found.code, found.field, found.remedy) == ("NR209", "spec.framework", "add torch, mpi or exec")
    assert "none of torch, mpi, exec is given" in found.message


@pytest.mark.parametrize(
    ("framework", "named", "field"),
    [
        (f"{{{TORCH}, @{MPI}}}", "torch and mpi are given", "spec.framework.mpi"),
        (f"{{{TORCH}, @{EXEC}}}", "torch and exec are given", "spec.framework.exec"),
        # the order of the API, whatever the order of the text
        (f"{{@{EXEC}, {MPI}}}", "mpi and exec are given", "spec.framework.exec"),
        (f"{{{TORCH}, @{MPI}, {EXEC}}}", "torch and mpi and exec are given", "spec.framework.mpi"),
    ],
)
def test_two_are_refused_and_both_are_named(framework: str, named: str, field: str) -> None:
    found = complaint(with_spec("", framework))
    assert (found.code, found.field) == ("NR209", field)
    assert named in found.message


def test_torch_takes_a_script_or_a_module() -> None:
    none = complaint(with_spec("", "{@torch: {args: [a]}}"))
    assert (none.code, none.field, none.remedy) == ("NR209", "spec.framework.torch", "add script or module")
    both = complaint(with_spec("", "{torch: {script: /t, @module: m}}"))
    assert (both.code, both.field) == ("NR209", "spec.framework.torch.module")
    assert "script and module are given" in both.message


@pytest.mark.parametrize(
    ("framework", "code", "field"),
    [
        ("{@torhc: {script: /t}}", "NR201", "spec.framework.torhc"),
        ("{torch: @train.py}", "NR202", "spec.framework.torch"),
        ("{torch: {@scripts: /t}}", "NR201", "spec.framework.torch.scripts"),
        ('{torch: {script: @""}}', "NR206", "spec.framework.torch.script"),
        ("{torch: {script: @5}}", "NR203", "spec.framework.torch.script"),
    ],
)
def test_a_member_that_is_wrong_in_itself_is_not_missing_as_well(framework: str, code: str, field: str) -> None:
    found = complaint(with_spec("", framework))
    assert (found.code, found.field) == (code, field)


@pytest.mark.parametrize("inline", ["{a.sh: x}", "{}"])
def test_config_is_inline_or_a_reference(inline: str) -> None:
    found = complaint(with_spec(f"config: {{inline: {inline}, @configMapRef: {{name: files}}}}"))
    assert (found.code, found.field) == ("NR209", "spec.config.configMapRef")
    assert "both inline and configMapRef" in found.message
    for config in (f"{{inline: {inline}}}", "{configMapRef: {name: files}}", "{}", "{inline: null, configMapRef: {}}"):
        assert faults(with_spec(f"config: {config}")) == []


REFERENCE = "{fieldRef: {fieldPath: metadata.name}}"


def test_a_variable_has_a_value_or_a_source() -> None:
    found = complaint(with_spec(f"env: [{{name: FIRST}}, {{name: A, value: x, @valueFrom: {REFERENCE}}}]"))
    assert (found.code, found.field) == ("NR209", "spec.env[1].valueFrom")
    assert '"A" has both value and valueFrom' in found.message
    inner = complaint(
        with_spec(f"initContainers: [{{name: i, env: [{{name: A, value: x, @valueFrom: {REFERENCE}}}]}}]")
    )
    assert (inner.code, inner.field) == ("NR209", "spec.initContainers[0].env[0].valueFrom")


def test_an_empty_value_beside_a_source_is_dropped() -> None:
    source = {"fieldRef": {"fieldPath": "metadata.name"}}
    entry = {"name": "A", "value": "", "valueFrom": source}
    assert faults(manifest(env=[entry])) == []
    assert normal(env=[entry]) == {"env": [{"name": "A", "valueFrom": source}]}


@pytest.mark.parametrize(
    "name",
    ["kubernetes.io/nic", "a.kubernetes.io/nic", "mykubernetes.io/nic", "k8s.io/nic", "node.k8s.io/nic"],
)
def test_a_nic_resource_in_a_domain_of_kubernetes(name: str) -> None:
    found = complaint(with_spec(f"nicResourceName: @{name}"))
    assert (found.code, found.field) == ("NR210", "spec.nicResourceName")
    assert name in found.message
    assert "kubernetes.io or k8s.io" in found.message


@pytest.mark.parametrize("name", ["rdma/ib", "nvidia.com/mlnxnics", "myk8s.io/nic", "kubernetes.io.example.com/nic"])
def test_a_nic_resource_in_a_domain_of_its_own(name: str) -> None:
    assert faults(manifest(nicResourceName=name)) == []
