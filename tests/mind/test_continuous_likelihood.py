"""Evidence from any-angle motion: headings in pixels, measured by the distance left."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from episodes import HEART, KEY, LOCK, SPOON, block, border, key_trial, read, to_thing, trial, walk
from floors import FloorCosts, continuous_floor, continuous_world, in_mode, pixel_steps
from hbtom import Model, Trial
from hbtom.assumptions import Acts, Continuous
from hbtom.mind import Headings, Likelihood, log_likelihood
from hbtom.mind.policy import log_choice, log_i0e
from hbtom.plan import CONTINUOUS, cost_to_go
from hbtom.world import Act, Mode, Space, Trajectory
from regrets import regret_at
from worlds import odd_model, odd_trial

MOTION = Continuous(cell=5.0, clearance=6.0, stride=10.0)
ACTS = Acts(cost=1.0, final=True, learn_opening=True)
BETAS = np.array([0.5, 2.0, 5.0])


def gathered(trial: Trial, *, opening: float = 1.0, final: bool = True, stride: float = 10.0):
    acts = replace(ACTS, final=final)
    motion = replace(MOTION, stride=stride)
    return log_likelihood(
        regret_at(replace(Model.preset("default"), motion=motion, acts=acts), trial, opening), BETAS
    )


def of(likelihood: Likelihood, name: str) -> np.ndarray:
    """Return the evidence about one goal; shape [step, efficiency]."""
    return likelihood.log[:, [str(goal) for goal in likelihood.goals].index(name)]


def best(length: np.ndarray | float) -> np.ndarray:
    """Return the log-density of the best heading; an axis of efficiencies is added."""
    return -np.vectorize(log_i0e)(np.asarray(length)[..., None] * BETAS)


def act(step_regret: float) -> np.ndarray:
    """Return the evidence of an act of cost 1 with the given waste; shape [efficiency]."""
    return np.array([log_choice(step_regret, 1.0, beta) for beta in BETAS])


def lengths(trial: Trial, stride: float = 10.0) -> np.ndarray:
    trajectory = pixel_steps(trial, stride=stride, final=False)
    return np.hypot(*(trajectory.stop - trajectory.start).T) / 10


# Moves


@pytest.mark.parametrize("goal", [(150, 100), (150, 150), (100, 150), (137, 61)])
def test_straight_to_the_goal_wastes_nothing(goal) -> None:
    """It wastes very little: distances are measured on a lattice with sixteen headings."""
    seen = read([to_thing(HEART.at(*goal), start=(60, 60))])[0]
    log = gathered(seen, final=False).log[:, 0]
    assert (log <= best(lengths(seen)) + 1e-12).all()
    waste = ((best(lengths(seen)) - log) / BETAS).sum(
        axis=0
    )  # of the whole path, in units of ten pixels
    assert (waste < 0.04 * lengths(seen).sum()).all()


@pytest.mark.parametrize("angle", [0, 30, 45, 90, 135, 180])
def test_the_waste_of_a_move_depends_on_its_heading(angle: float) -> None:
    """One stride in the open, with a goal far ahead, wastes l (1 - cos angle).

    This is accurate to a tenth of the length: on the lattice, paths are up to 2.8 % longer.
    """
    turn = math.radians(angle)
    stop = (round(60 + 20 * math.cos(turn)), round(100 + 20 * math.sin(turn)))
    seen = read([trial([(60, 100), stop], [HEART.at(165, 100)])])[0]
    length = math.dist((60, 100), stop) / 10
    step_regret = length + (math.dist(stop, (165, 100)) - 105) / 10
    log = gathered(seen, final=False).log[0, 0]
    wanted = best(length) - BETAS * step_regret
    np.testing.assert_allclose(log / BETAS, wanted / BETAS, atol=0.12 * length)


def test_the_path_around_a_wall_is_not_waste() -> None:
    """There is a wall straight ahead, and the path leads around its end."""
    walls = [*border(), *(block(100, y) for y in range(20, 120, 20))]
    path = walk((60, 60), (92, 128), (128, 128), (146, 80))
    seen = read([trial(path, [HEART.at(150, 67)], walls=walls)])[0]
    log = gathered(seen, final=False).log[:, 0]
    waste = ((best(lengths(seen)) - log) / BETAS).sum(axis=0)
    assert (waste < 0.08 * lengths(seen).sum()).all()


def test_evidence_is_bounded_by_the_best_and_the_worst_heading() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        path = walk(*[tuple(rng.integers(30, 170, 2).tolist()) for _ in range(6)])
        seen = read([trial(path, [HEART.at(40, 40), SPOON.at(160, 120)])])[0]
        highest = best(lengths(seen))
        lowest = highest - 2 * lengths(seen)[:, None] * BETAS
        log = gathered(seen, final=False).log
        assert (log <= highest[:, None] + 1e-12).all()
        assert (log >= lowest[:, None] - 1e-12).all()


def test_efficiency_makes_straight_paths_likelier_and_detours_less_likely() -> None:
    straight = read([to_thing(HEART.at(150, 100))])[0]
    detour = read([trial(walk((40, 100), (90, 50), (90, 150), (137, 100)), [HEART.at(150, 100)])])
    assert (np.diff(gathered(straight).log.sum(axis=0)[0]) > 0).all()
    assert (np.diff(gathered(detour[0]).log.sum(axis=0)[0]) < 0).all()


# Acts


def test_the_touch_at_the_end_is_free_for_the_goal_and_wasted_for_others() -> None:
    seen = read([to_thing(HEART.at(120, 60), others=[SPOON.at(50, 160)])])[0]
    with_touch, without = gathered(seen), gathered(seen, final=False)
    assert len(with_touch) == len(without) + 1
    # The goal is touched here, so nothing is left to do: only the act was left before.
    np.testing.assert_allclose(of(with_touch, "heart.png")[-1], act(0.0), atol=0.05 * BETAS.max())
    np.testing.assert_allclose(of(with_touch, "spoon.png")[-1], act(1.0))


def test_the_key_is_a_means_to_what_is_behind_the_barrier() -> None:
    """Fetching the key and opening the lock waste nothing, whether object or key is wanted."""
    seen = read([key_trial()])[0]
    likelihood = gathered(seen, opening=2.0)
    trajectory = pixel_steps(seen, stride=10.0, final=True)
    pick, opens, _ = np.flatnonzero(trajectory.act != Act.MOVE)
    np.testing.assert_allclose(of(likelihood, "heart.png")[pick], act(0.0), atol=0.3)
    np.testing.assert_allclose(of(likelihood, "key")[pick], act(0.0), atol=0.3)
    assert (of(likelihood, "heart.png")[opens] > of(likelihood, "key")[opens]).all()
    np.testing.assert_allclose(of(likelihood, "key")[opens], act(1.0))


def test_fetching_an_unneeded_key_is_waste_for_the_object() -> None:
    """The object lies on the near side: an agent that fetches the key wants the key."""
    frames = key_trial(goal=SPOON.at(50, 150))
    seen = read([frames])[0]
    likelihood = gathered(seen)
    pick = int(np.flatnonzero(pixel_steps(seen, stride=10.0, final=True).act)[0])
    np.testing.assert_allclose(of(likelihood, "spoon.png")[pick], act(1.0))


# Unreachable goals


def test_unreachable_goals_give_no_evidence() -> None:
    walls = [*border(), *(block(100, y) for y in range(20, 180, 20))]
    seen = read([to_thing(HEART.at(60, 60), others=[SPOON.at(150, 100)], walls=walls)])[0]
    likelihood = gathered(seen)
    assert likelihood.reachable.tolist() == [True, False]
    assert (of(likelihood, "spoon.png") == 0).all()


@pytest.mark.parametrize("with_key", [False, True])
def test_a_barrier_blocks_unless_there_is_a_key(with_key: bool) -> None:
    key = KEY.at(50, 60) if with_key else None
    walls = [*border(), *(block(100, y) for y in range(20, 180, 20) if y != 100)]
    one = trial(
        walk((50, 150), (50, 140)),
        [HEART.at(150, 100)],
        walls=walls,
        lock=LOCK.at(110, 110),
        key=key,
    )
    assert gathered(read([one])[0]).reachable[0] == with_key


def test_an_agent_can_leave_the_clearance_of_a_wall() -> None:
    """Agents are sometimes seen nearer to walls than they should come."""
    seen = read([to_thing(HEART.at(120, 60), start=(21, 22))])[0]
    likelihood = gathered(seen)
    assert likelihood.reachable.all()
    assert np.isfinite(likelihood.log).all()


# Odd trials, step by step


class Slow:
    """The regret of every step, from plans that are known everywhere."""

    def __init__(self, motion: Continuous, acts: Acts, trial: Trial, opening: float) -> None:
        self.trial, self.acts, self.opening, self.cell = trial, acts, opening, motion.cell
        self.floor = continuous_floor(trial, motion.cell, motion.clearance)
        self.key = None if trial.key is None else len(trial.objects)
        costs = FloorCosts(motion.cell / 10, acts.cost, opening)
        space = Space(motion.cell, motion.clearance)
        plans = cost_to_go(continuous_world(trial, space, costs), CONTINUOUS)
        self.cost = {mode: in_mode(plans, mode) for mode in Mode}
        self.blocked = {mode: self.floor.blocked(mode) for mode in Mode}

    def around(self, row: int, column: int) -> list[tuple[int, int, float]]:
        """Return the cells around a cell, and the cost of moving to each."""
        rows, columns = self.floor.closed.shape
        return [
            (r, c, self.cell / 10 * math.hypot(r - row, c - column))
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(column - 1, 0), min(column + 2, columns))
            if (r, c) != (row, column)
        ]

    def in_cell(self, goal: int, mode: Mode, row: int, column: int, deep: int = 2) -> float:
        """Return the cost-to-go; within blocked cells, up to two deep, that of leaving them."""
        cost = self.cost[mode][goal]
        if math.isfinite(cost[row, column]) or not self.blocked[mode][row, column] or deep == 0:
            return cost[row, column]
        ways = [cost[r, c] + way for r, c, way in self.around(row, column)]
        if math.isfinite(min(ways, default=math.inf)) or deep == 1:
            return min(ways, default=math.inf)
        ways = [
            self.in_cell(goal, mode, r, c, deep - 1) + way for r, c, way in self.around(row, column)
        ]
        return min(ways, default=math.inf)

    def to_go(self, goal: int, mode: Mode, place: np.ndarray) -> float:
        """Return the mean over the nearest four cells that have a path, weighted by nearness."""
        total = weight = 0.0
        corners = [
            self._corners(float(at) / self.cell - 0.5, many)
            for at, many in zip(place, self.floor.closed.shape[::-1], strict=True)
        ]
        for column, across in corners[0]:
            for row, down in corners[1]:
                value = self.in_cell(goal, mode, row, column)
                if math.isfinite(value):
                    total, weight = total + across * down * value, weight + across * down
        return total / weight if weight >= 0.5 else math.inf

    def _corners(self, at: float, many: int) -> list[tuple[int, float]]:
        """Return the two cells beside a coordinate, with their shares; one at the edge."""
        if at <= 0:
            return [(0, 1.0)]
        if at >= many - 1:
            return [(many - 1, 1.0)]
        low = math.floor(at)
        return [(low, 1 - (at - low)), (low + 1, at - low)]

    def in_reach(self, steps: Trajectory) -> np.ndarray:
        """Return which goals are in reach at first, and at each step."""
        goals, mode, found = range(len(self.trial.items)), Mode.START, []
        near = [math.isfinite(self.to_go(goal, mode, self.trial.path[0])) for goal in goals]
        found.append(near)
        for now, start in zip(steps.mode, steps.start, strict=True):
            if now != mode:
                mode = Mode(now)
                there = [goal for goal in goals if goal != self.key]
                ways = {goal for goal in there if math.isfinite(self.to_go(goal, mode, start))}
                near = [near[goal] or goal in ways for goal in goals]
            found.append(near)
        return np.array(found)

    def step_regret(self, goal: int, act: int, item: int, mode: int, start, stop) -> float:
        length = math.dist(start, stop) / 10
        price = {Act.MOVE: length, Act.TOUCH: self.acts.cost, Act.OPEN: self.opening}[Act(act)]
        most = 2 * length if act == Act.MOVE else self.acts.cost
        after = Mode.OPEN if act == Act.OPEN else Mode(mode)
        after = Mode.HELD if self.key is not None and item == self.key else after
        left = 0.0 if act == Act.TOUCH and item == goal else self.to_go(goal, after, stop)
        before = self.to_go(goal, Mode(mode), start)
        if math.isinf(left):
            return most
        return min(max(price + left - before, 0.0), most)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), opening=st.sampled_from([0.5, 4.0]))
def test_regret_in_odd_worlds(seed: int, opening: float) -> None:
    """This includes agents inside walls, and worlds without a path to any goal."""
    trial, model = odd_trial(seed), odd_model(2 * seed + 1)
    assert isinstance(model.motion, Continuous)
    regret = regret_at(model, trial, opening)
    slow = Slow(model.motion, model.acts, trial, opening)
    trajectory = pixel_steps(trial, stride=model.motion.stride, final=model.acts.final)
    assert isinstance(regret.choice, Headings)
    np.testing.assert_array_equal(regret.frame, trajectory.frame)
    np.testing.assert_array_equal(regret.choice.moves, trajectory.act == Act.MOVE)
    lengths = np.hypot(*(trajectory.stop - trajectory.start).T) / 10
    np.testing.assert_allclose(regret.choice.length, lengths, rtol=1e-12)
    goals = range(len(trial.items))
    near = slow.in_reach(trajectory)
    assert regret.reachable.tolist() == near.any(axis=0).tolist()
    steps = zip(
        trajectory.act,
        trajectory.thing,
        trajectory.mode,
        trajectory.start,
        trajectory.stop,
        strict=True,
    )
    for number, step in enumerate(steps):
        known = near[1 + number]
        wanted = [slow.step_regret(goal, *step) if known[goal] else 0.0 for goal in goals]
        np.testing.assert_allclose(regret.step_regret[number], wanted, atol=1e-9)


def test_goals_are_named_by_their_looks_and_twins_are_numbered() -> None:
    seen = read([trial(walk((40, 100), (60, 100)), [HEART.at(150, 60), HEART.at(150, 140)])])[0]
    assert len(set(gathered(seen).goals)) == 2
