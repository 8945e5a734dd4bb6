"""What people run into, and what must then hold: one assertion for each, with manifests of our own.

The order and the numbers are those of the try-outs that the cases of the form `reports` describe.
"""

from __future__ import annotations

import resource
import time
from itertools import pairwise
from typing import Any

import pytest
import yaml

import nvcre_render as nr
from nvcre_render import source
from tests.manifests import (
    GPU,
    MPI,
    Json,
    complaint,
    manifest,
    pods,
    render,
    replicated,
    runtime,
    text,
    train_job,
    with_spec,
    workload,
)


def exports(workflow: Json) -> list[str]:
    """Return what follows each -x of the launcher's mpirun, in order."""
    args = train_job(workflow)["trainer"]["args"]
    return [after for option, after in pairwise(args) if option == "-x"]


def environment(pod: Json) -> dict[str, Json]:
    return {entry["name"]: entry for entry in workload(pod)["env"]}


def refusal(document: Any, **target: Any) -> list[nr.Diagnostic]:
    with pytest.raises(nr.RenderError) as refused:
        nr.render(document, gpu_arch=target.pop("gpu_arch", "h100"), filename="run.yaml", **target)
    return list(refused.value.diagnostics)


def one(document: Any) -> nr.Diagnostic:
    """Return the only finding, which a render refuses with too."""
    (found,) = nr.validate(document, filename="run.yaml")
    assert found in refusal(document)
    return found


def test_r1_a_reference_is_forwarded_by_its_bare_name() -> None:
    reference = {"secretKeyRef": {"name": "registry-login", "key": "password"}}
    workflow = render(MPI, env=[{"name": "LOGIN", "valueFrom": reference}])
    assert [name for name in exports(workflow) if name.startswith("LOGIN")] == ["LOGIN"]
    for pod in pods(workflow).values():
        assert environment(pod)["LOGIN"] == {"name": "LOGIN", "valueFrom": reference}


def test_r3_an_export_in_mpi_args_beats_the_environment_at_the_ranks() -> None:
    framework = {"mpi": {**MPI["mpi"], "mpiArgs": ["-x", "NCCL_ALGO=Ring"]}}
    workflow = render(framework, env=[{"name": "NCCL_ALGO", "value": "Tree"}])
    assert [name for name in exports(workflow) if name.startswith("NCCL_ALGO")] == ["NCCL_ALGO=Ring"]
    for pod in pods(workflow).values():
        assert environment(pod)["NCCL_ALGO"]["value"] == "Tree"


def test_r4_mnnvl_follows_the_architecture_everywhere() -> None:
    for architecture, value in (("gb200", "1"), ("gb300", "1"), ("h100", "0")):
        workflow = render(MPI, architecture)
        assert [name for name in exports(workflow) if "MNNVL" in name] == [f"NCCL_MNNVL_ENABLE={value}"]
        for pod in pods(workflow).values():
            assert environment(pod)["NCCL_MNNVL_ENABLE"]["value"] == value


def test_r8_a_gang_marks_every_object_and_pod() -> None:
    workflow = render(MPI, gangScheduler={"schedulerName": "kai-scheduler", "queue": "night"})
    queue = {"kai.scheduler/queue": "night"}
    jobs = replicated(workflow)
    assert set(jobs) == {"node", "launcher"}
    for job in jobs.values():
        assert queue.items() <= job["template"]["metadata"]["labels"].items()
        assert queue.items() <= job["template"]["spec"]["template"]["metadata"]["labels"].items()
        assert job["template"]["spec"]["template"]["spec"]["schedulerName"] == "kai-scheduler"
    assert workflow["spec"]["jobTemplate"]["spec"]["workloadMetadata"]["labels"] == queue


def test_r9_a_queue_label_under_the_products_own_prefix_is_refused() -> None:
    found = one(manifest(gangScheduler={"schedulerName": "a", "queueLabelKey": "nvcre.nvidia.com/line"}))
    assert found.field == "spec.gangScheduler.queueLabelKey"
    assert "nvcre.nvidia.com/" in found.message
    assert "reserved" in found.message


