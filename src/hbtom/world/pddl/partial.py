"""Partly observed plans: some actions, and some information on the states they led to.

(unlock door-1)      ; an observed action
?                    ; an unobserved action
? => (has gem-a)     ; an unobserved action, after which a condition was observed to hold
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput
from hbtom.world.pddl.goals import Goal, several
from hbtom.world.pddl.plans import (
    MOST_STEPS,
    Plan,
    condition,
    read_conditions,
    read_step,
    wrong_step,
)
from hbtom.world.pddl.syntax import Form, bad, written_lines
from hbtom.world.pddl.world import World, spoken

UNSEEN = "?"
_ARROW = "=>"


@dataclass(frozen=True, eq=False)
class PartialPlan:
    """A partly observed plan; each step is one action, observed or not."""

    world: World
    actions: Annotated[Ints, "step"]  # -1 if not observed
    held: tuple[Goal | None, ...] = ()  # the condition observed after each step, if any
    likelihood: Annotated[Floats, "step state"] | None = None  # P(observation | state after it)
    agent: str = "agent"
    name: str = "plan"
    lines: tuple[int, ...] = ()  # of the steps in their file

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps as they are written."""
        known = [spoken(self.world.actions[one]) if one >= 0 else UNSEEN for one in self.actions]
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


def check_plans(plans: object) -> tuple[SeenPlan, ...]:
    """Return observed plans as a tuple; anything else is refused."""
    hint = "give a list of plans, such as load_plan(world, file) returns"
    return several(plans, SeenPlan, "plan", hint)


def is_partial(text: str) -> bool:
    """Return whether a plan has actions that were not observed."""
    return any(line.startswith(UNSEEN) for _, line in written_lines(text, MOST_STEPS, "actions"))


def read_partial_plan(
    world: World, text: str, *, agent: str = "agent", name: str = "plan"
) -> PartialPlan:
    """Read a plan in which ``?`` stands for each action that was not observed."""
    actions: list[int] = []
    held: list[Goal | None] = []
    lines: list[int] = []
    for line, written in written_lines(text, MOST_STEPS, "actions"):
        if written.startswith(UNSEEN):
            seen = _seen_after(written, line)
            actions.append(-1)
        else:
            step = read_step(written, line)
            seen = step.seen
            number = world.action_number.get(tuple(map(str, step.action.parts)))
            if number is None:
                raise wrong_step(world, world.initial, step.action, len(actions) + 1)
            actions.append(number)
        held.append(condition(world, seen, line) if seen else None)
        lines.append(line)
    return PartialPlan(
        world, np.array(actions, dtype=np.int64), tuple(held), None, agent, name, tuple(lines)
    )


def _seen_after(written: str, line: int) -> tuple[Form, ...]:
    """Return what was observed to hold after an action that was not observed."""
    after = written.removeprefix(UNSEEN).strip()
    if after and not after.startswith(_ARROW):
        hint = "write '?', or '? => (CONDITION)' if its result was observed"
        raise bad(line, f"'{written[:60]}' is not an action", hint)
    return read_conditions(after.removeprefix(_ARROW), line) if after else ()
