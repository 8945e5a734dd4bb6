"""Rules about a plan: the node list, and why no Job, or not the expected Jobs, would start (NR8xx).

The examples are runs to be planned on the fleet that their first line describes.
"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Diagnostic, RenderError, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nvcre_render.positions import Path


def _on_fleet(manifest: str) -> str:
    return (
        f"# on a fleet of four nodes, each with eight GPUs and no label but those of its name and its GPUs\n{manifest}"
    )


def _topology(key: str, nodes: str = "2") -> str:
    return run(
        f"  overrides:\n    - when: {{}}\n      orchestration:\n        topology:\n          topologyKey: {key}\n",
        nodes,
    )


NOT_A_NODE_LIST = Rule(
    code="NR801",
    name="not-a-node-list",
    severity=ERROR,
    summary="The file given as node list holds no nodes.",
    why="Without nodes there is nothing to plan on.",
    remedy="save the nodes with: kubectl get nodes -o json > nodes.json",
)
UNNAMED_NODE = Rule(
    code="NR802",
    name="unnamed-node",
    severity=ERROR,
    summary="A node without metadata.name.",
    why="Groups, affinities and reports all name nodes.",
    remedy="give the node its name, or save the list again with kubectl get nodes -o json",
)
REPEATED_NODE = Rule(
    code="NR803",
    name="repeated-node",
    severity=ERROR,
    summary="Two nodes of the list have one name.",
    why="A cluster has every name once, so the list was put together wrongly and its counts would be too.",
    remedy="keep one of them",
)
MALFORMED_NODE = Rule(
    code="NR804",
    name="malformed-node",
    severity=ERROR,
    summary="A field of a node has a type it cannot have in a cluster.",
    why="Labels are texts, spec.unschedulable is true or false; anything else was lost or added by hand.",
    remedy="put label values in quotes, or save the list again with kubectl get nodes -o json",
)
MISSING_CLAIM = Rule(
    code="NR805",
    name="missing-checkpoint-claim",
    severity=ERROR,
    summary="The checkpoint names a PersistentVolumeClaim that is not among the dependencies.",
    why="NVCRE fails the Workflow before it looks at any node.",
    remedy="add the PersistentVolumeClaim to spec.dependencies, or correct checkpoint.pvcName",
)
NO_TARGET_NODE = Rule(
    code="NR806",
    name="no-target-node",
    severity=ERROR,
    summary="No node of the list is a usable target.",
    why="NVCRE fails the Workflow: there is nothing to start a Job on.",
    remedy="widen spec.orchestration.target, uncordon nodes, or check that they carry nvidia.com/gpu.present: true",
    bad=_on_fleet(run().replace("NVIDIA-H200", "NVIDIA-H2OO").replace("H2OO}}", "H2OO}}  # error")),
    good=_on_fleet(run()),
)
MIXED_PLATFORMS = Rule(
    code="NR807",
    name="heterogeneous-platforms",
    severity=ERROR,
    summary="The target's nodes belong to several platforms.",
    why="One Workflow gets the settings of one platform, so NVCRE refuses to choose.",
    remedy="narrow spec.orchestration.target to the nodes of one platform",
)
OTHER_PLATFORM = Rule(
    code="NR808",
    name="contradicted-platform",
    severity=WARNING,
    summary="The platform asked for is not the one the nodes show.",
    why="In a cluster NVCRE goes by the nodes, so the plan shows what would not run there.",
    remedy="leave --platform out, or give the nodes of that platform",
)
SYNTHESIZED_PRODUCTS = Rule(
    code="NR811",
    name="unpinned-synthesized-products",
    severity=ERROR,
    summary="Unpinned on several GPU architectures that only ResourceSlices tell apart.",
    why="The scheduler sees labels, and without nvidia.com/gpu.product it could place the Job on the other nodes.",
    remedy="narrow the target to one architecture, or use placement Pinned",
)
TOO_FEW_GPUS = Rule(
    code="NR812",
    name="no-node-with-enough-gpus",
    severity=ERROR,
    summary="Every node offers fewer GPUs than a pod asks for.",
    why="No pod could be scheduled.",
    remedy="lower spec.gpusPerNode, or widen the target to nodes with more GPUs",
    bad=_on_fleet(run("  gpusPerNode: 16  # error\n")),
    good=_on_fleet(run("  gpusPerNode: 8\n")),
)
NO_JOB_SIZE = Rule(
    code="NR813",
    name="no-job-size",
    severity=ERROR,
    summary="Nothing tells how many nodes a Job takes.",
    why="The size of a group is trainer.numNodes; a value below 1 means all nodes, but only under Pinned.",
    remedy="set numNodes",
)
JOB_TOO_LARGE = Rule(
    code="NR814",
    name="job-larger-than-fleet",
    severity=ERROR,
    summary="A Job needs more nodes than are eligible.",
    why="The size is honoured exactly or the run fails; it is never reduced.",
    remedy="lower numNodes, or make more nodes eligible",
    bad=_on_fleet(run(nodes="6  # error")),
    good=_on_fleet(run(nodes="4")),
)
PARTITIONING = Rule(
    code="NR815",
    name="unpartitionable-nodes",
    severity=ERROR,
    summary="The eligible nodes cannot be cut into groups.",
    why="Grouping by domain needs the domain of every eligible node.",
    remedy="label the node, or narrow the target to nodes that have the label",
    bad=_on_fleet(_topology("example.com/rack  # error")),
    good=_on_fleet(_topology("kubernetes.io/hostname", nodes="1")),
)
REPEATED_JOB_NAME = Rule(
    code="NR816",
    name="repeated-job-name",
    severity=ERROR,
    summary="Two groups would get Jobs of one name.",
    why="Names are cut at 35 characters and told apart by a short hash, which can coincide; the second is refused.",
    remedy="shorten the name: up to 20 characters nothing is cut while group and iteration have one digit",
)
REPEATED_COPY_NAME = Rule(
    code="NR817",
    name="repeated-dependency-copy",
    severity=WARNING,
    summary="Two groups would get copies of a dependency under one name.",
    why="Names are cut at 63 characters and told apart by a short hash, which can coincide; the groups would share it.",
    remedy="shorten the names of the run and of the dependency",
)
SHARED_WORD = Rule(
    code="NR818",
    name="renamed-shared-word",
    severity=WARNING,
    summary="A word that two dependencies happen to share gets the suffix of their group.",
    why="A text found in two copied dependencies is taken for a name that ties them together, and renamed in both.",
    remedy="write the value differently in one of the two places",
    bad=_on_fleet(run("  config: {inline: {mode: torch}}  # warning\n")),
    good=_on_fleet(run("  config: {inline: {mode: torch.distributed}}\n")),
)
LONG_WORKFLOW_NAME = Rule(
    code="NR819",
    name="workflow-name-over-63-characters",
    severity=ERROR,
    summary="The Workflow's name is too long for the label that every Job carries.",
    why="The API server refuses a label value of more than 63 characters.",
    remedy="shorten metadata.name",
)

# The reason of the condition Failed that the Workflow would get in a cluster; those of the contract after overrides
# stand in their own texts.
REASONS = {
    MISSING_CLAIM.code: "CheckpointPVCMissing",
    NO_TARGET_NODE.code: "NodeDiscoveryError",
    MIXED_PLATFORMS.code: "HeterogeneousPlatform",
    SYNTHESIZED_PRODUCTS.code: "PartitionError",
    TOO_FEW_GPUS.code: "PartitionError",
    NO_JOB_SIZE.code: "PartitionError",
    JOB_TOO_LARGE.code: "PartitionError",
    PARTITIONING.code: "PartitionError",
}

ORCHESTRATION = ("spec", "orchestration")
TRAIN_JOB = ("spec", "jobTemplate", "spec", "workload", "trainJob")


def finding(rule: Rule, message: str, path: Path = (), remedy: str = "") -> Diagnostic:
    """Return the finding of a rule; `path` is that of the Workflow, its place in a file is for the caller to add."""
    reason = REASONS.get(rule.code)
    return Diagnostic(rule=rule, message=f"{reason}: {message}" if reason else message, path=path, remedy=remedy)


def refusal(rule: Rule, message: str, path: Path = (), remedy: str = "") -> RenderError:
    """Return the refusal that carries this one finding, its reason in front."""
    return RenderError([finding(rule, message, path, remedy)])
