"""Plans that were seen in part: some actions, and something of the states that they led to.

(unlock door-1)      ; an action that was seen
?                    ; one that was not
? => (has gem-a)     ; one that was not, after which a condition was seen to hold
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
from hbtom.world.pddl.syntax import Form, bad, told_lines
from hbtom.world.pddl.world import World, spoken

UNSEEN = "?"
_ARROW = "=>"


@dataclass(frozen=True, eq=False)
class PartialPlan:
    """What was seen of a plan; each step is one action, seen or not."""

    world: World
    actions: Annotated[Ints, "step"]  # -1 for what was not seen
    held: tuple[Goal | None, ...] = ()  # what was seen to hold after each step; nothing, if none
    likelihood: Annotated[Floats, "step state"] | None = None  # P(what was seen | state after it)
    agent: str = "agent"
    name: str = "plan"
    lines: tuple[int, ...] = ()  # of the file that tells of the steps

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
        """Return the error for a step that no way to fill in those before it allows."""
        problem = f"step {step + 1}, {self.steps[step]}, can follow no steps that fit what was seen"
        hint = "what is seen must be possible in the domain; each '?' is one action"
        if self.lines:
            return bad(self.lines[step], problem, hint).at(file=self.name)
        return BadInput(problem, hint=hint)

    def __len__(self) -> int:
        return len(self.actions)

    def __repr__(self) -> str:
        return f"<Glimpses of {self.name!r} of {self.agent}, {len(self)} steps>"


SeenPlan = Plan | PartialPlan


def check_plans(plans: object) -> tuple[SeenPlan, ...]:
    """Return plans that were seen as a tuple; anything else is refused."""
    hint = "give a list of plans, each as load_plan(world, file) returns it"
    return several(plans, SeenPlan, "plan", hint)


def is_partial(text: str) -> bool:
    """Tell whether a file of actions has some that were not seen."""
    return any(told.startswith(UNSEEN) for _, told in told_lines(text, MOST_STEPS, "actions"))


def read_partial_plan(
    world: World, text: str, *, agent: str = "agent", name: str = "plan"
) -> PartialPlan:
    """Read a plan of which ``?`` stands for every action that was not seen."""
    actions: list[int] = []
    held: list[Goal | None] = []
    lines: list[int] = []
    for line, told in told_lines(text, MOST_STEPS, "actions"):
        if told.startswith(UNSEEN):
            seen = _seen_after(told, line)
            actions.append(-1)
        else:
            step = read_step(told, line)
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


def _seen_after(told: str, line: int) -> tuple[Form, ...]:
    """Return what was seen to hold after an action that was not seen."""
    after = told.removeprefix(UNSEEN).strip()
    if after and not after.startswith(_ARROW):
        hint = "write '?', or '? => (CONDITION)' if it was seen what came of it"
        raise bad(line, f"'{told[:60]}' is no action", hint)
    return read_conditions(after.removeprefix(_ARROW), line) if after else ()
