"""A stand-in for the product, and tiny cases to run against it: for the runner's own tests."""

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.cases.command import Result
from tests.cases.disputed import Disputes
from tests.cases.product import Product, RefusedError
from tests.cases.runner import run

MANIFEST: dict[str, Any] = {
    "kind": "WorkloadRun",
    "spec": {
        "image": "img:1",
        "env": [{"name": "A"}, {"name": "B"}],
        "framework": {"mpi": {"binary": "bin"}},
    },
}


@dataclass
class Stub:
    """A product that answers what it was told, and remembers what it was asked."""

    spec: Any = None
    refusal: str | None = None
    crash: Exception | None = None
    result: Result = field(default_factory=lambda: Result(0, "", ""))
    blocks: list[dict[str, Any]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def render(self, text: str, **options: Any) -> dict[str, Any]:
        """The spec in a Workflow, or what stands in its way."""
        self.asked.append({"text": text, **options})
        if self.crash is not None:
            raise self.crash
        if self.refusal is not None:
            raise RefusedError(self.refusal)
        annotations = {"nvcrectl.nvidia.com/detected-gpu-architecture": "t4"}
        return {"metadata": {"annotations": annotations}, "spec": self.spec}

    def platform_blocks(self, run: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
        """The blocks."""
        self.asked.append({"run": run, **options})
        return self.blocks

    def command(self, argv: list[str]) -> Result:
        """The result; help is always there."""
        self.asked.append({"argv": argv})
        return Result(0, "", "") if argv[1:] == ["--help"] else self.result


def put(folder: Path, **files: Any) -> Path:
    """A folder with one YAML file for each name."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return folder


def put_render(folder: Path, expected: Any, options: Any = None) -> Path:
    """A render case for MANIFEST."""
    return put(folder, workloadrun=MANIFEST, options=options or {"platform": None}, expected=expected)


def outcome(
    root: Path, product: Product | None = None, disputes: dict[str, Any] | None = None, **options: Any
) -> tuple[int, str]:
    """The exit code and the output of a run over one directory."""
    out = io.StringIO()
    product = product or Stub()
    code = run([str(root)], product=product, disputes=Disputes(disputes or {}), out=out, **options)
    return code, out.getvalue()
