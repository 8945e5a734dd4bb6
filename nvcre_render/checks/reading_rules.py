"""Rules about the text itself, before any field is looked at (NR1xx)."""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import ERROR, NOTE, WARNING, Rule

SYNTAX = Rule(
    code="NR101",
    name="yaml-syntax",
    severity=ERROR,
    summary="The text is not YAML.",
    why="Nothing after the place can be understood, and kubectl would refuse the file as well.",
    remedy="mend the text at this place; everything after it is unread until then",
    bad=run().replace("example.com/trainer:1", "example.com/trainer: 1  # error"),
    good=run(),
)
DUPLICATE_KEY = Rule(
    code="NR102",
    name="duplicate-key",
    severity=ERROR,
    summary="A key is written twice in one mapping.",
    why="NVCRE's reader keeps the last one in silence; the API server refuses the object under strict validation.",
    remedy="remove one of the two, or merge their contents",
    bad=run("  numNodes: 4  # error\n"),
    good=run(),
)
KEY_NOT_TEXT = Rule(
    code="NR103",
    name="key-not-text",
    severity=ERROR,
    summary="A mapping key is not a text.",
    why="Kubernetes' YAML reader takes unquoted y, on, 1 or null for booleans, numbers and nothing.",
    remedy="write the key as a text, in quotes where it looks like a number or a boolean",
    bad=run("  workloadMetadata:\n    labels:\n      on: duty  # error\n"),
    good=run('  workloadMetadata:\n    labels:\n      "on": duty\n'),
)
UNKNOWN_TAG = Rule(
    code="NR104",
    name="unknown-tag",
    severity=ERROR,
    summary="A YAML tag has no meaning in a manifest.",
    why="Kubernetes objects are JSON; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq have a form there.",
    remedy="remove the tag",
    bad=run("  enableMNNVL: !switch true  # error\n"),
    good=run("  enableMNNVL: true\n"),
)
ALIAS_BOMB = Rule(
    code="NR105",
    name="alias-expansion",
    severity=ERROR,
    summary="Aliases expand too far, or an alias stands inside its own anchor.",
    why="A few lines can expand to billions of values and exhaust the memory of every program that reads them.",
    remedy="write the repeated values out, or use fewer levels of aliases",
    bad=run("  overrides:\n    - when: {}\n      jobTemplate: &all  # error\n        spec: *all\n"),
    good=run(
        "  env:\n    - &level {name: LEVEL, value: a}\n"
        "  initContainers: [{name: stage, image: 'fetch:2', env: [*level]}]\n"
    ),
)
TOO_LARGE = Rule(
    code="NR106",
    name="too-large",
    severity=ERROR,
    summary="The file or one text in it is larger than the cluster stores.",
    why="etcd refuses objects above about 1.5 MiB, so such a manifest can never be created.",
    remedy="keep large data in a volume or an image and refer to it",
)
ENCODING = Rule(
    code="NR107",
    name="text-encoding",
    severity=ERROR,
    summary="The text holds bytes or characters that YAML forbids.",
    why="Control characters and broken UTF-8 usually mean a binary or truncated file.",
    remedy='save the file as UTF-8; write special characters as escapes in double quotes, such as "\\x07"',
)
TOO_DEEP = Rule(
    code="NR108",
    name="nesting-depth",
    severity=ERROR,
    summary="Values are nested deeper than any Kubernetes object.",
    why="Such depth only occurs in generated or hostile text, and recursion on it can crash readers.",
    remedy="flatten the value",
)
NOT_JSON = Rule(
    code="NR109",
    name="not-json",
    severity=ERROR,
    summary="Infinity and NaN have no JSON form.",
    why="Kubernetes converts YAML to JSON, which knows neither.",
    remedy='write a number, or the text in quotes such as ".inf"',
    bad=run() + "status: {ratio: .nan}  # error\n",
    good=run() + "status: {ratio: 0.5}\n",
)
MERGE_ORDER = Rule(
    code="NR110",
    name="merge-order",
    severity=ERROR,
    summary="A key stands before a << that merges the same key.",
    why="YAML says the mapping's own key wins, Kubernetes' reader lets the merge win when it comes later.",
    remedy="put << first in the mapping",
    bad=run("  env:\n    - &level {name: LEVEL, value: a}\n    - name: DEPTH  # error\n      <<: *level\n"),
    good=run("  env:\n    - &level {name: LEVEL, value: a}\n    - <<: *level\n      name: DEPTH\n"),
)
MERGE_SOURCE = Rule(
    code="NR111",
    name="merge-source",
    severity=ERROR,
    summary="<< is given something that is not a mapping.",
    why="The merge key copies the entries of a mapping, or of each mapping in a list.",
    remedy='write << with an alias of a mapping, or quote "<<" if the text is meant as a key',
    bad=run("  resources:\n    <<: defaults  # error\n"),
    good=run(
        "  resources: &defaults {limits: {memory: 1Gi}}\n"
        "  initContainers: [{name: a, image: 'fetch:2', resources: {<<: *defaults}}]\n"
    ),
)
NO_MANIFEST = Rule(
    code="NR112",
    name="no-manifest",
    severity=ERROR,
    summary="There is nothing to render in the input.",
    why="An empty file, or one with only foreign objects, is most often the wrong file.",
    remedy="give a file with a document of kind WorkloadRun",
    bad="# error: nothing but a comment\n",
    good=run(),
)
UNREADABLE = Rule(
    code="NR113",
    name="unreadable-file",
    severity=ERROR,
    summary="A file cannot be read.",
    why="It does not exist, is not a file, or its permissions forbid it.",
    remedy="give the path of a YAML or JSON file, a directory that holds some, or - for standard input",
)
FOREIGN_KIND = Rule(
    code="NR114",
    name="foreign-object",
    severity=NOTE,
    summary="A document of another API stands among the manifests.",
    why="Only WorkloadRuns are rendered; other objects are left alone and do not appear in the output.",
    remedy="nothing needs to be done; apply the object by itself",
    bad=run() + "---\napiVersion: v1\nkind: ConfigMap  # note\nmetadata: {name: files}\n",
    good=run(),
)
RUN_IN_LIST = Rule(
    code="NR115",
    name="run-in-list",
    severity=ERROR,
    summary="A WorkloadRun stands inside a List.",
    why="Lists are not looked into, so the run would be neither checked nor rendered.",
    remedy="write the run as a document of its own, with --- before it",
    bad="""\
apiVersion: v1
kind: List
items:
  - apiVersion: nvcre.nvidia.com/v1alpha1  # error
    kind: WorkloadRun
    metadata: {name: example}
""",
    good=run(),
)
REPEATED_NAME = Rule(
    code="NR116",
    name="repeated-run-name",
    severity=WARNING,
    summary="Two runs of one input have the same name and namespace.",
    why="They are one object to the cluster: the second replaces or conflicts with the first.",
    remedy="give the runs different names",
    bad=run() + "---\n" + run(nodes="4").replace("metadata: {name: example}", "metadata: {name: example}  # warning"),
    good=run(),
)
