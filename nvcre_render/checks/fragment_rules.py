"""Rules about fragment files of your own (NR70x)."""

from __future__ import annotations

from nvcre_render.diagnostics import ERROR, Rule

BAD_FRAGMENT = Rule(
    code="NR701",
    name="malformed-fragment",
    severity=ERROR,
    summary="A fragment file does not have the shape of one.",
    why="A block that cannot be understood would be left out of every manifest.",
    remedy="follow schemas/fragment.v1.json; docs/fragments.md shows a whole file",
)
TAKEN_ID = Rule(
    code="NR702",
    name="taken-block-id",
    severity=ERROR,
    summary="Two blocks have the same id.",
    why="The id says which block decided a value, so it must name one block.",
    remedy="give the block another id",
)
UNDECLARED_PLATFORM = Rule(
    code="NR703",
    name="undeclared-platform",
    severity=ERROR,
    summary="A block asks for a platform that does not exist.",
    why="The block would never match.",
    remedy="declare the platform in the same directory",
)
UNKNOWN_PARAMETER = Rule(
    code="NR704",
    name="unknown-parameter",
    severity=ERROR,
    summary="A fragment refers to a parameter that does not exist.",
    why="There is no value to fill in.",
    remedy="write a parameter of the list",
)
