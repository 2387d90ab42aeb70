"""A trial, which every reader yields, regardless of the file's format.

All lengths are pixels of the benchmark's 200 x 200 world, all positions are centres, and boxes are
rows ``x, y, width, height`` with the corner nearest the origin first. Frames are indexed from 0
here and counted from 1 in everything that a person reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, frozen, read_only
from hbtom.errors import BadInput, Place, count
from hbtom.observe.bodies import PANELS, Actor, Body, Identity, Other, Panel
from hbtom.observe.events import Event, Marks, events, find_marks, track_of, without_gaps

_FLOAT, _BOOL = np.dtype(np.float64), np.dtype(np.bool_)


@dataclass(frozen=True, eq=False)
class Trial:
    """One trial as it was seen.

    The agent moves along ``path`` (NaN where it was not seen), the key along ``key_path`` (NaN
    where the key is gone), and ``barrier_left`` is the share of the removable barrier that stands
    in each frame, from 1 to 0. Walls and objects stand still, unless ``walls_there`` says which
    walls stand in each frame, and ``object_paths`` where the objects are. ``others`` are other
    actors and panels: see :attr:`actors` and :attr:`panels`.

    With ``still``, agents plan as if the world stayed as in the first frame, although it changes;
    only models of other minds use the changes.
    ``agent_there`` says in which frames the agent is present: in the others, ``path`` stays where
    the agent was last. ``camera`` is where the observer stands, if not above.
    """

    size: tuple[float, float]
    walls: Annotated[Floats, "wall 4"]
    barrier: Annotated[Floats, "block 4"]
    objects: tuple[Body, ...]
    agent: Body
    path: Annotated[Floats, "frame 2"]
    barrier_left: Annotated[Floats, "frame"]
    key: Body | None = None
    key_path: Annotated[Floats, "frame 2"] | None = None
    lock: Body | None = None
    lock_there: Annotated[Bools, "frame"] | None = None
    warnings: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    walls_there: Annotated[Bools, "frame wall"] | None = None
    object_paths: Annotated[Floats, "frame object 2"] | None = None
    still: bool = False
    agent_there: Annotated[Bools, "frame"] | None = None
    camera: tuple[float, float] | None = None

    @staticmethod
    def from_arrays(
        path: Any,
        objects: Any,
        *,
        size: tuple[float, float] = (200.0, 200.0),
        walls: Any = (),
        agent: str | Identity | Body = "agent",
        radius: float | None = None,
        scale: float = 1.0,
        **more: Any,
    ) -> Trial:
        """Make a trial from lists, arrays or data frames, and check it as files are checked.

        ``path`` has an x and a y per frame, NaN where the agent is not seen. ``objects`` maps names
        to x and y, and perhaps a radius; walls are x, y, width and height. All are in pixels, or in
        units of ``scale`` pixels each: the model's costs are made for a world of about 200 pixels.
        ``radius`` is the agent's; by default it is 5 % of the longer side, as for objects. ``more``
        are other fields of a trial. Those in pixels, except the barrier, cannot be combined with a
        ``scale``.

        >>> Trial.from_arrays([(10, 10), (90, 40)], {"food": (150, 60)}, size=(200, 100))
        <Trial of 2 frames: agent among food>
        """
        from hbtom.observe.from_arrays import trial_from_arrays

        how = {"size": size, "walls": walls, "agent": agent, "radius": radius, "scale": scale}
        return trial_from_arrays(path, objects, more=more, **how)

    @staticmethod
    def made_of(values: Iterable[tuple[str, Any]]) -> Trial:
        """Return a trial of named values that have the right types, faster than by calling it.

        Fields without a value have their default.
        """
        trial = object.__new__(Trial)
        vars(trial).update(values)
        return trial

    def __post_init__(self) -> None:
        """Convert lists and arrays to the types that kernels take; readers give these already."""
        lock_there = self.lock_there
        fits = (
            self.walls_there is None
            and self.object_paths is None
            and (lock_there is None or _is_array(lock_there, _BOOL))
        )
        for values in (self.walls, self.barrier, self.path, self.barrier_left, self.key_path):
            if not fits or (values is not None and not _is_array(values, _FLOAT)):
                return self._convert()

    def _convert(self) -> None:
        for name in _ARRAYS:
            kind = _BOOL if name in _TRUTHS else _FLOAT
            values = getattr(self, name)
            if values is None or _is_array(values, kind):
                continue
            values = real(values, name)
            try:
                converted = np.array(values, dtype=kind, order="C", ndmin=1)
            except (TypeError, ValueError):
                hint = "give an array of numbers, or lists of equal length"
                raise BadInput("this is not an array", hint=hint, place=Place(field=name)) from None
            if name in ("walls", "barrier") and not converted.size:
                converted = converted.reshape(0, 4)
            object.__setattr__(self, name, read_only(converted))

    @cached_property
    def room(self) -> tuple[float, float, float, float]:
        """The room as left, top, right, bottom: the area inside the walls, or the whole world."""
        return _room(self.size, self.walls)

    @cached_property
    def company(self) -> bool:
        """Whether there are other agents, or panels in the room, or objects that move."""
        if self.object_paths is not None and not self.changes:
            return True
        left, top, right, bottom = self.room if self.others else (0.0, 0.0, 0.0, 0.0)
        for one in self.others:
            x, y = one.path.T
            inside = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
            if one.kind == "agent" or inside.any():
                return True
        return False

    @cached_property
    def actors(self) -> tuple[Actor, ...]:
        """All agents: the one that is judged, and then the others."""
        judged = Actor(self.agent.look, self.agent.radius, self.path)
        others = (one for one in self.others if one.kind == "agent")
        return (judged, *(Actor(one.look, min(one.size) / 2, one.path) for one in others))

    @cached_property
    def panels(self) -> tuple[Panel, ...]:
        """All doors, boards and paddles."""
        return tuple(Panel(PANELS[one.kind], one.size, one.path, one.angle) for one in self._things)

    def there(self, actor: int) -> Annotated[Bools, "frame"]:
        """Return in which frames an actor is present; 0 is the one that is judged."""
        seen: Bools = ~np.isnan(self.actors[actor].path[:, 0])
        return seen if actor or self.agent_there is None else seen & self.agent_there

    @property
    def objects_at(self) -> Annotated[Floats, "frame object 2"]:
        """Where each object is in each frame; NaN where it is absent."""
        if self.object_paths is not None:
            return self.object_paths
        places = np.array([one.centre for one in self.objects]).reshape(-1, 2)
        return np.broadcast_to(places, (len(self.path), *places.shape))

    def judging(self, actor: int) -> Trial:
        """Return the same trial with another actor to judge; 0 is the one judged now.

        The agent judged so far becomes one of the others. The things it carried stay in the trial.
        """
        if actor == 0:
            return self
        if not 0 < actor < len(self.actors):
            hint = f"the trial has {len(self.actors)} actors, counted from 0"
            raise BadInput(f"there is no actor {actor}", hint=hint)
        now, then = self.actors[0], self.actors[actor]
        if self.agent_there is not None:
            gone = ~self.agent_there[:, None]
            now = replace(now, path=np.where(gone, np.nan, now.path))
        still, side = np.zeros(len(self.path)), 2 * now.radius
        agents = [one for one in self.others if one.kind == "agent"]
        agents[actor - 1] = Other("agent", now.look, (side, side), now.path, still)
        others = (*agents, *self._things)
        return replace(self, agent=then.body, path=then.path, others=others, agent_there=None)

    def wanting_actors(self) -> Trial:
        """Return the same trial with the other actors as possible goals.

        They become objects that move.
        """
        if self.still:
            fixed = replace(self, object_paths=None, walls_there=None, still=False)
            return fixed.wanting_actors()
        others = self.actors[1:]
        objects = (*self.objects, *(one.body for one in others))
        moving = [self.objects_at, *(without_gaps(one.path)[:, None] for one in others)]
        paths = np.concatenate(moving, axis=1)
        return replace(self, objects=objects, object_paths=paths, others=self._things)

    @property
    def _things(self) -> tuple[Other, ...]:
        """Others that are not actors."""
        return tuple(one for one in self.others if one.kind != "agent")

    @property
    def unusual(self) -> bool:
        """Whether there is a camera, or anything but the agent, the key and the barrier changes."""
        moved = self.object_paths is not None or self.walls_there is not None
        return moved or self.agent_there is not None or self.camera is not None

    @property
    def changes(self) -> bool:
        """Whether walls or objects change during the trial and the agent accounts for it."""
        return not self.still and (self.walls_there is not None or self.object_paths is not None)

    @property
    def items(self) -> tuple[Body, ...]:
        """What the agent may want: the objects, and then the key if there is one."""
        return self.objects if self.key is None else (*self.objects, self.key)

    @property
    def places(self) -> Annotated[Floats, "item 3"]:
        """Where the items lie: x, y and radius of each."""
        flat = [value for item in self.items for value in (*item.centre, item.radius)]
        return frozen(flat).reshape(-1, 3)

    @cached_property
    def whole_path(self) -> Annotated[Floats, "frame 2"]:
        """The path without gaps: an agent that is not seen stays where it was last seen."""
        seen_always = not math.isnan(self.path.sum())  # faster than looking for gaps
        return self.path if seen_always else frozen(without_gaps(self.path))

    @cached_property
    def marks(self) -> Marks:
        """The frames at which events happen."""
        return find_marks(track_of(self))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events of the trial, in order."""
        return events(self)

    def event(self, kind: str) -> Event | None:
        """Return the first event of a kind, or None if there is none."""
        return next((event for event in self.events if event.kind == kind), None)

    def __repr__(self) -> str:
        wants = ", ".join(str(item.look) for item in self.items)
        cast = f"{self.agent.look} among {wants}" if wants else f"{self.agent.look}"
        return f"<Trial of {count(len(self.path), 'frame')}: {cast}>"


