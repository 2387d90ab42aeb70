"""The gridworld's evidence compared with plain loops over every action and state."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import HEART, SPOON, border, key_trial, read, to_thing, trial, walk
from floors import FloorCosts, grid_steps, grid_world
from hbtom import Model, Trial
from hbtom.assumptions import Acts
from hbtom.mind import Likelihood, log_likelihood
from hbtom.mind.grid import action_values
from hbtom.observe import Body, Identity
from hbtom.plan import GRID, cost_to_go
from hbtom.world import Act, Mode, Trajectory
from regrets import regret_at
from worlds import odd_trial

PAPER = Model.preset("paper")
BETAS = np.array([0.5, 2.0, 5.0])
State = tuple[int, int, int]  # column, row, mode
Action = tuple  # ("move", columns, rows), ("touch", item) or ("open",)
MOVES = [("move", i, j) for i, j in product((-1, 0, 1), repeat=2) if (i, j) != (0, 0)]


def gathered(
    trial: Trial, *, acts: Acts = PAPER.acts, betas: np.ndarray = BETAS, opening: float = 1.0
) -> Likelihood:
    return log_likelihood(
        regret_at(msgspec.structs.replace(PAPER, acts=acts), trial, opening), betas
    )


class Slow:
    """A gridworld of ten-pixel cells, as in the paper, in loops and dictionaries."""

    def __init__(self, trial: Trial, opening: float) -> None:
        self.trial, self.opening = trial, opening
        self.columns, self.rows = (math.ceil(side / 10) for side in trial.size)
        self.key = None if trial.key is None else len(trial.objects)
        blocks = [tuple(row) for row in trial.walls]
        self.free = {Mode.OPEN: self._free(blocks)}
        blocks += [tuple(row) for row in trial.barrier]
        if trial.lock is not None:
            x, y = trial.lock.centre
            blocks.append((x - 10, y - 10, 20, 20))
        self.free[Mode.START] = self.free[Mode.HELD] = self._free(blocks)
        self.states = [(*cell, mode) for mode in Mode for cell in sorted(self.free[mode])]
        self.values = [self._solve(goal) for goal in range(len(trial.items))]

    def _free(self, blocks: list[tuple]) -> set[tuple[int, int]]:
        def covered(x: float, y: float) -> bool:
            return any(a < x < a + w and b < y < b + h for a, b, w, h in blocks)

        cells = product(range(self.columns), range(self.rows))
        return {(i, j) for i, j in cells if not covered(i * 10 + 5, j * 10 + 5)}

    def _at_item(self, cell: tuple[int, int], item: Body) -> bool:
        """Return whether a cell is the item's or next to it, not around a corner between walls."""
        (i, j), (x, y) = cell, item.centre
        a, b = min(math.floor(x / 10), self.columns - 1), min(math.floor(y / 10), self.rows - 1)
        free = self.free[Mode.START]
        return abs(i - a) <= 1 and abs(j - b) <= 1 and ((i, b) in free or (a, j) in free)

    def _at_lock(self, cell: tuple[int, int]) -> bool:
        """Return whether the lock, twice as wide as a cell, covers a cell or one next to it."""
        (i, j), (x, y) = cell, self.trial.lock.centre
        return abs(i * 10 + 5 - x) < 20 and abs(j * 10 + 5 - y) < 20

    def actions(self, state: State) -> Iterator[Action]:
        i, j, mode = state
        free = self.free[mode]
        for _, di, dj in MOVES:
            if {(i, j), (i + di, j), (i, j + dj), (i + di, j + dj)} <= free:
                yield ("move", di, dj)
        for item, body in enumerate(self.trial.items):
            if self._at_item((i, j), body) and not (item == self.key and mode != Mode.START):
                yield ("touch", item)
        if self.trial.lock is not None and mode == Mode.HELD and self._at_lock((i, j)):
            yield ("open",)

    def result(self, state: State, action: Action, goal: int) -> tuple[float, State | None]:
        """Return the cost of an action and the state after it; None if nothing is left to do."""
        i, j, mode = state
        if action[0] == "move":
            return math.hypot(*action[1:]), (i + action[1], j + action[2], mode)
        if action[0] == "open":
            return self.opening, (i, j, Mode.OPEN)
        if action[1] == goal:
            return PAPER.acts.cost, None
        return PAPER.acts.cost, (i, j, Mode.HELD) if action[1] == self.key else state

    def _solve(self, goal: int) -> dict[State, float]:
        """Return the cost-to-go of all states by repeated sweeps until nothing changes."""
        value = dict.fromkeys(self.states, math.inf)
        ways = {
            state: [self.result(state, action, goal) for action in self.actions(state)]
            for state in self.states
        }
        if goal == self.key:
            value.update((state, 0.0) for state in self.states if state[2] != Mode.START)
        changed = True
        while changed:
            changed = False
            for state in self.states:
                best = min(
                    (
                        cost + (0.0 if after is None else value[after])
                        for cost, after in ways[state]
                    ),
                    default=math.inf,
                )
                if best < value[state]:
                    value[state], changed = best, True
        return value

    def q(self, state: State, action: Action, goal: int) -> float:
        cost, after = self.result(state, action, goal)
        return -(cost + (0.0 if after is None else self.values[goal].get(after, math.inf)))

    def log_policy(self, state: State, action: Action, goal: int, beta: float) -> float:
        q = {each: self.q(state, each, goal) for each in {*self.actions(state), action}}
        if all(math.isinf(value) for value in q.values()):
            return -math.log(len(q))
        best = max(q.values())
        total = sum(math.exp(beta * (value - best)) for value in q.values())
        return beta * (q[action] - best) - math.log(total)


