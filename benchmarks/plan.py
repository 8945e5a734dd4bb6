"""Plot how the time of a plan grows with the fleet, many small topology domains included.

python benchmarks/plan.py
"""

from __future__ import annotations

import time

from promises import PLANNED, fleet

import nvcre_render as nr

SIZES = (10_000, 25_000, 50_000, 75_000, 100_000)
WIDTH = 60


def main() -> None:
    seconds = {}
    for size in SIZES:
        nodes = fleet(size)
        start = time.perf_counter()
        nr.plan(PLANNED, nodes=nodes)
        seconds[size] = time.perf_counter() - start
    longest = max(seconds.values())
    for size, taken in seconds.items():
        print(f"{size:8,} nodes {taken:6.2f} s {'#' * round(WIDTH * taken / longest)}")


if __name__ == "__main__":
    main()
