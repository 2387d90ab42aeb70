"""Lines of sight: what each actor sees in each frame.

A line of sight is the straight segment between two centres. A panel (a rectangle that may be
turned) or a box can cut it. Touching an edge counts as being cut. In the benchmark's scenes only
boards are tall enough to hide anything: actors look over walls, doors and paddles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe.bodies import Panel, PanelKind
from hbtom.observe.contact import Places, in_room
from hbtom.observe.trial import Trial

BOARDS: tuple[PanelKind, ...] = ("board",)  # the panels that hide things in these scenes


def cut_by_rectangle(
    start: Places,
    stop: Places,
    centre: Places,
    size: tuple[float, float],
    angle: Annotated[Floats, "frame"],
) -> Annotated[Bools, "frame"]:
    """Return whether a segment meets a turned rectangle in each frame; never if either is absent.

    In the rectangle's coordinates, the segment is clipped at two pairs of parallel lines. It meets
    the rectangle if a part of it is left.
    """
    turn = np.radians(np.asarray(angle, dtype=np.float64))
    begin, end = _turned_back(start - centre, turn), _turned_back(stop - centre, turn)
    along, half = end - begin, np.array(size) / 2
    flat = np.abs(along) < 1e-12  # parallel to an edge: entirely inside the strip, or outside
    slope = np.where(flat, 1.0, along)
    one, other = (-half - begin) / slope, (half - begin) / slope
    within = np.abs(begin) <= half
    enters = np.where(flat, np.where(within, 0.0, np.inf), np.minimum(one, other)).max(axis=-1)
    leaves = np.where(flat, np.where(within, 1.0, -np.inf), np.maximum(one, other)).min(axis=-1)
    there = ~np.isnan(begin).any(axis=-1) & ~np.isnan(end).any(axis=-1)
    return there & (np.maximum(enters, 0.0) <= np.minimum(leaves, 1.0))


def _turned_back(places: Places, turn: Annotated[Floats, "frame"]) -> Places:
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = places[..., 0], places[..., 1]
    return np.stack((cos * x + sin * y, cos * y - sin * x), axis=-1)


def cut_by_panels(
    start: Places, stop: Places, panels: Sequence[Panel]
) -> Annotated[Bools, "frame"]:
    """Return whether any of the panels cuts the segment, for each frame."""
    cut = np.zeros(np.broadcast_shapes(start.shape, stop.shape)[0], dtype=np.bool_)
    for panel in panels:
        cut |= cut_by_rectangle(start, stop, panel.path, panel.size, panel.angle)
    return cut


def cut_by_boxes(
    start: Places, stop: Places, boxes: Annotated[Floats, "box 4"]
) -> Annotated[Bools, "frame"]:
    """Return whether any of the boxes, which do not move, cuts the segment, for each frame."""
    cut = np.zeros(np.broadcast_shapes(start.shape, stop.shape)[0], dtype=np.bool_)
    for x, y, width, height in boxes.tolist():
        middle, straight = np.array([x + width / 2, y + height / 2]), np.zeros(1)
        cut |= cut_by_rectangle(start, stop, middle, (width, height), straight)
    return cut


def sees(
    trial: Trial, actor: int, target: Places, *, hiding: tuple[PanelKind, ...] = BOARDS
) -> Annotated[Bools, "frame"]:
    """Return whether an actor sees a target that moves along a path, for each frame.

    Both must be in the room, with no panel of a hiding kind between them.
    """
    from_here = in_room(trial, trial.actors[actor].path) & trial.there(actor)
    there = in_room(trial, target)
    return from_here & there & ~_hidden(trial, trial.actors[actor].path, target, hiding)


def sees_objects(trial: Trial, actor: int) -> Annotated[Bools, "frame object"]:
    """Return whether an actor sees each object, for each frame."""
    paths = trial.objects_at
    seen = [sees(trial, actor, paths[:, index]) for index in range(len(trial.objects))]
    return np.stack(seen, axis=1) if seen else np.zeros((len(trial.path), 0), dtype=np.bool_)


def in_view(trial: Trial, target: Places) -> Annotated[Bools, "frame"]:
    """Return whether the observer sees a target that moves along a path, for each frame.

    Without a camera, the observer sees everything from above.
    """
    there: Bools = ~np.isnan(target[:, 0])
    if trial.camera is None:
        return there
    camera = np.broadcast_to(np.array(trial.camera), target.shape)
    return there & ~_hidden(trial, camera, target, BOARDS)


def hides_all(trial: Trial) -> bool:
    """Return whether boards hide the agent from the camera, if there is one, in every frame."""
    return trial.camera is not None and not in_view(trial, trial.path).any()


def _hidden(
    trial: Trial, start: Places, stop: Places, hiding: tuple[PanelKind, ...]
) -> Annotated[Bools, "frame"]:
    return cut_by_panels(start, stop, [one for one in trial.panels if one.kind in hiding])
