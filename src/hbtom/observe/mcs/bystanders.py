"""The rest of a scene: vanishing walls, moving objects, other agents, panels, the camera."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, read_only
from hbtom.observe.bodies import Other, OtherKind
from hbtom.observe.mcs.pace import FrameSteps, along, turning
from hbtom.observe.mcs.roles import colour_of, look_of
from hbtom.observe.mcs.scene import McsScene, called
from hbtom.observe.mcs.space import BORDER, SeenThing, block, changes, extent, seen, stands, tiled

RADIUS = 6.0  # of other agents, in pixels

_SIZES: dict[OtherKind, tuple[float, float]] = {
    "agent": (2 * RADIUS, 2 * RADIUS),  # at whatever size they are drawn
    "door": (20.0, 40.0),
    "occluder": (10.0, 42.0),
    "paddle": (10.0, 40.0),
}
_CYAN = colour_of(("Cyan",))


def walls_of(
    scene: McsScene, span: range, at: FrameSteps
) -> tuple[Annotated[Floats, "wall 4"], Annotated[Bools, "frame wall"] | None]:
    """Return the walls at the first step and, if any vanishes, in which frames each stands.

    A border is added, which old scenes leave out. Walls that appear later are left out.
    """
    border = scene.all("border")
    found = ((thing, stands(thing, span[0])) for thing in (*scene.all("wall"), *border))
    standing = [(thing, centre) for thing, centre in found if centre is not None]
    blocks = {thing.id: block(thing, centre) for thing, centre in standing}
    walls = tiled([*blocks.values(), *(() if border else BORDER)])
    if all(changes(thing, span) is None for thing, _ in standing):
        return walls, None
    there = np.zeros((len(span), len(walls)), dtype=np.bool_)
    rows = {row: number for number, row in enumerate(map(tuple, walls.tolist()))}
    for thing, centre in standing:
        here = (seen(thing, span).place == centre).all(axis=1)
        for tile in tiled([blocks[thing.id]]).tolist():
            there[:, rows[tuple(tile)]] |= here
    if not border:
        there[:, [rows[tuple(tile)] for tile in tiled(BORDER).tolist()]] = True
    return walls, read_only(there[at.step])


def camera_of(scene: McsScene, span: range) -> tuple[float, float] | None:
    """Return where the camera stands; this matters only if a screen may be in its way."""
    if not any(seen(one, span).there.any() for one in scene.all("screen")):
        return None
    stand = next(iter(scene.all("stand")), None)
    return None if stand is None else stands(stand, span[0])


def moving_objects(
    at: FrameSteps, objects: Sequence[SeenThing]
) -> Annotated[Floats, "frame object 2"] | None:
    """Return where the objects are in each frame, or None if all stay where they are."""
    if all((one.place == one.place[0]).all() for one in objects):
        return None
    return read_only(np.stack([along(at, one.place) for one in objects], axis=1))


def agent_there(at: FrameSteps, here: Annotated[Bools, "step"]) -> Annotated[Bools, "frame"] | None:
    """Return in which frames the agent is present, or None if it always is."""
    return None if here.all() else read_only(here[at.step])


def others_of(
    at: FrameSteps,
    agents: Iterable[SeenThing],
    paddles: Iterable[SeenThing],
    screens: Iterable[SeenThing],
) -> tuple[Other, ...]:
    """Return other agents and panels, sorted by kind; cyan screens are doors."""
    found = [
        *(_other(at, "agent", one) for one in agents),
        *(_other(at, "paddle", one) for one in paddles),
        *(
            _other(at, "door" if colour_of(one.thing.materials) == _CYAN else "occluder", one)
            for one in screens
        ),
    ]
    return tuple(sorted(found, key=lambda other: other.kind))


def _other(at: FrameSteps, kind: OtherKind, one: SeenThing) -> Other:
    usual = _SIZES[kind]
    return Other(
        kind=kind,
        look=look_of(one.thing.type, one.thing.materials),
        size=usual if kind == "agent" else extent(one.thing, usual),
        path=along(at, one.place),
        angle=turning(at, one.angle),
    )


def sizeless(scene: McsScene, span: range) -> Iterator[str]:
    """Warn about panels that are seen but have no size."""
    for thing in (*scene.all("paddle"), *scene.all("screen")):
        if extent(thing, (0.0, 0.0)) == (0.0, 0.0) and seen(thing, span).there.any():
            yield f"'{called(thing.id)}' has no size; the usual one is used"