def done(trajectory: Trajectory) -> Iterator[tuple[State, Action]]:
    """Yield the state before each step of a trajectory, and the action in it."""
    for step in range(len(trajectory.act)):
        column, row = (int(place) for place in trajectory.start[step])
        moved = tuple(int(d) for d in trajectory.stop[step] - trajectory.start[step])
        action = {
            Act.MOVE: ("move", *moved),
            Act.TOUCH: ("touch", int(trajectory.thing[step])),
            Act.OPEN: ("open",),
        }[Act(trajectory.act[step])]
        yield (column, row, int(trajectory.mode[step])), action


# Random trials


def wander(
    rng: np.random.Generator, free: set[tuple[int, int]], cell: tuple[int, int], steps: int
) -> list[tuple[int, int]]:
    """Return a random walk over neighbouring cells, with legal moves."""
    way = [cell]
    for _ in range(steps):
        i, j = way[-1]
        legal = [
            (i + di, j + dj)
            for _, di, dj in MOVES
            if {(i + di, j), (i, j + dj), (i + di, j + dj)} <= free
        ]
        if legal:
            way.append(legal[rng.integers(len(legal))])
    return way


def pixels(cells: list[tuple[int, int]]) -> list[tuple[float, float]]:
    return [(i * 10 + 5.0, j * 10 + 5.0) for i, j in cells]


