"""Init containers: their names and images (NR241 to NR243). (Kubernetes API, Container.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.checks.names import MAX_LABEL, is_dns_label
from nvcre_render.diagnostics import ERROR, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun

MALFORMED_NAME = Rule(
    code="NR241",
    name="malformed-container-name",
    severity=ERROR,
    summary="The name of a container is not a DNS label.",
    why="The API server refuses the pod.",
    remedy="write at most 63 lower-case letters, digits and '-', beginning and ending with a letter or digit",
    bad=run("  initContainers: [{name: Warm_Up, image: 'fetch:2'}]  # error\n"),
    good=run("  initContainers: [{name: warm-up, image: 'fetch:2'}]\n"),
)
REPEATED_NAME = Rule(
    code="NR242",
    name="repeated-container-name",
    severity=ERROR,
    summary="Two containers of a pod have one name.",
    why="The API server refuses the pod.",
    remedy="give each init container a name of its own",
    bad=run(
        "  initContainers:\n    - {name: fetch, image: 'fetch:2'}\n    - {name: fetch, image: 'unpack:1'}  # error\n"
    ),
    good=run("  initContainers:\n    - {name: fetch, image: 'fetch:2'}\n    - {name: unpack, image: 'unpack:1'}\n"),
)
WITHOUT_IMAGE = Rule(
    code="NR243",
    name="container-without-image",
    severity=ERROR,
    summary="An init container has no image.",
    why="The API server refuses the pod; spec.image is for the workload container only.",
    remedy="add image, with its tag",
    bad=run("  initContainers: [{name: warm-up, command: [fetch]}]  # error\n"),
    good=run("  initContainers: [{name: warm-up, image: 'fetch:2', command: [fetch]}]\n"),
)

_CONTAINERS = ("spec", "initContainers")


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield what is wrong with names and images of spec.initContainers, in their order."""
    first: dict[str, int] = {}
    for index, container in enumerate(run["spec"].get("initContainers", [])):
        written = document.data["spec"]["initContainers"][index]
        if not isinstance(written, dict):  # a finding of its own, as is a name that is no text
            continue
        name = container.get("name", "")
        path = (*_CONTAINERS, index, "name")
        if isinstance(written.get("name"), str):
            if not is_dns_label(name) or len(name) > MAX_LABEL:
                yield MALFORMED_NAME.at(document, path, f'"{name}" is not a name for a container')
            elif name in first:
                earlier = document.position((*_CONTAINERS, first[name], "name"))
                related = ((earlier, "first container of this name"),) if earlier else ()
                yield REPEATED_NAME.at(document, path, f'two init containers are called "{name}"', related=related)
            first.setdefault(name, index)
        if not written.get("image"):
            yield WITHOUT_IMAGE.at(document, (*_CONTAINERS, index), f'the init container "{name}" has no image')
