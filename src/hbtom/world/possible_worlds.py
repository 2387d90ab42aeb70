"""Possible worlds: what an agent may know when it sees only a part of its world.

A situation is the set of worlds that are still possible to the agent, each with its state. In each
state, three things tell worlds apart: the view, the actions that the agent can take, and the things
that it can have there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput

MOST_SITUATIONS = 20_000

Situation = tuple[tuple[int, int], ...]  # the possible worlds, each with its state


class PossibleWorld(NamedTuple):
    """A possible world. Actions, things and views have the same numbers in all of them."""

    choices: Annotated[Ints, "state+1"]  # where the choices of each state begin
    action: Annotated[Ints, "choice"]
    cost: Annotated[Floats, "choice"]
    target: Annotated[Ints, "choice"]
    view: Annotated[Ints, "state"]  # what the agent sees there
    offers: Annotated[Bools, "state thing"]  # whether it can have each thing there

    def leads(self, state: int) -> dict[int, tuple[float, int]]:
        """Return the cost of each action, and the state after it."""
        some = slice(*self.choices[state : state + 2])
        pairs = zip(self.cost[some].tolist(), self.target[some].tolist(), strict=True)
        return dict(zip(self.action[some].tolist(), pairs, strict=True))


class Situations(NamedTuple):
    """All situations that an agent can reach, and its choices in each."""

    number: dict[Situation, int]
    possible: Annotated[Bools, "situation world"]
    offers: Annotated[Bools, "situation thing"]
    choices: Annotated[Ints, "situation+1"]
    action: Annotated[Ints, "choice"]
    cost: Annotated[Floats, "choice"]
    outcomes: Annotated[Ints, "choice+1"]  # where they begin; several if the agent learns something
    target: Annotated[Ints, "outcome"]


def views(shown: Sequence[Annotated[np.ndarray, "state part"]]) -> list[Annotated[Ints, "state"]]:
    """Return the view in each state of each world, as a number: equal where the same is shown."""
    rows = np.concatenate(shown)
    number = np.unique(rows, axis=0, return_inverse=True)[1] if rows.shape[1] else rows.sum(axis=1)
    return np.split(number.ravel(), np.cumsum([len(one) for one in shown])[:-1])


def split_by_observation(worlds: Sequence[PossibleWorld], situation: Situation) -> list[Situation]:
    """Split a situation into those that the agent can tell apart by looking around."""
    parts = dict[object, list[tuple[int, int]]]()
    for number, state in situation:
        world = worlds[number]
        actions = world.action[slice(*world.choices[state : state + 2])].tobytes()
        seen = int(world.view[state]), actions, world.offers[state].tobytes()
        parts.setdefault(seen, []).append((number, state))
    return [tuple(part) for part in parts.values()]


def situations(
    worlds: Sequence[PossibleWorld], starts: Iterable[Situation], most: int = MOST_SITUATIONS
) -> Situations:
    """Return all situations that can be reached from the given ones."""
    number = dict[Situation, int]()
    for start in starts:
        for part in split_by_observation(worlds, start):
            number.setdefault(part, len(number))
    queue = list(number)
    choices, action, cost, outcomes, target = [0], list[int](), list[float](), [0], list[int]()
    for situation in queue:
        for one, (price, after) in _choices(worlds, situation).items():
            for part in split_by_observation(worlds, after):
                if part not in number:
                    number[part] = len(number)
                    queue.append(part)
                target.append(number[part])
            action.append(one)
            cost.append(price)
            outcomes.append(len(target))
        choices.append(len(action))
        if len(number) > most:
            hint = "make the world smaller, or reduce the number of possible worlds"
            raise BadInput(f"the agent can reach more than {most:,} situations", hint=hint)
    possible = np.zeros((len(number), len(worlds)), dtype=np.bool_)
    for index, situation in enumerate(number):
        possible[index, list(_worlds(situation))] = True
    return Situations(
        number,
        possible,
        np.array([worlds[one[0][0]].offers[one[0][1]] for one in number]),
        np.array(choices),
        np.array(action, dtype=np.int64),
        np.array(cost, dtype=np.float64),
        np.array(outcomes),
        np.array(target, dtype=np.int64),
    )


def _worlds(situation: Situation) -> tuple[int, ...]:
    return tuple(number for number, _ in situation)


def _choices(
    worlds: Sequence[PossibleWorld], situation: Situation
) -> dict[int, tuple[float, Situation]]:
    """Return the possible actions in a situation: the cost of each, and the situation after it."""
    leads = [worlds[number].leads(state) for number, state in situation]
    found = {}
    for action, (cost, _) in leads[0].items():
        if any(one[action][0] != cost for one in leads):
            hint = "an action must cost the same wherever the agent cannot tell worlds apart"
            raise BadInput(
                "the cost of an action depends on something the agent does not know", hint=hint
            )
        after = zip(_worlds(situation), (one[action][1] for one in leads), strict=True)
        found[action] = cost, tuple(after)
    return found


class Uncertain(NamedTuple):
    """The worlds that are possible to an agent at first, and the things that it may want."""

    things: tuple[str, ...]
    names: tuple[str, ...]  # of the worlds
    worlds: tuple[PossibleWorld, ...]
    lacking: tuple[bool, ...]  # for each world, whether a thing is absent that could be there
    hidden: tuple[bool, ...]  # for each thing, whether its place depends on the world
    facts: Mapping[str, tuple[bool, ...]] = {}  # by name, whether each holds in each world

    @property
    def there(self) -> Annotated[Bools, "world thing"]:
        """Whether each thing can be had somewhere in each world."""
        return np.array([world.offers.any(axis=0) for world in self.worlds])


class Walk(NamedTuple):
    """The actions of an agent, with the true world and the first state."""

    name: str
    truth: int
    state: int
    acts: tuple[int, ...]  # actions, STAY or HAVE
    words: tuple[str, ...]  # the names of the acts
    agent: str = ""  # walks of one agent share its wants; "" is a new agent each time


STAY, HAVE = -1, -2  # acts that are possible in every world


class Course(NamedTuple):
    """The situations along a walk, and the option that the agent chooses in each.

    The options are the choices of the situation, then waiting, then having what is there.
    """

    situation: Annotated[Ints, "1+step"]
    option: Annotated[Ints, "step"]


def start_of(worlds: Sequence[PossibleWorld], walk: Walk) -> Situation:
    """Return the situation of an agent that has not looked around yet."""
    return tuple((number, walk.state) for number in range(len(worlds)))


def follow(worlds: Sequence[PossibleWorld], some: Situations, walk: Walk) -> Course:
    """Return the situations along a walk, and the options chosen."""

    def seen(situation: Situation) -> int:
        parts = split_by_observation(worlds, situation)
        return some.number[next(part for part in parts if walk.truth in _worlds(part))]

    names = list(some.number)
    known, options = [seen(start_of(worlds, walk))], list[int]()
    for act in walk.acts:
        here = known[-1]
        first, last = some.choices[here : here + 2].tolist()
        if act in (STAY, HAVE):
            options.append(last - first + (act == HAVE))
            known.append(here)
        else:
            options.append(some.action[first:last].tolist().index(act))
            known.append(seen(_choices(worlds, names[here])[act][1]))
    return Course(np.array(known), np.array(options, dtype=np.int64))
