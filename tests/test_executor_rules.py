"""The rules about executor settings: their examples, their pitfalls one by one, and where findings stand."""

from __future__ import annotations

import re
from typing import Any

import pytest

from nvcre_render.diagnostics import REGISTRY, Diagnostic, Rule
from nvcre_render.executor import settings, submission
from tests.executors import WORKDIR, codes, ready, task

RULES = [rule for code, rule in sorted(REGISTRY.items()) if code.startswith("NR9")]
CLASS = "nemo_run.core.execution.launcher."
TORCHRUN: dict[str, Any] = {"launcher": "torchrun"}
TAINTS = [{"operator": "Exists"}]


def found(text: str) -> list[Diagnostic]:
    documents, findings = settings.read(text, "executor.yaml")
    return [*findings, *(each for document in documents for each in submission.check(document))]


def name(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}"


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_the_bad_example_gives_this_finding_on_the_marked_line_and_nothing_else(rule: Rule) -> None:
    (line,) = [n for n, text in enumerate(rule.bad.splitlines(), 1) if text.endswith(f"# {rule.severity}")]
    (finding,) = found(rule.bad)
    assert (finding.code, finding.position and finding.position.line) == (rule.code, line)
    assert finding.remedy


@pytest.mark.parametrize("rule", RULES, ids=name)
def test_the_good_example_gives_nothing(rule: Rule) -> None:
    assert found(rule.good) == []


def script(**fields: Any) -> dict[str, Any]:
    return {"path": "/opt/train.py", "entrypoint": "python", **fields}


VOLUME = {"name": "v", "emptyDir": {}}
CLAIMED = {"name": "s", "persistentVolumeClaim": {"claimName": "work"}}


