"""Planning over knowledge, compared with value iteration in the belief MDP of small worlds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_mdp import BeliefMDP, cells_of, draw
from hbtom import Model, Trial
from hbtom.model import with_settings
from hbtom.observe import Body, Identity
from hbtom.plan import CONTINUOUS, GRID, cost_to_go
from hbtom.plan.knowledge_planning import Lookout, knowledge_costs, lookout, shares
from hbtom.plan.planning import plan_in
from hbtom.plan.stencil import legal_moves
from hbtom.world import PlaceWorld, see
from hbtom.world.sight_map import sight_map
from hbtom.world.text_gridworld import Gridworld

few = settings(max_examples=20)
seeds = st.integers(0, 2**32 - 1)
PAPER = Model.preset("paper")


def lookout_of(world: Gridworld) -> Lookout:
    """Return the input of planning for the heart, which may lie at any place of the map."""
    moved = (replace(world, things={"heart": mark}) for mark in world.whereabouts.places)
    worlds = tuple(see(PAPER, one.trial).world for one in moved)
    sight = sight_map(world.trial, 0, worlds[0], world.whereabouts.centres, walls_hide=True)
    return lookout(0, worlds, sight, lambda one: cost_to_go(one, GRID).cost, world.path[0])


def world_of(picture: str) -> Gridworld:
    return Gridworld(picture, {"heart": min(cells_of(picture.splitlines()))})


@few
@given(seeds, st.booleans())
def test_costs_match_the_belief_mdp(seed: int, sure: bool) -> None:
    rng = np.random.default_rng(seed)
    world = world_of(draw(rng))
    look, names = lookout_of(world), list(world.whereabouts.places)
    belief = rng.dirichlet(np.ones(len(names)))
    if sure:
        belief = np.eye(len(names))[rng.integers(len(names))]
    mdp = BeliefMDP(list(world.rows), cells_of(list(world.rows)))
    values = mdp.values(dict(zip(names, belief.tolist(), strict=True)))
    costs = knowledge_costs(look, belief[None])[0]
    assert len(costs) == 2 ** len(names) - 1
    for known, cost in costs.items():
        places = frozenset(names[j] for j in known)
        for cell in mdp.free:
            np.testing.assert_allclose(cost[0][cell], values[cell, places], rtol=0, atol=1e-9)


@few
@given(seeds)
def test_a_sure_agent_plans_as_if_there_were_one_place(seed: int) -> None:
    look = lookout_of(world_of(draw(np.random.default_rng(seed))))
    by_belief = knowledge_costs(look, np.eye(len(look.worlds)))
    for j, (costs, cost) in enumerate(zip(by_belief, look.attained, strict=True)):
        for known in (one for one in costs if j in one):
            np.testing.assert_array_equal(costs[known], cost)


@few
@given(seeds)
def test_beliefs_planned_together_do_not_affect_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    look = lookout_of(world_of(draw(rng)))
    many = len(look.worlds)
    beliefs = np.concatenate(
        [np.eye(many), np.full((1, many), 1 / many), rng.dirichlet([1] * many, 2)]
    )
    for one, costs in zip(beliefs, knowledge_costs(look, beliefs), strict=True):
        (alone,) = knowledge_costs(look, one[None])
        assert all((costs[known] == alone[known]).all() for known in alone)


@few
@given(seeds)
def test_costs_are_at_least_those_of_knowing_the_place(seed: int) -> None:
    """If everything is in sight, they are equal."""
    rng = np.random.default_rng(seed)
    look = lookout_of(world_of(draw(rng)))
    belief = rng.dirichlet(np.ones(len(look.worlds)))
    cost = knowledge_costs(look, belief[None])[0][frozenset(range(len(belief)))]
    knowing = sum(b * one for b, one in zip(belief, look.attained, strict=True))
    assert (cost >= knowing - 1e-9).all()
    everywhere = look._replace(sees=np.ones_like(look.sees))
    at_once = knowledge_costs(everywhere, belief[None])[0][frozenset(range(len(belief)))]
    np.testing.assert_allclose(at_once, knowing, rtol=1e-12)


def test_continuous_costs_solve_the_equation_of_the_belief_mdp() -> None:
    """If nothing is seen, it is one step further; otherwise the mean over what may be seen."""
    settings = {"motion.berth": 0.0, "motion.contact": False}
    model = with_settings(Model.preset("default"), settings)
    wall, places = [[96.0, 30.0, 8.0, 140.0]], [(131.0, 63.0), (131.0, 137.0), (171.0, 101.0)]
    trials = [trial_of(place, wall) for place in places]
    seen = [see(model, one) for one in trials]
    world, steps = seen[0].world, seen[0].trajectory
    sight = sight_map(trials[0], 0, world, np.array(places), walls_hide=True)

    def plan(one: PlaceWorld) -> np.ndarray:
        return plan_in(model.motion, one, steps, True).cost

    worlds = tuple(one.world for one in seen)
    look = lookout(0, worlds, sight, plan, world.cell_of(41.0, 99.0)[::-1])
    belief = np.array([0.5, 0.3, 0.2])
    costs = knowledge_costs(look, belief[None])[0]
    cost, free = costs[frozenset([0, 1, 2])][0], ~world.blocked[0]
    dark, one_step = free & ~look.sees.any(axis=0), np.full(cost.shape, np.inf)
    for legal, move in zip(
        legal_moves(world.blocked[0], CONTINUOUS), CONTINUOUS.moves, strict=True
    ):
        after = np.roll(cost, (-move[0], -move[1]), axis=(0, 1))
        way = world.costs.cell * CONTINUOUS.length(move)
        one_step = np.where(legal, np.minimum(one_step, way + after), one_step)
    np.testing.assert_allclose(cost[dark], one_step[dark], rtol=1e-12)
    assert dark.any()
    for row, column in np.argwhere(free & look.sees.any(axis=0)).tolist():
        sees = frozenset(np.flatnonzero(look.sees[:, row, column]).tolist())
        left = frozenset([0, 1, 2]) - sees
        told = sum(belief[j] * look.attained[j][0, row, column] for j in sees)
        rest = belief[list(left)].sum() * costs[left][0, row, column] if left else 0.0
        np.testing.assert_allclose(cost[row, column], told + rest, rtol=1e-12)


def trial_of(place: tuple[float, float], walls: list[list[float]]) -> Trial:
    heart, agent = Body(Identity("heart"), place, 9.0), Body(Identity("agent"), (41.0, 99.0), 6.0)
    path = np.array([agent.centre])
    return Trial((200.0, 200.0), np.array(walls), np.zeros((0, 4)), (heart,), agent, path, [0.0])


def test_a_place_that_cannot_be_reached_does_not_count() -> None:
    world = world_of("1#@.2\n##...\n....3")
    look = lookout_of(world)
    belief = np.array([0.5, 0.4, 0.1])
    assert shares(belief, frozenset([0, 1, 2]), look) == {1: 0.8, 2: 0.2}
    assert shares(belief, frozenset([0]), look) == {0: 1.0}
    cost = knowledge_costs(look, belief[None])[0][frozenset([0, 1])]
    np.testing.assert_array_equal(cost, look.attained[1])


def test_a_belief_that_was_proved_wrong_leaves_the_rest_equally_probable() -> None:
    look = lookout_of(world_of("1.#.2\n..@..\n3.#.4"))
    sure = np.array([1.0, 0.0, 0.0, 0.0])
    assert shares(sure, frozenset([1, 3]), look) == {1: 0.5, 3: 0.5}
