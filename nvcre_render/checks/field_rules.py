"""Rules about single fields: what the API server's schema validation refuses (NR2xx)."""

from __future__ import annotations

from nvcre_render.diagnostics import ERROR, Rule

_RUN = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {{name: example}}
spec:
  image: registry.example.com/trainer:1
  numNodes: {nodes}
  framework: {{torch: {{script: /train.py}}}}
  target: {{nodeSelector: {{nvidia.com/gpu.product: NVIDIA-H200}}}}
{more}"""


def run(more: str = "", nodes: str = "2") -> str:
    """Return a small valid WorkloadRun with `more` lines in its spec, for the examples of rules."""
    return _RUN.format(nodes=nodes, more=more)


UNKNOWN_FIELD = Rule(
    code="NR201",
    name="unknown-field",
    severity=ERROR,
    summary="A field that the API does not have.",
    why="NVCRE's reader drops unknown fields in silence, so the setting would simply not happen.",
    remedy="remove the field, or write the name the API has",
    bad=run("  volumeMount: []  # error\n"),
    good=run("  volumeMounts: []\n"),
)
WRONG_TYPE = Rule(
    code="NR202",
    name="wrong-type",
    severity=ERROR,
    summary="A value of another type than the field takes.",
    why="The API server refuses the object.",
    remedy="write a value of the type the field takes",
    bad=run("  env: NCCL_DEBUG=INFO  # error\n"),
    good=run("  env: [{name: NCCL_DEBUG, value: INFO}]\n"),
)
UNQUOTED_TEXT = Rule(
    code="NR203",
    name="unquoted-text",
    severity=ERROR,
    summary="A number, boolean or null where a text belongs.",
    why="Unquoted 8, yes or 1e3 are not texts to Kubernetes, and kubectl refuses them where a text belongs.",
    remedy="put the value in quotes",
    bad=run("  env: [{name: LEVEL, value: 5}]  # error\n"),
    good=run('  env: [{name: LEVEL, value: "5"}]\n'),
)
QUOTED_NUMBER = Rule(
    code="NR204",
    name="quoted-number",
    severity=ERROR,
    summary="A text where a number or boolean belongs.",
    why="Quotes make a text of it, and the API server refuses a text where a number belongs.",
    remedy="remove the quotes",
    bad=run(nodes='"2"  # error'),
    good=run(nodes="2"),
)
MISSING_FIELD = Rule(
    code="NR205",
    name="missing-field",
    severity=ERROR,
    summary="A required field is missing.",
    why="The API server refuses the object without it.",
    remedy="add the field",
    bad=run("  gangScheduler: {queue: team-a}  # error\n"),
    good=run("  gangScheduler: {schedulerName: kai-scheduler, queue: team-a}\n"),
)
OUT_OF_RANGE = Rule(
    code="NR206",
    name="out-of-range",
    severity=ERROR,
    summary="A number, length or count outside the range the field allows.",
    why="The API server refuses the object.",
    remedy="write a value within the range",
    bad=run(nodes="0  # error"),
    good=run(nodes="1"),
)
MALFORMED = Rule(
    code="NR207",
    name="malformed-value",
    severity=ERROR,
    summary="A text that does not have the form the field asks for.",
    why="The API server refuses names, sizes, quantities and durations of another form.",
    remedy="write the value in the form the message shows",
    bad=run("  checkpoint: {storageSize: 10 GB}  # error\n"),
    good=run("  checkpoint: {storageSize: 10Gi}\n"),
)
UNKNOWN_VALUE = Rule(
    code="NR208",
    name="unknown-value",
    severity=ERROR,
    summary="A text that is none of the values the field knows.",
    why="The API server refuses the object; NVCRE's offline reader would fall back to a default in silence.",
    remedy="write one of the values listed",
    bad=run("  orchestration: {placement: Loose}  # error\n"),
    good=run("  orchestration: {placement: Pinned}\n"),
)
EXCLUSIVE_FIELDS = Rule(
    code="NR209",
    name="exclusive-fields",
    severity=ERROR,
    summary="Fields of which exactly one, or at most one, may be given.",
    why="The API server refuses the object; NVCRE's offline reader would pick one of them in silence.",
    remedy="keep one of the fields",
    bad=run("  config: {inline: {a.sh: x}, configMapRef: {name: files}}  # error\n"),
    good=run("  config: {inline: {a.sh: x}}\n"),
)
