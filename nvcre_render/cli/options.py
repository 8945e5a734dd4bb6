"""What the argument parsers of the commands share."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.rendering import Target


def formatter(prog: str) -> argparse.HelpFormatter:
    """Make a help formatter with a width of its own; asking for the terminal's imports shutil on every start."""
    return argparse.RawDescriptionHelpFormatter(prog, width=110)


def add_target(made: argparse.ArgumentParser) -> None:
    """Add --platform and --gpu-arch, whose help lists what is known, and --fragments."""
    from nvcre_render import facts

    _add_choice(made, "--platform", "P", facts.platforms, "target platform: %(known)s")
    _add_choice(
        made,
        "--gpu-arch",
        "A",
        facts.architectures,
        "GPU architecture: %(known)s; or a product name such as NVIDIA-GB200. "
        "Default: nvidia.com/gpu.product of spec.target.nodeSelector",
    )
    made.add_argument("--fragments", metavar="DIR", help="directory with block files of platforms of your own")


def target(given: argparse.Namespace) -> tuple[Target, list[Diagnostic]]:
    """Return what the options of a command ask to render for, and what is wrong with its fragments directory."""
    from nvcre_render.rendering import Target

    library, faults = None, []
    if given.fragments:
        from nvcre_render import fragments, in_house
        from nvcre_render.cli.inputs import Reader

        documents, faults = Reader().read([given.fragments])
        library, broken = in_house.extend(fragments.package(), documents)
        faults += broken
    made = Target(
        platform=given.platform,
        gpu_arch=given.gpu_arch,
        overrides=getattr(given, "overrides", None),
        library=library,
    )
    return made, faults


def _add_choice(
    made: argparse.ArgumentParser, option: str, metavar: str, known: Callable[[], tuple[str, ...]], text: str
) -> None:
    action = made.add_argument(option, default="", metavar=metavar, help=text)
    action.known = _Names(known)  # type: ignore[attr-defined]  # argparse formats help with the action's attributes


class _Names:
    """The known names of a table that is read only when help is printed."""

    def __init__(self, known: Callable[[], tuple[str, ...]]) -> None:
        self._known = known

    def __str__(self) -> str:
        return ", ".join(self._known())
