"""Decoders for the fields of a frame: a size, blocks, a body, bodies.

Each function takes the JSON of one field and returns its value, or raises
:class:`hbtom.BadInput` or a decoder's error. The caller adds the place to it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from typing import Annotated, Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from hbtom.arrays import Floats, frozen
from hbtom.errors import BadInput
from hbtom.observe.bodies import Body, Identity

LARGEST_WORLD = 500.0  # pixels on a side; the benchmark has 200
FARTHEST = 2 * LARGEST_WORLD  # largest distance of anything from the origin, in x or y

_ENTITY = "an entity is [[x, y], radius, image, [red, green, blue]]"
_ENTITIES = f"a list of entities; {_ENTITY}"
_BLOCK = "a block is [[x, y], [width, height]]"
_PANEL = "a list of panels; a panel is [[x, y], [width, height], angle, image, [red, green, blue]]"
HINTS = {
    "size": "the size is [width, height] in pixels",
    "walls": _BLOCK,
    "fuse_walls": _BLOCK,
    "objects": _ENTITIES,
    "agent": _ENTITY,
    "pin": _ENTITIES,
    "key": _ENTITIES,
    "lock": _ENTITIES,
    "other_agents": _ENTITIES,
    "objects_now": _ENTITIES,
    "walls_gone": _BLOCK,
    "agent_away": "this is true or false",
    "camera": "the camera is at [x, y] in pixels",
    **dict.fromkeys(("door", "occluder", "paddle"), _PANEL),
}

_EntityRow = tuple[tuple[float, float], float, str, list[float]]
_AnyBlockRow = tuple[tuple[float, float], tuple[float, float]]

Ordinate = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]
_Extent = Annotated[float, Meta(ge=0, le=FARTHEST)]
_Degrees = Annotated[float, Meta(ge=-36000, le=36000)]
_Side = Annotated[float, Meta(gt=0, le=FARTHEST)]
_ShortPanel = tuple[tuple[Ordinate, Ordinate], tuple[_Side, _Side], _Degrees]
_WholePanel = tuple[tuple[Ordinate, Ordinate], tuple[_Side, _Side], _Degrees, str, list[float]]
_BlockRow = tuple[tuple[Ordinate, Ordinate], tuple[_Extent, _Extent]]

_decode_size = msgspec.json.Decoder(tuple[float, float]).decode
_decode_blocks = msgspec.json.Decoder(list[_BlockRow]).decode
_decode_any_blocks = msgspec.json.Decoder(list[_AnyBlockRow]).decode
_decode_entity = msgspec.json.Decoder(_EntityRow).decode
_decode_entities = msgspec.json.Decoder(list[_EntityRow]).decode
_decode_wrapped_entity = msgspec.json.Decoder(tuple[_EntityRow]).decode
_decode_wrapped_entities = msgspec.json.Decoder(list[tuple[_EntityRow]]).decode
_decode_panels = msgspec.json.Decoder(list[_WholePanel]).decode
_decode_short_panels = msgspec.json.Decoder(list[_ShortPanel]).decode
_decode_truth = msgspec.json.Decoder(bool).decode
_decode_place = msgspec.json.Decoder(tuple[Ordinate, Ordinate]).decode

T = TypeVar("T")
Known = dict[tuple[Callable[[msgspec.Raw], Any], bytes], Any]  # by decoder and JSON: the value


def decoded(raw: msgspec.Raw, decode: Callable[[msgspec.Raw], T], known: Known) -> T:
    """Return the value of a field; equal fields are decoded only once."""
    key = decode, bytes(raw)
    if key not in known:
        known[key] = decode(raw)
    return known[key]


def size(raw: msgspec.Raw) -> tuple[float, float]:
    """Read the width and the height of the world."""
    return check_size(_decode_size(raw))


def check_size(size: tuple[float, float]) -> tuple[float, float]:
    """Return the size of a world; refuse an impossible one."""
    width, height = size
    if not (0 < width <= LARGEST_WORLD and 0 < height <= LARGEST_WORLD):
        hint = f"each side must be more than 0 and at most {LARGEST_WORLD:g}"
        raise BadInput(f"the world is {width:g} x {height:g} pixels", hint=hint)
    return size


def blocks(raw: msgspec.Raw) -> Annotated[Floats, "block 4"]:
    """Read blocks as rows x, y, width, height, sorted and without duplicates."""
    try:
        rows = _decode_blocks(raw)
    except msgspec.ValidationError:
        _decode_any_blocks(raw)  # raises its own error if these are not blocks at all
        raise BadInput("a block has an impossible position or size", hint=_BLOCK) from None
    once = sorted({(place, extent) for place, extent in rows if extent[0] > 0 and extent[1] > 0})
    numbers = chain.from_iterable(chain.from_iterable(once))
    return frozen(np.fromiter(numbers, dtype=np.float64).reshape(-1, 4))


class Barrier(NamedTuple):
    """The blocks of a barrier, and the sum of their areas."""

    blocks: Annotated[Floats, "block 4"]
    area: float


def barrier(raw: msgspec.Raw) -> Barrier:
    """Read the blocks of a barrier and add up their areas."""
    rows = blocks(raw)
    return Barrier(rows, (rows[:, 2] * rows[:, 3]).sum())


def body(raw: msgspec.Raw) -> Body:
    """Read one entity."""
    return _made(_either(_decode_entity, _decode_wrapped_entity, raw))


def body_if_seen(raw: msgspec.Raw) -> Body | None:
    """Read one entity, or None for ``[]`` and ``null``."""
    return None if b"".join(bytes(raw).split()) in (b"[]", b"null") else body(raw)


def bodies(raw: msgspec.Raw) -> tuple[Body, ...]:
    """Read a list of entities and sort it by look and position, since its order means nothing."""
    rows = _either(_decode_entities, _decode_wrapped_entities, raw)
    return tuple(sorted(map(_made, rows)))


class PanelRow(NamedTuple):
    """A panel in one frame: its place as in the file, its size, its angle, its look."""

    place: tuple[float, float]
    size: tuple[float, float]
    angle: float
    image: str = ""
    colour: list[float] = []  # noqa: RUF012


def panels(raw: msgspec.Raw) -> list[PanelRow]:
    """Read a list of panels, with or without looks."""
    try:
        return [PanelRow(*row) for row in _decode_panels(raw)]
    except msgspec.ValidationError:
        return [PanelRow(*row) for row in _decode_short_panels(raw)]


def truth(raw: msgspec.Raw) -> bool:
    """Read true or false; an empty list is false."""
    return bytes(raw) != b"[]" and _decode_truth(raw)


def place(raw: msgspec.Raw) -> tuple[float, float] | None:
    """Read x and y, or None for an empty list."""
    return None if bytes(raw) == b"[]" else _decode_place(raw)


def _either(
    bare: Callable[[msgspec.Raw], T], wrapped: Callable[[msgspec.Raw], Any], raw: msgspec.Raw
) -> T:
    """Decode a bare entity, or one wrapped in a list of its own, as in some files."""
    try:
        return bare(raw)
    except msgspec.ValidationError:
        with suppress(msgspec.ValidationError):
            unwrapped: T = wrapped(raw)
            return unwrapped
        raise


def _made(row: Any) -> Body:
    (x, y), radius, image, colour = row[0] if len(row) == 1 else row  # bare, or wrapped once more
    if not 0 < radius <= LARGEST_WORLD:
        raise BadInput(f"the radius is {radius:g}", hint=_ENTITY)
    if not max(abs(x), abs(y)) <= FARTHEST:
        raise BadInput(f"the position is ({x:g}, {y:g})", hint="positions are in pixels")
    return Body(Identity(image, tuple(colour)), (x + radius, y + radius), radius)
