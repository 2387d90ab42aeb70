"""Things in the way, in whole trials: what is read is right, and walking around is no detour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

import hbtom
from episodes import HEART, SPOON, episode, read, trial
from hbtom import Model
from hbtom.mind.continuous import continuous_costs, continuous_regret
from hbtom.mind.noisy import _nearest
from hbtom.mind.waste import Waste
from hbtom.plan import CONTINUOUS, around, plan_costs_to_go
from hbtom.plan.field import fields
from hbtom.world import Phase, continuous_floor, continuous_trajectory
from worlds import odd_trial

DEFAULT = Model.preset("default")
COARSE = replace(DEFAULT.motion, cell=10.0)  # pure Python takes its time on a fine lattice


@pytest.mark.parametrize("contact", [True, False])
@pytest.mark.parametrize("first", [0, 20])
def test_what_is_read_is_the_same_as_if_everything_were_known(first: int, contact: bool) -> None:
    """The compiled planner stops as soon as it knows what will be read; here in plain Python."""
    motion = replace(COARSE, contact=contact)
    compared = 0
    for seed in range(first, first + 10):
        seen = odd_trial(seed)
        if not seen.items:
            continue
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(around, "fields", fields.__wrapped__)
            patch.setattr(around, "_entered", around._entered.__wrapped__)
            regret = continuous_regret(motion, DEFAULT.acts, seen, 1.7)
        floor = continuous_floor(seen, motion.cell, motion.clearance, motion.berth)
        trajectory = continuous_trajectory(seen, stride=motion.stride, final=DEFAULT.acts.final)
        key = None if seen.key is None else len(seen.objects)
        column, row = floor.cell_of(*seen.whole_path[0])
        costs = continuous_costs(motion, DEFAULT.acts, 1.7)
        plans = plan_costs_to_go(floor, CONTINUOUS, costs, key=key, first=(row, column))
        waste = Waste.of(plans, -1 if key is None else key)
        at_first = np.broadcast_to(seen.whole_path[0], (len(seen.items), 2))
        reachable = waste.to_go(at_first, Phase.START) < np.inf
        np.testing.assert_array_equal(regret.reachable, reachable)
        everywhere = _nearest(waste, trajectory, reachable, DEFAULT.acts.cost)
        np.testing.assert_allclose(regret.step_regret, everywhere.step_regret, atol=1e-9)
        compared += 1
    assert compared >= 5


def around_a_spoon() -> list[tuple[float, float]]:
    """Return the shortest way to a heart around a spoon, 18 pixels from its middle."""
    corners = [(30.0, 100.0), (82.0, 118.0), (118.0, 118.0), (160.0, 100.0)]
    walked = corners[:1]
    for one, other in pairwise(map(np.array, corners)):
        shares = np.linspace(0.0, 1.0, int(np.hypot(*(other - one)) / 2))[1:]
        walked += [tuple(one + share * (other - one)) for share in shares]
    return walked


def test_walking_around_a_thing_is_no_detour() -> None:
    things = [HEART.at(160, 100), SPOON.at(100, 100)]
    one = trial(around_a_spoon(), things)
    told = read(episode(one, one, one))
    now, before = (hbtom.judge(told, preset) for preset in ("default", "default-0.1"))
    wasted, thought = (one.test.likelihood.regret.step_regret[:, 0].sum() for one in (now, before))
    assert now.plausibility > 0.9
    assert wasted < 0.3 < thought


def test_a_thing_that_seals_the_way_is_walked_through() -> None:
    """Walls leave a gap that the spoon fills: there is no other way, so that this one is fine."""
    straight = [(float(x), 100.0) for x in range(30, 161, 2)]
    walls = [[[90, y], [20, 20]] for y in (0, 20, 40, 60, 120, 140, 160, 180)]
    sealed = trial(straight, [HEART.at(160, 100), SPOON.at(100, 100)], walls=walls)
    judgement = hbtom.judge(read(episode(sealed, sealed)))
    assert judgement.test.likelihood.regret.step_regret[:, 0].sum() < 0.5
