"""What a trial shows: bodies, actors, panels, and their looks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from msgspec import Struct

from hbtom.arrays import Floats
from hbtom.errors import BadInput
from hbtom.observe.events import without_gaps


class Identity(Struct, frozen=True, order=True):
    """How an agent or an object looks, which identifies it across trials."""

    image: str
    colour: tuple[float, ...] = ()
    twin: int = 1  # distinguishes things that look the same in one trial

    def __str__(self) -> str:
        name = self.image.replace("\\", "/").rsplit("/", 1)[-1]
        return name if self.twin == 1 else f"{name} ({self.twin})"


Look = Identity  # its public name


def names(looks: Sequence[Identity]) -> list[str]:
    """Return distinct names: file names of images, with colours or in full where necessary."""
    short = [str(look) for look in looks]
    if len(set(short)) == len(short):
        return short
    coloured = [f"{look} {look.colour}" for look in looks]
    return coloured if len(set(coloured)) == len(coloured) else [repr(look) for look in looks]


@dataclass(frozen=True, order=True, slots=True)
class Body:
    """Something round at a place: an object, the key, the lock, or an agent."""

    look: Identity
    centre: tuple[float, float]
    radius: float


OtherKind = Literal["agent", "door", "occluder", "paddle"]


@dataclass(frozen=True, eq=False)
class Other:
    """Another agent, or a board that hides, blocks or pushes.

    Models with assumptions about other minds use it. Other models ignore it, unless it is an agent
    and the trial is changed to judge it (:meth:`Trial.judging`) or to make it a goal
    (:meth:`Trial.wanting_actors`). A board is a box around its place, turned by an angle.
    """

    kind: OtherKind
    look: Identity
    size: tuple[float, float]  # width and height of the box before it is turned
    path: Annotated[Floats, "frame 2"]  # NaN where it is absent
    angle: Annotated[Floats, "frame"]  # in degrees, from x towards y


PanelKind = Literal["door", "board", "paddle"]


@dataclass(frozen=True, eq=False)
class Panel:
    """Something flat and upright: a door that blocks, a board that hides, or a paddle."""

    kind: PanelKind
    size: tuple[float, float]  # width and height of the box before it is turned
    path: Annotated[Floats, "frame 2"]  # NaN where it is absent
    angle: Annotated[Floats, "frame"]  # in degrees, from x towards y

    def during(self, span: slice) -> Panel:
        """Return the panel in these frames."""
        return Panel(self.kind, self.size, self.path[span], self.angle[span])


PANELS: dict[OtherKind, PanelKind] = {"door": "door", "occluder": "board", "paddle": "paddle"}


@dataclass(frozen=True, eq=False)
class Actor:
    """An agent in a trial, judged or not."""

    look: Identity
    radius: float
    path: Annotated[Floats, "frame 2"]  # NaN where it was not seen

    @property
    def body(self) -> Body:
        """The actor at the place where it is first seen."""
        x, y = without_gaps(self.path)[0].tolist()
        if math.isnan(x):
            hint = "leave it out of the trial"
            raise BadInput(f"the actor '{self.look}' is never seen", hint=hint)
        return Body(self.look, (x, y), self.radius)

    def __repr__(self) -> str:
        return f"<Actor {self.look}, seen in {(~np.isnan(self.path[:, 0])).sum()} frames>"
