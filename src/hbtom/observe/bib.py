"""The reader of the Baby Intuitions Benchmark's own JSON files.

A file is a list of trials, a trial a list of frames, a frame an object that says again where
everything is. Nearly all of it repeats the frame before, so fields are kept as raw bytes and
decoded only where the bytes differ from the last ones seen: same result, a tenth of the time.

Two generations of names are read. With a field ``lock``, ``key`` is the key that is carried;
without it, ``pin`` is that key and ``key`` is the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import Raw

from hbtom.arrays import Floats, frozen
from hbtom.errors import BadInput, Place
from hbtom.observe.decoding import malformed, place_in_message, problem
from hbtom.observe.episode import Body, Episode, Look, Trial

LARGEST_WORLD = 500.0  # pixels on a side; the benchmark has 200
MOST_OBJECTS = 8  # in a trial; the benchmark has 2
NOWHERE = (float("nan"), float("nan"))

_SHAPE = "an episode is a list of trials, a trial a list of frames, a frame an object"
_ENTITY = "an entity is [[x, y], radius, image, [red, green, blue]]"
_BLOCK = "a block is [[x, y], [width, height]]"
_NONE = Raw(b"[]")
_ABSENT = Raw(b"[]")  # told from an empty list in the file by being this very object

T = TypeVar("T")


class _Frame(msgspec.Struct, gc=False):
    size: Raw
    walls: Raw
    objects: Raw
    agent: Raw
    fuse_walls: Raw = _NONE
    pin: Raw = _NONE
    key: Raw = _NONE
    lock: Raw = _ABSENT


_EntityRow = tuple[tuple[float, float], float, str, list[float]]
_BlockRow = tuple[tuple[float, float], tuple[float, float]]

_decode_episode = msgspec.json.Decoder(list[list[_Frame]]).decode
_decode_size = msgspec.json.Decoder(tuple[float, float]).decode
_decode_blocks = msgspec.json.Decoder(list[_BlockRow]).decode
_decode_entity = msgspec.json.Decoder(_EntityRow).decode
_decode_entities = msgspec.json.Decoder(list[_EntityRow]).decode
_decode_wrapped_entity = msgspec.json.Decoder(tuple[_EntityRow]).decode
_decode_wrapped_entities = msgspec.json.Decoder(list[tuple[_EntityRow]]).decode


def read(data: bytes, name: str = "episode") -> Episode:
    """Read one episode from the bytes of its JSON document."""
    trials = _frames(data)
    if not trials:
        raise BadInput("the episode has no trials", hint=_SHAPE)
    return Episode(tuple(_numbered(trials, "trial", _trial)), name)


def _frames(data: bytes) -> list[list[_Frame]]:
    try:
        return _decode_episode(data)
    except RecursionError:
        raise BadInput("the lists in the file are nested too deeply", hint=_SHAPE) from None
    except msgspec.ValidationError as error:
        raise BadInput(problem(error), hint=_SHAPE, place=place_in_message(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(data, error, hint=_SHAPE) from None


def _trial(frames: Sequence[_Frame]) -> Trial:
    """Read one trial: a column for each field, one value a frame."""
    if not frames:
        raise BadInput("the trial has no frames", hint="remove the empty trial")
    sizes = _column("size", _size, (frame.size for frame in frames))
    walls = _column("walls", _blocks, (frame.walls for frame in frames))
    barriers = _column("fuse_walls", _blocks, (frame.fuse_walls for frame in frames))
    objects = _column("objects", _bodies, (frame.objects for frame in frames))
    agents = _column("agent", _body, (frame.agent for frame in frames))
    key_name, lock_name = ("pin", "key") if frames[0].lock is _ABSENT else ("key", "lock")
    keys = _column(key_name, _bodies, (getattr(frame, key_name) for frame in frames))
    locks = _column(lock_name, _bodies, (getattr(frame, lock_name) for frame in frames))
    _check_world(sizes[0], walls[0], objects[0], agents)
    _check_bodies(sizes[0], keys[0], key_name)
    _check_bodies(sizes[0], locks[0], lock_name)
    return Trial(
        size=sizes[0],
        walls=walls[0],
        barrier=barriers[0],
        objects=objects[0],
        agent=agents[0],
        path=frozen([agent.centre for agent in agents]),
        barrier_left=_left(barriers),
        key=next(iter(keys[0]), None),
        key_path=frozen([key[0].centre if key else NOWHERE for key in keys]) if keys[0] else None,
        lock=next(iter(locks[0]), None),
        lock_there=np.array([bool(lock) for lock in locks]) if locks[0] else None,
        warnings=(
            *_changes("size", sizes),
            *_changes("walls", walls),
            *_changes("objects", objects),
            *_changes("agent", [(agent.look, agent.radius) for agent in agents]),
            *_more_than_one("key", keys[0]),
            *_more_than_one("lock", locks[0]),
        ),
    )


# What a field may hold


def _size(raw: Raw) -> tuple[float, float]:
    width, height = _decode_size(raw)
    if not (0 < width <= LARGEST_WORLD and 0 < height <= LARGEST_WORLD):
        raise BadInput(
            f"the world is {width:g} x {height:g} pixels",
            hint=f"each side must be more than 0 and at most {LARGEST_WORLD:g}",
        )
    return width, height


def _blocks(raw: Raw) -> Floats:
    """Read blocks as sorted rows x, y, width, height, each once: order and repeats mean nothing."""
    rows = [(*corner, *extent) for corner, extent in _decode_blocks(raw)]
    blocks = np.array(sorted(set(rows)), dtype=np.float64).reshape(-1, 4)
    if not (np.abs(blocks) <= 2 * LARGEST_WORLD).all() or (blocks[:, 2:] < 0).any():
        raise BadInput("a block has an impossible place or size", hint=_BLOCK)
    return frozen(blocks[(blocks[:, 2:] > 0).all(axis=1)])


def _body(raw: Raw) -> Body:
    return _made(_either(_decode_entity, _decode_wrapped_entity, raw))


def _bodies(raw: Raw) -> tuple[Body, ...]:
    rows = _either(_decode_entities, _decode_wrapped_entities, raw)
    return tuple(sorted(map(_made, rows)))


def _either(bare: Callable[[Raw], T], wrapped: Callable[[Raw], Any], raw: Raw) -> T:
    """Decode a bare entity, or one that stands in a list of its own, as some files have it."""
    try:
        return bare(raw)
    except msgspec.ValidationError as error:
        try:
            unwrapped: T = wrapped(raw)
        except msgspec.ValidationError:
            raise error from None
        return unwrapped


def _made(row: Any) -> Body:
    (x, y), radius, image, colour = row[0] if len(row) == 1 else row  # bare, or wrapped once more
    if not 0 < radius <= LARGEST_WORLD:
        raise BadInput(f"the radius is {radius:g}", hint=_ENTITY)
    if not max(abs(x), abs(y)) <= 2 * LARGEST_WORLD:
        raise BadInput(f"the place is ({x:g}, {y:g})", hint="positions are in pixels")
    return Body(Look(image, tuple(colour)), (x + radius, y + radius), radius)


# What a trial must be


def _check_world(
    size: tuple[float, float], walls: Floats, objects: tuple[Body, ...], agents: Sequence[Body]
) -> None:
    if not objects:
        raise BadInput(
            "there are no objects",
            hint="a trial needs at least one goal object",
            place=Place(frame=1, field="objects"),
        )
    if len(objects) > MOST_OBJECTS:
        raise BadInput(
            f"there are {len(objects)} objects",
            hint=f"inference is exact and meant for at most {MOST_OBJECTS}",
            place=Place(frame=1, field="objects"),
        )
    _check_bodies(size, objects, "objects")
    for number, body in enumerate(agents, start=1):
        _check_inside(size, body, Place(frame=number, field="agent"))
    if _covers(walls, agents[0].centre):
        raise BadInput(
            "the agent stands inside a wall",
            hint="an agent must start on free floor",
            place=Place(frame=1, field="agent"),
        )


def _check_bodies(size: tuple[float, float], bodies: tuple[Body, ...], field: str) -> None:
    for body in bodies:
        _check_inside(size, body, Place(frame=1, field=field))


def _check_inside(size: tuple[float, float], body: Body, place: Place) -> None:
    (x, y), (width, height) = body.centre, size
    if not (0 <= x <= width and 0 <= y <= height):
        raise BadInput(
            f"{body.look} is at ({x:g}, {y:g}), outside the world of {width:g} x {height:g} pixels",
            hint="positions are corners in pixels; the centre is corner plus radius",
            place=place,
        )


def _covers(blocks: Floats, point: tuple[float, float]) -> bool:
    inside = (blocks[:, :2] < point) & (point < blocks[:, :2] + blocks[:, 2:])
    return bool(inside.all(axis=1).any())


# From frames to columns


def _column(name: str, decode: Callable[[Raw], T], raws: Iterable[Raw]) -> list[T]:
    """Decode one field of every frame, anew only where its bytes differ from the frame before."""
    values: list[T] = []
    last = None
    for number, raw in enumerate(raws, start=1):
        now = bytes(raw)
        if now == last:
            values.append(values[-1])
            continue
        last = now
        try:
            values.append(decode(raw))
        except BadInput as error:
            raise error.at(frame=number, field=name) from None
        except RecursionError:
            place = Place(frame=number, field=name)
            deep = "the lists are nested too deeply"
            raise BadInput(deep, hint=_HINTS[name], place=place) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            place = Place(frame=number, field=name)
            raise BadInput(problem(error), hint=_HINTS[name], place=place) from None
    return values


_HINTS = {
    "size": "the size is [width, height] in pixels",
    "walls": _BLOCK,
    "fuse_walls": _BLOCK,
    "objects": f"a list of entities; {_ENTITY}",
    "agent": _ENTITY,
    "pin": f"a list of entities; {_ENTITY}",
    "key": f"a list of entities; {_ENTITY}",
    "lock": f"a list of entities; {_ENTITY}",
}


def _left(barriers: Sequence[Floats]) -> Floats:
    """Tell how much of the barrier's first area stands in each frame, from 1 to 0."""
    first = barriers[0]
    whole = (first[:, 2] * first[:, 3]).sum()
    if whole == 0:
        return frozen(np.zeros(len(barriers)))
    areas = np.array([(blocks[:, 2] * blocks[:, 3]).sum() for blocks in barriers])
    return frozen(np.minimum(areas / whole, 1.0))


def _changes(name: str, column: Sequence[Any]) -> Iterable[str]:
    """Warn of a field that should stay as it is during a trial and does not."""
    first = column[0]
    for number, value in enumerate(column, start=1):
        if value is not first and not _equal(value, first):
            yield f"'{name}' changes at frame {number}; what the first frame shows is used"
            return


def _equal(one: Any, other: Any) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray) else bool(one == other)


def _more_than_one(name: str, bodies: tuple[Body, ...]) -> Iterable[str]:
    if len(bodies) > 1:
        yield f"there are {len(bodies)} {name}s; only the first, by look and place, is modelled"


def _numbered(values: Sequence[Any], what: str, read_one: Callable[[Any], T]) -> Iterable[T]:
    for number, value in enumerate(values, start=1):
        try:
            yield read_one(value)
        except BadInput as error:
            raise error.at(**{what: number}) from None
