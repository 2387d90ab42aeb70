"""What the model expects: agents drawn from its priors, acting by its policy.

g ~ uniform over what can be reached,    beta ~ P(beta),    a_t ~ pi(. | s_t, g, beta)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput
from hbtom.mind.regret import price_regret
from hbtom.model import Model, find_model
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world.pddl import Goal, PartialPlan, Plan, SeenPlan, check_goals, explore

MOST_STEPS = 1000  # of a plan that does not get to its goal


@dataclass(frozen=True, eq=False)
class Simulated:
    """An agent that was made up, and what is seen of what it does."""

    goal: Goal
    efficiency: float
    plan: Plan  # all that it does
    seen: SeenPlan  # the same, or as much of it as is seen


def simulate(
    goals: Sequence[Goal] | GraphCosts,
    model: Model | str | os.PathLike[str] = "paper",
    *,
    seed: int | Sequence[int] = 0,
    unseen: float = 0.0,
    most: int = MOST_STEPS,
) -> Simulated:
    """Draw an agent from a model's priors, and let it act until it has its goal.

    ``unseen`` is the probability that an action is not seen, for each by itself; ``most`` is the
    number of actions after which it is stopped. The same seed draws the same agent. To draw many,
    plan once, and give ``plan_on_graph(explore(world), goals)`` instead of goals.
    """
    if not 0 <= unseen <= 1:
        raise BadInput(f"{unseen} is no probability", hint="it is between 0 and 1")
    plans = goals if isinstance(goals, GraphCosts) else _planned(goals)
    prior, rng = find_model(model).efficiency, np.random.default_rng(seed)
    can = np.flatnonzero(plans.cost[:, 0] < np.inf)
    if not len(can):
        raise BadInput("no goal can be reached", hint="an agent needs something to want")
    goal = int(rng.choice(can))
    efficiency = float(rng.choice(prior.values, p=np.exp(prior.log_prior)))
    plan = _acted(plans, goal, efficiency, rng, most)
    hidden = rng.random(len(plan)) < unseen
    seen: SeenPlan = plan
    if hidden.any():
        seen = PartialPlan(plan.world, np.where(hidden, -1, plan.actions))
    return Simulated(plans.goals[goal], efficiency, plan, seen)


def _planned(goals: Sequence[Goal]) -> GraphCosts:
    some = check_goals(goals)
    return plan_on_graph(explore(some[0].world), some)


def _acted(
    plans: GraphCosts, goal: int, efficiency: float, rng: np.random.Generator, most: int
) -> Plan:
    """Act by the policy until the goal holds."""
    graph = plans.graph
    state, states = 0, [0]
    actions: list[int] = []
    while not plans.goals[goal].holds(graph.states[state : state + 1])[0] and len(actions) < most:
        first, last = (int(one) for one in graph.choices[state : state + 2])
        if first == last:
            break
        choice = first + int(
            rng.choice(last - first, p=policy(plans, first, last, goal, efficiency))
        )
        began, ended = (int(one) for one in graph.outcomes[choice : choice + 2])
        chance = graph.probability[began:ended]
        state = int(graph.target[began + int(rng.choice(ended - began, p=chance / chance.sum()))])
        states.append(state)
        actions.append(int(graph.action[choice]))
    return Plan(graph.world, np.array(actions, dtype=np.int64), graph.states[states])


def policy(
    plans: GraphCosts, first: int, last: int, goal: int, efficiency: float
) -> Annotated[Floats, "choice"]:
    """Return pi(a | s, g, beta) ~ exp(beta Q) of the choices of a state, first to last - 1."""
    price = plans.prices(first, last)[goal]
    weight: Floats = np.exp(-efficiency * price_regret(price, price.min()))
    return weight / weight.sum()
