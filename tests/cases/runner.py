"""The run over all cases, and its report."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TextIO

from tests.cases import executor, overrides, plan, render, reports
from tests.cases.case import CaseError, Walk, form, walk
from tests.cases.compare import Difference
from tests.cases.disputed import Disputes
from tests.cases.product import Product

Check = Callable[[str, Product], Iterator[Difference]]
FORMS: Mapping[str, Check] = {
    "render": render.check,
    "reports": reports.check,
    "overrides": overrides.check,
    "plan": plan.check,
    "executor": executor.check,
}
_CUT = 1000


@dataclass
class Report:
    """What happened so far, written out as it happens."""

    out: TextIO
    verbose: bool
    passed: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: int = 0

    def case(self, path: str, differences: list[Difference]) -> None:
        """Count a case, and print its block if it failed."""
        if not differences:
            self.passed += 1
            return
        self.failed += 1
        lines = [f"FAIL {path}"]
        for difference in differences if self.verbose else differences[:1]:
            lines += self._lines(difference)
        self.out.write("\n".join(lines) + "\n\n")

    def end(self) -> int:
        """List what was skipped, print the last line, and give the exit code."""
        for path, reason in self.skipped:
            self.out.write(f"SKIP {path}: {reason}\n")
        self.out.write(f"{self.passed} passed, {self.failed} failed, {len(self.skipped)} skipped\n")
        return 1 if self.failed else 0

    def _lines(self, difference: Difference) -> list[str]:
        sides = {"path": difference.path, "expected": difference.expected, "got": difference.got}
        return [f"  {side + ':':<9} {self._shown(text)}" for side, text in sides.items()]

    def _shown(self, text: str) -> str:
        if len(text) > _CUT and not self.verbose:
            text = f"{text[:_CUT]}... ({len(text)} characters, --verbose shows all)"
        return text.rstrip("\n").replace("\n", "\n" + " " * 12)


def run(
    directories: Iterable[str],
    *,
    product: Product,
    disputes: Disputes,
    out: TextIO,
    only: str = "",
    verbose: bool = False,
) -> int:
    """Run every case below the directories and report; 0 if and only if nothing failed."""
    report = Report(out, verbose)
    walks = {directory: walk(directory) for directory in directories}
    for directory, found in walks.items():
        if not found.cases:
            report.case(directory, [Difference("(directory)", "at least one case", "no case found")])
    cases = _distinct(walks.values())
    selected = [path for path in cases if only in path]
    if cases and not selected:
        report.case("--only", [Difference("(option)", f"a case whose path contains {only}", "no case found")])
    for path in selected:
        _run_case(path, product, disputes, report)
    folders = [folder for found in walks.values() for folder in found.folders]
    for entry, difference in disputes.wrong(folders, cases):
        report.case(entry, [difference])
    return report.end()


def _distinct(walks: Iterable[Walk]) -> list[str]:
    """Every case once, also where the given directories overlap."""
    by_place = {os.path.realpath(path): path for found in walks for path in found.cases}
    return sorted(by_place.values())


def _run_case(path: str, product: Product, disputes: Disputes, report: Report) -> None:
    reason = disputes.reason(path)
    if reason is None:
        report.case(path, _differences(path, product))
    else:
        report.skipped.append((path, reason))


def _differences(path: str, product: Product) -> list[Difference]:
    """Every difference of a case, whatever happens on the way."""
    try:
        return list(FORMS[form(path)](path, product))
    except CaseError as error:
        return [Difference("(case)", "a case that can be judged", str(error))]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - one case's exception is its failure, never the run's end
        return [Difference("(exception)", "none", f"{type(error).__name__}: {error}")]
