"""Rules about overrides: why a block cannot be applied (NR71x), and what must hold once all are (NR73x).

The examples are written for a render with platform aws.
"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document


def override(block: str, more: str = "", when: str = "{}") -> str:
    """Return a small WorkloadRun with `more` lines in its spec and one override, of the lines of `block`."""
    lines = "".join(f"      {line}\n" for line in block.splitlines())
    return run(f"{more}  overrides:\n    - when: {when}\n{lines}")


def trainer(fields: str) -> str:
    """Return a jobTemplate that sets fields of the trainer."""
    return f"jobTemplate: {{spec: {{workload: {{trainJob: {{trainer: {{{fields}}}}}}}}}}}"


def runtime(template: str) -> str:
    """Return the lines that change the job template of the worker in the generated runtime."""
    return f"""\
dependencies:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainingRuntime
  metadata: {{name: example-runtime}}
  spec:
    template:
      spec:
        replicatedJobs:
        - name: node
          template: {template}
"""


_GANG = "  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}\n"

BROKEN_EXPRESSION = Rule(
    code="NR711",
    name="broken-when-expression",
    severity=ERROR,
    summary="The expression of a when does not compile, does not give a bool, or fails while it is evaluated.",
    why="NVCRE stops at the first such block and applies none of the overrides.",
    remedy="write CEL that gives true or false, over platform, gpuArchitecture, workloadKind, topologyMode (texts) "
    "and domainCount (a number)",
    bad=override(trainer("numNodes: 8"), when='{expression: "domainCount + 1"}  # error'),
    good=override(trainer("numNodes: 8"), when="{expression: domainCount > 1}"),
)
UNREADABLE_TEMPLATE = Rule(
    code="NR712",
    name="unreadable-job-template",
    severity=ERROR,
    summary="The jobTemplate of an override cannot be merged, or leaves a value of a type the template does not take.",
    why="The merged template is read back into its types; NVCRE fails there and applies none of the overrides.",
    remedy="write the value in the type of the field; jobTemplate itself is an object",
    bad=override(f"{trainer('numNodes: {text}')}  # error".replace("{text}", '"8"')),
    good=override(trainer("numNodes: 8")),
)
FAILING_PATCH = Rule(
    code="NR713",
    name="failing-json-patch",
    severity=ERROR,
    summary="The jobTemplatePatch of an override is no JSON Patch, or one of its operations fails.",
    why="NVCRE applies none of the overrides. Fields that are empty are not in the template to be removed or replaced.",
    remedy="write a list of operations with op, path and value (or from), whose paths exist in the template, such as "
    "/spec/workload/trainJob/trainer/args/0",
    bad=override("jobTemplatePatch:\n- {op: remove, path: /spec/workload/trainJob/trainer/env}  # error"),
    good=override("jobTemplatePatch:\n- {op: remove, path: /spec/workload/trainJob/trainer/args/0}"),
)
UNREADABLE_BLOCK = Rule(
    code="NR714",
    name="unreadable-override-part",
    severity=ERROR,
    summary="The dependencies of an override are not objects, or its orchestration is not one.",
    why="Only objects can be merged.",
    remedy="write Kubernetes objects under dependencies, and an object under orchestration",
)
DROPPED_KEY = Rule(
    code="NR715",
    name="dropped-template-key",
    severity=WARNING,
    summary="An override sets a key of the job template that does not exist there.",
    why="The API server keeps it, as the field has no schema, and NVCRE drops it: nothing of it takes effect.",
    remedy="write a field of the template",
    bad=override(f"{trainer('imagee: registry.example.com/trainer:2')}  # warning"),
    good=override(trainer("image: registry.example.com/trainer:2")),
)
IGNORED_DIAGNOSE = Rule(
    code="NR716",
    name="ignored-diagnose",
    severity=WARNING,
    summary="An override sets orchestration.diagnose.",
    why="The API has the field, but NVCRE does not apply it.",
    remedy="remove the field",
    bad=override("orchestration: {diagnose: {minGroupSize: 2}}  # warning"),
    good=override("orchestration: {execution: {timeoutPerJob: 2h}}"),
)
RUNTIME_QUEUE = Rule(
    code="NR731",
    name="runtime-without-queue",
    severity=ERROR,
    summary="After overrides a job of the TrainingRuntime does not carry the queue label of gangScheduler.",
    why="Its pods would be queued elsewhere, or nowhere; NVCRE fails with GangSchedulingConflict and repairs nothing.",
    remedy="leave the queue label to gangScheduler; give a runtime of your own the label on each replicated job",
    bad=override(runtime("{metadata: {labels: {kai.scheduler/queue: team-b}}}  # error"), _GANG),
    good=override(runtime("{metadata: {labels: {example.com/queue: team-b}}}"), _GANG),
)
RUNTIME_SCHEDULER = Rule(
    code="NR732",
    name="runtime-with-other-scheduler",
    severity=ERROR,
    summary="After overrides the pods of a replicated job have another scheduler than gangScheduler names.",
    why="Pods of one job under two schedulers are not started together; NVCRE fails with GangSchedulingConflict.",
    remedy="leave schedulerName to gangScheduler",
    bad=override(runtime("{spec: {template: {spec: {schedulerName: default-scheduler}}}}  # error"), _GANG),
    good=override(runtime("{spec: {template: {spec: {schedulerName: kai-scheduler}}}}"), _GANG),
)
UNKNOWN_RUNTIME = Rule(
    code="NR733",
    name="gang-runtime-not-found",
    severity=ERROR,
    summary="With a gang scheduler, the TrainJob does not refer to a TrainingRuntime among the dependencies.",
    why="Nobody could tell whether its pods belong to the gang; NVCRE fails with GangSchedulingConflict.",
    remedy="leave runtimeRef alone, or add the TrainingRuntime it names to the dependencies of the override",
    bad=override("jobTemplate: {spec: {workload: {trainJob: {runtimeRef: {name: other}}}}}  # error", _GANG),
    good=override("jobTemplate: {spec: {workload: {trainJob: {runtimeRef: {name: example-runtime}}}}}", _GANG),
)
MALFORMED_RUNTIME = Rule(
    code="NR734",
    name="runtime-without-jobs",
    severity=ERROR,
    summary="With a gang scheduler, the TrainingRuntime has no replicated jobs, or one without a template or pod spec.",
    why="The marks of the gang scheduler have no place there; NVCRE fails with GangSchedulingConflict.",
    remedy="keep spec.template.spec.replicatedJobs a list of jobs, each with template.spec.template.spec",
    bad=override(runtime("null  # error"), _GANG),
    good=override(runtime("{}"), _GANG),
)
UNPINNED_DIAGNOSE = Rule(
    code="NR735",
    name="unpinned-diagnose",
    severity=ERROR,
    summary="placement Unpinned together with orchestration.diagnose.",
    why="Diagnosis cuts the nodes into groups, and Unpinned is exactly one job; NVCRE fails with PartitionError.",
    remedy="remove diagnose, or write placement: Pinned",
)
UNPINNED_DOMAIN = Rule(
    code="NR736",
    name="unpinned-strict-domain",
    severity=ERROR,
    summary="After overrides placement is Unpinned and topology.strictDomain true.",
    why="A strict domain means one job a domain, and Unpinned is exactly one job; NVCRE fails with PartitionError.",
    remedy="remove strictDomain; to stay inside one domain, put its label into target.matchExpressions",
    bad=override(
        "orchestration: {placement: Unpinned, topology: {topologyKey: example.com/rack, strictDomain: true}}  # error"
    ),
    good=override("orchestration: {placement: Unpinned, topology: {topologyKey: example.com/rack}}"),
)
NO_RACK_LABEL = Rule(
    code="NR737",
    name="intra-rack-without-label",
    severity=ERROR,
    summary="testScale intra-rack on a target for which nothing says which node label names a rack.",
    why="The topologyKey stays empty, and the API server refuses the Workflow.",
    remedy="add an override with orchestration: {topology: {topologyKey: LABEL, strictDomain: true}}, where LABEL is "
    "the node label of your racks",
    bad=run("  orchestration: {testScale: intra-rack}  # error\n"),
    good=override(
        "orchestration: {topology: {topologyKey: example.com/rack, strictDomain: true}}",
        "  orchestration: {testScale: intra-rack}\n",
    ),
)
LABEL_VALUE = Rule(
    code="NR738",
    name="malformed-label-value",
    severity=ERROR,
    summary="After overrides a workload label has a value that Kubernetes does not accept.",
    why="The API server refuses the object that carries it.",
    remedy="write letters, digits, '-', '_' or '.', beginning and ending with a letter or digit, 63 at most",
    bad=override("jobTemplate: {spec: {workloadMetadata: {labels: {team: a b}}}}  # error"),
    good=override("jobTemplate: {spec: {workloadMetadata: {labels: {team: a-b}}}}"),
)
REFUSED_VALUE = Rule(
    code="NR739",
    name="refused-override-value",
    severity=ERROR,
    summary="After overrides a field holds a value, or lacks one, for which the API server refuses the Workflow.",
    why="An override is read without its schema; the Workflow and its Jobs are not.",
    remedy="write a value within the range",
    bad=override("jobTemplate: {spec: {stallMultiplier: 0}}  # error"),
    good=override("jobTemplate: {spec: {stallMultiplier: 3}}"),
)


def check_diagnose(document: Document) -> Iterator[Diagnostic]:
    """Yield a warning for every override that sets orchestration.diagnose, which NVCRE does not apply."""
    spec = document.data.get("spec") if isinstance(document.data, dict) else None
    blocks = spec.get("overrides") if isinstance(spec, dict) else None
    for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
        orchestration = block.get("orchestration") if isinstance(block, dict) else None
        if isinstance(orchestration, dict) and orchestration.get("diagnose") is not None:
            path = ("spec", "overrides", index, "orchestration", "diagnose")
            yield IGNORED_DIAGNOSE.at(document, path, "diagnose is accepted here and not applied", on_key=True)
