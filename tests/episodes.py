"""Small synthetic episodes in the benchmark's JSON form, as plain lists and dictionaries.

Every place given to these functions is a *centre* in pixels; the corners that files hold are
computed. A picture of the parts:

    path = walk((40, 100), (84, 100))                   # two pixels a frame
    familiar = trial(path, [HEART.at(99, 100)])         # still frames, the walk, still frames
    judged = read(episode(familiar, familiar))          # an hbtom.Episode

``key_trial`` is a whole instrumental trial: key, lock, vanishing barrier, object behind it.
Results are new each time, so tests may change them as they like.
"""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import hbtom
from hbtom import observe

Point = tuple[float, float]
Json = Any  # whatever json.dumps takes

SIZE = 200
CELL = 20


@dataclass(frozen=True)
class Thing:
    """Something with a look and a radius; ``at`` puts it somewhere."""

    image: str
    colour: tuple[int, ...]
    radius: float = 9
    centre: Point = (0, 0)

    def at(self, x: float, y: float) -> Thing:
        return replace(self, centre=(x, y))

    def entity(self) -> Json:
        """Return ``[[x, y], radius, image, [red, green, blue]]``, x and y its corner."""
        (x, y), r = self.centre, self.radius
        return [[x - r, y - r], r, self.image, list(self.colour)]


HEART = Thing("./shapes/train/objects/heart.png", (255, 0, 0))
SPOON = Thing("./shapes/train/objects/spoon.png", (0, 255, 255))
CLOVE = Thing("./shapes/train/agents/clove.png", (0, 0, 128), radius=6)  # an agent
ACORN = Thing("./shapes/train/agents/acorn.png", (128, 128, 0), radius=6)  # another agent
KEY = Thing("./shapes/triangle90.png", (128, 0, 0), radius=8)
LOCK = Thing("./shapes/triangle_slot90.png", (0, 128, 0), radius=10)
HOME = Thing("./shapes/home.png", (255, 105, 180), radius=6)


def block(x: float, y: float, width: float = CELL, height: float = CELL) -> Json:
    """Return a wall or a piece of barrier by its *corner*."""
    return [[x, y], [width, height]]


def border(size: int = SIZE) -> list[Json]:
    """Return the cells all around the world."""
    ends, along = (0, size - CELL), range(0, size, CELL)
    rows = [block(x, y) for x in along for y in ends]
    return rows + [block(x, y) for x in ends for y in along[1:-1]]


def ring(column: int, row: int) -> list[Json]:
    """Return walls in the eight cells around a cell, so that nothing can enter or leave it."""
    around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    return [block((column + i) * CELL, (row + j) * CELL) for i, j in around]


