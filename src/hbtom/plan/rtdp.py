"""Cost-to-go of a few states with random outcomes, if there are too many states to explore all.

This is labelled real-time dynamic programming (Bonet and Geffner 2003). A trial takes the best
known choice, draws an outcome, and so on. Along its path, it raises the cost of every state to that
of its best choice:

    C(s) <- min over a of  cost(a) + sum over s' of P(s' | s, a) C(s')

Costs begin with the lower bounds that A* finds, so they can only rise, and states that look
expensive are never visited. A state is solved when its cost, and that of every state to which its
best choices may lead, rises by no more than ``TOLERANCE`` of itself. Then its cost is too low by at
most this much for every remaining step. Trials go on until the state in question is solved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from hbtom.errors import BadInput
from hbtom.plan.expected_cost import TOLERANCE
from hbtom.plan.landmarks import Estimates
from hbtom.plan.transitions import Transitions, almost_surely
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.grounded_world import State, States, spoken
from hbtom.world.pddl.states import expand, keys

LONGEST = 1000  # steps of a trial; a longer one may be caught in a dead end
MOST_TRIALS = 100_000  # from one state
Outcomes = list[tuple[int, float]]  # possible states, each with its probability
Choice = tuple[float, Outcomes]  # its cost, and the other states it leads to


def check_costs(world: World) -> None:
    """Reject actions that cost nothing: trials might repeat them forever."""
    free = np.flatnonzero(world.cost == 0)
    if len(free):
        raise BadInput(
            f"{spoken(world.actions[free[0]])} costs nothing, which is not supported if outcomes"
            " are random and there are too many states to explore all",
            hint="give every action a cost, make the problem smaller, or allow more states",
        )


@dataclass
class Trials:
    """The trials for one goal, and what they have learned."""

    world: World
    goal: Goal
    estimates: Estimates
    seed: int = 0
    number: dict[bytes, int] = field(default_factory=dict)
    names: list[bytes] = field(default_factory=list)  # of states, by number
    values: list[float] = field(default_factory=list)  # lower bounds on C, by number
    solved: list[bool] = field(default_factory=list)
    choices: list[list[Choice] | None] = field(default_factory=list)  # None: not expanded yet

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(self.seed)

    def cost(self, start: State) -> float:
        """Return the least average cost of the goal from a state; infinite if plans may fail."""
        (state,) = self._numbers(start[None])
        for _ in range(MOST_TRIALS):
            if self.solved[state]:
                return self.values[state]
            self._try(state)
        raise BadInput(
            f"the average cost of the goal '{self.goal.name}' takes too long to compute",
            hint="make actions succeed more often or the problem smaller, or allow more states",
        )

    def _try(self, state: int) -> None:
        """Take the best choices from a state until the goal or a solved state is reached."""
        visited: list[int] = []
        while not self.solved[state] and len(visited) < LONGEST:
            visited.append(state)
            best, outcomes = self._best(state)
            self._raise(state, best)
            if math.isfinite(best):
                self._expand([after for after, _ in outcomes])
                state = self._draw(outcomes)
        if len(visited) == LONGEST:
            self._label_hopeless()
        while visited and self._check(visited.pop()):
            pass

    def _draw(self, outcomes: Outcomes) -> int:
        """Draw an outcome; staying in the same state is not among them."""
        drawn = self._chance.random() * sum(probability for _, probability in outcomes)
        for after, probability in outcomes:
            drawn -= probability
            if drawn < 0:
                return after
        return outcomes[-1][0]

    def _best(self, state: int) -> tuple[float, Outcomes]:
        """Return the total cost of the best choice, and its outcomes.

        A choice that stays in its state is repeated until something else happens, so that its cost
        is  [cost(a) + sum of P(s') C(s')] / [sum of P(s')]  over s' other than s.
        """
        self._expand([state])
        best, outcomes = math.inf, []
        for price, after in self.choices[state] or ():
            total = leaves = 0.0
            for other, probability in after:
                total += probability * self.values[other]
                leaves += probability
            if leaves > 0 and (price + total) / leaves < best:
                best, outcomes = (price + total) / leaves, after
        return best, outcomes

    def _check(self, state: int) -> bool:
        """Label a state, and those to which its best choices may lead, if they are solved."""
        waiting, met, agree = [state], {state}, True
        closed = []
        while waiting:
            here = waiting.pop()
            if self.solved[here]:
                continue
            closed.append(here)
            best, outcomes = self._best(here)
            if best - self.values[here] > TOLERANCE * best or math.isinf(best):
                agree = False
                continue
            self._expand([after for after, _ in outcomes])
            waiting += [after for after, _ in outcomes if after not in met]
            met.update(after for after, _ in outcomes)
        for here in reversed(closed):
            if agree:
                self.solved[here] = True
            else:
                self._raise(here, self._best(here)[0])
        return self.solved[state]

    def _raise(self, state: int, cost: float) -> None:
        """Raise the cost of a state; a state of infinite cost is solved."""
        self.values[state] = max(self.values[state], cost)
        self.solved[state] = math.isinf(cost)

    def _numbers(self, states: States) -> list[int]:
        """Return the numbers of states; new states begin with their lower bounds."""
        self.estimates.add(states)
        names = keys(states)
        new = {name: row for row, name in enumerate(names) if name not in self.number}
        reached = self.goal.holds(states[list(new.values())])
        for name, done in zip(new, reached.tolist(), strict=True):
            least = 0.0 if done else self.estimates.ahead[name]
            self.number[name] = len(self.names)
            self.names.append(name)
            self.values.append(least)
            self.solved.append(done or math.isinf(least))
            self.choices.append(None)
        return [self.number[name] for name in names]

    def _expand(self, states: list[int]) -> None:
        """Expand the states that are neither expanded nor solved yet."""
        new = [one for one in states if self.choices[one] is None and not self.solved[one]]
        if not new:
            return
        names = b"".join(self.names[one] for one in new)
        steps = expand(self.world, np.frombuffer(names, np.uint64).reshape(len(new), -1))
        after = zip(self._numbers(steps.after), steps.probability.tolist(), strict=True)
        found: list[list[Choice]] = [[] for _ in new]
        prices = self.world.cost[steps.action].tolist()
        for row, price, many in zip(
            steps.state.tolist(), prices, steps.outcomes.tolist(), strict=True
        ):
            others: dict[int, float] = {}
            for other, probability in islice(after, many):
                if other != new[row]:
                    others[other] = others.get(other, 0.0) + probability
            found[row].append((price, list(others.items())))
        for one, choices in zip(new, found, strict=True):
            self.choices[one] = choices

    def _label_hopeless(self) -> None:
        """Label as hopeless the states that cannot surely reach the goal or an unexpanded state."""
        known = [[] if self.solved[one] else some or [] for one, some in enumerate(self.choices)]
        choices = [choice for some in known for choice in some]
        outcomes = [outcome for _, after in choices for outcome in after]
        transitions = Transitions(
            np.cumsum([0, *map(len, known)]),
            np.array([price for price, _ in choices]),
            np.cumsum([0, *(len(after) for _, after in choices)]),
            np.array([after for after, _ in outcomes], dtype=np.int64),
            np.array([probability for _, probability in outcomes]),
        )
        looked = np.array([some is not None for some in self.choices])
        hopeful = np.isfinite(self.values) & (np.array(self.solved) | ~looked)
        sure, _ = almost_surely(transitions, hopeful)
        for state in np.flatnonzero(~sure).tolist():
            self.values[state], self.solved[state] = math.inf, True
