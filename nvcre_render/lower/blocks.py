"""The platform blocks of a run: selected by framework, filled with its facts, spec.env worked in.

(NVCRE guide, platforms; fragments/platforms/.)
"""

from __future__ import annotations

from nvcre_render import fragments
from nvcre_render.lower import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.facts import Facts
    from nvcre_render.fragments import Parameters
    from nvcre_render.model.core import EnvVar

    Block = dict[str, Any]

# The order of an override's keys; preCommand and mpiArgs of a block are consumed while building and never printed.
_OVERRIDE_KEYS = ("when", "jobTemplate", "jobTemplatePatch", "dependencies", "orchestration")


def platform_blocks(parameters: Parameters, user_env: list[EnvVar]) -> list[Block]:
    """Return every block that exists for the run's framework, matching a platform or not, in order."""
    library = parameters.library or fragments.package()
    filled = (fragments.fill(block, parameters) for block in library.blocks)
    return [environment.prefer(user_env, block) for block in filled if block is not fragments.ABSENT]


def matching(blocks: list[Block], facts: Facts) -> list[Block]:
    """Return the blocks that apply as far as platform and architecture tell; none while the platform is unknown."""
    if facts.platform is None:
        return []
    from nvcre_render.conditions import matches_while_building

    known = {"platform": facts.platform, "gpu_architecture": facts.gpu_architecture}
    return [block for block in blocks if matches_while_building(block.get("when") or {}, **known)]


def mpi_args(blocks: list[Block]) -> list[str]:
    """Return the mpirun arguments of matching blocks; each block goes in front of those before it."""
    return [token for block in reversed(blocks) for token in block.get("mpiArgs", [])]


def pre_command(blocks: list[Block]) -> list[str]:
    """Return the shell lines of matching blocks, in block order."""
    return [line for block in blocks for line in block.get("preCommand", [])]


def as_override(block: Block) -> Block:
    """Return the entry of spec.overrides that a block becomes: only what the API has a place for."""
    override = {key: block[key] for key in _OVERRIDE_KEYS if block.get(key) or (key == "when" and key in block)}
    if isinstance(block.get("jobTemplatePatch"), str):
        from nvcre_render import json_patch

        override["jobTemplatePatch"] = json_patch.unwrapped(block["jobTemplatePatch"])
    return override
