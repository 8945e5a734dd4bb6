"""The form `executor`: a KubeflowExecutor's settings in, the TrainJob and its companions out.

What is built is compared, whatever is found to be wrong with it; a refusal is one of the library's.
"""

import importlib
import os
from collections.abc import Iterator
from typing import Any

from tests.cases.case import CaseError
from tests.cases.compare import ABSENT, Difference, compare, show
from tests.cases.document import load, text
from tests.cases.product import Product

_EXPECTED = ("expected.yaml", "expected-data-mover.yaml", "expected-workdir.yaml", "expected-error.yaml", "schema.yaml")
_LOST = {"NR921", "NR922"}
_RELEASES = ("2.0", "2.1", "2.2", "2.3")  # of those schema.yaml knows, the ones the product does


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected files and what the product makes of `executor.yaml`."""
    expected = {name: load(os.path.join(folder, name)) for name in _EXPECTED if name in os.listdir(folder)}
    if not expected:
        raise CaseError("no expected file is here")
    file = os.path.join(folder, "executor.yaml")
    source = text(file)
    package = importlib.import_module("nvcre_render")
    submission = importlib.import_module("nvcre_render.executor.submission")
    try:
        made = submission.trainjob(source, filename=file)
    except package.RenderError as refusal:
        if "expected-error.yaml" not in expected:
            yield Difference("(refusal)", "a TrainJob", str(refusal))
        return
    if "expected-error.yaml" in expected:
        yield Difference("(refusal)", show(expected["expected-error.yaml"]), show(made.train_job))
        return
    yield from compare(expected.get("expected.yaml"), made.train_job)
    yield from compare(expected.get("expected-data-mover.yaml"), made.data_mover, "data-mover")
    if "expected-workdir.yaml" in expected:
        yield from compare(expected["expected-workdir.yaml"], _workdir(made), "workdir")
    yield from _check_releases(expected.get("schema.yaml") or {}, source, file)


def _workdir(made: Any) -> dict[str, Any]:
    """The transfers and the launch script in the words of expected-workdir.yaml."""
    script = made.launch_script
    if script is None:
        return {"transfers": made.transfers}
    described = {
        "path": script.path,
        "text": script.text,
        "retries": script.retries,
        "exports": script.exports,
        "codeDir": script.code_dir,
        "trainingCommand": script.training_command,
    }
    return {"transfers": made.transfers, "launchScript": described}


def _check_releases(schema: dict[str, Any], source: str, file: str) -> Iterator[Difference]:
    """Every release for which the product does not say what its schema has no place for, or refuses."""
    submission = importlib.import_module("nvcre_render.executor.submission")
    for release in _RELEASES:
        judged = schema.get(release)
        if judged is None:
            continue
        made = submission.trainjob(source, trainer_release=release, filename=file)
        if judged.get("unknown") and not _LOST & {found.code for found in made.diagnostics}:
            yield Difference(f"schema[{release}].unknown", f"a finding about {show(judged['unknown'])}", ABSENT)
        if judged.get("invalid") and made.ok:
            yield Difference(f"schema[{release}].invalid", f"an error about {show(judged['invalid'])}", ABSENT)
