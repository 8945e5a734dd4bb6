"""Compile NVCRE WorkloadRun manifests into the exact Workflow that reaches the cluster, without a cluster.

>>> import nvcre_render as nr
>>> rendered = nr.render({
...     "apiVersion": "nvcre.nvidia.com/v1alpha1", "kind": "WorkloadRun", "metadata": {"name": "example"},
...     "spec": {"image": "registry.example.com/trainer:1", "numNodes": 2, "framework": {"torch": {"script": "/t.py"}}},
... }, gpu_arch="gb300")
>>> rendered.workflow["spec"]["jobTemplate"]["spec"]["workload"]["trainJob"]["trainer"]["numProcPerNode"]
4
"""

from __future__ import annotations

from nvcre_render.compiler import Rendered
from nvcre_render.diagnostics import Diagnostic, RenderError, Report, Rule
from nvcre_render.positions import Position
from nvcre_render.rendering import Target
from nvcre_render.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nvcre_render.compiler import Source
    from nvcre_render.executor.submission import Submission, trainjob
    from nvcre_render.planning.manifest import plan
    from nvcre_render.planning.result import Plan
    from nvcre_render.rendering import Overrides

__all__ = [
    "Diagnostic",
    "Plan",
    "Position",
    "RenderError",
    "Rendered",
    "Report",
    "Rule",
    "Submission",
    "__version__",
    "plan",
    "render",
    "trainjob",
    "validate",
]

# What a render does without is loaded when it is first asked for.
_LATER = {
    "Plan": "nvcre_render.planning.result",
    "Submission": "nvcre_render.executor.submission",
    "plan": "nvcre_render.planning.manifest",
    "trainjob": "nvcre_render.executor.submission",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def render(
    manifest: Source,
    *,
    filename: str = "<input>",
    platform: str | None = None,
    gpu_arch: str | None = None,
    overrides: Overrides | None = None,
) -> Rendered:
    """Return the Workflow that NVCRE would create for every WorkloadRun in `manifest`.

    `manifest` is YAML or JSON text (str or bytes, several documents are fine) or one manifest as a mapping, which
    is not changed. `filename` is shown in findings. `platform` and `gpu_arch` name the target; without
    `gpu_arch` the architecture is read from spec.target.nodeSelector["nvidia.com/gpu.product"].

    `overrides` says whether they are "listed" in spec.overrides, as the object is created, or "resolved": applied
    and dropped. The default is resolved when a platform is given; without one only listed is possible.

    Raises RenderError, whose `diagnostics` are all findings, when any of them is an error. Warnings are in
    `Rendered.diagnostics`. (NVCRE guide, workload render.)
    """
    from nvcre_render import compiler

    documents, findings = compiler.read(manifest, filename)
    return compiler.render(
        documents, findings, Target(platform=platform, gpu_arch=gpu_arch, overrides=overrides), filename
    )


def validate(
    manifest: Source,
    *,
    filename: str = "<input>",
    platform: str | None = None,
    gpu_arch: str | None = None,
) -> Report:
    """Return every finding about `manifest`; `Report.ok` tells whether there is no error.

    Takes what `render` takes. Without a target the findings are those that hold wherever the manifest is used;
    `platform` and `gpu_arch` add what rendering for them would say, as far as the architecture is known.
    """
    from nvcre_render import compiler

    documents, findings = compiler.read(manifest, filename)
    return compiler.validate(documents, findings, Target(platform=platform, gpu_arch=gpu_arch), filename)