def test_r11_two_queues_on_one_key_are_refused_with_key_values_and_path() -> None:
    gang = {"schedulerName": "kai-scheduler", "queue": "day"}
    found = one(manifest(gangScheduler=gang, workloadMetadata={"labels": {"kai.scheduler/queue": "night"}}))
    assert found.field == 'spec.workloadMetadata.labels["kai.scheduler/queue"]'
    assert '"night"' in found.message
    assert '"day"' in found.message


def moved(platform: str) -> Json:
    template = {"spec": {"workloadMetadata": {"labels": {"kai.scheduler/queue": "night"}}}}
    overrides = [{"when": {"platform": {"equals": "oci"}}, "jobTemplate": template}]
    run = manifest(MPI, gangScheduler={"schedulerName": "kai-scheduler", "queue": "day"}, overrides=overrides)
    workflow: Json = dict(nr.render(run, platform=platform, gpu_arch="h100").workflow)
    return workflow


def test_r12_an_override_for_another_platform_changes_nothing() -> None:
    workflow = moved("azure")
    assert workflow["spec"]["jobTemplate"]["spec"]["workloadMetadata"]["labels"] == {"kai.scheduler/queue": "day"}
    assert "night" not in yaml.safe_dump(workflow)
    with pytest.raises(nr.RenderError, match="night"):
        moved("oci")


def test_r14_intra_node_is_one_node_in_every_count() -> None:
    def counts(value: Any) -> list[int]:
        if isinstance(value, dict):
            own = [value["numNodes"]] if "numNodes" in value else []
            return own + [each for item in value.values() for each in counts(item)]
        return [each for item in value for each in counts(item)] if isinstance(value, list) else []

    found = counts(render(MPI, "gb200", numNodes=4, orchestration={"testScale": "intra-node"}))
    assert len(found) >= 3  # the trainer, the runtime, and the ComputeDomain of a platform block
    assert set(found) == {1}


def test_r15_unpinned_and_intra_rack_names_what_was_written() -> None:
    gang = {"schedulerName": "kai-scheduler"}
    found = one(manifest(orchestration={"placement": "Unpinned", "testScale": "intra-rack"}, gangScheduler=gang))
    assert found.field == "spec.orchestration.testScale"
    assert "strictDomain" not in found.message
    assert "target.matchExpressions" in found.remedy


def requested(workflow: Json) -> list[Json]:
    resources = workload(pods(workflow)["node"])["resources"]
    return [resources["requests"], resources["limits"]]


def resolved(framework: Json, platform: str, gpu_arch: str, **spec: Any) -> Json:
    run = manifest(framework, **spec)
    workflow: Json = dict(nr.render(run, platform=platform, gpu_arch=gpu_arch).workflow)
    return workflow


def test_r18_no_nics_are_no_request_rather_than_a_request_for_none() -> None:
    nics = "nvidia.com/mlnxnics"
    assert all(nics in amounts for amounts in requested(resolved(MPI, "azure", "h100")))
    assert nics not in yaml.safe_dump(resolved(MPI, "azure", "h100", mlnxPerNode=0))


def test_r19_the_nic_named_is_requested_and_limited() -> None:
    workflow = resolved(MPI, "onprem", "gb300", nicResourceName="rdma/fast", mlnxPerNode=2)
    assert [int(amounts["rdma/fast"]) for amounts in requested(workflow)] == [2, 2]


def test_r21_an_unlisted_product_falls_back_loudly() -> None:
    run = manifest(MPI, target={"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-ZX81"}})
    rendered = nr.render(run, platform="onprem")
    (found,) = rendered.diagnostics
    assert found.severity == "warning"
    assert "NVIDIA-ZX81" in found.message
    assert "4 GPUs" in found.message
    assert train_job(dict(rendered.workflow))["trainer"]["numProcPerNode"] == 4


def test_r26_pull_secrets_reach_the_launcher_and_the_workers() -> None:
    workflow = render(MPI, imagePullSecrets=[{"name": "login"}])
    (patch,) = train_job(workflow)["runtimePatches"]
    jobs = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    secrets = {job["name"]: job["template"]["spec"]["template"]["spec"]["imagePullSecrets"] for job in jobs}
    assert secrets == {"node": [{"name": "login"}], "launcher": [{"name": "login"}]}


