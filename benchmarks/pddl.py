"""How long it takes to read, ground, enumerate and solve the gridworld, compared with pymimir.

python benchmarks/pddl.py

Both read the same files: the benchmark's 20 x 20 cells with walls, barrier, key, lock and two
items. hbtom solves three goals, pymimir the one of the problem. Compare the ratio, not the times.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hbtom.plan.graph import plan_on_graph
from hbtom.world import Costs, Mode, PlaceWorld, Space
from hbtom.world.modes import Exits, count_exits, write_exits
from hbtom.world.pddl import explore, load_world, make_goal
from hbtom.world.pddl.gridworld import DOMAIN, write_problem

SIDE = 20
REPEATS = 3


def world() -> str:
    """Return the problem: two rooms, a barrier between them, the key and an item in the first."""
    opened = np.zeros((SIDE, SIDE), dtype=bool)
    opened[10, :12] = True
    closed = opened.copy()
    closed[10] = True
    at = np.full((4, SIDE, SIDE), np.inf)
    for near, (row, column) in zip(at, [(17, 3), (4, 16), (8, 8), (9, 15)], strict=True):
        near[row - 1 : row + 2, column - 1 : column + 2] = 0.0
    lying, costs = np.ones((len(Mode), 3), dtype=bool), Costs(1.0, 1.0)
    lying[1:, 2] = False  # the key has been picked up
    many = count_exits(3, 2, len(Mode))
    floor = PlaceWorld(
        Space(10.0),
        costs,
        np.array([opened if mode == Mode.OPEN else closed for mode in Mode]),
        lying,
        at,
        np.zeros((0, SIDE, SIDE), dtype=bool),
        Exits(*np.empty((5, many), dtype=np.int64), *np.zeros((2, many))),
    )
    write_exits(floor, 2, 1, 1.0)
    return write_problem(floor, (3, 3), ("heart", "spoon", "key"), key=2)


def ours(problem: Path) -> tuple[int, float]:
    """Return the number of states and the cost of the problem's goal, as found by hbtom."""
    graph = explore(load_world(DOMAIN, problem))
    wanted = {"heart": "(touched heart)", "spoon": "(touched spoon)", "key": "(held key)"}
    goals = tuple(make_goal(graph.world, name, goal) for name, goal in wanted.items())
    return len(graph), float(plan_on_graph(graph, goals).cost[0, 0])


def theirs(problem: Path) -> tuple[int, float]:
    """Return the same, as found by pymimir."""
    import pymimir

    task = pymimir.Problem(pymimir.Domain(str(DOMAIN)), str(problem), mode="grounded")
    space = pymimir.StateSpaceSampler.new(task)
    label = space.get_state_label(task.get_initial_state())
    return len(space.get_states()), float(label.cost_to_goal)


@contextmanager
def quiet() -> Iterator[None]:
    """Discard what a C++ library prints."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def timed(solve: Callable[[Path], tuple[int, float]], problem: Path) -> tuple[float, int, float]:
    """Return the shortest of several runs, and the result."""
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        with quiet():
            states, cost = solve(problem)
        best = min(best, time.perf_counter() - start)
    return best, states, cost


def main() -> None:
    """Print both times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.pddl"
        problem.write_text(world(), encoding="utf-8")
        mine, states, cost = timed(ours, problem)
        print(f"hbtom    {mine:6.3f} s  {states} states, cost {cost:.6f}")
        try:
            its, states, cost = timed(theirs, problem)
        except ImportError:
            print("pymimir is not installed: nothing to compare with")
            return
        print(f"pymimir  {its:6.3f} s  {states} states, cost {cost:.6f}")
        print(f"ratio    {mine / its:6.2f}")


if __name__ == "__main__":
    main()