def random_trial(seed: int, *, with_key: bool) -> Trial:
    """Return an agent that wanders in a small world; with a key, through all three modes.

    A barrier with the lock then divides the world, and the key lies next to the agent's cell when
    it is picked up.
    """
    rng = np.random.default_rng(seed)
    size = (140.0, 120.0)
    inner = [(x, y) for x in range(20, 120, 20) for y in range(20, 100, 20)]
    walls = [(x, y, 20, 20) for x, y in inner if x != 60 and rng.random() < 0.2]
    walls += [(0, 0, 140, 20), (0, 100, 140, 20), (0, 0, 20, 120), (120, 0, 20, 120)]
    barrier = [(60, y, 20, 20) for y in (20, 40, 80)] if with_key else []
    lock = Body(Identity("lock"), (70, 70), 10) if with_key else None

    def free_of(blocks: list[tuple]) -> set[tuple[int, int]]:
        cells = product(range(14), range(12))
        return {
            (i, j)
            for i, j in cells
            if not any(x <= i * 10 < x + w and y <= j * 10 < y + h for x, y, w, h in blocks)
        }

    closed = free_of(walls + barrier + [(60, 60, 20, 20)] * with_key)
    opened = free_of(walls)
    left = sorted(cell for cell in closed if cell[0] < 6)

    def somewhere() -> tuple[float, float]:
        return tuple(rng.uniform([25, 25], [115, 95]).round(1))

    objects = (Body(Identity("cup"), somewhere(), 9), Body(Identity("bell"), somewhere(), 9))
    before = wander(rng, closed, left[rng.integers(len(left))], 6)
    path = pixels(before)
    key, key_path, lock_there, barrier_left = None, None, None, np.ones(len(path))
    if with_key:
        held = wander(rng, closed, before[-1], 6)
        after = wander(rng, opened, held[-1], 5)
        (x, y), carried = path[-1], pixels(held)
        key = Body(Identity("triangle"), (x + rng.integers(-1, 2) * 10.0, y), 8)
        waiting = [carried[-1]] * 3
        path = path + carried + waiting + pixels(after)
        gone = [(math.nan, math.nan)] * len(after)
        key_path = np.array([key.centre] * len(before) + [(0.0, 0.0)] * (len(held) + 3) + gone)
        standing = len(before) + len(held)
        barrier_left = np.r_[np.ones(standing), 0.8, 0.5, 0.2, np.zeros(len(after))]
        lock_there = barrier_left > 0
    return Trial(
        size=size,
        walls=np.array(walls, dtype=float),
        barrier=np.array(barrier, dtype=float).reshape(-1, 4),
        objects=objects,
        agent=Body(Identity("agent"), path[0], 6),
        path=np.array(path),
        barrier_left=barrier_left,
        key=key,
        key_path=key_path,
        lock=lock,
        lock_there=lock_there,
    )


def trials() -> list[Trial]:
    return [
        *(random_trial(seed, with_key=False) for seed in range(4)),
        *(random_trial(seed, with_key=True) for seed in range(4)),
        read([key_trial()])[0],
    ]


