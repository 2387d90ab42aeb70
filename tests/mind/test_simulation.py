"""Simulation-based calibration: agents drawn from the priors have correct posteriors.

Draw goal and efficiency from the prior, simulate what is seen, and infer. If inference is right,
the rank of the truth in the posterior is uniform; ties of a discrete grid are broken at random.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

import hbtom
from calibrated import rank, uniform
from domains import EXAMPLES, example
from hbtom import BadInput
from hbtom.mind import log_likelihood
from hbtom.mind.noisy_strides import stride_of
from hbtom.mind.partial_plan import partial_plan_regret
from hbtom.mind.particles import ParticleFilter
from hbtom.mind.simulate import policy
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world.pddl import PartialPlan, explore, load_goals
from planes import BETA, plane, seen_walk, steps_on

DRAWS = 120


def planned() -> GraphCosts:
    world = example("doors-keys-gems")
    goals = load_goals(world, EXAMPLES / "doors-keys-gems" / "goals.txt")
    return plan_on_graph(explore(world), goals)


def posterior(log_likelihood: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return P(goal, efficiency | everything seen), with equally probable goals."""
    log = log_likelihood.sum(axis=0) + np.log(prior)
    joint = np.exp(log - log.max())
    return joint / joint.sum()


# The exact filter, on a graph


def graph_ranks(factor: float) -> tuple[list[float], list[float]]:
    """Return ranks of goals and efficiencies; the observer assumes ``factor`` times the true."""
    plans, model = planned(), hbtom.Model.preset("paper")
    beta, prior = model.efficiency.values, np.exp(model.efficiency.log_prior)
    rng = np.random.default_rng(1)
    goals, betas = [], []
    for number in range(DRAWS):
        agent = hbtom.simulate(
            plans, model, seed=(7, number), unseen=0.5, most=6
        )  # none has reached its goal yet
        seen = PartialPlan(plans.graph.world, agent.seen.actions)
        log = log_likelihood(partial_plan_regret(plans, seen), factor * beta).log
        belief = posterior(log, prior)
        names = [goal.name for goal in plans.goals]
        goals.append(rank(belief.sum(axis=1), names.index(agent.goal.name), rng))
        betas.append(rank(belief.sum(axis=0), int(np.abs(beta - agent.efficiency).argmin()), rng))
    return goals, betas


def test_the_exact_filter_is_calibrated() -> None:
    goals, betas = graph_ranks(1.0)
    assert uniform(goals) > 0.01
    assert uniform(betas) > 0.01


def test_a_wrong_model_is_not_calibrated() -> None:
    goals, betas = graph_ranks(0.3)
    assert min(uniform(goals), uniform(betas)) < 1e-4


# The particle filter, on an open plane


def plane_ranks(assumed: float, noise: float = 4.0) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(3)
    goals, betas = [], []
    for number in range(DRAWS):
        goal, k = int(rng.integers(3)), int(rng.integers(len(BETA)))
        walk = seen_walk(rng, goal, float(BETA[k]), noise)
        strides = [stride_of(*part[:3], assumed, part[3]) for part in walk]
        everything, steps = np.ones(3, dtype=bool), steps_on(len(walk))
        particles = ParticleFilter(plane(), steps, strides, everything, assumed, 100, (11, number))
        belief = posterior(particles(BETA), np.full(len(BETA), 1.0 / len(BETA)))
        goals.append(rank(belief.sum(axis=1), goal, rng))
        betas.append(rank(belief.sum(axis=0), k, rng))
    return goals, betas


def test_the_particle_filter_is_calibrated() -> None:
    goals, betas = plane_ranks(assumed=4.0)
    assert uniform(goals) > 0.01
    assert uniform(betas) > 0.01


def test_mistaking_noise_for_motion_is_not_calibrated() -> None:
    _, betas = plane_ranks(assumed=0.01)
    assert uniform(betas) < 1e-4


# Simulated agents


def test_actions_are_as_frequent_as_the_policy_predicts() -> None:
    plans, model = planned(), hbtom.Model.preset("paper")
    beta, prior = model.efficiency.values, np.exp(model.efficiency.log_prior)
    first, last = plans.graph.choices[:2]
    expected = np.mean(
        [
            sum(p * policy(plans, first, last, goal, b) for p, b in zip(prior, beta, strict=True))
            for goal in range(len(plans.goals))
        ],
        axis=0,
    )
    drawn = [
        hbtom.simulate(plans, model, seed=(2, number), most=1).plan.actions[0]
        for number in range(1000)
    ]
    counts = [drawn.count(action) for action in plans.graph.action[first:last]]
    assert chisquare(counts, 1000 * expected).pvalue > 0.01


def test_a_simulated_agent_reaches_its_goal_and_depends_only_on_the_seed() -> None:
    plans = planned()
    one, same, other = (hbtom.simulate(plans, seed=seed) for seed in (4, 4, 8))
    assert one.goal.holds(one.plan.states[-1:])[0]
    assert one.plan.steps == same.plan.steps == one.seen.steps
    assert one.plan.steps != other.plan.steps
    hidden = hbtom.simulate(plans, seed=4, unseen=1.0)
    assert set(hidden.seen.steps) == {"?"}
    assert hidden.plan.steps == one.plan.steps


def test_bad_input_to_simulate_is_reported() -> None:
    with pytest.raises(BadInput, match="not a probability"):
        hbtom.simulate(planned(), unseen=1.5)
    for given, told in (
        ([], "there are no goals"),
        (planned().goals[0], "give \\[goal\\]"),
        ("goals.txt", "load_goals"),
        (example("doors-keys-gems"), "is not a list of goals"),
    ):
        with pytest.raises(BadInput, match=told):
            hbtom.simulate(given)  # type: ignore[arg-type]