def test_r28_the_config_volume_is_there_only_with_config() -> None:
    mount = {"name": "config-volume", "mountPath": "/etc/x"}
    found = one(manifest(volumeMounts=[mount]))
    assert "spec.config" in found.message
    assert "config-volume" in found.message
    assert nr.validate(manifest(volumeMounts=[mount], config={"inline": {"a": "b"}})).ok


def test_r28_below_the_ssh_directory_is_taken_as_surely_as_the_directory() -> None:
    for path in ("/root/.ssh", "/root/.ssh/known_hosts"):
        mounts = [{"name": "own", "mountPath": path}]
        found = one(manifest(MPI, volumes=[{"name": "own", "emptyDir": {}}], volumeMounts=mounts))
        assert found.field == "spec.volumeMounts[0].mountPath"
        assert "/root/.ssh" in found.message


def test_r51_the_image_is_that_of_both_pods() -> None:
    workflow = render(MPI, image="registry.example.com/perf:7")
    assert {workload(pod)["image"] for pod in pods(workflow).values()} == {"registry.example.com/perf:7"}
    assert len(pods(workflow)) == 2


def test_r58_an_empty_framework_lists_the_choices() -> None:
    found = one(manifest({}))
    assert found.field == "spec.framework"
    for choice in ("torch", "mpi", "exec"):
        assert choice in found.message


def test_r64_the_launcher_sees_config_and_nothing_else_of_the_user() -> None:
    stage = {"name": "list", "image": "tools:1", "volumeMounts": [{"name": "own", "mountPath": "/own"}]}
    workflow = render(
        MPI,
        config={"inline": {"go.sh": "#!/bin/sh\n"}},
        volumes=[{"name": "own", "persistentVolumeClaim": {"claimName": "own", "readOnly": True}}],
        volumeMounts=[{"name": "own", "mountPath": "/own"}],
        initContainers=[stage],
    )
    launcher, worker = pods(workflow)["launcher"], pods(workflow)["node"]
    mounts = {
        name: {each["mountPath"]: each for each in workload(pod)["volumeMounts"]}
        for name, pod in (("launcher", launcher), ("worker", worker))
    }
    assert mounts["launcher"]["/config"] == {"name": "config-volume", "mountPath": "/config", "readOnly": True}
    assert mounts["worker"]["/config"]["name"] == "config-volume"
    assert "/own" in mounts["worker"]
    assert [each["name"] for each in worker["initContainers"]] == ["list"]
    assert "own" not in yaml.safe_dump(launcher)


def test_r72_a_misspelt_field_has_file_line_and_near_spelling() -> None:
    found = complaint(with_spec("volumes: [{name: d, emptyDir: {}}]\n@volumeMount: []"))
    assert found.position is not None
    assert found.position.file == "run.yaml"
    assert found.remedy == 'did you mean "volumeMounts"?'


def test_r72_a_misspelt_matcher_does_not_match_everything() -> None:
    found = complaint(with_spec("overrides:\n- when: {@platfrom: {equals: aws}}\n  orchestration: {iterations: 2}"))
    assert found.severity == "error"
    assert found.remedy == 'did you mean "platform"?'


def test_r82_document_markers_change_nothing() -> None:
    plain = text()
    assert list(nr.validate(f"---\n{plain}...\n")) == []
    assert nr.render(f"---\n{plain}...\n", gpu_arch="h100").to_yaml() == nr.render(plain, gpu_arch="h100").to_yaml()


def test_r92_amounts_stay_what_they_are() -> None:
    amounts = {"cpu": "4000m", "memory": "4096Mi", GPU: 8}
    workflow = render(MPI, resources={"requests": amounts, "limits": {GPU: 8}})
    requests, limits = requested(workflow)
    assert requests == {"cpu": "4", "memory": "4Gi", GPU: "8"}
    assert limits == {GPU: "8"}


