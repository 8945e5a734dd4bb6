"""Random executor settings, for laws and for the comparison with NeMo-Run itself."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

RELEASES = ("2.0", "2.1", "2.2", "2.3")

_WORDS = st.sampled_from(
    ["a", "train", "/opt/run.sh", "it's", "a b", "", "--x=1", "$HOME", "$$${node_rank_var}", "é", "~"]
)
_NAMES = st.sampled_from(["LEVEL", "NCCL_DEBUG", "OUT_DIR", "HF_TOKEN"])
_TEXTS = st.sampled_from(["1", "INFO", "", "hello world", "a:b", "$HOME", "true"])
_IDENTITIES = st.sampled_from(["train", "Pretrain_8B.v2", "a--b__c", "70b", "", "x" * 40, "-a-", "Ünder score"])
_PATHS = st.sampled_from(["/work", "/nemo_run", "/a/b/", "/", "/data"])
_AMOUNTS = st.sampled_from([None, "", "0", "8", "500m", "64Gi"])
_LABELS = st.dictionaries(st.sampled_from(["team", "example.com/owner"]), st.sampled_from(["llm", "a"]), max_size=2)
_TOLERATIONS = st.lists(
    st.sampled_from([{"operator": "Exists"}, {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]),
    max_size=2,
)
_AFFINITIES: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": []}]}
            }
        },
    ]
)
_VOLUMES = st.lists(
    st.sampled_from(
        [
            {"name": "dshm", "emptyDir": {"medium": "Memory"}},
            {"name": "shared", "persistentVolumeClaim": {"claimName": "work"}},
            {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
            {"name": "nemo-run-workdir", "persistentVolumeClaim": {"claimName": "other"}},
        ]
    ),
    max_size=3,
)
_MOUNTS = st.lists(
    st.builds(
        lambda name, path: {"name": name, "mountPath": path}, st.sampled_from(["dshm", "shared", "data"]), _PATHS
    ),
    max_size=3,
)
_SECRETS = st.lists(st.sampled_from(["ngc", "site-registry"]), max_size=2)
_RESOURCES = st.dictionaries(
    st.sampled_from(["vpc.amazonaws.com/efa", "nvidia.com/gpu", "cpu", "rdma/ib"]), st.just("4"), max_size=2
)
_POD_SPECS = st.fixed_dictionaries(
    {},
    optional={
        "nodeSelector": st.just({"pool": "gpu"}),
        "tolerations": st.one_of(st.none(), _TOLERATIONS),
        "affinity": _AFFINITIES,
        "volumes": _VOLUMES,
        "containers": st.just([{"name": "node", "securityContext": {"privileged": True}}]),
        "imagePullSecrets": st.just([{"name": "other"}]),
        "hostIPC": st.booleans(),
        "serviceAccountName": st.just("trainer"),
        "resourceClaims": st.just([{"name": "imex", "resourceClaimTemplateName": "imex-channel"}]),
        "terminationGracePeriodSeconds": st.integers(0, 60),
    },
)
_CONTAINER = st.fixed_dictionaries(
    {},
    optional={
        "image": st.just("other:1"),
        "args": st.lists(st.sampled_from(["--a", "--b"]), max_size=2),
        "env": st.just([{"name": "ONLY", "value": "1"}]),
        "numProcPerNode": st.integers(1, 8),
        "resourcesPerNode": st.just({"limits": {"cpu": "1"}}),
        "securityContext": st.just({"privileged": True}),
        "volumeMounts": st.just([{"name": "extra", "mountPath": "/extra"}]),
        "workingDir": st.just("/opt"),
    },
)
_SPEC = st.fixed_dictionaries(
    {},
    optional={
        "suspend": st.booleans(),
        "managedBy": st.just("kueue.x-k8s.io/multikueue"),
        "runtimeRef": st.just({"name": "team", "kind": "TrainingRuntime", "apiGroup": "trainer.kubeflow.org"}),
        "labels": st.just({"a": "b"}),
        "activeDeadlineSeconds": st.integers(1, 100),
        "trainer": st.just({"image": "whole:1"}),
        "podTemplateOverrides": st.just([{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "b"}}}]),
        "runtimePatches": st.just([{"manager": "example.com/tool"}]),
    },
)
_ENV_LIST = st.lists(
    st.one_of(
        st.builds(lambda name: {"name": name, "value": "x"}, st.sampled_from(["BETA", "LEVEL"])),
        st.just({"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}),
    ),
    max_size=2,
)
_PROFILER = {
    "nsys_profile": st.booleans(),
    "nsys_folder": st.sampled_from(["nsys_profile", "/data/nsys"]),
    "nsys_trace": st.lists(st.sampled_from(["nvtx", "cuda", "cudnn"]), max_size=3),
    "nsys_extra_args": st.lists(st.just("--stats=true"), max_size=1),
}
_RENDEZVOUS = {
    "rdzv_backend": st.sampled_from(["c10d", "static", "a b"]),
    "rdzv_port": st.sampled_from([29500, 31000, 0]),
    "rdzv_id": st.sampled_from([None, 0, 77, "run id"]),
}
_RESTARTS = {
    "workload_check_interval": st.sampled_from([None, 5.0, 0.0, 5]),
    "initial_rank_heartbeat_timeout": st.sampled_from([None, 600.5]),
    "rank_termination_signal": st.sampled_from([None, "SIGUSR1", ""]),
    "log_level": st.sampled_from([None, "DEBUG"]),
    "max_restarts": st.sampled_from([None, 0, 2]),
}


def _launcher(name: str, settings: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    target = {"_target_": st.just(f"nemo_run.core.execution.launcher.{name}")}
    return st.fixed_dictionaries(target, optional=settings)


LAUNCHERS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, "torchrun", "ft", "slurm_ray"]),
    _launcher("Launcher", _PROFILER),
    _launcher("Torchrun", _PROFILER | _RENDEZVOUS),
    _launcher("FaultTolerance", _PROFILER | _RENDEZVOUS | _RESTARTS),
)
SCRIPTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "path": st.sampled_from(["/home/a/run/train.py", "my.pkg.train", "./run.sh", "a b.py"]),
        "inline": st.sampled_from(["nvidia-smi", "", "  echo 'hi there'\n"]),
        "args": st.lists(_WORDS, max_size=3),
        "entrypoint": st.sampled_from(["bash", "python", "python3", "python -u"]),
        "m": st.booleans(),
        "env": st.dictionaries(_NAMES, _TEXTS, max_size=1),
    },
).filter(lambda script: bool(script.get("path") or script.get("inline")))
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "runtime_ref": st.sampled_from(["torch-distributed", "team-runtime"]),
    "namespace": st.sampled_from(["default", "team-a"]),
    "image": st.sampled_from(["", "registry.example.com/trainer:1"]),
    "num_nodes": st.integers(0, 4),
    "nprocs_per_node": st.one_of(st.none(), st.integers(0, 8)),
    "gpus_per_node": st.one_of(st.none(), st.integers(0, 8)),
    "cpu_requests": _AMOUNTS,
    "memory_requests": _AMOUNTS,
    "cpu_limits": _AMOUNTS,
    "memory_limits": _AMOUNTS,
    "extra_resource_requests": _RESOURCES,
    "extra_resource_limits": _RESOURCES,
    "env_vars": st.dictionaries(_NAMES, _TEXTS, max_size=3),
    "env_list": _ENV_LIST,
    "volumes": _VOLUMES,
    "volume_mounts": _MOUNTS,
    "image_pull_secrets": _SECRETS,
    "tolerations": _TOLERATIONS,
    "affinity": _AFFINITIES,
    "pod_labels": _LABELS,
    "pod_annotations": _LABELS,
    "labels": _LABELS,
    "annotations": _LABELS,
    "pod_spec_overrides": _POD_SPECS,
    "container_kwargs": _CONTAINER,
    "spec_kwargs": _SPEC,
    "workdir_pvc": st.sampled_from([None, "", "work"]),
    "workdir_pvc_path": _PATHS,
    "workdir_local_path": st.sampled_from([None, "/home/a/run", "/home/a/run//"]),
    "data_mover_image": st.just("busybox:1.37"),
    "train_job_basename": st.one_of(st.none(), _IDENTITIES),
    "launcher": LAUNCHERS,
    "experiment_id": st.sampled_from([None, "", "exp_1"]),
    "job_dir": st.sampled_from(["", "/home/a/jobs/1", "/home/a/run/"]),
    "job_name": _IDENTITIES,
    "name_suffix": st.sampled_from(["a1b2c3", "000000"]),
    "user": st.sampled_from(["alice", "svc-train"]),
    "drawn_rdzv_id": st.integers(1, 10000),
}


@st.composite
def executors(draw: st.DrawFn) -> dict[str, Any]:
    """Settings that NeMo-Run can build a job of, most of their fields left out."""
    names = draw(st.lists(st.sampled_from(sorted(_FIELDS)), unique=True, max_size=12))
    made = {name: draw(_FIELDS[name]) for name in names}
    if draw(st.booleans()):
        return {**made, "command": draw(st.lists(_WORDS, min_size=1, max_size=3))}
    script = draw(SCRIPTS)
    if "python" not in script.get("entrypoint", "bash"):
        script.pop("m", None)
    return {**made, "task": script}
