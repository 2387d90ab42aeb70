"""How fast pictures are drawn from positions, compared to reading the episodes that they show.

    python benchmarks/drawing.py [--episodes 28]

It generates background episodes, and measures the CPU time of reading their files, of turning them
into arrays and of drawing all pictures, the least of several times. "Drawing / reading" is a ratio
measured in one run; "pictures a second" depends on the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core

from hbtom.neural import Generated, draw, to_tensors
from hbtom.observe import read, writing

T = TypeVar("T")
TARGET = 20_000  # pictures a second on one core
TIMES = 15


def least(work: Callable[[], T]) -> tuple[float, T]:
    """Return the least CPU time that some work takes, and its result."""
    spent = []
    for _ in range(TIMES):
        start = time.process_time()
        result = work()
        spent.append(time.process_time() - start)
    return min(spent), result


def main() -> int:
    """Measure, print, and say by the status whether the target is met."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--episodes", type=int, default=28)
    given = arguments.parse_args()
    files = [writing.write(job.episodes()[0]) for job in Generated(given.episodes).items()]
    reading, episodes = least(lambda: [read(one) for one in files])
    turning, arrays = least(lambda: [to_tensors(one) for one in episodes])
    drawing, drawn = least(lambda: [draw(one.things, one.places) for one in arrays])
    pictures = sum(one.shape[0] * one.shape[1] for one in drawn)
    print(f"{pictures} pictures of {given.episodes} episodes")
    print(f"to arrays / reading: {turning / reading:.2f}")
    print(f"drawing / reading: {drawing / reading:.2f}")
    print(f"pictures a second: {pictures / drawing:,.0f} (target {TARGET:,})")
    return 0 if pictures / drawing >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
