"""Trials with company, made by hand: everything that others do happens at known frames.

``busy`` has a gesture, a door that is moved, and a paddle; ``hidden`` has an object that is carried
away behind a board, and an agent that comes late. All agents have a radius of 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

import hbtom
from hbtom import Episode, Trial
from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.mind import Posterior
from hbtom.observe import Body, Identity, Other

ANNA, BEN, CAT = (
    Identity(name, colour)
    for name, colour in (("anna", (0, 0, 200)), ("ben", (200, 0, 0)), ("cat", (0, 150, 0)))
)
BALL = Identity("ball", (0, 200, 200))
CUP = Identity("cup", (200, 200, 0))
WHITE = Identity("cube", (255, 255, 255))
HOME = (150.0, 100.0)
UP, DOWN = (60.0, 50.0), (60.0, 150.0)
FRAMES = 60
Place = tuple[float, float]


def way(*stops: tuple[int, Place | None]) -> Annotated[Floats, "frame 2"]:
    """Return a path through places at given frames, straight in between; None means absent."""
    path = np.full((FRAMES, 2), np.nan)
    for index, (first, place) in enumerate(stops):
        last, then = stops[index + 1] if index + 1 < len(stops) else (FRAMES, place)
        if place is not None:
            ends = place if then is None else then
            path[first:last] = np.linspace(place, ends, last - first, endpoint=False)
    return path


def other(kind: Any, look: Identity, path: Floats, size: Place = (12, 12), turn: int = 0) -> Other:
    angle = np.where(np.isnan(path[:, 0]), np.nan, turn * np.arange(FRAMES))
    return Other(kind, look, size, path, angle)


def made(path: Floats, **more: Any) -> Trial:
    """Return a trial in which Anna takes a path; she does not move while she is absent."""
    x, y = path[~np.isnan(path[:, 0])][0].tolist()
    known = np.where(np.isnan(path), (x, y), path)
    return Trial(
        size=(200.0, 200.0),
        walls=np.array([[80.0, 0.0, 20.0, 20.0], [80.0, 180.0, 20.0, 20.0]]),
        barrier=np.empty((0, 4)),
        agent=Body(ANNA, (x, y), 6.0),
        path=known,
        barrier_left=np.zeros(FRAMES),
        **more,
    )


def busy() -> Trial:
    """Ben gestures in frames 4 to 24, Cat moves the door in 26 to 36, then Anna goes."""
    door = way((0, (90, 60)), (26, (90, 60)), (36, (90, 100)), (37, (90, 100)))
    ben = way((0, (150, 40)), (4, (150, 40)), (14, (130, 40)), (24, (150, 40)), (25, (150, 40)))
    cat = way((0, (90, 33)), (26, (90, 33)), (36, (90, 73)), (37, (90, 73)))
    anna = way((0, (150, 120)), (40, (150, 120)), (55, (75, 150)), (56, (75, 150)))
    return made(
        anna,
        objects=(Body(BALL, (60.0, 150.0), 9.0),),
        others=(
            other("agent", BEN, ben),
            other("agent", CAT, cat),
            other("door", Identity("cube", (0, 255, 255)), door, (20, 40)),
            other("paddle", Identity("cube", (0, 0, 0)), way((0, (30, 40))), (10, 40), turn=4),
        ),
        camera=(260.0, -60.0),
    )


def hidden() -> Trial:
    """Ben carries the ball away behind a board in frames 4 to 24, and Anna comes in frame 30."""
    ball = way((0, (40, 150)), (4, (40, 150)), (24, (40, 50)), (25, (40, 50)))
    ben = way((0, (40, 135)), (4, (40, 135)), (24, (40, 35)), (26, None))
    anna = way((0, None), (30, (150, 100)), (40, (150, 100)), (55, (70, 140)), (56, (70, 140)))
    there = np.ones((FRAMES, 2), dtype=bool)
    there[30:, 0] = False
    return made(
        anna,
        objects=(Body(BALL, (40.0, 150.0), 9.0),),
        object_paths=ball[:, None],
        walls_there=there,
        agent_there=np.arange(FRAMES) >= 30,
        still=True,
        others=(
            other("agent", BEN, ben),
            other("occluder", WHITE, way((0, (70, 60))), (10, 60)),
        ),
    )


def to(place: Place, *, short: float = 14.0, start: Place = HOME) -> Any:
    """Return a walk that ends a few pixels short of a place."""
    far = np.subtract(place, start)
    stop = np.add(start, far * (1 - short / np.hypot(*far)))
    return way((0, start), (40, start), (55, tuple(stop)), (56, tuple(stop)))


def ball(*places: Place) -> tuple[Body, ...]:
    return tuple(Body(look, at, 9.0) for look, at in zip((BALL, CUP), places, strict=False))


def carried(ending: Place, *, late: bool, back: bool = False) -> Trial:
    """Return a trial in which Ben carries the ball up behind a board; Anna may come late.

    Ben may put it back, from frame 20 on.
    """
    path = way((0, DOWN), (4, DOWN), (24, UP), (25, UP))
    if back:
        path = way((0, DOWN), (2, DOWN), (12, UP), (20, UP), (29, DOWN), (30, DOWN))
    ben = np.where(np.arange(FRAMES)[:, None] < 30, path - (0.0, 15.0), np.nan)
    boards = [other("occluder", WHITE, way((0, (80, y))), (10, 34)) for y in (50, 150)]
    there = np.arange(60) >= 32
    corner = (80.0, 78.0 if ending is UP else 122.0)  # around the board
    stop = (68.0, 62.0 if ending is UP else 138.0)
    return made(
        way((0, HOME), (40, HOME), (50, corner), (55, stop), (56, stop)),
        objects=ball(DOWN),
        object_paths=path[:, None],
        still=True,
        agent_there=there if late else None,
        others=(other("agent", BEN, ben), *boards),
    )


@dataclass(frozen=True, eq=False)
class Company:
    """What a mind may believe about company."""

    cause: Floats
    attitudes: Mapping[Identity, Floats]
    places: Mapping[Identity, tuple[tuple[Place, float], ...]]


class Imagined(Posterior, frozen=True, eq=False, dict=True):
    """A posterior with made-up beliefs about company."""

    company: Any = None


def imagine(judgement: Judgement, *, known: bool = True, by_itself: float = 0.98) -> Judgement:
    """Return a judgement with made-up beliefs about company, or with none.

    At the end, Anna moves by herself with the given probability. Ben helps with 0.7 and hinders
    with 0.1. The ball is believed to be at (40, 150) with 0.9.
    """
    found = []
    for one in judgement.posteriors:
        rows = 1 + len(one)
        moves = np.linspace(0.5, by_itself, rows)
        attitude = np.linspace((1 / 3, 1 / 3, 1 / 3), (0.1, 0.2, 0.7), rows)
        places = ((40.0, 150.0), 0.9), ((40.0, 50.0), 0.1)
        company = Company(np.stack([moves, 1 - moves], 1), {BEN: attitude}, {BALL: places})
        fields = {name: getattr(one, name) for name in Posterior.__struct_fields__}
        found.append(Imagined(**{**fields, "company": company if known else None}))
    imagined = replace(judgement, test=found[-1])
    imagined.__dict__["posteriors"] = tuple(found)
    return imagined


def judged() -> Judgement:
    """Return a judged episode: first the busy trial, then the hidden one."""
    return hbtom.judge(Episode((busy(), hidden())))
