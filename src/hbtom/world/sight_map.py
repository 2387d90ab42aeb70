"""Which places an agent can see, and from which cells.

Sight is certain. An agent sees along a straight line from the centre of its cell to the centre of a
place. Boards cut these lines, and in some models so do walls and doors. Barriers, locks and things
hide nothing.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe import Trial
from hbtom.observe.bodies import Panel, PanelKind
from hbtom.observe.contact import in_room
from hbtom.world.modes import PlaceWorld
from hbtom.world.sight_lines import BOARDS, cut_by_rectangle

EDGE = 1e-6  # pixels; makes sure that a line that touches a corner is cut, despite rounding


def cells_along(
    path: Annotated[Floats, "frame 2"], world: PlaceWorld
) -> Annotated[Ints, "frame 2"]:
    """Return the column and row of the agent's cell in each frame."""
    _, rows, columns = world.blocked.shape
    cells = np.floor(path / world.space.cell).astype(np.int64)
    return np.clip(cells, 0, [columns - 1, rows - 1])


def seen_along(
    trial: Trial, world: PlaceWorld, places: Annotated[Floats, "place 2"], walls_hide: bool
) -> Annotated[Bools, "frame place"]:
    """Return whether the agent sees each place from the centre of its cell, for each frame.

    An agent that comes and goes sees nothing while it is away or outside the room.
    """
    path = trial.whole_path
    start = (cells_along(path, world).astype(np.float64) + 0.5) * world.space.cell
    frames = np.arange(len(path))
    cut = np.stack([_cut(trial, start, place, frames, walls_hide) for place in places], axis=1)
    if trial.agent_there is None:
        return ~cut
    return ~cut & (trial.agent_there & in_room(trial, path))[:, None]


def sight_map(
    trial: Trial,
    frame: int,
    world: PlaceWorld,
    places: Annotated[Floats, "place 2"],
    walls_hide: bool,
) -> Annotated[Bools, "place row column"]:
    """Return from which cells each place can be seen, with everything as it is in one frame."""
    _, rows, columns = world.blocked.shape
    down, across = np.indices((rows, columns), dtype=np.float64).reshape(2, -1)
    start, frames = (np.stack((across, down), axis=1) + 0.5) * world.space.cell, np.array([frame])
    cut = [_cut(trial, start, place, frames, walls_hide) for place in places]
    return ~np.stack(cut).reshape(len(places), rows, columns)


def view(trial: Trial, frame: int, walls_hide: bool) -> bytes:
    """Return the positions of everything that moves and hides places, as bytes, in one frame."""
    boards = ((one.path[frame], one.angle[frame]) for one in _hiding(trial, walls_hide))
    return b"".join(part.tobytes() for one in boards for part in one)


def _hiding(trial: Trial, walls_hide: bool) -> list[Panel]:
    kinds: tuple[PanelKind, ...] = (*BOARDS, "door") if walls_hide else BOARDS
    return [one for one in trial.panels if one.kind in kinds]


def _cut(
    trial: Trial,
    start: Annotated[Floats, "point 2"],
    place: Annotated[Floats, "2"],
    frames: Annotated[Ints, "point"],
    walls_hide: bool,
) -> Annotated[Bools, "point"]:
    """Return from which points a place is hidden; ``frames`` has one for each point, or for all."""
    stop, grown = place[None], 2 * EDGE
    cut = np.zeros(len(start), dtype=np.bool_)
    for one in _hiding(trial, walls_hide):
        size = one.size[0] + grown, one.size[1] + grown
        cut |= cut_by_rectangle(start, stop, one.path[frames], size, one.angle[frames])
    low, high = np.minimum(start, stop), np.maximum(start, stop)
    for wall, box in enumerate(trial.walls if walls_hide else ()):
        first, size = box[:2] - EDGE, box[2:] + grown
        near = ((low <= first + size) & (first <= high)).all(axis=1)  # few lines come near it
        if trial.changes and trial.walls_there is not None:
            near &= trial.walls_there[frames, wall]
        middle, sides = first + size / 2, (float(size[0]), float(size[1]))
        cut[near] |= cut_by_rectangle(start[near], stop, middle, sides, np.zeros(1))
    return cut
