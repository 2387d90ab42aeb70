"""Adding to hbtom as docs/architecture.md describes: nothing else has to be changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import msgspec
import numpy as np
import pytest

import hbtom
from hbtom import Beliefs, Episode, Model, Trial, infer
from hbtom.assumptions import Acts
from hbtom.bench.rater import Rating
from hbtom.mind.grid import NO_SLIPS, action_regret
from hbtom.mind.motion_regret import motion_regret
from hbtom.mind.regret import Actions, Regret, name_goals
from hbtom.observe import Body, Identity, Layout
from hbtom.plan import CostToGo, Stencil, cost_to_go
from hbtom.plan.planning import plan_in
from hbtom.world import Costs, PlaceWorld, Seen, Space, Trajectory, grid_trajectory, grid_world
from hbtom.world.seeing import TrajectoryInput, steps_of, world_of

# A motion: agents in a city walk only along streets, in four directions

STREETS = Stencil(((-1, 0), (0, -1), (0, 1), (1, 0)))


class City(msgspec.Struct, frozen=True):
    """Four moves on square blocks."""

    block: float = 20.0


@world_of.register
def _world(motion: City, acts: Acts, opening: float, layout: Layout) -> PlaceWorld:
    return grid_world(layout, Space(motion.block), Costs(1.0, float(acts.cost), opening))


@steps_of.register
def _steps(motion: City, walk: TrajectoryInput, world: PlaceWorld) -> Trajectory:
    return grid_trajectory(walk.layout, walk.track, world, walk.final)


@plan_in.register
def _plan(motion: City, world: PlaceWorld, steps: Trajectory, everywhere: bool) -> CostToGo:
    return cost_to_go(world, STREETS)


@motion_regret.register
def _regret(motion: City, model: Model, trial: Trial, seen: Seen, costs: CostToGo) -> Regret:
    steps = seen.trajectory
    regret, options, _ = action_regret(costs, steps, STREETS.table, NO_SLIPS)
    column, row = steps.first.astype(int)
    reachable = costs.cost[:, 0, row, column] < np.inf
    return Regret(name_goals(trial), reachable, steps.frame, regret, Actions(options))


def walk_to(*corners: tuple[float, float]) -> Trial:
    path = np.array(corners, dtype=float)
    heart, spoon = (
        Body(Identity(name), place, 8.0)
        for name, place in (("heart", (170.0, 30.0)), ("spoon", (170.0, 170.0)))
    )
    return Trial(
        size=(200.0, 200.0),
        walls=np.empty((0, 4)),
        barrier=np.empty((0, 4)),
        objects=(heart, spoon),
        agent=Body(Identity("anna"), corners[0], 6.0),
        path=path,
        barrier_left=np.zeros(len(path)),
    )


def test_a_motion_is_four_functions() -> None:
    city = msgspec.structs.replace(Model.preset("paper"), motion=City())
    up = walk_to((50, 110), (50, 90), (50, 70), (50, 50), (70, 50), (90, 50))
    posterior, _ = infer(city, Beliefs(), up)
    assert posterior.goal[-1][0] > 0.95
    # In a city all paths without detours are equally good: going on or turning wastes nothing.
    assert not posterior.likelihood.regret.step_regret[:, 0].any()
    judged = hbtom.judge(Episode((up, up, walk_to((50, 110), (50, 130), (50, 150)))), city)
    assert judged.surprise.goal > 0.5
    assert str(judged.trace().world).startswith("<PlaceWorld of 10 x 10 cells")


# A surprise: any function of a posterior


def longest_doubt(posterior: hbtom.Posterior) -> float:
    """Return the share of steps after which no goal was more likely than not."""
    return float((posterior.goal[1:].max(axis=1) <= 0.5).mean())


def test_a_surprise_is_a_function_of_a_posterior() -> None:
    straight = hbtom.judge(Episode((walk_to((50, 110), (80, 60), (110, 50), (150, 40)),)))
    assert longest_doubt(straight.test) < 0.5


# A reader: from bytes to an episode, which everything else accepts


def read_lines(data: bytes, name: str) -> Episode:
    """Read ``x y`` from each line, which is all this format has."""
    places = [tuple(map(float, line.split())) for line in data.decode().splitlines()]
    if not all(len(place) == 2 and all(map(math.isfinite, place)) for place in places):
        raise hbtom.BadInput("a line is not 'x y'").at(file=name)
    return Episode((walk_to(*places),), name)


def test_a_reader_returns_an_episode() -> None:
    episode = read_lines(b"50 110\n80 60\n110 50\n150 40", "walk.txt")
    assert hbtom.judge(episode).test.goal[-1][0] > 0.9
    with pytest.raises(hbtom.BadInput, match=r"walk\.txt"):
        read_lines(b"50 nan", "walk.txt")


# A rater: a name, a fingerprint, and ratings of both members


class ShortWalks:
    """Finds short walks plausible."""

    name = "short walks"
    fingerprint = "short-walks-1"
    columns: ClassVar = {"length": float}

    def rate(self, expected: Episode, unexpected: Episode) -> Sequence[Rating]:
        lengths = [
            float(np.hypot(*np.diff(one.test.whole_path, axis=0).T).sum())
            for one in (expected, unexpected)
        ]
        return [Rating(-length, {"length": length}) for length in lengths]


def test_a_rater_is_evaluated_like_a_model(tmp_path) -> None:
    from hbtom.bench.synth import generate

    generate(tmp_path, pairs=2, seed=1, tasks=["efficiency_irrational"])
    result = hbtom.evaluate(tmp_path, ShortWalks(), workers=1)
    assert result.overall.pairs == 2
    assert all(row.length > 0 for row in result.rows)
