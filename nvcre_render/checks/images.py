"""Images without a tag of their own (NR615). (Kubernetes documentation, images.)"""

from __future__ import annotations

from nvcre_render.checks.field_rules import run
from nvcre_render.diagnostics import WARNING, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.document import Document
    from nvcre_render.model.workloadrun import WorkloadRun

MOVING = Rule(
    code="NR615",
    name="moving-image",
    severity=WARNING,
    summary="An image with the tag latest, or with no tag, which means the same.",
    why="It is another image tomorrow, and the nodes of one run may have pulled different ones.",
    remedy="write a fixed tag, or a digest",
    bad=run().replace("trainer:1", "trainer:latest  # warning"),
    good=run().replace("trainer:1", "trainer:1.4.2"),
)


def check(run: WorkloadRun, document: Document) -> Iterator[Diagnostic]:
    """Yield the images of the run that are not fixed: spec.image and those of init containers."""
    spec: Any = run["spec"]
    places = [(("spec", "image"), spec.get("image", ""))]
    for index, container in enumerate(spec.get("initContainers", [])):
        places.append((("spec", "initContainers", index, "image"), container.get("image", "")))  # type: ignore[arg-type]
    for path, image in places:
        if is_moving(image):
            yield MOVING.at(document, path, f'"{image}" is whatever was pushed last')


def is_moving(image: str) -> bool:
    """Tell whether an image has neither a digest nor a tag other than latest.

    >>> is_moving("registry:5000/trainer"), is_moving("trainer:latest"), is_moving("trainer@sha256:1f"), is_moving("")
    (True, True, False, False)
    """
    if not image or "@" in image:
        return False
    return image.rpartition("/")[2].partition(":")[2] in ("", "latest")
