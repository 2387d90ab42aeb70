"""Partly observed plans: some actions, and some information on the states they led to.

(unlock door-1)      ; an observed action
?                    ; an unobserved action
? => (has gem-a)     ; an unobserved action, after which a condition was observed to hold
...                  ; any number of unobserved actions, or none
... => (has gem-b)   ; the same, after which a condition was observed to hold
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput
from hbtom.world.pddl.goals import Goal, several
from hbtom.world.pddl.grounded_world import World, spoken
from hbtom.world.pddl.observed_plans import (
    MOST_STEPS,
    Plan,
    Step,
    condition,
    follow_plan,
    read_conditions,
    read_step,
)
from hbtom.world.pddl.plan_errors import wrong_step
from hbtom.world.pddl.problem import Ground
from hbtom.world.pddl.syntax import Form, bad, read_form, written_lines

UNSEEN, GAP = "?", "..."
NO_ACTION = -2  # where only a condition was observed
_ARROW = "=>"
_ACTIONS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, eq=False)
class PartialPlan:
    """A partly observed plan; each step is one action, observed or not.

    Before a step with a gap, there may be any number of unobserved actions.
    """

    world: World
    actions: Annotated[Ints, "step"]  # -1 if not observed, NO_ACTION if there was none
    held: tuple[Goal | None, ...] = ()  # the condition observed after each step, if any
    likelihood: Annotated[Floats, "step state"] | None = None  # P(observation | state after it)
    agent: str = "agent"
    name: str = "plan"
    lines: tuple[int, ...] = ()  # of the steps in their file
    gaps: tuple[bool, ...] = ()  # before each step; empty if there is none anywhere
    unknown: int = 0  # observations that were left out, because the world has no such actions

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps as they are written."""
        words = {-1: UNSEEN, NO_ACTION: GAP}
        known = [words.get(one) or spoken(self.world.actions[one]) for one in self.actions.tolist()]
        held = self.held or (None,) * len(self)
        return tuple(
            step if after is None else f"{step} => {after.formula}"
            for step, after in zip(known, held, strict=True)
        )

    def impossible(self, step: int) -> BadInput:
        """Return the error for a step that is impossible however those before it are filled in."""
        problem = f"step {step + 1}, {self.steps[step]}, is impossible after the steps before it"
        hint = "what is observed must be possible in the domain; each '?' is one action"
        if self.lines:
            return bad(self.lines[step], problem, hint).at(file=self.name)
        return BadInput(problem, hint=hint)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<PartialPlan {self.name!r} of {self.agent} in {len(self)} steps>"


SeenPlan = Plan | PartialPlan


def whole_plan(seen: PartialPlan) -> Plan:
    """Return the plan; it is an error if an action may not have been observed."""
    if any(seen.gaps) or (seen.actions < 0).any():
        hint = "say that there are no gaps (--whole), or use another engine"
        raise BadInput("some actions may not have been observed", hint=hint)
    lines = seen.lines or (1,) * len(seen)
    actions = (spoken(seen.world.actions[one]) for one in seen.actions.tolist())
    steps = [Step(read_form(one, line)) for one, line in zip(actions, lines, strict=True)]
    return follow_plan(seen.world, steps, agent=seen.agent, name=seen.name)


def check_plans(plans: object) -> tuple[SeenPlan, ...]:
    """Return observed plans as a tuple; anything else is an error."""
    hint = "give a list of plans, such as load_plan(world, file) returns"
    return several(plans, SeenPlan, "plan", hint)


def is_partial(text: str) -> bool:
    """Return whether a plan has actions that were not observed."""
    lines = written_lines(text, MOST_STEPS, "actions")
    return any(line.startswith((UNSEEN, GAP)) for _, line in lines)


def read_partial_plan(
    world: World, text: str, *, agent: str = "agent", name: str = "plan", strict: bool = True
) -> PartialPlan:
    """Read a plan in which ``?`` is an action that was not observed, ``...`` any number of them.

    Unless ``strict``, an action that the world does not have counts as not observed.
    """
    actions: list[int] = []
    held: list[Goal | None] = []
    lines: list[int] = []
    gaps: list[bool] = []
    gap, unknown = False, 0
    for line, written in written_lines(text, MOST_STEPS, "actions"):
        mark = next((mark for mark in (UNSEEN, GAP) if written.startswith(mark)), "")
        seen = _seen_after(written, mark, line) if mark else ()
        gap = gap or mark == GAP
        if mark == GAP and not seen:
            continue
        if mark:
            actions.append(-1 if mark == UNSEEN else NO_ACTION)
        else:
            step = read_step(written, line)
            seen, unobserved = step.seen, not strict and _unknown(world, step.action)
            unknown += unobserved
            actions.append(-1 if unobserved else _action(world, step.action, len(actions) + 1))
        held.append(condition(world, seen, line) if seen else None)
        lines.append(line)
        gaps.append(gap)
        gap = False
    numbers = np.array(actions, dtype=np.int64)
    some = tuple(gaps) if any(gaps) else ()
    return PartialPlan(world, numbers, tuple(held), None, agent, name, tuple(lines), some, unknown)


def read_observations(
    world: World, text: str, *, agent: str = "agent", name: str = "plan", strict: bool = False
) -> PartialPlan:
    """Read observations: a plan that says where its gaps are, or else some actions of a plan.

    In the second case, there may be a gap before every action. Actions that the world does not have
    are left out; with ``strict``, they are an error.
    """
    if is_partial(text):
        return read_partial_plan(world, text, agent=agent, name=name, strict=strict)
    found = [
        step
        for line, written in written_lines(text, MOST_STEPS, "observations")
        for step in _observed(written, line)
    ]
    known = [step for step in found if strict or not _unknown(world, step.action)]
    actions = [_action(world, step.action, number) for number, step in enumerate(known, start=1)]
    held = [condition(world, one.seen, one.action.line) if one.seen else None for one in known]
    return PartialPlan(
        world,
        np.array(actions, dtype=np.int64),
        tuple(held) if any(held) else (),
        agent=agent,
        name=name,
        lines=tuple(step.action.line for step in known),
        gaps=(True,) * len(known),
        unknown=len(found) - len(known),
    )


def _observed(written: str, line: int) -> list[Step]:
    """Return the actions on a line; conditions after an arrow were observed after the last one."""
    before, arrow, after = written.partition(_ARROW)
    steps = [Step(read_form(one, line), ()) for one in _ACTIONS.findall(before)]
    if not steps:
        hint = "write '(ACTION OBJECT ...)', one per line"
        raise bad(line, f"'{written[:60]}' is not an action", hint)
    if arrow:
        steps[-1] = Step(steps[-1].action, read_conditions(after, line))
    return steps


def _words(action: Form) -> Ground:
    return tuple(map(str, action.parts))


def _unknown(world: World, action: Form) -> bool:
    return _words(action) not in world.action_number


def _action(world: World, action: Form, step: int) -> int:
    number = world.action_number.get(_words(action))
    if number is None:
        raise wrong_step(world, world.initial, action, step)
    return number


def _seen_after(written: str, mark: str, line: int) -> tuple[Form, ...]:
    """Return the conditions that were observed after actions that were not."""
    after = written.removeprefix(mark).strip()
    if after and not after.startswith(_ARROW):
        hint = f"write '{mark}', or '{mark} => (CONDITION)' if its result was observed"
        raise bad(line, f"'{written[:60]}' is not an action", hint)
    return read_conditions(after.removeprefix(_ARROW), line) if after else ()