def walk(*corners: Point, step: float = 2) -> list[Point]:
    """Return whole-pixel places on straight lines through ``corners``, both ends included.

    Each step covers ``step`` pixels along the longer axis.
    """
    places = [corners[0]]
    for (x0, y0), (x1, y1) in pairwise(corners):
        steps = int(-(-max(abs(x1 - x0), abs(y1 - y0)) // step))
        for k in range(1, steps + 1):
            places.append((round(x0 + (x1 - x0) * k / steps), round(y0 + (y1 - y0) * k / steps)))
    return places


def frame(
    agent: Point,
    objects: Sequence[Thing],
    *,
    who: Thing = CLOVE,
    walls: Sequence[Json] | None = None,
    barrier: Sequence[Json] = (),
    key: Thing | None = None,
    lock: Thing | None = None,
    home: Point | None = None,
    size: int = SIZE,
) -> dict[str, Json]:
    """Return one frame with the names of newer files: ``pin`` the key, ``key`` the lock.

    Without ``walls`` the world has only its border.
    """
    return {
        "size": [size, size],
        "walls": border(size) if walls is None else list(walls),
        "fuse_walls": list(barrier),
        "pin": [key.entity()] if key else [],
        "key": [lock.entity()] if lock else [],
        "objects": [thing.entity() for thing in objects],
        "blocking": [],
        "home": HOME.at(*(home or agent)).entity(),
        "agent": who.at(*agent).entity(),
    }


def trial(
    path: Sequence[Point],
    objects: Sequence[Thing],
    *,
    before: int = 2,
    after: int = 3,
    walls: Sequence[Json] | None = None,
    size: int = SIZE,
    **same: Any,
) -> list[Json]:
    """Return a trial in which only the agent moves.

    ``before`` and ``after`` are still frames added to the first and last place of ``path``, so the
    first motion is at frame ``before + 1`` and the last at ``before + len(path) - 1``, counted
    from 0. Everything else is passed to :func:`frame`.
    """
    places = [path[0]] * before + list(path) + [path[-1]] * after
    same |= {"home": path[0], "walls": border(size) if walls is None else walls, "size": size}
    return [frame(place, objects, **same) for place in places]


def to_thing(thing: Thing, *, start: Point = (40, 100), others: Iterable[Thing] = (), **more: Any):
    """Return a trial in which the agent walks straight to ``thing`` and stops when they touch."""
    (x0, y0), (x1, y1) = start, thing.centre
    away = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
    share = (away - 13) / away  # 13 pixels between the centres: contact is at 15
    stop = (round(x0 + (x1 - x0) * share), round(y0 + (y1 - y0) * share))
    return trial(walk(start, stop), [thing, *others], **more)


# An instrumental trial: a wall across the world with a gap, closed by the barrier and the lock

BARRIER = (block(100, 60), block(100, 70), block(100, 80))  # overlapping, one off the lattice
LOCK_PLACE = (110, 110)
BEHIND = HEART.at(160, 110)  # the object behind the barrier


def divided() -> list[Json]:
    """Return the border and a wall across x = 100 to 120 with a gap from y = 60 to 120."""
    return border() + [block(100, y) for y in range(20, 180, CELL) if y not in (60, 80, 100)]


def key_trial(
    *,
    before: int = 3,
    wait: int = 2,
    after: int = 3,
    jump: bool = True,
    jitter: int = 0,
    goal: Thing = BEHIND,
    who: Thing = CLOVE,
) -> list[Json]:
    """Return a trial in which the agent fetches the key, opens the lock and goes to the object.

    With the values given above these are the frames of its events, counted from 0:

    =====  ==============================================================================
        3  first motion, from (50, 40) straight to the key at (50, 90)
       20  touches the key, 14 pixels away
       21  the key moves with the agent: picked up; ``jitter`` makes it tremble
       41  reaches the lock at (110, 110), 18 pixels away, and stands still
       44  after ``wait`` still frames: the barrier has one of its three blocks less
       46  the barrier is gone, and so are key and lock
       47  ``jump``: the agent is at the lock's place at once, 18 pixels on
       65  touches the object, 14 pixels away: end of motion
    =====  ==============================================================================

    Without ``jump`` it walks through the lock's place: nine frames from 47 to 55, and all later
    frames are eight higher.
    """
    walls = divided()
    lying = KEY.at(50, 90)
    frames: list[Json] = []

    def add(place: Point, key: Thing | None, lock: Thing | None, barrier: Sequence[Json]) -> None:
        frames.append(
            frame(
                place,
                [goal],
                who=who,
                walls=walls,
                barrier=barrier,
                key=key,
                lock=lock,
                home=(50, 40),
            )
        )

    def carried(place: Point, number: int) -> Thing:
        tremble = jitter * (number % 3 - 1)
        return KEY.at(place[0] + tremble, place[1] + 2 - tremble)

    lock = LOCK.at(*LOCK_PLACE)
    fetch = walk((50, 40), (50, 76))
    for place in [fetch[0]] * (before - 1) + fetch:
        add(place, lying, lock, BARRIER)
    bring = walk((50, 76), (92, 110))
    for number, place in enumerate(bring[1:] + [bring[-1]] * wait):
        add(place, carried(place, number), lock, BARRIER)
    for number, left in enumerate((BARRIER[:2], BARRIER[:1])):
        add(bring[-1], carried(bring[-1], number), lock, left)
    add(bring[-1], None, None, ())
    through = [] if jump else walk((92, 110), LOCK_PLACE)[1:-1]
    for place in through + walk(LOCK_PLACE, (goal.centre[0] - 14, goal.centre[1])):
        add(place, None, None, ())
    frames += [copied(frames[-1]) for _ in range(after)]
    return frames


def copied(value: Json) -> Json:
    """Return a deep copy, ten times as fast as the standard library."""
    return pickle.loads(pickle.dumps(value))


def episode(*trials: list[Json]) -> list[Json]:
    """Return a new episode made of copies of trials, which may be given more than once."""
    return [copied(one) for one in trials]


def simple_episode(times: int = 2) -> list[Json]:
    """Return an episode of a few short trials: two objects, and the agent always takes the heart.

    ``times`` familiarization trials, and a test trial like them; twelve frames each.
    """
    one = to_thing(HEART.at(65, 100), others=[SPOON.at(100, 60)])
    return episode(*[one] * (times + 1))


# Changes that must not matter, and reading


def every_frame(episode: list[Json], change: Callable[[dict[str, Json]], None]) -> list[Json]:
    """Return a copy of an episode with ``change`` made to each of its frames."""
    changed = copied(episode)
    for one in changed:
        for each in one:
            change(each)
    return changed


def with_old_names(episode: list[Json]) -> list[Json]:
    """Return the episode as older files name things: ``key`` the key, ``lock`` the lock."""

    def rename(each: dict[str, Json]) -> None:
        each["lock"], each["key"] = each["key"], each.pop("pin")

    return every_frame(episode, rename)


def to_bytes(episode: Json) -> bytes:
    """Return the episode as the bytes of a JSON document."""
    return json.dumps(episode).encode()


def read(episode: Json) -> hbtom.Episode:
    """Read an episode given as plain lists."""
    return observe.read(to_bytes(episode))


def assert_same(one: hbtom.Episode, other: hbtom.Episode) -> None:
    """Check that two episodes hold the same trials, value for value, and the same events."""
    assert len(one) == len(other)
    for first, second in zip(one, other, strict=True):
        for field in fields(first):
            np.testing.assert_equal(
                getattr(first, field.name), getattr(second, field.name), err_msg=field.name
            )
        assert first.events == second.events


def write(path: Path, episode: Json) -> Path:
    """Write an episode to a file, compressed according to its name, and return the path."""
    data = to_bytes(episode)
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        import zstandard

        data = zstandard.compress(data)
    path.write_bytes(data)
    return path


def shorten(files: Iterable[Path]) -> None:
    """Keep only two familiarization trials and the test trial of .gz files, for speed."""
    for file in files:
        between = b"}], [{"  # the last frame of a trial and the first one of the next
        first, second, *_, test = gzip.decompress(file.read_bytes()).split(between)
        file.write_bytes(gzip.compress(between.join((first, second, test)), compresslevel=1))


def write_pairs(folder: Path, tasks: Iterable[str], pairs: int, scale: int = 1) -> Path:
    """Write a dataset of short episodes, all different: in u, the agent takes the other object.

    The world is a quarter as large as usual, for speed; with ``scale=2``, it is as large as usual.
    """
    world: dict[str, Any] = {"size": 100 * scale, "walls": [], "start": (20 * scale, 50 * scale)}
    for row, task in enumerate(tasks):
        (folder / task).mkdir(parents=True)
        for number in range(pairs):
            heart = HEART.at(60 * scale, (30 - 5 * row) * scale)
            spoon = SPOON.at((20 + 7 * (number % 9)) * scale, (75 + 2 * (number // 9)) * scale)
            often = to_thing(heart, others=[spoon], **world)
            test = to_thing(spoon, others=[heart], **world)
            write(folder / task / f"{number:02}e.json.gz", [often, often])
            write(folder / task / f"{number:02}u.json.gz", [often, test])
    return folder
