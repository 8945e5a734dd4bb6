"""A render touches nothing outside its arguments, and its bytes depend on nothing else."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

import nvcre_render as nr

EXAMPLES = sorted(Path("examples").glob("*.yaml"))
RUNS = [path for path in EXAMPLES if not path.name.startswith("executor-")]

# Everything an audit hook can see that reaches outside: files, processes, network, environment changes.
OUTSIDE = ("open", "os.", "subprocess.", "socket.", "shutil.", "tempfile.", "urllib.", "ctypes.")

AUDITED = """
import sys
import nvcre_render as nr
text = sys.stdin.read()
nr.render(text, gpu_arch="h100", platform="aws").to_yaml()  # loads the package's data and every module
seen = []
sys.addaudithook(lambda event, args: seen.append((event, args)) if event.startswith({outside!r}) else None)
for platform in (None, "aws"):
    rendered = nr.render(text, gpu_arch="gb300", platform=platform)
    rendered.to_yaml(), rendered.to_json()
sys.stdout.write(repr(seen))
"""


def test_a_render_reaches_nothing_outside_once_the_data_is_loaded() -> None:
    manifest = Path("examples/mpi-volumes.yaml").read_text()
    program = AUDITED.replace("{outside!r}", repr(OUTSIDE))
    run = subprocess.run([sys.executable, "-c", program], input=manifest, capture_output=True, text=True, check=True)
    assert run.stdout == "[]"


def test_no_environment_changes_a_byte() -> None:
    command = [sys.executable, "-m", "nvcre_render", "render", *map(str, RUNS), "--gpu-arch", "gb300"]
    outputs = set()
    for variables in (
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"},
        {"PYTHONHASHSEED": "4711", "LANG": "tr_TR.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "1"},
    ):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}
        run = subprocess.run(command, capture_output=True, env={**clean, **variables}, check=True)
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_threads_render_the_same_bytes() -> None:
    texts = [path.read_text() for path in RUNS] * 4

    def rendered(text: str) -> str:
        return nr.render(text, gpu_arch="gb300").to_yaml()

    alone = [rendered(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(rendered, texts)) == alone


def test_a_mapping_is_not_changed_and_renders_as_its_text_does() -> None:
    for path in RUNS:
        text = path.read_text()
        manifest = yaml.safe_load(text)
        before = copy.deepcopy(manifest)
        from_mapping = nr.render(manifest, gpu_arch="h100")
        assert manifest == before
        assert from_mapping.to_yaml() == nr.render(text, gpu_arch="h100").to_yaml()


def test_no_two_places_of_a_workflow_share_a_list_or_mapping() -> None:
    for path in RUNS:
        seen: dict[int, str] = {}
        waiting = [("", nr.render(path.read_text(), gpu_arch="gb300", platform="aws").workflow)]
        while waiting:
            place, value = waiting.pop()
            if isinstance(value, (dict, list)) and value:
                assert id(value) not in seen, f"{place} is the same object as {seen[id(value)]}"
                seen[id(value)] = place
                items = value.items() if isinstance(value, dict) else enumerate(value)
                waiting += [(f"{place}.{key}", item) for key, item in items]  # type: ignore[misc]
