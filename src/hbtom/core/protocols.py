"""The seams of the core, on one page.

    trial --World.replay--> steps --World.plan--> plan --World.choices--> choices
    choices, policy --log_likelihood--> evidence, log P(step | axes) [*axes, step]
    evidence, what was learnt --Bayes--> posterior --measures--> surprise --curves--> plausibility

Every array begins with the axes of a theory, ``[*traits, goal]``, of length 1 where nothing
changes; then comes the step, or the state; then what is chosen from. A theory's functions get what
they name: ``policy(Q, efficiency)``, ``reward(goal, fear)``; ``hbtom.core.agent`` lists the names.

``worlds.World`` (states, for one agent or several) is one world; any object that keeps these
promises is another. ``check_world`` is the test that every world must pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from hbtom.arrays import Bools, Floats

if TYPE_CHECKING:
    from hbtom.core.agent import Agent
    from hbtom.core.axes import Axis
    from hbtom.core.policy import Policy


class Choices(Protocol):
    """What the steps of a trial were chosen from: ``policy.Options`` or ``policy.Headings``."""

    value: Annotated[Floats, "*axes"]  # of where the agent starts, V; -cost

    @property
    def reachable(self) -> Annotated[Bools, "*axes"]:
        """Which goals can be reached."""

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes)."""


class AnyWorld(Protocol):
    """Where agents act. Steps and plans are whatever the world itself makes of them."""

    @property
    def goals(self) -> tuple[Any, ...]:
        """What can be wanted here, for theories that name no goals."""

    def replay(self, trial: Any) -> Any:
        """Return the steps of a trial; their ``len`` is their number."""

    def plan(self, agent: Agent, who: str, steps: Any, axes: Sequence[Axis]) -> Any:
        """Return what every option is worth, at least as far as the steps need it."""

    def choices(self, who: str, steps: Any, plan: Any) -> Choices:
        """Return what the steps of an agent were chosen from.

        Steps in which it did nothing are not among the known ones.
        """


class Step(Protocol):
    """What comes of actions, P(s' | s, a): ``worlds.Dense``, ``worlds.Sparse``, or your own."""

    legal: Annotated[Bools, "S A"]

    def ahead(self, V: Any, n: int) -> Any:
        """Return sum over s' of P(s' | s, a) V(s') [..., n, A] in the first n states."""

    def push(self, flow: Any, states: int) -> Any:
        """Return P(s') [..., S] from P(s, a) [..., n, A]."""

    def after(self, s: int, a: int) -> tuple[Any, Any]:
        """Return the states that may come of an action, and their probabilities."""

    def arrival(self, s: int, to: int) -> Any:
        """Return P(to | s, a) [..., A]."""
