"""Everything `validate` says: ten mistakes at once, their mending, hostile input, and what it leaves alone."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import nvcre_render as nr
from tests.manifests import manifest, seen

EXAMPLES = sorted(path for path in Path("examples").glob("*.yaml"))

TEN = """\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: ten}
spec:
  image: registry.example.com/trainer:1
  numNodes: "2"
  framework: {torch: {script: /t.py}}
  queue: team-a
  gangScheduler: kai-scheduler
  env:
    - {name: LEVEL, value: 5}
    - {name: DEBUG, value: yes}
  volumes:
    - name: data
      emptyDir: {}
      hostPath: {path: /mnt}
    - name: keys
      secret: {secretName: k, defaultMode: "0400"}
  volumeMounts:
    - {name: data, mountPath: /dev/shm}
    - {name: date, mountPath: /data}
  orchestration: {placement: pinned}
"""
FOUND = [
    ("NR204", 6, "write 2 without quotes"),
    ("NR201", 8, "did you mean spec.gangScheduler.queue?"),
    ("NR202", 9, "write a mapping that has schedulerName"),
    ("NR203", 11, 'write "5" in quotes'),
    ("NR203", 12, 'write "yes" in quotes'),
    ("NR231", 16, "keep one source, or make two volumes of it"),
    ("NR204", 18, "write a whole number"),
    ("NR402", 20, "mount the volume at another path"),
    ("NR235", 21, 'did you mean "data"?'),
    ("NR208", 22, 'write Pinned or Unpinned; did you mean "Pinned"?'),
]
MENDED = (
    TEN.replace('"2"', "2")
    .replace("  queue: team-a\n", "")
    .replace("gangScheduler: kai-scheduler", "gangScheduler: {schedulerName: kai-scheduler, queue: team-a}")
    .replace("value: 5", 'value: "5"')
    .replace("value: yes", 'value: "yes"')
    .replace("      hostPath: {path: /mnt}\n", "")
    .replace('"0400"', "0400")
    .replace("/dev/shm", "/scratch")  # noqa: S108  # a path in a container
    .replace("date", "data")
    .replace("pinned", "Pinned")
)


def test_ten_mistakes_are_ten_findings_that_say_what_to_write() -> None:
    report = nr.validate(TEN, filename="ten.yaml")
    assert [(found.code, found.position and found.position.line, found.remedy) for found in report] == FOUND
    assert not report.ok


def test_following_them_gives_a_file_that_renders() -> None:
    assert list(nr.validate(MENDED)) == []
    assert nr.render(MENDED, gpu_arch="h100").diagnostics == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=str)
def test_every_example_is_clean(path: Path) -> None:
    assert seen(nr.validate(path.read_text(), filename=str(path))) == []


@pytest.mark.parametrize("path", [each for each in EXAMPLES if not each.name.startswith("executor")], ids=str)
def test_every_example_is_clean_for_a_target(path: Path) -> None:
    text = path.read_text()
    # An example that names its product is of that architecture.
    architecture = None if "gpu.product" in text else "gb200"
    report = nr.validate(text, filename=str(path), platform="aws", gpu_arch=architecture)
    assert [found.code for found in report if found.severity != "note"] == []


def test_a_mapping_gives_the_findings_of_its_text_without_places() -> None:
    of_text, of_mapping = nr.validate(TEN), nr.validate(yaml.load(TEN, yaml.BaseLoader))  # noqa: S506
    assert all(found.position for found in of_text)
    assert all(found.position is None for found in of_mapping)


def test_every_run_of_a_text_is_checked_and_foreign_objects_are_noted() -> None:
    text = yaml.safe_dump_all([manifest(numNodes=0), {"apiVersion": "v1", "kind": "ConfigMap"}, manifest(numNodes=-1)])
    assert [found.code for found in nr.validate(text)] == ["NR206", "NR114", "NR116", "NR206"]


def test_only_foreign_objects_are_no_error_and_nothing_is() -> None:
    assert nr.validate("{apiVersion: v1, kind: ConfigMap}").ok
    assert seen(nr.validate("# empty\n")) == [("NR112", "")]


def test_a_target_adds_what_rendering_says() -> None:
    run = manifest(orchestration={"testScale": "intra-rack"})
    assert seen(nr.validate(run)) == []
    assert [code for code, _ in seen(nr.validate(run, gpu_arch="h100"))] == ["NR502"]
    assert [code for code, _ in seen(nr.validate(run, platform="onprem", gpu_arch="h100"))] == ["NR737"]
    assert seen(nr.validate(run, platform="aws", gpu_arch="gb200")) == []


def test_a_target_without_an_architecture_is_noted_and_an_unknown_one_refused() -> None:
    assert seen(nr.validate(manifest(), platform="aws")) == [("NR305", "spec")]
    assert [code for code, _ in seen(nr.validate(manifest(), platform="nowhere"))] == ["NR301"]


def test_with_errors_a_target_adds_nothing() -> None:
    assert [code for code, _ in seen(nr.validate(manifest(numNodes=0), platform="aws", gpu_arch="gb200"))] == ["NR206"]


# Hostile input, through the whole command: an answer within a second and 200 MiB

LEVELS = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
RUN = "kind: WorkloadRun\nspec:\n"
HOSTILE = {
    "alias bomb": f"l0: &l0 [x]\n{LEVELS}".encode(),
    "10,000 levels": b"[" * 10_000,
    "a text of 10 MB": b"kind: WorkloadRun\nspec: " + b"x" * 10_000_000,
    "NUL bytes": b"kind: WorkloadRun\nspec: \x00\n",
    "invalid UTF-8": b"kind: WorkloadRun\nspec: \xff\xfe\n",
    "a line of 5 MB": f"{RUN}  image: {{a: {'b' * 900_000}, c: {'d' * 900_000}}}\n".encode(),
    "many faults": (RUN + "".join(f"  f{n}: 1\n" for n in range(3_000))).encode(),
    "many variables": (RUN + "  env:\n" + "".join(f"    - {{name: A, value: {n}}}\n" for n in range(3_000))).encode(),
    "a deep patch": (RUN + "  overrides: [{when: {}, jobTemplate: " + "{a: " * 90 + "1" + "}" * 90 + "}]\n").encode(),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_a_finding_at_once(name: str, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_bytes(HOSTILE[name])
    command = [sys.executable, "-m", "nvcre_render", "validate", str(tmp_path / "run.yaml")]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    before = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited)
    assert run.returncode == 1, run.stderr[-500:]
    assert "Traceback" not in run.stderr
    assert f"{tmp_path}/run.yaml:" in run.stderr
    assert max(map(len, run.stderr.splitlines())) < 1_000
    assert time.perf_counter() - before < 5  # a busy machine; benchmarks/validate.py holds it to a second