LOOKALIKES = ("yes", "off", "y", "N", "08", "0755", "0o17", "1e3", "12e03", "1.5e3", "26.01", "null", "~", "22:22", "")


def test_r94_every_text_that_looks_like_something_else_is_a_text_again() -> None:
    env = [{"name": f"A{number}", "value": value} for number, value in enumerate(LOOKALIKES)]
    written = nr.render(manifest(MPI, env=env), gpu_arch="h100").to_yaml()
    ((document,), findings) = source.read(written, "out.yaml")  # the reader resolves as Kubernetes' own does
    assert findings == []
    for pod in pods(document.data).values():
        kept = environment(pod)
        assert [kept[f"A{number}"].get("value", "") for number in range(len(LOOKALIKES))] == list(LOOKALIKES)
    assert {f"A{number}={value}" for number, value in enumerate(LOOKALIKES)} <= set(exports(document.data))


def test_r95_a_number_for_a_variable_has_path_line_and_quotes_to_write() -> None:
    found = complaint(with_spec("env:\n- name: DEPTH\n  value: @12"))
    assert found.field == "spec.env[0].value"
    assert "DEPTH" in found.message
    assert found.remedy == 'write "12" in quotes'


def test_r95_a_variable_has_one_value() -> None:
    reference = {"secretKeyRef": {"name": "s", "key": "k"}}
    found = one(manifest(env=[{"name": "LOGIN", "value": "x", "valueFrom": reference}]))
    assert "LOGIN" in found.message
    assert "valueFrom" in found.message


def test_r98_a_mode_in_quotes_is_a_text() -> None:
    found = complaint(with_spec('volumes:\n- name: keys\n  secret: {secretName: k, defaultMode: @"0440"}'))
    assert found.code == "NR204"
    assert found.field == "spec.volumes[0].secret.defaultMode"


def test_r99_an_alias_bomb_is_refused_at_once_and_in_little_memory() -> None:
    lines = ["b0: &b0 [x, x, x]"] + [f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]" for n in range(1, 12)]
    block = "\n".join(f"    {line}" for line in lines)
    bomb = with_spec(f"overrides:\n- when: {{}}\n  jobTemplate:\n{block}")
    before, memory = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (found,) = nr.validate(bomb)
    assert time.perf_counter() - before < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 100 * 1024  # KiB
    assert "aliases repeat" in found.message


def test_r100_anchors_are_written_out() -> None:
    lines = "volumes: [{name: d, emptyDir: {}}]\nvolumeMounts: &m [{name: d, mountPath: /d}]\n"
    stage = "initContainers: [{name: s, image: 'tools:1', volumeMounts: *m}]"
    written = nr.render(with_spec(lines + stage), gpu_arch="h100").to_yaml()
    assert written.count("mountPath: /d\n") == 2
    assert "&" not in written
    assert "*" not in written


def test_r104_windows_line_ends_change_nothing() -> None:
    unix = with_spec("config:\n  inline:\n    go.sh: |\n      #!/bin/sh\n      echo hi")
    windows = unix.replace("\n", "\r\n")
    written = nr.render(windows, gpu_arch="h100").to_yaml()
    assert written == nr.render(unix, gpu_arch="h100").to_yaml()
    assert "\r" not in written


def test_r106_a_count_in_quotes_is_a_text() -> None:
    found = complaint(with_spec("").replace("numNodes: 2", 'numNodes: @"4"'))
    assert found.field == "spec.numNodes"
    assert found.remedy == "write 4 without quotes"


def test_r107_a_merged_container_keeps_its_own_name() -> None:
    lines = "initContainers:\n- &first {name: one, image: 'tools:1', command: [go]}\n- <<: *first\n  name: two"
    workflow = dict(nr.render(with_spec(lines), gpu_arch="h100").workflow)
    one_, two = pods(workflow)["node"]["initContainers"]
    assert (one_["name"], two["name"]) == ("one", "two")
    assert (two["image"], two["command"]) == ("tools:1", ["go"])
    assert "<<" not in nr.render(with_spec(lines), gpu_arch="h100").to_yaml()
    assert runtime(workflow)
