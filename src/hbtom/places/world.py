"""Worlds of places and modes, for the core: what its ``AnyWorld`` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.core.agent import Agent
from hbtom.core.axes import Axis, names
from hbtom.errors import BadInput
from hbtom.observe.bodies import Identity
from hbtom.observe.trial import Trial
from hbtom.places.maps import cell_of
from hbtom.places.planning import cost_to_go
from hbtom.places.steps import HELD, OPEN, START, Steps, mean_waiting

KEY = Identity("key")  # keys are drawn in four rotations; all are one kind of goal

_PLAIN = {
    role: getattr(Agent(), role)
    for role in (
        "step", "reward", "end", "final", "discount", "horizon", "actions", "depth", "worth",
        "knows", "others", "stake",
    )
}  # fmt: skip


@dataclass(frozen=True)
class Costs:
    """The costs of acting, in the units of the policy."""

    walk: float  # walking the side of a cell
    act: float  # picking something up
    opening: float  # opening the lock
    push: float = 0.0  # passing through things that are in the way, however many
    reluctance: float = 0.0  # using a tool, on top of the actions that it takes
    contact: bool = False  # tools are used from where they are touched, also beside walls


class Space:
    """How trials are interpreted: a function of a trial and what was believed before it."""

    act: float
    learn_opening: bool  # opening a lock costs the mean of what waiting has cost, once it is known

    def __call__(self, trial: Trial, before: Any = None) -> Places:
        """Return the world of a trial, given the posterior of the trial before."""
        earlier = [] if before is None else [p.trial for p in before.series]
        return self.world(trial, self.opening(earlier))

    def world(self, trial: Trial, opening: float) -> Places:
        """Return the world of a trial, in which opening a lock costs so much."""
        raise NotImplementedError

    def opening(self, earlier: Iterable[Trial]) -> float:
        """Return what agents expect that opening a lock costs, after these trials."""
        learnt = mean_waiting(earlier) if self.learn_opening else None
        return self.act if learnt is None else learnt


@dataclass(frozen=True, eq=False)
class Plan:
    """The cost-to-go C of every goal, and how many axes a theory has."""

    cost: Annotated[Floats, "goal mode row column"]
    axes: int


@dataclass(frozen=True, eq=False)
class Places:
    """A world of places and modes: one mode, or three if there is a key, a lock or a barrier.

    Things are the items (objects, and then the key if there is one) and then the lock. With
    ``keys``, the key can be wanted for itself. Subclasses say what steps are chosen from.
    """

    trial: Trial
    cell: float  # the side of a cell, in pixels
    costs: Costs
    keys: bool
    moves: tuple[tuple[int, int], ...]
    blocked: Annotated[Bools, "mode row column"]
    reach: Annotated[Floats, "thing row column"]  # distance in cells; inf where out of reach
    boxes: Annotated[Bools, "item row column"]  # avoided on the way to other things; may be empty

    @cached_property
    def goals(self) -> tuple[Identity, ...]:
        """The looks of what can be wanted; twins are numbered."""
        looks = [thing.look for thing in self.trial.objects]
        looks += [KEY] * (self.has_key and self.keys)
        return tuple(
            Identity(look.image, look.colour, looks[: i + 1].count(look))
            if look in looks[:i]
            else look
            for i, look in enumerate(looks)
        )

    @property
    def objects(self) -> int:
        """The number of objects."""
        return len(self.trial.objects)

    @property
    def items(self) -> int:
        """The number of objects and keys; also the number of the lock among things."""
        return self.objects + self.has_key

    @property
    def has_key(self) -> bool:
        """Whether there is a key."""
        return self.trial.key is not None

    @property
    def side(self) -> float:
        """The side of a cell in the units of steps' places: pixels, unless these are cells."""
        return self.cell

    def replay(self, trial: Any) -> Steps:
        """Return the moves and acts of a trial."""
        return self._steps if trial is self.trial else self.steps_of(trial)

    def steps_of(self, trial: Any) -> Steps:
        """Return the moves and acts of a trial."""
        raise NotImplementedError

    def chosen_from(self, steps: Steps, plan: Plan) -> Any:
        """Return what steps were chosen from."""
        raise NotImplementedError

    def choices(self, who: str, steps: Steps, plan: Plan) -> Any:
        """Return what the steps of an agent were chosen from."""
        if steps is not self._steps or plan.cost is not self._cost:
            return self.chosen_from(steps, plan)
        if plan.axes not in self._chosen:
            self._chosen[plan.axes] = self.chosen_from(steps, plan)
        return self._chosen[plan.axes]

    @cached_property
    def _steps(self) -> Steps:
        return self.steps_of(self.trial)

    @cached_property
    def _cost(self) -> Annotated[Floats, "goal mode row column"]:
        return cost_to_go(self, self._steps)

    @cached_property
    def _chosen(self) -> dict[int, Any]:
        return {}

    def plan(self, agent: Agent, who: str, steps: Steps, axes: Sequence[Axis]) -> Plan:
        """Return the cost-to-go of every goal, from the agent's own planner if it has one."""
        for name, plain in _PLAIN.items():
            value = getattr(agent, name)
            if value is not plain and not (
                isinstance(value, int | float | dict) and value == plain
            ):
                hint = "what moves and acts cost is said by hb.Plane and hb.Grid, or give 'values'"
                raise BadInput(f"'{name}' has no effect in worlds of places", hint=hint)
        if axes[-1].labels != self.goals:
            hint = "leave 'goals' out: they are the things of each trial"
            raise BadInput(f"there is no {axes[-1].labels[0]!r} to want here", hint=hint)
        if agent.values is None:
            cost = self._cost if steps is self._steps else cost_to_go(self, steps)
            return Plan(cost, len(axes))
        asked = names(agent.values)
        known = {"world": self, "steps": steps}
        for name in asked:
            if name not in known:
                hint = "here, it may ask for world and steps"
                raise BadInput(f"'values' asks for '{name}' in a world of places", hint=hint)
        cost = np.asarray(agent.values(**{name: known[name] for name in asked}), dtype=float)
        shape = len(self.goals), *self.blocked.shape
        if cost.shape != shape:
            hint = "return the cost-to-go [goal, mode, row, column], as hbtom.places.cost_to_go"
            raise BadInput(f"'values' returns the shape {cost.shape}, not {shape}", hint=hint)
        return Plan(cost, len(axes))

    def act(self, mode: int, thing: int) -> tuple[int, int, int, float]:
        """Return what touching a thing does: the mode after it, the thing, the goal, the price."""
        if thing == self.items:
            return OPEN, thing, -1, self.costs.opening
        goal = thing if thing < len(self.goals) else -1
        return mode if thing < self.objects else HELD, thing, goal, self.costs.act

    def begins(self, mode: int) -> Annotated[Bools, "row column"]:
        """Return where the agent may enter a mode."""
        if mode == HELD and self.has_key:
            return self.reach[self.objects] < np.inf
        if mode == OPEN and self.trial.lock is not None:
            return self.reach[-1] < np.inf
        return self._first

    @cached_property
    def _first(self) -> Annotated[Bools, "row column"]:
        """Where the agent is at first."""
        first = np.zeros(self.blocked.shape[1:], dtype=bool)
        first[cell_of(self.trial.whole_path[0], self.cell, self.blocked)] = True
        return first

    def in_reach(
        self, steps: Steps, read: Callable[[Any, Any], Floats]
    ) -> Annotated[Bools, "1+step goal"]:
        """Return which goals have come into reach before each step, and at the end.

        A goal comes into reach where the agent begins, or where it enters another mode, for example
        because a barrier has vanished. ``read(places, modes)`` returns costs [goal, place].
        """
        entered = np.flatnonzero(np.diff(steps.mode, prepend=START))
        places = np.concatenate([steps.first[None], steps.start[entered]])
        modes = np.append(START, steps.mode[entered])
        near = read(places, modes) < np.inf  # [goal, place]
        near[self.objects :, modes > START] = False  # a key that has been picked up
        since = np.append(0, entered + 1)
        place = np.searchsorted(since, np.arange(len(steps) + 1), side="right") - 1
        found: Bools = np.logical_or.accumulate(near, axis=1)[:, place].T
        return found


def for_axes(array: Any, axes: int) -> Any:
    """Return [goal, ...] as [*axes, ...], where all axes but the goal, the last, have length 1."""
    return array.reshape(*[1] * (axes - 1), *array.shape)