TABLE: list[tuple[dict[str, Any], list[str]]] = [
    # pod settings and releases
    (ready(trainer_release="2.3", pod_labels={"a": "b"}), ["NR921"]),
    (ready(trainer_release="2.2", container_kwargs={"securityContext": {}}), ["NR921"]),
    (ready(trainer_release="2.3"), []),
    (ready(trainer_release="2.3", spec_kwargs={"podTemplateOverrides": []}), ["NR921"]),
    (ready(trainer_release="2.0", affinity={"nodeAffinity": {}}), ["NR922"]),
    (ready(pod_spec_overrides={"resourceClaims": [], "hostIPC": True}), ["NR922", "NR922"]),
    # launchers without a shell
    (task(**TORCHRUN, num_nodes=2), ["NR941"]),
    (task(launcher="ft", num_nodes=2), ["NR941"]),
    (task(**TORCHRUN, num_nodes=1), []),
    (task(**TORCHRUN, num_nodes=2, **WORKDIR), []),
    (task(num_nodes=2), []),
    (task(**TORCHRUN, num_nodes=2, container_kwargs={"command": ["true"]}), ["NR932"]),
    # the claim
    (task({"inline": "ls"}), ["NR942"]),
    (task({"inline": "ls"}, **WORKDIR), []),
    (task({"inline": "ls"}, workdir_pvc="work"), ["NR942"]),
    (task({"inline": "ls"}, workdir_pvc="work", workdir_pvc_path="/nemo_run/"), ["NR942"]),
    (task({"path": "/nemo_run/scripts/a.py"}, workdir_pvc="work"), ["NR942"]),
    (task(workdir_pvc="work"), []),
    (task(**WORKDIR, volumes=[CLAIMED]), ["NR943"]),
    (task(**WORKDIR, volumes=[CLAIMED], volume_mounts=[{"name": "s", "mountPath": "/x"}]), ["NR943"]),
    (task(**WORKDIR, volumes=[CLAIMED], volume_mounts=[{"name": "s", "mountPath": "/work"}]), []),
    (task(**WORKDIR, volumes=[VOLUME], volume_mounts=[{"name": "v", "mountPath": "/work"}]), ["NR944"]),
    (ready(**WORKDIR, job_dir="/j", volumes=[CLAIMED]), []),
    (ready(**WORKDIR), ["NR951"]),
    (task(script(path="t.py"), **WORKDIR, workdir_local_path="/"), ["NR951"]),
    (task({"path": "/r/launch.sh"}, **WORKDIR, workdir_local_path="/r/"), ["NR950"]),
    (task({"path": "/r/scripts/launch.sh"}, **WORKDIR, workdir_local_path="/r/"), []),
    # replaced and unused settings
    (ready(volumes=[VOLUME], pod_spec_overrides={"volumes": []}), ["NR932"]),
    (task(**WORKDIR, pod_spec_overrides={"volumes": [VOLUME]}), ["NR932"]),
    (ready(pod_spec_overrides={"volumes": [VOLUME]}), []),
    (ready(affinity={"nodeAffinity": {}}, pod_spec_overrides={"affinity": {}}), ["NR932"]),
    (ready(env_vars={"A": "1"}, container_kwargs={"env": []}), ["NR932"]),
    (ready(container_kwargs={"env": [], "args": []}), []),
    (ready(tolerations=TAINTS, spec_kwargs={"podTemplateOverrides": []}), ["NR932"]),
    (ready(spec_kwargs={"runtimeRef": {"name": "r"}}), []),
    (ready(restart_policy="Never", retries=2), ["NR931", "NR931"]),
    (ready(restart_policy="OnFailure", retries=0), []),
    (ready(packager={"_target_": "nemo_run.core.packaging.git.GitArchivePackager"}), ["NR931"]),
    (ready(packager={"_target_": "nemo_run.core.packaging.base.Packager", "debug": False}), []),
    (ready(workdir_local_path="/r", workdir_pvc_path="/work", data_mover_image="b"), ["NR931"] * 3),
    (ready(launcher="torchrun"), ["NR931"]),
    (ready(launcher="mpirun"), ["NR931"]),
    # names in lists
    (ready(env_vars={"A": "1"}, env_list=[{"name": "A", "value": "2"}]), ["NR912"]),
    (ready(env_vars={"PET_NODE_RANK": "1"}), ["NR913"]),
    (ready(env_vars={"PET_NODE_RANK": "1"}, runtime_ref="mpi-runtime"), []),
    (ready(volumes=[VOLUME, VOLUME]), ["NR915"]),
    (ready(image_pull_secrets=["a", "a"]), ["NR915"]),
    (ready(volumes=[VOLUME], volume_mounts=[{"name": "v", "mountPath": path} for path in ("/a", "/b")]), ["NR914"]),
    (task(**WORKDIR, volumes=[{"name": "nemo-run-workdir", "emptyDir": {}}]), ["NR915"]),
    (ready(pod_spec_overrides={"containers": [{"name": "x"}]}), ["NR917"]),
    (ready(runtime_ref="own", pod_spec_overrides={"containers": [{"name": "x"}]}), []),
    (
        ready(pod_spec_overrides={"containers": [{"name": "node", "env": [{"name": "A", "value": "1"}]}]}),
        ["NR916"],
    ),
    # limits of releases
    (ready(trainer_release="2.2", command=["x"] * 129), ["NR918"]),
    (ready(trainer_release="2.1", command=["x"] * 129), []),
    (ready(trainer_release="2.3", env_vars={f"V{n}": "" for n in range(129)}), ["NR918"]),
    (ready(trainer_release="2.3", image="i" * 501), ["NR918"]),
    (ready(trainer_release="2.2", command=["x" * 65537]), ["NR918"]),
    (ready(trainer_release="2.3", command=["x" * 65537]), []),
    (ready(trainer_release="2.2", nprocs_per_node="auto"), ["NR918"]),
    (ready(nprocs_per_node="auto"), []),
    (ready(spec_kwargs={"managedBy": "me"}), ["NR918"]),
    (ready(trainer_release="2.3", spec_kwargs={"runtimePatches": [{"manager": "a.b/c"}] * 2}), ["NR919"]),
    (ready(trainer_release="2.3", spec_kwargs={"runtimePatches": [{"manager": "/x"}]}), ["NR919"]),
    # names of jobs
    (ready(job_name="8b"), ["NR911"]),
    (ready(job_name="8b", trainer_release="2.0"), []),
    (ready(job_name="8b", train_job_basename="b8"), []),
    # counts and resources
    (ready(image=""), ["NR933"]),
    (ready(image=None), []),
    (ready(image="", container_kwargs={"image": "x"}), []),
    (ready(nprocs_per_node=0), ["NR934"]),
    (ready(cpu_limits="4"), ["NR935"]),
    (ready(cpu_limits="4", nprocs_per_node=1), []),
    (ready(memory_requests="1Gi", extra_resource_limits={"nvidia.com/mig-1g.10gb": "1"}), []),
    (ready(extra_resource_requests={"rdma/ib": "1"}), ["NR936"]),
    (ready(extra_resource_requests={"rdma/ib": "x"}, extra_resource_limits={"rdma/ib": "x"}), ["NR207"] * 2),
    (ready(spec_kwargs={"trainer": "x"}), ["NR202"]),
    (ready(extra_resource_requests={"rdma/ib": "1k"}, extra_resource_limits={"rdma/ib": "1000"}), []),
    (ready(extra_resource_limits={"rdma/ib": "1"}), []),
    (ready(gpus_per_node=8, extra_resource_limits={"nvidia.com/gpu": "4"}), ["NR936"]),
    (ready(extra_resource_requests={"ephemeral-storage": "1Gi"}), []),
    # the launch script and the words of a command
    (task(**WORKDIR, env_vars={"A": "a;b"}), ["NR945"]),
    (task(**WORKDIR, env_vars={"A": "a:b=c/d,e.f"}), []),
    (task(env_vars={"A": "a b"}), []),
    (ready(**WORKDIR, job_dir="/j", env_vars={"A": "a b"}), []),
    (task(script(args=["a b", "", "c"]), **WORKDIR), ["NR946", "NR946"]),
    (task(script(args=["a b"])), []),
    (task(script(args=["a b"]), **WORKDIR, **TORCHRUN), []),
    (task(script(args=["a b"]), **TORCHRUN), ["NR953"]),
    (task(script(args=["$HOME"]), **WORKDIR, **TORCHRUN), ["NR954"]),
    (task(script(args=["$$${node_rank_var}"])), ["NR954"]),
    (task(script(args=["${node_rank_var}"])), []),
    (task(script(args=["$HOME"]), **WORKDIR), []),
    (task(script(entrypoint="python3"), **TORCHRUN), ["NR947"]),
    (task(script(entrypoint="python3")), []),
    (task({"path": "run.sh"}, **TORCHRUN), []),
    (task(script(env={"A": "1"})), ["NR948"]),
    (task({"inline": "ls", "args": ["-l"]}, **WORKDIR), ["NR948"]),
    (task({"inline": "ls", "args": ["-l"]}, **WORKDIR, **TORCHRUN), []),
    (task(launcher={"_target_": f"{CLASS}Launcher", "nsys_profile": True}), ["NR949"]),
    (task(launcher={"_target_": f"{CLASS}Launcher", "nsys_profile": True, "nsys_folder": "/d"}), []),
    (
        task(
            script(path="/r/t.py"),
            **WORKDIR,
            workdir_local_path="/r",
            job_dir="/r/jobs/1",
            launcher={"_target_": f"{CLASS}Launcher", "nsys_profile": True},
        ),
        [],
    ),
    # what NeMo-Run itself fails on
    (ready(env_list=None), ["NR901"]),
    (ready(volumes=None, labels=None, affinity=None), []),
    (ready(**WORKDIR, job_dir="/j", volumes=None), ["NR901"]),
    (ready(**WORKDIR, job_dir="/j", volume_mounts=None), ["NR901"]),
    (ready(**WORKDIR, job_dir="/j", volumes=[CLAIMED], volume_mounts=None), []),
    (ready(**WORKDIR, volumes=[{"name": "a", "persistentVolumeClaim": None}]), ["NR901"]),
    (task(script(args=None)), ["NR901"]),
    ({"image": "x"}, ["NR902"]),
    (ready(task={"path": "x"}), ["NR902"]),
    (task({}), ["NR903"]),
    (task(script(entrypoint="")), ["NR903"]),
    (task(script(entrypoint="bash", m=True)), ["NR903"]),
    (task(launcher="mpirun"), ["NR904"]),
    (task(launcher=""), ["NR904"]),
    (task(launcher="slurm_template"), ["NR904"]),
    (task(launcher={"rdzv_id": 1}), ["NR904"]),
    (task(**TORCHRUN, nprocs_per_node=-1), ["NR905"]),
    (ready(nprocs_per_node=-1), []),
    (task({"_target_": "recipes.train", "steps": 2}), ["NR201", "NR908"]),
    # the form of fields
    (ready(nprocs_per_nod=1), ["NR201"]),
    (task(script(entrypont="x")), ["NR201"]),
    (task(launcher={"_target_": f"{CLASS}Torchrun", "max_restarts": 1}), ["NR201"]),
    (ready(volumes=[{"name": "v", "emptydir": {}}]), ["NR201"]),
    (ready(gpus_per_node="8"), ["NR204"]),
    (ready(command=["sleep", 60]), ["NR203"]),
    (task(script(args=[1])), ["NR203"]),
    (task(env_vars={"A": 1}), ["NR203"]),
    (ready(env_vars=["A=1"]), ["NR202"]),
    (ready(cpu_requests="4 cores"), ["NR207"]),
    (ready(cpu_requests=""), []),
    (ready(cpu_requests=4, nprocs_per_node=1), []),
    (ready(namespace="Team_A"), ["NR207"]),
    (ready(trainer_release="1.9"), ["NR208"]),
    (ready(name_suffix="ABC"), ["NR207"]),
    (ready(labels={"a": 1}), ["NR203"]),
    (ready(image_pull_secrets="ngc"), ["NR937"]),
]


