"""All reachable states, and the actions that lead from one to another.

    (state, action) -> outcomes, each a state with its probability

The search is breadth first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints, concat_ranges
from hbtom.compiled import Kernel
from hbtom.errors import BadInput
from hbtom.world.pddl.arithmetic import MOST_VALUES, TOO_MANY
from hbtom.world.pddl.enumeration import enumerate_states, rules_of
from hbtom.world.pddl.grounded_world import States, Words, World, bits
from hbtom.world.pddl.observed_plans import Plan
from hbtom.world.pddl.syntax import bad

MOST_STATES = 200_000
MOST_CHOICES = 2_500_000  # outcomes of choices in all of these states: about 400 MB
_AT_ONCE = 1 << 22  # facts, or ways to do an action, that are handled together


@dataclass(frozen=True, eq=False)
class StateGraph:
    """States, the possible actions in each (its choices), and where they lead."""

    world: World
    states: States  # the first is the initial state
    choices: Annotated[Ints, "state+1"]  # where the choices of each state begin
    action: Annotated[Ints, "choice"]  # in increasing order for each state
    outcomes: Annotated[Ints, "choice+1"]  # where the outcomes of each choice begin
    target: Annotated[Ints, "outcome"]
    probability: Annotated[Floats, "outcome"]

    @cached_property
    def cost(self) -> Annotated[Floats, "choice"]:
        return self.world.cost[self.action]

    def __len__(self) -> int:
        return len(self.states)

    def __repr__(self) -> str:
        return f"<StateGraph of {len(self)} states and {len(self.action)} choices>"


class TooManyStates(BadInput):
    """There are more states than allowed."""


@dataclass(frozen=True, eq=False)
class ActionTable:
    """The possible actions in several states, and the states after them."""

    state: Annotated[Ints, "choice"]
    action: Annotated[Ints, "choice"]
    outcomes: Annotated[Ints, "choice"]  # their number
    after: Annotated[Words, "outcome word"]
    probability: Annotated[Floats, "outcome"]


def explore(world: World, *, most: int = MOST_STATES) -> StateGraph:
    """Return the graph of all reachable states; it is an error if there are too many.

    Compiled or not, the graph is the same.
    """
    choices = max(MOST_CHOICES, most * MOST_CHOICES // MOST_STATES)
    find = _enumerated if Kernel.compiling else _layered
    graph = find(world, most, choices)
    if graph is None:
        raise TooManyStates(
            f"there are more than {most:,} states or {choices:,} outcomes of choices",
            hint="make the problem smaller, or allow more (--states, most=)",
        )
    _check_numbers(graph)
    return graph


def _check_numbers(graph: StateGraph) -> None:
    """Reject a graph in which a number has more values than there are facts for."""
    for fact, place in graph.world.number.items():
        if fact[0].endswith(TOO_MANY):
            word, bit = divmod(place, 64)
            if (graph.states[:, word] >> np.uint64(bit) & np.uint64(1)).any():
                outcomes = (o for one in graph.world.problem.domain.actions for o in one.outcomes)
                changes = (change.atom for one in outcomes for change in one.changes)
                line = next(atom.line for atom in changes if atom.name == fact[0])
                number = fact[0].removesuffix(TOO_MANY)
                problem = f"the number '{number}' has more than {MOST_VALUES} values"
                raise bad(line, f"{problem} in this problem", "bound it by a precondition")


def _enumerated(world: World, most: int, most_outcomes: int) -> StateGraph | None:
    """Return the graph, found state by state."""
    found = enumerate_states(world.initial.view(np.int64), rules_of(world), most, most_outcomes)
    if not found.complete:
        return None
    count = np.diff(world.outcomes)[found.action]
    outcome = concat_ranges(world.outcomes[found.action], count)
    ends = np.append(0, np.cumsum(count))
    states = found.states.view(np.uint64)
    likely = world.probability[outcome]
    return StateGraph(world, states, found.choices, found.action, ends, found.target, likely)


def _layered(world: World, most: int, most_outcomes: int) -> StateGraph | None:
    """Return the graph, found by expanding all of the newest states at once."""
    number = {world.initial.tobytes(): 0}
    newest, expanded, choices = world.initial[None], 0, 0
    parts: list[_Part] = []
    while len(newest):
        fresh = []
        for some in _chunks(world, newest):
            step, known = expand(world, some), len(number)
            target = [number.setdefault(key, len(number)) for key in keys(step.after)]
            numbers, first = np.unique(np.array(target, dtype=np.int64), return_index=True)
            fresh.append(step.after[first[numbers >= known]])
            parts.append(_part(step, expanded, target))
            expanded, choices = expanded + len(some), choices + len(step.after)
            if len(number) > most or choices > most_outcomes:
                return None
        newest = np.concatenate(fresh)
    return _graph(world, number, parts)


def around(world: World, states: States) -> StateGraph:
    """Return the graph of the given states and their successors, which have no choices."""
    number = {key: index for index, key in enumerate(dict.fromkeys(keys(states)))}
    step = expand(world, _states(number))
    target = [number.setdefault(key, len(number)) for key in keys(step.after)]
    return _graph(world, number, [_part(step, 0, target)])


def expand(world: World, states: States) -> ActionTable:
    """Return the possible actions in the given states, and their outcomes."""
    true = bits(states)
    state, way = _candidates(world, true)
    here = state * true.shape[1]
    fits = np.ones(len(way), dtype=np.bool_)
    for fact in world.need.T:
        fits &= true.ravel()[here + fact[way]]
    for fact in world.avoid.T:
        fits &= ~true.ravel()[here + fact[way]]
    many = len(world.actions)
    done = np.unique(state[fits] * many + world.action[way[fits]])  # once, even if in several ways
    state, action = done // many, done % many
    first = world.outcomes[action]
    count = world.outcomes[action + 1] - first
    outcome = concat_ranges(first, count)
    after = states[np.repeat(state, count)]
    row = np.arange(len(after))
    for fact in world.delete.T:
        after[row, fact[outcome] // 64] &= ~_bit(fact[outcome])
    for fact in world.add.T:
        after[row, fact[outcome] // 64] |= _bit(fact[outcome])
    return ActionTable(state, action, count, after, world.probability[outcome])


def _candidates(world: World, true: np.ndarray) -> tuple[Ints, Ints]:
    """Return pairs of a state and a way to do an action whose rarest needed fact is true."""
    way, first, facts = world.listed
    state, which = np.nonzero(true[:, facts])
    count = first[which + 1] - first[which]
    return np.repeat(state, count), way[concat_ranges(first[which], count)]


def _bit(fact: Annotated[Ints, "outcome"]) -> Annotated[Words, "outcome"]:
    return np.uint64(1) << (fact % 64).astype(np.uint64)


def keys(states: States) -> list[bytes]:
    """Return states as keys of a table."""
    return states.view(f"V{8 * states.shape[1]}").ravel().tolist()


_Part = tuple[Ints, Ints, Ints, Ints, Floats]  # of a graph: state, action, outcomes, target, ...


def _part(step: ActionTable, before: int, target: list[int]) -> _Part:
    to = np.array(target, dtype=np.int64)
    return step.state + before, step.action, step.outcomes, to, step.probability


def _graph(world: World, number: dict[bytes, int], parts: list[_Part]) -> StateGraph:
    state, action, outcomes, target, probability = (
        np.concatenate(some) for some in zip(*parts, strict=True)
    )
    first = np.searchsorted(state, np.arange(len(number) + 1))
    ends = np.concatenate([[0], np.cumsum(outcomes)])
    return StateGraph(world, _states(number), first, action, ends, target, probability)


def _states(number: dict[bytes, int]) -> States:
    return np.frombuffer(b"".join(number), dtype=np.uint64).reshape(len(number), -1)


def _chunks(world: World, states: States) -> Iterator[States]:
    """Yield as many states at a time as fit into memory with their choices."""
    size = max(_AT_ONCE // max(64 * world.words, len(world.action)), 1)
    for start in range(0, len(states), size):
        yield states[start : start + size]


class StatePath(NamedTuple):
    """The states that a plan passes through, and the choice that it takes in each."""

    state: Annotated[Ints, "1+step"]
    taken: Annotated[Ints, "step"]

    def __repr__(self) -> str:
        return f"<StatePath of {len(self.taken)} actions>"


def follow(graph: StateGraph, plan: Plan) -> StatePath:
    """Return the path of an observed plan through a graph of states."""
    states, taken = [0], []
    for action, after in zip(plan.actions, plan.states[1:], strict=True):
        first, last = graph.choices[states[-1] : states[-1] + 2]
        choice = first + np.searchsorted(graph.action[first:last], action)
        taken.append(choice - first)
        outcomes = graph.target[slice(*graph.outcomes[choice : choice + 2])]
        came = (graph.states[outcomes] == after).all(axis=1)
        states.append(outcomes[came.argmax()])
    return StatePath(np.array(states), np.array(taken, dtype=np.int64))
