"""Things in the path, in whole trials: costs are right, and walking around is not a detour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

import hbtom
from episodes import HEART, SPOON, episode, read, trial
from floors import cell_by_cell
from hbtom import Model
from hbtom.mind.continuous import regret_at as regret_in_plans
from regrets import planned_at, regret_at
from worlds import odd_trial

DEFAULT = Model.preset("default")
COARSE = replace(DEFAULT.motion, cell=10.0)  # pure Python is slow on a fine lattice


@pytest.mark.parametrize("contact", [True, False])
@pytest.mark.parametrize("first", [0, 20])
def test_needed_costs_are_the_same_as_if_all_were_known(first: int, contact: bool) -> None:
    """The compiled planner stops once it knows the needed costs; here it is in plain Python."""
    model = replace(DEFAULT, motion=replace(COARSE, contact=contact))
    compared = 0
    for seed in range(first, first + 10):
        seen = odd_trial(seed)
        if not seen.items:
            continue
        with cell_by_cell():
            regret = regret_at(model, seen, 1.7)
        plans, steps = planned_at(model, seen, 1.7, everywhere=True)
        places = steps.start[None], steps.stop[None]
        by_goal, _, at_first = regret_in_plans(plans, steps, *places)
        reachable = at_first[:, 0] < np.inf
        np.testing.assert_array_equal(regret.reachable, reachable)
        everywhere = np.where(reachable, by_goal.T, 0.0)
        np.testing.assert_allclose(regret.step_regret, everywhere, atol=1e-9)
        compared += 1
    assert compared >= 5


def around_a_spoon() -> list[tuple[float, float]]:
    """Return the shortest path to a heart around a spoon, 18 pixels from its middle."""
    corners = [(30.0, 100.0), (82.0, 118.0), (118.0, 118.0), (160.0, 100.0)]
    walked = corners[:1]
    for one, other in pairwise(map(np.array, corners)):
        shares = np.linspace(0.0, 1.0, int(np.hypot(*(other - one)) / 2))[1:]
        walked += [tuple(one + share * (other - one)) for share in shares]
    return walked


def test_walking_around_a_thing_is_not_a_detour() -> None:
    things = [HEART.at(160, 100), SPOON.at(100, 100)]
    one = trial(around_a_spoon(), things)
    told = read(episode(one, one, one))
    now, before = (hbtom.judge(told, preset) for preset in ("default", "default-0.1"))
    wasted, thought = (one.test.likelihood.regret.step_regret[:, 0].sum() for one in (now, before))
    assert now.plausibility > 0.9
    assert wasted < 0.3 < thought


def test_a_thing_that_seals_the_path_is_walked_through() -> None:
    """The spoon fills the only gap in the walls, so walking through it wastes nothing."""
    straight = [(float(x), 100.0) for x in range(30, 161, 2)]
    walls = [[[90, y], [20, 20]] for y in (0, 20, 40, 60, 120, 140, 160, 180)]
    sealed = trial(straight, [HEART.at(160, 100), SPOON.at(100, 100)], walls=walls)
    judgement = hbtom.judge(read(episode(sealed, sealed)))
    assert judgement.test.likelihood.regret.step_regret[:, 0].sum() < 0.5