@pytest.mark.parametrize(("data", "expected"), TABLE)
def test_findings(data: dict[str, Any], expected: list[str]) -> None:
    assert sorted(codes(data)) == expected


def test_no_rule_is_without_a_row() -> None:
    # A foreign class is refused in test_executor_live.
    assert {rule.code for rule in RULES} - {code for _, expected in TABLE for code in expected} == {"NR907"}


def test_what_cannot_be_built_says_everything_at_once() -> None:
    text = "env_vars: null\nspec_kwargs: null\nlauncher: mpirun\nnum_node: 2\ntask: {entrypoint: python}\n"
    assert [each.code for each in found(text)] == ["NR901", "NR901", "NR904", "NR201", "NR903"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("command: [a]\nenv_vars:\n  A: '1'\nenv_list:\n- {name: B, value: x}\n- {name: A, value: x}\n", "6:3"),
        ("command: [a]\npod_spec_overrides:\n  nodeSelector: {}\n  hostIPC: true\n", "4:3"),
        ("command: [a]\ncontainer_kwargs: {workingDir: /x}\n", "2:20"),
        ("command: [a]\nspec_kwargs:\n  managedBy: me\n", "3:3"),
        ("command: [a]\ntrain_job_basename: 8b\n", "2:1"),
        ("command: [a]\nvolumes:\n- {name: v, emptyDir: {}}\n- {name: v, emptyDir: {}}\n", "4:3"),
        ("image: ''\ncommand: [a]\n", "1:1"),
    ],
)
def test_findings_about_the_manifest_stand_where_the_setting_is(text: str, place: str) -> None:
    (finding,) = found(text if "image" in text else f"image: x\n{text}")
    line, column = place.split(":")
    offset = 0 if "image" in text else 1
    assert str(finding.position) == f"executor.yaml:{int(line) + offset}:{column}"


