"""The things in a picture: regions of one colour, their form, and their role.

In a flat picture, anything long or square and as large as a cell is part of the barrier, a square
with a slot is the lock, and a triangle is the key. Things are recognised from trial to trial by
colour and form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.colours import Labels, PictureColours
from hbtom.observe.video.shapes import Region, is_block, is_key, is_lock, regions, same_shape
from hbtom.observe.video.solids import (
    Place,
    Solid,
    Stamp,
    ThingForm,
    placed,
    solid_of,
    stamp_of,
    window_round,
)

ThingRole = Literal["thing", "key", "lock", "barrier"]

# Lengths are in pixels of the world, misfits (root mean squares) in pixels of the picture.
_SMALLEST = 30.0  # least area of a thing
_LONGEST = 24.0  # longest side of anything but a barrier
_GAP = 1.0  # largest distance between two pieces of one thing
_WIDE = 19.0  # widest square object; a wider one is a cell of the barrier
_CLOSE = 0.7  # largest misfit of a known solid
_WORSE = 0.7  # largest misfit of a known solid beyond that of the best one
_HOME = {False: np.array([255.0, 105.0, 180.0]), True: np.array([200.0, 0.0, 190.0])}
_AT_HOME = 15.0  # largest distance of the agent from its home at first
_SAME_COLOUR = {False: 30.0, True: 60.0}


@dataclass(frozen=True, eq=False)
class VideoThing:
    """Something that is seen in a picture."""

    role: ThingRole
    form: ThingForm
    place: Place
    label: int  # of its colour in the palette
    colour: Annotated[Floats, "3"]
    value: Annotated[Floats, "3"]  # of its colour, as used for comparisons
    region: Region  # where it is seen in the first picture


def things_in(
    labels: Labels, palette: PictureColours, camera: Camera, known: Sequence[VideoThing] = ()
) -> list[VideoThing]:
    """Return all things in a picture, given the class of each pixel.

    Anything with the colour of a barrier is part of it.
    """
    found = list(_things(labels, palette, camera, known))
    barrier = {thing.label for thing in found if thing.role == "barrier"}
    return [replace(thing, role="barrier") if thing.label in barrier else thing for thing in found]


def _things(
    labels: Labels, palette: PictureColours, camera: Camera, known: Sequence[VideoThing]
) -> Iterator[VideoThing]:
    for label, value in enumerate(palette.things):
        for region in _joined(regions(labels == label), camera):
            if len(region) < _SMALLEST * camera.scale**2:
                continue
            alike = [one for one in known if _alike(one.value, value, shaded=palette.shaded)]
            form, place = stamp_of(region, camera) if camera.flat else _solid(region, camera, alike)
            if place.min() < -SIDE / 10 or place.max() > SIDE * 1.1:
                continue
            role = _role(form, camera)
            yield VideoThing(role, form, place, label, palette.shown[label], value, region)


def _joined(pieces: Sequence[Region], camera: Camera) -> list[Region]:
    """Merge pieces of one colour whose boxes almost touch, since they belong to one thing."""
    joined: list[Region] = []
    for piece in sorted(pieces, key=len, reverse=True):
        box = window_round(piece).grown(_GAP * camera.scale)
        for index, region in enumerate(joined):
            if box.meets(window_round(region)):
                joined[index] = np.concatenate([region, piece])
                break
        else:
            joined.append(piece)
    return joined


def same_kind(one: VideoThing, other: VideoThing) -> bool:
    """Return whether two things look the same, and so are the same in two trials."""
    shaded = isinstance(one.form, Solid)
    if one.role != other.role or not _alike(one.value, other.value, shaded=shaded):
        return False
    if isinstance(one.form, Stamp) and isinstance(other.form, Stamp):
        return same_shape(one.form.pixels, other.form.pixels)
    return True


def is_home(thing: VideoThing, agent: VideoThing, camera: Camera) -> bool:
    """Return whether a thing is the coloured square on which an agent starts."""
    shaded = isinstance(thing.form, Solid)
    if not _alike(thing.value, _HOME[shaded], shaded=shaded):
        return False
    middle = camera.ground(thing.region.mean(axis=0, keepdims=True))[0]
    return float(np.hypot(*(middle - agent.place))) < _AT_HOME


def _alike(one: Floats, other: Floats, *, shaded: bool) -> bool:
    return float(np.sqrt(((one - other) ** 2).sum())) < _SAME_COLOUR[shaded]


def _solid(region: Region, camera: Camera, alike: Sequence[VideoThing]) -> tuple[Solid, Place]:
    """Return the solid for a region: a known one if it fits about as well as the best."""
    forms = dict.fromkeys(thing.form for thing in alike if isinstance(thing.form, Solid))
    fits = [(*placed(form, region, camera), form) for form in forms]
    place, misfit, form = min(fits, key=lambda fit: fit[1], default=(None, np.inf, None))
    if form is None or place is None or misfit > _CLOSE:
        new, there, better = solid_of(region, camera)
        if form is None or place is None or misfit > better + _WORSE:
            return new, there
    return form, place


def _role(form: ThingForm, camera: Camera) -> ThingRole:
    """Return the role of a flat thing, according to its shape."""
    if not isinstance(form, Stamp):
        return "thing"
    rows, columns = np.array(form.pixels.shape) / camera.scale
    if max(rows, columns) > _LONGEST or (min(rows, columns) > _WIDE and is_block(form.pixels)):
        return "barrier"
    return "key" if is_key(form.pixels) else "lock" if is_lock(form.pixels) else "thing"
