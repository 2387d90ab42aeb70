"""The scene file, which says what a track does not: the size of the world, and what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from hbtom.errors import BadInput, Place
from hbtom.observe.from_arrays import ROUND
from hbtom.toml_files import load_toml

WORLD = 200.0  # pixels of the model's world along its longer side
_UNITS = {"px": None, "mm": 1.0, "cm": 10.0, "m": 1000.0}

Real = Annotated[float, Meta(ge=-1e9, le=1e9)]
Length = Annotated[float, Meta(gt=0, le=1e9)]
Box = tuple[Real, Real, Length, Length]  # x, y, width, height
Unit = Literal["px", "mm", "cm", "m"]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a scene file; misspelt names are errors."""


class SceneObject(_Part, frozen=True):
    """An object that the agent may want."""

    name: str
    at: tuple[Real, Real]
    radius: Length | None = None


class AgentTrack(_Part, frozen=True):
    """The agent to judge: its track, and the body part whose position is used."""

    name: str = "agent"
    track: str | None = None
    part: str | None = None
    radius: Length | None = None


class Span(_Part, frozen=True):
    """A trial: its frames, or its name in a column, and anything that differs from the scene."""

    frames: tuple[Real, Real] | None = None
    agent: str | None = None
    name: str | None = None
    walls: tuple[Box, ...] | None = None
    objects: tuple[SceneObject, ...] | None = None


class Columns(_Part, frozen=True):
    """The names of a plain table's columns, if they are not the usual ones."""

    frame: str | None = None
    time: str | None = None
    track: str | None = None
    x: str | None = None
    y: str | None = None
    likelihood: str | None = None
    trial: str | None = None


class Recording(_Part, frozen=True):
    """How the track was recorded."""

    units: Unit | None = None
    per_unit: Length | None = None
    likelihood: Annotated[float, Meta(ge=0, le=1)] | None = None
    noise: Annotated[float, Meta(ge=0)] | None = None
    pace: Length | None = None
    columns: Columns = Columns()


class Scene(_Part, frozen=True):
    """What a track does not say."""

    size: tuple[Length, Length]
    objects: tuple[SceneObject, ...] = ()
    walls: tuple[Box, ...] = ()
    units: Unit = "px"
    corner: tuple[Real, Real] = (0.0, 0.0)
    y: Literal["down", "up"] = "down"
    scale: Length | None = None
    agent: AgentTrack = AgentTrack()
    track: Recording = Recording()
    trials: tuple[Span, ...] = ()

    @property
    def pixels(self) -> float:
        """Pixels of the model's world in one unit of the scene."""
        return WORLD / max(self.size) if self.scale is None else self.scale

    @property
    def radius(self) -> float:
        """The radius of agent and objects, unless they have their own."""
        return ROUND * max(self.size)

    @property
    def track_unit(self) -> float:
        """Units of the scene in one unit of the track."""
        theirs = self.track.units or self.units
        if self.track.per_unit is not None:
            return 1.0 / self.track.per_unit
        if theirs == self.units:
            return 1.0
        own, other = _UNITS[self.units], _UNITS[theirs]
        if own is None or other is None:
            hint = f"say how many {theirs} make one {self.units}: [track] per_unit = 12.5"
            problem = f"the track is in {theirs} and the scene in {self.units}"
            raise BadInput(problem, hint=hint, place=Place(field="track.units"))
        return other / own


def read_scene(path: Path) -> Scene:
    """Read a scene file."""
    hint = "'hbtom scene new' writes a scene file with every field explained"
    return load_toml(path, Scene, "scene", hint)