@pytest.mark.parametrize("number", range(9))
@pytest.mark.parametrize(("final", "opening"), [(False, 1.0), (True, 6.5)])
def test_evidence_is_the_boltzmann_policy(number: int, final: bool, opening: float) -> None:
    trial = trials()[number]
    slow = Slow(trial, opening)
    acts = msgspec.structs.replace(PAPER.acts, final=final)
    likelihood = gathered(trial, acts=acts, opening=opening)
    trajectory = grid_steps(trial, 10.0, final=final)
    assert likelihood.regret.warnings == ()
    assert len(likelihood) == len(trajectory.act) > 0
    for step, (state, action) in enumerate(done(trajectory)):
        for goal, k in product(range(len(trial.items)), range(len(BETAS))):
            wanted = slow.log_policy(state, action, goal, BETAS[k])
            assert likelihood.log[step, goal, k] == pytest.approx(wanted, abs=1e-9), (state, action)
    column, row = (int(place // 10) for place in trial.path[0])
    reachable = [math.isfinite(value[column, row, Mode.START]) for value in slow.values]
    assert likelihood.reachable.tolist() == reachable


@pytest.mark.parametrize("number", range(9))
def test_q_values_and_legal_actions(number: int) -> None:
    """They are compared for all actions before every step, not only for those taken."""
    trial = trials()[number]
    slow = Slow(trial, opening=3.0)
    trajectory = grid_steps(trial, 10.0, final=False)
    world = grid_world(trial, 10.0, FloorCosts(1.0, PAPER.acts.cost, 3.0))
    legal, q = action_values(cost_to_go(world, GRID), trajectory, GRID.table)
    names: list[Action] = [("move", right, down) for down, right in GRID.moves]
    names += [("touch", item) for item in range(len(trial.items))]
    names += [("open",)] * (trial.lock is not None)
    for step, (state, _) in enumerate(done(trajectory)):
        possible = set(slow.actions(state))
        assert {name for name, can in zip(names, legal[step], strict=True) if can} == possible
        for index, goal in product(range(len(names)), range(len(trial.items))):
            if legal[step, index]:
                wanted = slow.q(state, names[index], goal)
                assert q[step, index, goal] == pytest.approx(wanted), (state, names[index])


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000), final=st.booleans())
def test_evidence_in_odd_worlds(seed: int, final: bool) -> None:
    """Steps from inside walls, and impossible moves, say nothing and are counted."""
    trial = odd_trial(seed)
    slow = Slow(trial, opening=2.5)
    acts = msgspec.structs.replace(PAPER.acts, final=final)
    likelihood = gathered(trial, acts=acts, opening=2.5)
    trajectory = grid_steps(trial, 10.0, final=final)
    assert len(likelihood) == len(trajectory.act)
    lost = 0
    for step, (state, action) in enumerate(done(trajectory)):
        on_floor = state[:2] in slow.free[Mode(state[2])]
        known = on_floor and (action[0] != "move" or action in slow.actions(state))
        lost += not known
        for goal, k in product(range(len(trial.items)), range(len(BETAS))):
            wanted = slow.log_policy(state, action, goal, BETAS[k]) if known else 0.0
            assert likelihood.log[step, goal, k] == pytest.approx(wanted, abs=1e-9), (state, action)
    warned = [int(warning.split()[0]) for warning in likelihood.regret.warnings]
    assert warned == ([lost] if lost else [])


# By hand


def test_an_open_field_by_hand() -> None:
    """Two steps from an object straight ahead, in the open, with nothing else in reach.

    Cost-to-go is 2 + 1 (pick it up): the object is in reach from two cells away. The eight moves
    then cost more than the best by as much as they lead away.
    """
    seen = read([trial(walk((65, 105), (75, 105)), [HEART.at(105, 105)])])[0]
    likelihood = gathered(seen, betas=np.array([1.0]))
    ahead, diagonal, side, behind = 0.0, math.sqrt(2) - 1, 1.0, 2.0
    # sideways: 1 + (1 diagonal + 2 ahead), ahead diagonally: sqrt(2) + 2 ahead
    step_regret = [
        ahead,
        diagonal,
        diagonal,
        side,
        side,
        behind,
        math.sqrt(2) + 1,
        math.sqrt(2) + 1,
    ]
    assert len(likelihood) == 1
    exact = -math.log(sum(math.exp(-e) for e in step_regret))
    assert likelihood.log[0, 0, 0] == pytest.approx(exact, abs=1e-12)


def test_impossible_moves_say_nothing_and_are_counted() -> None:
    """The agent walks through a wall: these moves are left out, with a warning."""
    walls = [*border(), [[80, 80], [20, 20]]]
    through = trial(walk((65, 85), (125, 85)), [HEART.at(150, 85), SPOON.at(65, 150)], walls=walls)
    likelihood = gathered(read([through])[0])
    lost = (likelihood.log == 0).all(axis=(1, 2))
    assert lost.sum() == 3  # into the wall, inside it, and out of it
    assert "3 moves are impossible in the gridworld" in likelihood.regret.warnings[0]
    assert np.isfinite(likelihood.log).all()


def test_an_approached_goal_becomes_likelier() -> None:
    seen = read([to_thing(HEART.at(130, 60), others=[SPOON.at(50, 160)])])[0]
    likelihood = gathered(seen)
    heart = [str(goal) for goal in likelihood.goals].index("heart.png")
    total = likelihood.log.sum(axis=0)
    assert (total[heart] > total[1 - heart] + 1).all()