def _room(
    size: tuple[float, float], walls: Annotated[Floats, "wall 4"]
) -> tuple[float, float, float, float]:
    """Return the room as left, top, right, bottom: the area inside the walls, or the whole world.

    Walls enclose their bounding box if they cover at least half of each of its sides. A box that
    is less than half as wide or as high as the world is not the room.
    """
    width, height = size
    if not len(walls):
        return 0.0, 0.0, width, height
    x, y, wide, high = np.array([*{*map(tuple, walls.tolist())}]).T
    left, top = float(x.min()), float(y.min())
    right, bottom = float((x + wide).max()), float((y + high).max())
    sides = (
        (high[x == left], bottom - top),
        (high[x + wide == right], bottom - top),
        (wide[y == top], right - left),
        (wide[y + high == bottom], right - left),
    )
    large = 2 * (right - left) >= width and 2 * (bottom - top) >= height
    if large and all(walled.sum() >= whole / 2 for walled, whole in sides):
        return left, top, right, bottom
    return 0.0, 0.0, width, height


def real(values: Any, field: str) -> Any:
    """Return the values of a field; refuse complex numbers, whose parts numpy would drop."""
    try:
        complex_numbers = np.iscomplexobj(np.asarray(values))
    except ValueError:  # not an array, as will be said
        return values
    if complex_numbers:
        hint = "give x and y as two real numbers"
        raise BadInput("the numbers are complex", hint=hint, place=Place(field=field))
    return values


CHANGING = "camera", "agent_there", "walls_there", "object_paths"  # most trials lack these
_TRUTHS = "lock_there", "walls_there", "agent_there"
_ARRAYS = ("walls", "barrier", "path", "barrier_left", "key_path", "object_paths", *_TRUTHS)


def _is_array(values: object, kind: np.dtype[Any]) -> bool:
    """Return whether a value is an array of a kind that kernels take."""
    return type(values) is np.ndarray and values.dtype is kind and values.flags.c_contiguous
