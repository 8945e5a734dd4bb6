"""Which checks a run needs: the modules of the others are not even loaded."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from nvcre_render.checks import selection
from tests.manifests import MPI, Json, manifest

PROGRAM = """
import sys
import nvcre_render as nr
nr.validate({run!r})
sys.stdout.write(" ".join(name for name in sys.modules if name.startswith("nvcre_render.checks.")))
"""
ALWAYS = {"field_rules", "labels", "names", "naming", "orchestration", "reading_rules", "reserved", "schema"} | {
    "selection",
    "target_rules",
    "unions",
}


def loaded(run: Json) -> set[str]:
    program = PROGRAM.replace("{run!r}", repr(run))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.removeprefix("nvcre_render.checks.") for name in done.stdout.split()} - ALWAYS


@pytest.mark.parametrize(
    ("fields", "modules"),
    [
        ({}, set()),
        ({"volumes": [{"name": "a", "emptyDir": {}}]}, {"volumes"}),
        (
            {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a"}}]},
            {"volumes", "claims"},
        ),
        ({"volumeMounts": [{"name": "dshm", "mountPath": "/a"}]}, {"mounts"}),
        ({"env": [{"name": "A", "value": "1"}]}, {"variables"}),
        ({"resources": {"limits": {"cpu": 1}}}, {"resources"}),
        ({"imagePullSecrets": [{"name": "a"}]}, {"references"}),
        ({"config": {"configMapRef": {"name": "a"}}}, {"references"}),
        ({"target": {"nodeNames": ["a"]}}, {"selectors"}),
        ({"orchestration": {"maxConcurrent": 1}}, {"scheduling"}),
        ({"gangScheduler": {"schedulerName": "a"}}, {"scheduling"}),
        ({"image": "a"}, {"images"}),
    ],
)
def test_a_run_loads_the_checks_of_its_subjects(fields: Json, modules: set[str]) -> None:
    assert loaded(manifest(MPI, **fields)) == modules


def test_a_broken_expression_alone_loads_the_compiler_of_expressions() -> None:
    program = PROGRAM.replace('"nvcre_render.checks."', '"cel_expr_python"')
    measured = {"goodputMeasurement": {"logProfileRef": "a"}}
    for expression, expected in (("value >= 0.9", ""), ("value * 2", "cel_expr_python")):
        run = manifest(thresholds={"goodputRatio": expression}, **measured)
        done = subprocess.run(
            [sys.executable, "-c", program.replace("{run!r}", repr(run))], capture_output=True, text=True, check=True
        )
        assert done.stdout.partition(" ")[0] == expected


@pytest.mark.parametrize("run", [{}, {"spec": {}}, {"metadata": {"name": ""}}, {"metadata": {"name": "A.b"}}])
def test_nothing_of_a_run_needs_no_check(run: Any) -> None:
    assert list(selection.checks(run, None)) == []
