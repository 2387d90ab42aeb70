"""Regret in any domain: all legal actions in the states that a plan passes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, Ints
from hbtom.mind.lapses import unexplained
from hbtom.mind.regret import Actions, Regret, price_regret, share_done
from hbtom.observe import Identity
from hbtom.plan.graph import GraphCosts
from hbtom.world.pddl import Plan, StatePath, follow

OTHER_GOAL = Identity("something else")  # not among the goals: an agent that has it acts at random


def graph_regret(
    plans: GraphCosts,
    plan: Plan,
    path: StatePath | None = None,
    *,
    something_else: bool = False,
    mistakes: bool = False,
    random: bool = False,
) -> Regret:
    """Return the regret of a plan that was seen, for every goal and perhaps for something else.

        regret(a) = max over legal a' of Q(s, a')  -  Q(s, a)

    Chance is the same for every goal, so the agent's actions are evidence, but their outcomes are
    not. Where no action leads to a goal any more, all are equal. A step that makes every remaining
    goal impossible carries no information, unless it may be one of the agent's ``mistakes``, or the
    agent may move at ``random`` in the whole trial.
    """
    state, taken = follow(plans.graph, plan) if path is None else path
    options = _options(plans, state[:-1])
    step_regret = options[np.arange(len(plan)), taken]
    goals, reachable = goals_of(plans, int(state[0]), something_else=something_else)
    warnings: tuple[str, ...] = ()
    if not (something_else or mistakes):
        lost = unexplained(step_regret[:, :, None], reachable, switching=False)
        if random:  # which explains such steps, among all that are legal
            mistakes = bool(lost.any())
        else:
            step_regret, options = _without(lost, step_regret, options)
            told = (f"step {n + 1}, {plan.steps[n]}, makes" for n in np.flatnonzero(lost))
            warnings = tuple(f"{step} every goal impossible; it is left out" for step in told)
    if something_else:
        legal = options.min(axis=2, keepdims=True) < np.inf
        options = np.concatenate([options, np.where(legal, 0.0, np.inf)], axis=2)
        step_regret = np.concatenate([step_regret, np.zeros((len(plan), 1))], axis=1)
    frame = np.arange(1, len(plan) + 1)
    choice = Actions(options, legal=np.diff(plans.graph.choices)[state[:-1]] if mistakes else None)
    return Regret(goals, reachable, frame, step_regret, choice, warnings)


def foreseen_regrets(
    plans: GraphCosts,
    ahead: Sequence[GraphCosts],
    plan: Plan,
    path: StatePath,
    *,
    something_else: bool = False,
) -> tuple[Regret, ...]:
    """Return the regret of a plan for agents of each depth, which expect the costs ``ahead``.

    They choose among the goals that are reachable, or appear so to agents of at least one depth.
    """
    _, reachable = goals_of(plans, int(path.state[0]), something_else=something_else)
    first, last = plans.graph.choices[path.state[0] : path.state[0] + 2]
    for costs in ahead:
        reachable[: len(plans.goals)] |= (costs.prices(first, last) < np.inf).any(axis=1)
    share = share_done(plan.world.cost[plan.actions], plans.cost[:, path.state[0]])
    how = {"something_else": something_else, "mistakes": True}
    some = (graph_regret(costs, plan, path, **how) for costs in ahead)
    return tuple(replace(one, reachable=reachable, share=share) for one in some)


def goals_of(
    plans: GraphCosts, state: int, *, something_else: bool
) -> tuple[tuple[Identity, ...], Annotated[Bools, "goal"]]:
    """Return all goals, and which are reachable from a state; ``something else`` always is."""
    goals, reachable = (Identity(goal.name) for goal in plans.goals), plans.cost[:, state] < np.inf
    if something_else:
        return (*goals, OTHER_GOAL), np.append(reachable, True)
    return tuple(goals), reachable


def _options(
    plans: GraphCosts, state: Annotated[Ints, "step"]
) -> Annotated[Floats, "step option goal"]:
    """Return the regret of every legal action, padded with infinity."""
    graph = plans.graph
    first, last = graph.choices[state], graph.choices[state + 1]
    options = np.full((len(state), (last - first).max(initial=1), len(plans.goals)), np.inf)
    for step, (start, stop) in enumerate(zip(first, last, strict=True)):
        price = plans.prices(start, stop)
        options[step, : stop - start] = price_regret(price, price.min(axis=1, keepdims=True)).T
    return options


def _without(
    lost: Annotated[Bools, "step"],
    step_regret: Annotated[Floats, "step goal"],
    options: Annotated[Floats, "step option goal"],
) -> tuple[Floats, Floats]:
    """Leave out steps: each then counts as the only available action."""
    only = np.where(np.arange(options.shape[1]) == 0, 0.0, np.inf)[:, None]
    alone, kept = lost[:, None, None], np.where(lost[:, None], 0.0, step_regret)
    return kept, np.where(alone, only, options)
