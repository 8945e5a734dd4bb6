"""What the argument parsers of the commands share."""

from __future__ import annotations

import argparse
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from nvcre_render.diagnostics import Diagnostic
    from nvcre_render.fragments import Library
    from nvcre_render.planning.nodelist import NodeList
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
    add_fragments(made)


def add_fragments(made: argparse.ArgumentParser) -> None:
    """Add --fragments, for platforms of the user's own."""
    made.add_argument("--fragments", metavar="DIR", help="directory with block files of platforms of your own")


def library(given: argparse.Namespace) -> tuple[Library | None, list[Diagnostic]]:
    """Return the blocks that --fragments adds to the package's, None without it, and what is wrong with them."""
    if not given.fragments:
        return None, []
    from nvcre_render import fragments, in_house
    from nvcre_render.cli.inputs import Reader

    documents, faults = Reader().read([given.fragments])
    extended, broken = in_house.extend(fragments.package(), documents)
    return extended, [*faults, *broken]


def add_nodes(made: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add --nodes, a saved node list."""
    text = "node list as kubectl get nodes -o json prints it (-o yaml works, JSON is faster); - for standard input"
    made.add_argument("--nodes", metavar="NODES", required=required, help=text)


def nodes(given: argparse.Namespace) -> tuple[NodeList | None, list[Diagnostic]]:
    """Return the node list of --nodes, None without it, and what is wrong with it."""
    if not given.nodes:
        return None, []
    from nvcre_render.cli.inputs import SHOWN_STDIN, STDIN, unreadable
    from nvcre_render.cli.progress import Progress
    from nvcre_render.planning import nodefile

    try:
        if given.nodes == STDIN:
            text = sys.stdin.buffer.read()
        else:
            with open(given.nodes, "rb") as file:
                text = file.read()
    except OSError as error:
        return None, [unreadable(given.nodes, error)]
    progress = Progress()
    try:
        return nodefile.read(text, SHOWN_STDIN if given.nodes == STDIN else given.nodes, progress.share)
    finally:
        progress.clear()


def target(given: argparse.Namespace) -> tuple[Target, list[Diagnostic]]:
    """Return what the options of a command ask to render for, and what is wrong with its fragments directory."""
    from nvcre_render.rendering import Target

    extended, faults = library(given)
    node_list, unread = nodes(given) if "nodes" in given else (None, [])
    made = Target(
        platform=given.platform,
        gpu_arch=given.gpu_arch,
        overrides=getattr(given, "overrides", None),
        library=extended,
        node_list=node_list,
    )
    return made, [*faults, *unread]


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
