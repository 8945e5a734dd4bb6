"""A plan touches nothing outside its arguments, and its bytes depend on nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from nvcre_render.planning import page, planner, table
from tests.plans import RACK, Json, config, launched, node, racked, runtime, workflow

OUTSIDE = ("open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "urllib.", "ctypes.")

PROGRAM = f"""
import json, sys
from nvcre_render.planning import page, planner, table
workflow, nodes = json.load(sys.stdin)
def texts():
    made = planner.plan(workflow, nodes)
    return table.text(made), page.html(made), made.to_yaml(), made.to_json(), "".join(map(str, made.diagnostics))
texts()  # loads the package's data and every module
seen = []
sys.addaudithook(lambda event, args: seen.append((event, args)) if event.startswith({OUTSIDE!r}) else None)
found = texts()
sys.stdout.write(repr(seen) + "".join(found))
"""


def given() -> tuple[Json, list[Json]]:
    dependencies = [runtime(labels={"app": "run"}), config(mode="node", other="worker"), config("aside")]
    nodes = [*racked(r1="a b c", r2="d e"), node("x", product="NVIDIA-GB200"), node("y", gpus="1", rack="r1")]
    orchestration: Json = {"topology": {"topologyKey": RACK}, "target": {"nodeSelector": {}}}
    return workflow(2, dependencies=dependencies, patches=launched(), **orchestration), nodes


def test_nothing_outside_is_reached_and_no_environment_changes_a_byte() -> None:
    outputs = set()
    for variables in (
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "4711", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "1"},
    ):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(given()).encode(),
            capture_output=True,
            check=True,
            env={**clean, **variables, "PYTHONIOENCODING": "utf-8"},
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert outputs.pop().startswith(b"[]")


def test_threads_plan_the_same() -> None:
    def texts(_: int) -> tuple[str, str, str]:
        made = planner.plan(*given())
        return table.text(made), page.html(made), made.to_yaml()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(texts, range(12)))) == 1
