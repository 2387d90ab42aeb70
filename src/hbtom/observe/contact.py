"""The room, and contacts between the actors and things in it.

Actors are numbered as in ``Trial.actors``; 0 is the agent that is judged. Frames count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.observe.bodies import Panel
from hbtom.observe.trial import Trial

TOUCH = 2.0  # largest gap between outlines that counts as touching, in pixels

ALL = slice(None)  # frames

Places = Annotated[Floats, "frame 2"]  # NaN where something is absent
Target = Literal["actor", "object", "panel"]


@dataclass(frozen=True, slots=True)
class Contact:
    """An agent touches something from frame ``first`` to ``last``; ``gap`` is the smallest gap."""

    target: Target
    index: int  # of the actor, object or panel
    first: int
    last: int
    gap: float  # pixels between outlines; negative where they overlap


@dataclass(frozen=True, slots=True)
class Onset:
    """The first motion of the agent: the frame, and what may have pushed it.

    ``gap`` is the distance to the nearest thing that could push, or infinite if there is none.
    """

    frame: int
    gap: float
    pushed_by: tuple[tuple[Target, int], ...]  # nearest first


# The room


def in_room(trial: Trial, path: Places) -> Annotated[Bools, "frame"]:
    """Return in which frames something is in the room, not in a corridor outside its walls."""
    left, top, right, bottom = trial.room
    x, y = path[:, 0], path[:, 1]
    return (x >= left) & (x <= right) & (y >= top) & (y <= bottom)


# Contact


class Disc(NamedTuple):
    """Something round that moves along a path."""

    path: Places
    radius: float


def present_paths(trial: Trial) -> list[Disc]:
    """Return the path of each actor, NaN where it is absent, and its radius."""
    return [
        Disc(present_path(trial, number), one.radius) for number, one in enumerate(trial.actors)
    ]


def present_path(trial: Trial, actor: int) -> Places:
    """Return where an actor is; NaN where it is absent."""
    path = trial.actors[actor].path
    if actor or trial.agent_there is None:
        return path
    return np.where(trial.agent_there[:, None], path, np.nan)


def gap_to_panel(path: Places, radius: float, panel: Panel) -> Annotated[Floats, "frame"]:
    """Return the distance from a disc's outline to a panel's; negative where they overlap."""
    turn, away = np.radians(panel.angle), path - panel.path
    cos, sin = np.cos(turn), np.sin(turn)
    across = np.abs(cos * away[:, 0] + sin * away[:, 1]) - panel.size[0] / 2
    along = np.abs(cos * away[:, 1] - sin * away[:, 0]) - panel.size[1] / 2
    outside = np.hypot(np.maximum(across, 0), np.maximum(along, 0))
    return outside + np.minimum(np.maximum(across, along), 0) - radius


def gaps(
    trial: Trial, actor: int, span: slice = ALL
) -> Iterator[tuple[Target, int, Annotated[Floats, "frame"]]]:
    """Yield the gap from an actor to everything else in these frames; NaN if either is absent."""
    one = trial.actors[actor]
    path = present_path(trial, actor)[span]
    for index, other in enumerate(trial.actors):
        if index != actor:
            apart = path - other.path[span]
            yield "actor", index, np.hypot(*apart.T) - one.radius - other.radius
    for index, thing in enumerate(trial.objects):
        away = np.hypot(*(path - trial.objects_at[span, index]).T)
        yield "object", index, away - one.radius - thing.radius
    for index, panel in enumerate(trial.panels):
        yield "panel", index, gap_to_panel(path, one.radius, panel.during(span))


def contacts(trial: Trial, actor: int = 0, tolerance: float = 0.0) -> tuple[Contact, ...]:
    """Return all contacts of an actor with other actors, objects and panels, in order."""
    found = []
    for target, index, gap in gaps(trial, actor):
        for first, last in stretches(gap <= tolerance):
            least = float(gap[first : last + 1].min())
            found.append(Contact(target, index, first, last, least))
    return tuple(sorted(found, key=lambda one: (one.first, one.target, one.index)))


def touches_in_passing(trial: Trial, actor: int = 0) -> tuple[Contact, ...]:
    """Return the contacts that end before the trial does: the actor moves on."""
    end = len(trial.path) - 1
    return tuple(one for one in contacts(trial, actor) if one.last < end)


def onset(trial: Trial, tolerance: float = TOUCH) -> Onset | None:
    """Return the agent's first motion and what touches it then, or None if it never moves.

    Paddles, doors and other actors may push. They count if they touch the agent in the last frame
    in which it rests, or one frame before or after that.
    """
    moved = moving(trial.whole_path)
    if not moved.any():
        return None
    frame = int(moved.argmax())
    about = slice(max(frame - 2, 0), frame + 1)
    near: list[tuple[float, Target, int]] = []
    for target, index, gap in gaps(trial, 0, about):
        pushes = target == "actor" or (target == "panel" and trial.panels[index].kind != "board")
        if pushes and not np.isnan(gap).all():
            near.append((float(np.nanmin(gap)), target, index))
    near.sort()
    pushed = tuple((target, index) for gap, target, index in near if gap <= tolerance)
    return Onset(frame, near[0][0] if near else np.inf, pushed)


# Stretches of frames


def moving(path: Places) -> Annotated[Bools, "frame"]:
    """Return in which frames something has moved since the last; absence is not motion."""
    step = np.hypot(*np.diff(path, axis=0).T)
    return np.append(False, step > 0)


def stretches(found: Annotated[Bools, "frame"]) -> list[tuple[int, int]]:
    """Return the first and last frame of each unbroken stretch of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], found, [False])).astype(int)))
    return [(int(first), int(end) - 1) for first, end in edges.reshape(-1, 2)]
