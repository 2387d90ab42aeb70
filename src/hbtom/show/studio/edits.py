"""Changes to a trial: each gives a new trial and keeps everything else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert

from hbtom.bench.synth.geometry import CELL
from hbtom.bench.synth.sprites import KEY_R, LOCK_R, OBJECT_R
from hbtom.errors import BadInput
from hbtom.show.studio.raw_trials import (
    Frame,
    Frames,
    Place,
    Thing,
    agent_in,
    each,
    in_field,
    moved,
    thing_in,
    tool_fields,
)
from hbtom.show.studio.routes import Manner, goals, steps_to, way
from hbtom.show.studio.stepping import steps_along, steps_of, walked

MOST = 64  # most objects in a trial
_TOOLS: dict[str, Thing] = {
    "key": [[0, 0], KEY_R, "./shapes/triangle0.png", [128, 0, 0]],
    "lock": [[0, 0], LOCK_R, "./shapes/triangle_slot0.png", [0, 128, 0]],
}


class Cells(Struct, tag="cells"):
    """Build or remove walls, or the barrier, in cells given by their corners."""

    field: Literal["walls", "fuse_walls"]
    cells: Annotated[list[tuple[int, int]], Meta(max_length=1000)]
    there: bool


class Put(Struct, tag="put"):
    """Put an object, the key or the lock somewhere; an index moves one of the objects."""

    what: Literal["object", "key", "lock"]
    at: Place
    index: int | None = None
    image: str = ""
    colour: tuple[int, int, int] = (70, 130, 180)


class Remove(Struct, tag="remove"):
    """Take an object, the key or the lock away."""

    what: Literal["object", "key", "lock"]
    index: int = 0


class Look(Struct, tag="look"):
    """Change the look, and thus the identity, of the agent or an object."""

    image: str
    colour: tuple[int, int, int]
    index: int | None = None  # of an object; the agent without it


class Path(Struct, tag="path"):
    """Let the agent go along straight lines from point to point."""

    points: list[Place]


class Go(Struct, tag="go"):
    """Let the agent take the shortest way to an object, or to the key, which has the last index."""

    index: int


class Vary(Struct, tag="vary"):
    """Make the test trial of the other member of a pair."""

    manner: Manner


Change = Cells | Put | Remove | Look | Path | Go | Vary


def change_of(given: Any) -> Change:
    """Return the change that a request asks for."""
    try:
        return convert(given, Change)
    except ValidationError as error:
        raise BadInput(f"this is not a change to a trial: {error}") from None


@singledispatch
def edited(change: Change, frames: Frames) -> Frames:
    """Return a trial after a change."""
    raise TypeError(change)


@edited.register
def _(change: Cells, frames: Frames) -> Frames:
    wanted = [[[x, y], [CELL, CELL]] for x, y in change.cells]
    for (x, y), _ in wanted:
        _inside(frames, (x + CELL / 2, y + CELL / 2))
    there = frames[0].get(change.field, [])
    new = [one for one in wanted if not any(_meet(one, old) for old in there)]

    def blocks(frame: Frame) -> Frame:
        old = frame.get(change.field, [])
        if not change.there:
            return {**frame, change.field: [b for b in old if not any(_meet(b, w) for w in wanted)]}
        return {**frame, change.field: [*old, *new]}

    if change.field == "walls":
        return each(frames, blocks)
    return _with_tools(frames, blocks)


@edited.register
def _(change: Put, frames: Frames) -> Frames:
    _inside(frames, change.at)
    if change.what != "object":
        at = tool_fields(frames[0])[change.what == "lock"]
        thing = thing_in(frames[0].get(at, ())) or _TOOLS[change.what]
        return _with_tools(frames, lambda frame: {**frame, at: [moved(thing, change.at)]})
    if change.index is not None:
        objects = list(_objects(frames, change.index))
        objects[change.index] = moved(objects[change.index], change.at)
        return _with_objects(frames, objects)
    if len(frames[0]["objects"]) >= MOST:
        raise BadInput(f"a trial may have at most {MOST} objects")
    new = moved([[0, 0], OBJECT_R, change.image, list(change.colour)], change.at)
    return _with_objects(frames, [*frames[0]["objects"], new])


@edited.register
def _(change: Remove, frames: Frames) -> Frames:
    if change.what == "object":
        objects = list(_objects(frames, change.index))
        del objects[change.index]
        return _with_objects(frames, objects)
    at = tool_fields(frames[0])[change.what == "lock"]
    return _with_tools(frames, lambda frame: {**frame, at: []})


@edited.register
def _(change: Look, frames: Frames) -> Frames:
    look = [change.image, list(change.colour)]

    def dressed(thing: Thing) -> Thing:
        return [*thing[:2], *look, *thing[4:]]

    if change.index is not None:
        objects = list(_objects(frames, change.index))
        objects[change.index] = dressed(list(objects[change.index]))
        return _with_objects(frames, objects)

    def agent(frame: Frame) -> Frame:
        thing = thing_in(frame["agent"])
        return {**frame, "agent": in_field(frame["agent"], dressed(thing))} if thing else frame

    return each(frames, agent)


@edited.register
def _(change: Path, frames: Frames) -> Frames:
    if not change.points:
        raise BadInput("a path needs a point", hint="draw one in the room")
    for place in change.points:
        _inside(frames, place)
    return walked(frames, steps_along(change.points))


@edited.register
def _(change: Go, frames: Frames) -> Frames:
    _known(goals(frames), change.index)
    return walked(frames, steps_to(frames, change.index))


@edited.register
def _(change: Vary, frames: Frames) -> Frames:
    return walked(frames, way(frames, change.manner))


def _with_objects(frames: Frames, objects: Sequence[Thing]) -> Frames:
    return each(frames, lambda frame: {**frame, "objects": list(objects)})


def _with_tools(frames: Frames, change: Any) -> Frames:
    """Change the key, the lock or the barrier at the start; let the agent walk as before."""
    return walked((change(frames[0]), *frames[1:]), steps_of(frames))


def _objects(frames: Frames, index: int) -> Sequence[Thing]:
    return _known(frames[0]["objects"], index)


def _known(things: Sequence[Thing], index: int) -> Sequence[Thing]:
    if not 0 <= index < len(things):
        raise BadInput(f"there is no object {index + 1} in this trial")
    return things


def _inside(frames: Frames, place: Place) -> None:
    """Refuse places outside the world."""
    width, height = frames[0]["size"]
    if not (0 <= place[0] <= width and 0 <= place[1] <= height):
        radius = agent_in(frames)[1]
        hint = f"stay at least {radius} pixels away from its border"
        raise BadInput(f"the place {place} is outside the world", hint=hint)


def _meet(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Return whether the middle of one block lies in the other."""
    return _holds(one, other) or _holds(other, one)


def _holds(block: Sequence[Any], other: Sequence[Any]) -> bool:
    return all(
        low <= start + extent / 2 <= low + length
        for low, length, start, extent in zip(*block, *other, strict=True)
    )