def test_a_dropped_field_names_release_silence_and_way_out() -> None:
    (finding,) = found("image: x\ncommand: [a]\npod_spec_overrides: {resourceClaims: [{name: imex}]}\n")
    for part in ("Trainer 2.1 has no resourceClaims", "in silence", "no Trainer release from 2.0 to 2.3 has it"):
        assert part in finding.message
    assert "pod template of the (Cluster)TrainingRuntime" in finding.remedy


@pytest.mark.parametrize(
    ("fields", "remedy"),
    [
        ("container_kwargs: {securityContext: {}}", "or use Trainer 2.2 or later"),
        ("pod_spec_overrides: {nodeSelectors: {}}", 'did you mean "nodeSelector"?'),
        ("pod_spec_overrides: {terminationGracePeriodSeconds: 5}", "or use Trainer 2.3"),
        ("spec_kwargs: {activeDeadlineSeconds: 5}", "or use Trainer 2.2 or later"),
    ],
)
def test_ways_out(fields: str, remedy: str) -> None:
    (finding,) = found(f"image: x\ncommand: [a]\n{fields}\n")
    assert finding.code == "NR922"
    assert re.search(re.escape(remedy) + "$", finding.remedy)


def test_what_is_lost_on_another_release_is_named() -> None:
    text = "image: x\ncommand: [a]\ntrainer_release: '2.3'\nvolumes: [{name: v, emptyDir: {}}]\n"
    (finding,) = found(text + "pod_labels: {a: b}\ncontainer_kwargs: {securityContext: {}}\n")
    for name in ("volumes", "pod_labels", "container_kwargs.securityContext", "spec.runtimePatches"):
        assert name in finding.message
