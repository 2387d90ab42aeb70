"""Cost-to-go of a few states where chance has a hand, and there are too many to know them all.

Labelled real-time dynamic programming (Bonet and Geffner 2003). A trial acts as looks best so far,
lets chance decide what comes of it, and on its way brings the cost of every state it visits up to
what its best choice costs:

    C(s) <- min over a of  cost(a) + sum over s' of P(s' | s, a) C(s')

Costs begin with what a goal costs at least, as A* finds it, so they only rise, and states that look
dear are never visited. A state is solved when neither its own cost nor that of any state to which
the best choices may lead from there rises by more than ``TOLERANCE`` of itself; then it is too low
by at most so much for every step that is still to be taken. Trials go on until the state asked for
is solved.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

import numpy as np

from hbtom.errors import BadInput
from hbtom.plan.chance import TOLERANCE
from hbtom.plan.landmarks import Estimates
from hbtom.plan.transitions import Transitions, almost_surely
from hbtom.world.pddl import Goal, World
from hbtom.world.pddl.states import expand, keys
from hbtom.world.pddl.world import Words, spoken

LONGEST = 1000  # steps of a trial; one that takes more may be caught where there is no way out
MOST_TRIALS = 100_000  # from one state
Outcomes = list[tuple[int, float]]  # states that may come about, and how probable each is
Choice = tuple[float, Outcomes]  # what it costs, and to which other states it leads


def check_costs(world: World) -> None:
    """Refuse actions that cost nothing: trials might be content with doing them for ever."""
    free = np.flatnonzero(world.cost == 0)
    if len(free):
        raise BadInput(
            f"{spoken(world.actions[free[0]])} costs nothing, there are too many states to know all"
            " of them, and much is left to chance",
            hint="let every action cost something, make the problem smaller, or allow more states",
        )


@dataclass
class Trials:
    """The trials towards one goal, and what they have learnt."""

    world: World
    goal: Goal
    estimates: Estimates
    seed: int = 0
    number: dict[bytes, int] = field(default_factory=dict)
    names: list[bytes] = field(default_factory=list)  # of states by their numbers
    values: list[float] = field(default_factory=list)  # what is known of C, for each number
    solved: list[bool] = field(default_factory=list)
    choices: list[list[Choice] | None] = field(default_factory=list)  # None: not looked at yet

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(self.seed)

    def cost(self, start: Annotated[Words, "word"]) -> float:
        """Return the least average cost of the goal from a state; infinite if it may be missed."""
        (state,) = self._numbers(start[None])
        for _ in range(MOST_TRIALS):
            if self.solved[state]:
                return self.values[state]
            self._try(state)
        raise BadInput(
            f"with so much left to chance, the goal '{self.goal.name}' takes too long to work out",
            hint="let actions succeed more often, make the problem smaller, or allow more states",
        )

    def _try(self, state: int) -> None:
        """Act from a state as looks best until the goal is reached, or what is left is solved."""
        visited: list[int] = []
        while not self.solved[state] and len(visited) < LONGEST:
            visited.append(state)
            best, outcomes = self._best(state)
            self._raise(state, best)
            if math.isfinite(best):
                self._look_at([after for after, _ in outcomes])
                state = self._happens(outcomes)
        if len(visited) == LONGEST:
            self._give_up_the_hopeless()
        while visited and self._check(visited.pop()):
            pass

    def _happens(self, outcomes: Outcomes) -> int:
        """Let chance decide between outcomes; staying, which is not among them, is tried again."""
        drawn = self._chance.random() * sum(probability for _, probability in outcomes)
        for after, probability in outcomes:
            drawn -= probability
            if drawn < 0:
                return after
        return outcomes[-1][0]

    def _best(self, state: int) -> tuple[float, Outcomes]:
        """Return what the best choice costs in all, and its outcomes.

        Who stays in a state tries again until something else happens, so its own cost is not in
        the sum:  [cost(a) + sum of P(s') C(s')] / [sum of P(s')]  over s' other than s.
        """
        self._look_at([state])
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
        """Label a state, and those to which its best choices may lead, as solved if they are."""
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
            self._look_at([after for after, _ in outcomes])
            waiting += [after for after, _ in outcomes if after not in met]
            met.update(after for after, _ in outcomes)
        for here in reversed(closed):
            if agree:
                self.solved[here] = True
            else:
                self._raise(here, self._best(here)[0])
        return self.solved[state]

    def _raise(self, state: int, cost: float) -> None:
        """Learn that a state costs at least so much; what is infinite needs no more learning."""
        self.values[state] = max(self.values[state], cost)
        self.solved[state] = math.isinf(cost)

    def _numbers(self, states: Annotated[Words, "state word"]) -> list[int]:
        """Return the numbers of states; those not met before begin with what they cost at least."""
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

    def _look_at(self, states: list[int]) -> None:
        """Work out what can be done in states, as far as that is not known and still matters."""
        new = [one for one in states if self.choices[one] is None and not self.solved[one]]
        if not new:
            return
        told = b"".join(self.names[one] for one in new)
        steps = expand(self.world, np.frombuffer(told, np.uint64).reshape(len(new), -1))
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

    def _give_up_the_hopeless(self) -> None:
        """Label states from which there is no sure way to the goal, nor to where nobody looked."""
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
