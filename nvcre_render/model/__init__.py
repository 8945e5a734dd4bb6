"""The documents this package reads, as typed mappings.

Each type is a TypedDict with the API's own field names and pydantic constraints. They serve three readers:
the type checker (the compiler's functions are written against them), pydantic (`validator(WorkloadRun)` for
programs that embed the package) and `scripts/generate.py`, which writes the JSON Schemas under `schemas/`.
At run time documents are checked against those schemas: importing pydantic would take longer than a render.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from nvcre_render.model.executor import KubeflowExecutor
from nvcre_render.model.workflow import Workflow
from nvcre_render.model.workloadrun import WorkloadRun

__all__ = ["KubeflowExecutor", "Workflow", "WorkloadRun", "validator"]


def validator(kind: type[WorkloadRun | Workflow | KubeflowExecutor]) -> TypeAdapter[Any]:
    """Return a strict pydantic validator: right types, no unknown fields.

    It knows structure only; positions and the rules that relate fields are `nvcre_render.validate`'s.
    """
    return TypeAdapter(kind)
