"""The exact filter for plans with gaps: sums over all ways to fill them, and over wrong sights.

Between two observations, each action is seen with probability 1/2, so belief in where the agent is
goes through any number of unseen actions:

    v(s) = sum over h of  (1/2)^h [T^h a](s),      T(s' | s) = sum over u of pi(u | s) P(s' | s, u)

Then an action is observed. It is wrong with probability e, and any action of the world then:

    a'(s') = (1 - e) 1/2 sum over s, u that looks like o of  v(s) pi(u | s) P(s' | s, u)
             + e v(s') / number of actions

Without a gap, the next action is observed for sure (1 instead of 1/2, and h = 0). Observed facts
weigh states by 1 - e if they hold, and by e if not. The rate e is one of a few, each as probable.
What is less probable than 1e-7 is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, Ints, read_only
from hbtom.compiled import kernel, part
from hbtom.errors import BadInput
from hbtom.mind.regret import Efficiencies, LogSteps
from hbtom.plan.graph import GraphCosts
from hbtom.world.pddl import PartialPlan
from hbtom.world.pddl.partial import NO_ACTION

SEEN = 0.5  # probability that an action beside a gap is observed
LEAST = 1e-7  # a probability, of a state
_REST = 1e-4  # a probability, of still more unseen actions


class Moves(NamedTuple):
    """A graph of states, and how an agent moves on it."""

    choices: Annotated[Ints, "state+1", FROZEN]
    looks: Annotated[Ints, "choice", FROZEN]  # like which action
    cost: Annotated[Floats, "choice", FROZEN]
    outcomes: Annotated[Ints, "choice+1", FROZEN]
    target: Annotated[Ints, "outcome", FROZEN]
    probability: Annotated[Floats, "outcome", FROZEN]
    stops: bool  # where its goal is reached


class Seen(NamedTuple):
    """What was observed."""

    action: Annotated[Ints, "step", FROZEN]  # -1 any, NO_ACTION none
    gap: Annotated[Bools, "step", FROZEN]
    fact: Annotated[Ints, "step", FROZEN]  # which of the conditions was observed, or -1
    holds: Annotated[Bools, "condition state", FROZEN]
    names: int  # how many actions there are


class Policy(NamedTuple):
    """How an agent of one goal and efficiency chooses."""

    to_go: Annotated[Floats, "state", FROZEN]
    beta: float
    share: Annotated[Floats, "choice"]  # pi(u | s) where it is known, else -1


@dataclass(frozen=True, eq=False)
class GapFilter:
    """A filter without its efficiencies: called with these, it returns the likelihood."""

    plans: GraphCosts
    partial_plan: PartialPlan
    something_else: bool = False  # whether the agent may have another goal, and act at random
    wrong: tuple[float, ...] = (0.0,)  # the rates of wrong observations that are possible
    stops: bool = False  # whether an agent is seen no more when it has reached its goal
    unit: float = 1.0  # of costs

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta); it is an error if no agent can do what was seen."""
        graph, to_go = self.plans.graph, self.plans.cost / self.unit
        looks = graph.world.looks_like[graph.action]
        moves = Moves(
            _frozen(graph.choices),
            _frozen(looks),
            _frozen(graph.cost / self.unit),
            _frozen(graph.outcomes),
            _frozen(graph.target),
            _frozen(graph.probability),
            self.stops,
        )
        seen, rates = self._seen(), np.array(self.wrong)
        steps, goals = len(self.partial_plan), len(to_go)
        log = np.full((steps, goals + self.something_else, len(efficiency)), -np.inf)
        for goal in np.flatnonzero(np.isfinite(to_go[:, 0])).tolist():
            for which, beta in enumerate(efficiency.tolist()):
                log[:, goal, which] = _mixed(filter_gaps(moves, seen, to_go[goal], beta, rates))
        lost = np.isinf(log[:, :goals]).all(axis=(1, 2))
        if self.something_else or lost.any():
            moves = moves._replace(stops=False)
            anything = _mixed(filter_gaps(moves, seen, np.zeros(len(graph)), 0.0, rates))
            if np.isinf(anything).any():
                raise self.partial_plan.impossible(int(np.isinf(anything).argmax()))
            log[:, goals:] = anything[:, None, None]
        if lost.any() and not self.something_else:
            step = int(lost.argmax())
            told = f"step {step + 1}, {self.partial_plan.steps[step]}, fits none of the goals"
            raise BadInput(
                told, hint="there may be another goal: --something-else, or a wrong step"
            )
        return log

    def _seen(self) -> Seen:
        plan, states = self.partial_plan, self.plans.graph.states
        conditions = [one for one in plan.held if one is not None]
        fact = np.full(len(plan), -1)
        fact[[one is not None for one in plan.held or (None,) * len(plan)]] = range(len(conditions))
        holds = np.array([one.holds(states) for one in conditions], dtype=np.bool_)
        gaps = np.array(plan.gaps or (False,) * len(plan), dtype=np.bool_)
        names = len(np.unique(plan.world.looks_like))
        holds = holds.reshape(-1, len(states))
        return Seen(_frozen(plan.actions), _frozen(gaps), _frozen(fact), _frozen(holds), names)


def _frozen(array: np.ndarray) -> np.ndarray:
    return read_only(np.ascontiguousarray(array))


def _mixed(log: Annotated[Floats, "rate step"]) -> Annotated[Floats, "step"]:
    """Return log P(o_t | o_<t), for rates that are equally probable at first."""
    before = np.zeros(len(log))
    whole = np.cumsum(log, axis=1).T
    ends = np.logaddexp.reduce(np.vstack([before, whole]), axis=1)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(ends[1:]), ends[1:] - ends[:-1], -np.inf)


