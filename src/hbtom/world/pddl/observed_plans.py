"""Observed plans: a grounded action per line, and the states that they pass through."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Ints
from hbtom.errors import BadInput
from hbtom.world.pddl.goals import Goal, make_goal
from hbtom.world.pddl.grounded_world import State, Words, World, bits, spoken, words_of
from hbtom.world.pddl.plan_errors import unclear_step, wrong_step
from hbtom.world.pddl.problem import Ground
from hbtom.world.pddl.syntax import Form, bad, read_form, read_forms, short, written_lines

MOST_STEPS = 10_000  # of a plan
MOST_POSSIBLE = 1000  # states that are possible after a step
_ARROW = re.compile(r"(?<=[)\]])\s*=>")
_OBSERVE = "add what was observed after it, as in '{} => (CONDITION)'"
_STAMPED = re.compile(r"(?:\d+(?:\.\d+)?\s*:)?\s*(\(.*\))\s*(?:\[[\d.]+\])?", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Plan:
    """The observed actions of an agent, whatever its goal."""

    world: World
    actions: Annotated[Ints, "step"]
    states: Annotated[Words, "1+step word"]  # before each step, and after the last
    agent: str = "agent"
    name: str = "plan"

    @property
    def steps(self) -> tuple[str, ...]:
        """The actions as they are written."""
        return tuple(spoken(self.world.actions[action]) for action in self.actions)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<Plan {self.name!r} of {self.agent} in {len(self)} steps>"


class Step(NamedTuple):
    """An action as it is written, and what was observed after it, if anything."""

    action: Form
    seen: tuple[Form, ...] = ()


def read_plan(world: World, text: str, *, agent: str = "agent", name: str = "plan") -> Plan:
    """Read a plan as planners write it: an action in parentheses on each line.

    A number with a colon before it and a duration in brackets after it are ignored. An arrow and
    conditions that were observed after the action may follow: (grasp cup) => (holding cup).
    """
    lines = written_lines(text, MOST_STEPS, "actions")
    steps = [read_step(written, line) for line, written in lines]
    return follow_plan(world, steps, agent=agent, name=name)


def read_step(written: str, line: int) -> Step:
    """Read the action on a line, and what was observed after it, if anything."""
    action, *seen = _ARROW.split(written, maxsplit=1)
    stamped = _STAMPED.fullmatch(action)
    if stamped is None:
        hint = "write '(ACTION OBJECT ...)', one per line"
        raise bad(line, f"'{written[:60]}' is not an action", hint)
    return Step(read_form(stamped[1], line), read_conditions(seen[0], line) if seen else ())


def read_conditions(written: str, line: int) -> tuple[Form, ...]:
    """Read the conditions after an arrow, which were observed after an action."""
    nodes = read_forms(written, line)
    forms = tuple(node for node in nodes if isinstance(node, Form))
    if not forms or len(forms) < len(nodes):
        hint = "write what holds after the action, as in '(grasp cup) => (holding cup)'"
        raise bad(line, f"'{written[:60]}' is not a condition", hint)
    return forms


def follow_plan(
    world: World, steps: Sequence[Step], *, agent: str = "agent", name: str = "plan"
) -> Plan:
    """Execute a plan from the initial state; an impossible action is an error.

    If an action may lead to several states, only those remain that fit the conditions observed
    after it and from which the rest of the plan is possible. It is an error if more than one
    remains. The outcome of the last action does not matter; if it was not observed, it is the
    likeliest one.
    """
    layers = [{world.initial.tobytes(): _Possible(world.initial, 1.0)}]
    for number, step in enumerate(steps, start=1):
        layers.append(_after(world, layers[-1], step, number))
    states = _only_path(world, layers, steps)
    actions = [
        _taken(world, step, before, after)
        for step, before, after in zip(steps, states, states[1:], strict=False)
    ]
    return Plan(world, np.array(actions, dtype=np.int64), np.array(states), agent, name)


def _called(world: World, step: Step) -> list[int]:
    """Return the actions that are written like this step: one, or several of the same name."""
    first = world.action_number.get(_words(step.action))
    return [] if first is None else np.flatnonzero(world.looks_like == first).tolist()


def _taken(world: World, step: Step, before: State, after: State) -> int:
    """Return the first action that is written like this step and leads from state to state."""
    return next(
        action
        for action in _called(world, step)
        if any((state == after).all() for state, _ in _outcomes(world, before, action))
    )


def _words(step: Form) -> Ground:
    return tuple(map(str, step.parts))


@dataclass
class _Possible:
    """A possible state, and the states before it that lead to it."""

    state: State
    chance: float = 0.0
    before: set[bytes] = field(default_factory=set)


_Layer = dict[bytes, _Possible]


def _after(world: World, layer: _Layer, step: Step, number: int) -> _Layer:
    """Return the states that are possible after one more step."""
    after: _Layer = {}
    for (key, one), action in product(layer.items(), _called(world, step)):
        for state, chance in _outcomes(world, one.state, action):
            possible = after.setdefault(state.tobytes(), _Possible(state))
            possible.chance += one.chance * chance
            possible.before.add(key)
    if not after:
        raise wrong_step(world, _likeliest(layer).state, step.action, number)
    if step.seen:
        states = np.array([one.state for one in after.values()])
        fits = condition(world, step.seen, step.action.line).holds(states)
        after = {key: one for (key, one), fit in zip(after.items(), fits, strict=True) if fit}
    if not after:
        seen = " ".join(map(str, step.seen))
        problem = f"step {number}, {short(step.action)}, cannot have led to {seen}"
        raise bad(step.action.line, problem, "what is observed must be possible in the domain")
    if len(after) > MOST_POSSIBLE:
        problem = f"after step {number}, more than {MOST_POSSIBLE} states are possible"
        raise bad(step.action.line, problem, _OBSERVE.format(short(step.action)))
    return after


def condition(world: World, seen: Sequence[Form], line: int) -> Goal:
    """Return everything that was observed after an action as one condition."""
    whole = str(seen[0]) if len(seen) == 1 else f"(and {' '.join(map(str, seen))})"
    return make_goal(world, "what was observed", whole, line)


def _outcomes(world: World, state: State, action: int) -> Iterator[tuple[Words, float]]:
    """Yield the states to which an action may lead; none if it is impossible."""
    true = bits(state[None])[0]
    ways = slice(*np.searchsorted(world.action, [action, action + 1]))
    fits = true[world.need[ways]].all(axis=1) & ~true[world.avoid[ways]].any(axis=1)
    for outcome in range(*world.outcomes[action : action + 2]) if fits.any() else ():
        delete, add = (
            words_of(facts[outcome].tolist(), world.words) for facts in (world.delete, world.add)
        )
        yield (state & ~delete) | add, float(world.probability[outcome])


def _only_path(world: World, layers: Sequence[_Layer], steps: Sequence[Step]) -> list[Words]:
    """Return the states of a plan, if there is only one possibility."""
    last = _likeliest(layers[-1])
    states, kept = [last.state], set().union(*(one.before for one in layers[-1].values()))
    unclear: BadInput | None = None
    for number in range(len(steps) - 1, -1, -1):
        some = [layers[number][key] for key in kept]
        if len(some) > 1:  # report the first such step
            unclear = unclear_step(
                world, [one.state for one in some], steps[number - 1].action, number
            )
        states.append(some[0].state)
        kept = set().union(*(one.before for one in some))
    if unclear is not None:
        raise unclear
    return states[::-1]


def _likeliest(layer: _Layer) -> _Possible:
    return max(layer.values(), key=lambda one: one.chance)
