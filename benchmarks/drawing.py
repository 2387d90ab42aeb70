"""How fast pictures are drawn from positions, compared with reading the episodes they show.

    python benchmarks/drawing.py [--episodes 28]

It generates background episodes, and measures the CPU time of reading their files, of turning them
into arrays and of drawing all pictures, the shortest of several runs. "Drawing / reading" is a
ratio measured in one run; "pictures a second" depends on the machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core

from hbtom.neural import Generated, draw, to_tensors
from hbtom.observe import read, writing

T = TypeVar("T")
TARGET = 20_000  # pictures a second on one core
TIMES = 15


def least(work: Callable[[], T]) -> tuple[float, T]:
    """Return the shortest CPU time of some work, and its result."""
    spent = []
    for _ in range(TIMES):
        start = time.process_time()
        result = work()
        spent.append(time.process_time() - start)
    return min(spent), result


@dataclass(frozen=True)
class Drawn:
    """How long it took to draw pictures and to prepare them, in CPU seconds."""

    pictures: int
    reading: float  # the files of the episodes
    turning: float  # into arrays
    drawing: float

    @property
    def rate(self) -> float:
        """Pictures a second."""
        return self.pictures / self.drawing


def measure(count: int = 28) -> Drawn:
    """Draw all pictures of some background episodes."""
    files = [writing.write(job.episodes()[0]) for job in Generated(count).items()]
    reading, episodes = least(lambda: [read(one) for one in files])
    turning, arrays = least(lambda: [to_tensors(one) for one in episodes])
    drawing, _ = least(lambda: [draw(one.things, one.places) for one in arrays])
    pictures = sum(int((one.steps + 1).sum()) for one in arrays)  # without padding
    return Drawn(pictures, reading, turning, drawing)


def main() -> int:
    """Measure, print, and return whether the target is met as the exit status."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--episodes", type=int, default=28)
    given = arguments.parse_args()
    found = measure(given.episodes)
    print(f"{found.pictures} pictures of {given.episodes} episodes")
    print(f"to arrays / reading: {found.turning / found.reading:.2f}")
    print(f"drawing / reading: {found.drawing / found.reading:.2f}")
    print(f"pictures a second: {found.rate:,.0f} (target {TARGET:,})")
    return 0 if found.rate >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