@kernel
def filter_gaps(
    moves: Moves,
    seen: Seen,
    to_go: Annotated[Floats, "state"],
    beta: float,
    rates: Annotated[Floats, "rate"],
) -> Annotated[Floats, "rate step"]:
    """Return log P(o_t | o_<t) for an agent of one goal and efficiency, and for each rate."""
    log = np.full((len(rates), len(seen.action)), -np.inf)
    policy = Policy(to_go, beta, np.full(len(moves.cost), -1.0))
    belief, reached = np.zeros(len(to_go)), np.zeros(len(to_go))
    for which in range(len(rates)):
        belief[:] = 0.0
        belief[0] = 1.0
        active = np.zeros(1, dtype=np.int64)
        for step in range(len(seen.action)):
            looks, told = seen.action[step], 1.0 - rates[which]
            if seen.gap[step]:
                active = through_gap(moves, policy, belief, active)
                told *= SEEN
            after = active
            if looks == NO_ACTION:
                for state in active:
                    reached[state] = belief[state]
            else:
                after = move(moves, policy, belief, active, told, looks, reached)
            if looks >= 0 and rates[which] > 0.0:
                after = stay(belief, active, rates[which] / seen.names, after, reached)
            if seen.fact[step] >= 0:
                weigh(seen.holds[seen.fact[step]], rates[which], after, reached)
            total = 0.0  # added up in this order, compiled or not
            for state in after:
                total += reached[state]
            if total <= 0.0:
                break
            log[which, step] = np.log(total)
            belief[active] = 0.0
            belief[after] = reached[after] / total
            reached[after] = 0.0
            active = after[belief[after] > LEAST]
            for state in after:
                if belief[state] <= LEAST:
                    belief[state] = 0.0
    return log


@part
def stay(
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
    factor: float,
    after: Annotated[Ints, "some"],
    reached: Annotated[Floats, "state"],
) -> Annotated[Ints, "more"]:
    """Add the belief that nothing was done, where an observation is wrong."""
    new = active[reached[active] == 0.0]
    for state in active:
        reached[state] += factor * belief[state]
    return np.concatenate((after, new))


@part
def weigh(
    holds: Annotated[Bools, "state"],
    wrong: float,
    after: Annotated[Ints, "some"],
    reached: Annotated[Floats, "state"],
) -> None:
    """Weigh states by whether observed facts hold in them."""
    for state in after:
        reached[state] *= 1.0 - wrong if holds[state] else wrong


@part
def through_gap(
    moves: Moves,
    policy: Policy,
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
) -> Annotated[Ints, "more"]:
    """Let any number of actions go by unseen; return the states where the agent may be."""
    hidden, reached = np.zeros(len(belief)), np.zeros(len(belief))
    newest = active
    for state in active:
        hidden[state] = belief[state]
    mass = 1.0
    while mass > _REST:
        after = move(moves, policy, hidden, newest, 1.0 - SEEN, -1, reached)
        for state in newest:
            hidden[state] = 0.0
        mass = 0.0
        new = after[(belief[after] == 0.0) & (reached[after] > LEAST)]
        for state in after:
            if reached[state] > LEAST:
                hidden[state] = reached[state]
                belief[state] += reached[state]
                mass += reached[state]
            reached[state] = 0.0
        newest = after[hidden[after] > 0.0]
        active = np.concatenate((active, new))
    return active


@part
def move(
    moves: Moves,
    policy: Policy,
    belief: Annotated[Floats, "state"],
    active: Annotated[Ints, "some"],
    factor: float,
    looks: int,
    reached: Annotated[Floats, "state"],
) -> Annotated[Ints, "more"]:
    """Move belief on by actions that look like one, or by any (-1); return the states reached.

    What arrives is added to ``reached``.
    """
    count = 0
    found = np.empty(64, dtype=np.int64)
    for state in active:
        first, last = moves.choices[state], moves.choices[state + 1]
        if first == last or (moves.stops and policy.to_go[state] == 0.0):
            continue
        if policy.share[first] < 0.0:
            choose(moves, policy, first, last)
        for choice in range(first, last):
            flow = factor * belief[state] * policy.share[choice]
            if flow <= 0.0 or (looks >= 0 and moves.looks[choice] != looks):
                continue
            for outcome in range(moves.outcomes[choice], moves.outcomes[choice + 1]):
                target = moves.target[outcome]
                if reached[target] == 0.0:
                    if count == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                    found[count] = target
                    count += 1
                reached[target] += flow * moves.probability[outcome]
    return found[:count].copy()


@part
def choose(moves: Moves, policy: Policy, first: int, last: int) -> None:
    """Write down pi(u | s) ~ exp(-beta regret) for the choices of one state."""
    share, least = policy.share, np.inf
    for choice in range(first, last):
        price = moves.cost[choice]
        for outcome in range(moves.outcomes[choice], moves.outcomes[choice + 1]):
            price += moves.probability[outcome] * policy.to_go[moves.target[outcome]]
        share[choice] = price
        least = min(least, price)
    total = 0.0
    for choice in range(first, last):
        wasted = share[choice] - least if least < np.inf else 0.0
        share[choice] = np.exp(-policy.beta * wasted) if wasted < np.inf else 0.0
        total += share[choice]
    for choice in range(first, last):
        share[choice] /= total
