"""One manifest for every target that matters: each platform and GPU architecture that changes anything."""

from __future__ import annotations

from nvcre_render import compiler, facts, fragments
from nvcre_render.lower import blocks
from nvcre_render.lower.workflow import hardware_parameters
from nvcre_render.record import Record
from nvcre_render.rendering import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from nvcre_render.compiler import Rendered
    from nvcre_render.document import Document
    from nvcre_render.fragments import Library
    from nvcre_render.model.workloadrun import WorkloadRun

    Pair = tuple[str, str]


class Cell(Record):
    """The render of one manifest for one platform and architecture."""

    platform: str
    gpu_arch: str
    rendered: Rendered

    @property
    def name(self) -> str:
        """`PLATFORM-ARCHITECTURE`, the name of a file in a folder of goldens."""
        return f"{self.platform}-{self.gpu_arch}"


def targets(run: WorkloadRun, document: Document, library: Library) -> Iterator[Pair]:
    """Yield the targets of a sound run on which a platform block, a count or an override of its own has an effect.

    A product label in the target's node selector settles the architecture; without one all known are tried.
    """
    product = facts.product(run["spec"].get("target", {}))
    architectures = [facts.parse_architecture(product)] if product else facts.architectures()
    for platform in library.platforms:
        for architecture in architectures:
            if _matters(run, document, platform, architecture, library):
                yield platform, architecture


def _matters(run: WorkloadRun, document: Document, platform: str, architecture: str, library: Library) -> bool:
    if architecture in fragments.load("hardware.yaml")["corrections"].get(platform, {}):
        return True
    known, _ = facts.resolve(run, document, platform, architecture)
    if known is None:
        return False
    parameters = hardware_parameters(run, known)
    parameters.library = library
    matching = blocks.matching(blocks.platform_blocks(parameters, run["spec"].get("env", [])), known)
    if any(block.keys() - {"id", "$if", "when"} for block in matching):
        return True
    return any(_selects(override["when"], platform, architecture) for override in run["spec"].get("overrides", []))


def _selects(when: Any, platform: str, architecture: str) -> bool:
    """Tell whether an override of the user's asks for this target by name."""
    from nvcre_render import conditions

    asked = {key: when[key] for key in ("platform", "gpuArchitecture") if when.get(key)}
    return bool(asked) and conditions.matches_while_building(asked, platform, architecture)


def render(document: Document, library: Library | None = None) -> Iterator[Cell]:
    """Yield the resolved render of a document's run for every target that matters.

    Raises RenderError where a target refuses the run, and for a document that is not sound.
    """
    run, found = compiler.check(document)
    known = library or fragments.package()
    if found:
        # Findings that do not depend on the target: let a plain render say them, or refuse.
        compiler.render([document], [], Target(gpu_arch=facts.architectures()[0], library=library), document.file)
    for platform, architecture in targets(run, document, known):
        target = Target(platform=platform, gpu_arch=architecture, library=library)
        yield Cell(
            platform=platform,
            gpu_arch=architecture,
            rendered=compiler.render([document], [], target, document.file),
        )
