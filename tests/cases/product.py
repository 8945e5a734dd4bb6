"""The product as the cases see it; tests put a stand-in here."""

import importlib
from typing import Any, Literal, Protocol

from tests.cases.command import Result, capture

Form = Literal["listed", "resolved"]


class RefusedError(Exception):
    """The product refused the input; the text holds every finding."""


class Product(Protocol):
    """Everything the runner asks of the product."""

    def render(
        self, text: str, *, filename: str, platform: str | None, gpu_arch: str | None, overrides: Form
    ) -> dict[str, Any]:
        """The Workflow of a manifest, or RefusedError."""
        ...

    def platform_blocks(
        self, run: dict[str, Any], *, platform: str | None, gpu_arch: str | None
    ) -> list[dict[str, Any]]:
        """The filled platform blocks of a run, in override order."""
        ...

    def command(self, argv: list[str]) -> Result:
        """One call of the command line."""
        ...


class Installed:
    """The real product, imported when asked: where that fails, it is the failure of the case that asked."""

    def render(
        self, text: str, *, filename: str, platform: str | None, gpu_arch: str | None, overrides: Form
    ) -> dict[str, Any]:
        """The Workflow of a manifest, or RefusedError."""
        package = importlib.import_module("nvcre_render")
        try:
            rendered = package.render(
                text, filename=filename, platform=platform, gpu_arch=gpu_arch, overrides=overrides
            )
        except package.RenderError as error:
            raise RefusedError(str(error)) from error
        workflow: dict[str, Any] = rendered.workflow
        return workflow

    def platform_blocks(
        self, run: dict[str, Any], *, platform: str | None, gpu_arch: str | None
    ) -> list[dict[str, Any]]:
        """The filled platform blocks of a run, in override order."""
        compiler = importlib.import_module("nvcre_render.compiler")
        facts = importlib.import_module("nvcre_render.facts")
        lowering = importlib.import_module("nvcre_render.lower.workflow")
        (document,), _ = compiler.read(run, "workloadrun.yaml")
        checked, _ = compiler.check(document)
        resolved, _ = facts.resolve(checked, document, platform, gpu_arch)
        blocks: list[dict[str, Any]] = lowering.platform_blocks(checked, resolved)
        return blocks

    def command(self, argv: list[str]) -> Result:
        """One call of the command line."""
        return capture(importlib.import_module("nvcre_render.cli.main").main, argv)
