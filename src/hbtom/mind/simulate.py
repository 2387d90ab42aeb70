"""What the model expects: agents drawn from its priors, acting by its policy.

g ~ uniform over reachable goals,    beta ~ P(beta),    d ~ P(d)
a_t ~ pi(. | s_t, g, beta, d), or uniform with the probability of a lapse

If goals change, g is drawn anew before a step, as in :mod:`hbtom.mind.switching`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.regret import mean_cost, price_regret
from hbtom.model import AnyModel, Model, find_model
from hbtom.plan.foresight import plan_ahead
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world.pddl import Goal, PartialPlan, Plan, SeenPlan, check_goals, explore

MODEL = "paper"
MOST_STEPS = 1000  # of a plan that does not reach its goal


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated agent, and what is seen of its actions."""

    goal: Goal  # its last goal
    efficiency: float
    plan: Plan  # everything that it does
    seen: SeenPlan  # the plan, or the part of it that is seen
    foresight: float = math.inf
    goals: tuple[Goal, ...] = ()  # its goal at each step


def simulate(
    goals: Sequence[Goal] | GraphCosts,
    model: AnyModel = MODEL,
    *,
    seed: int | Sequence[int] = 0,
    unseen: float = 0.0,
    most: int = MOST_STEPS,
) -> Simulated:
    """Draw an agent from a model's priors, and let it act until it has reached its goal.

    ``unseen`` is the probability that an action is not seen, independently for each. ``most`` is
    the number of actions after which the agent is stopped. The same seed draws the same agent. To
    draw many, plan once, and pass ``plan_on_graph(explore(world), goals)`` instead of goals.
    """
    if not 0 <= unseen <= 1:
        hint = "give a number between 0 and 1"
        raise BadInput(f"unseen is {unseen}, which is not a probability", hint=hint)
    plans = goals if isinstance(goals, GraphCosts) else _planned(goals)
    model = find_model(model, MODEL)
    prior, rng = model.efficiency, np.random.default_rng(seed)
    can = np.flatnonzero(plans.cost[:, 0] < np.inf)
    if not len(can):
        raise BadInput("no goal can be reached", hint="an agent needs something to want")
    goal = int(rng.choice(can))
    efficiency = float(rng.choice(prior.values, p=np.exp(prior.log_prior)))
    depths, weights = model.foresight.depths, np.array(model.foresight.weights)
    depth = float(rng.choice(depths, p=weights)) if len(depths) > 1 else depths[0]
    agent = _Agent(model, plans, can, efficiency, depth)
    plan, had = agent.act(goal, rng, most)
    hidden = rng.random(len(plan)) < unseen
    seen: SeenPlan = plan
    if hidden.any():
        seen = PartialPlan(plan.world, np.where(hidden, -1, plan.actions))
    wanted = tuple(plans.goals[one] for one in had)
    last = wanted[-1] if had else plans.goals[goal]
    return Simulated(last, efficiency, plan, seen, depth, wanted)


def _planned(goals: Sequence[Goal]) -> GraphCosts:
    some = check_goals(goals)
    return plan_on_graph(explore(some[0].world), some)


@dataclass(frozen=True, eq=False)
class _Agent:
    """An agent that acts until it has reached its goal."""

    model: Model
    plans: GraphCosts
    can: Annotated[Ints, "some"]  # the goals that it may have
    efficiency: float
    depth: float

    def act(self, goal: int, rng: np.random.Generator, most: int) -> tuple[Plan, list[int]]:
        """Act by the policy; return the plan, and the goal at each step."""
        graph = self.plans.graph
        state, states, had = 0, [0], list[int]()
        actions: list[int] = []
        (ahead,) = plan_ahead(self.plans, [self.depth], np.arange(len(graph)))
        while not self._there(goal, state) and len(actions) < most:
            first, last = (int(one) for one in graph.choices[state : state + 2])
            if first == last:
                break
            chances = policy(ahead, first, last, goal, self.efficiency)
            if self.model.acts.lapse > 0 and rng.random() < self.model.acts.lapse:
                chances = np.full(last - first, 1.0 / (last - first))
            choice = first + int(rng.choice(last - first, p=chances))
            began, ended = (int(one) for one in graph.outcomes[choice : choice + 2])
            chance = graph.probability[began:ended]
            state = int(
                graph.target[began + int(rng.choice(ended - began, p=chance / chance.sum()))]
            )
            states.append(state)
            actions.append(int(graph.action[choice]))
            had.append(goal)
            if not self._there(goal, state):
                goal = self._next(goal, float(graph.cost[choice]), rng)
        return Plan(graph.world, np.array(actions, dtype=np.int64), graph.states[states]), had

    def _there(self, goal: int, state: int) -> bool:
        return bool(self.plans.goals[goal].holds(self.plans.graph.states[state : state + 1])[0])

    def _next(self, goal: int, spent: float, rng: np.random.Generator) -> int:
        """Return the goal after an action: another one, if it is drawn anew."""
        rate = self.model.goals.switching
        if rate == 0:
            return goal
        anew = -math.expm1(-rate * spent / mean_cost(self.plans.cost[:, 0]))
        return int(rng.choice(self.can)) if rng.random() < anew else goal


def policy(
    plans: GraphCosts, first: int, last: int, goal: int, efficiency: float
) -> Annotated[Floats, "choice"]:
    """Return pi(a | s, g, beta) ~ exp(beta Q) for the choices of a state, first to last - 1."""
    price = plans.prices(first, last)[goal]
    weight: Floats = np.exp(-efficiency * price_regret(price, price.min()))
    return weight / weight.sum()
