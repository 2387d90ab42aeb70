"""The things in a picture: regions of one colour, what they look like, and what they are for.

In a flat picture, what is long or a whole square of a cell's size is barrier, a square with a slot
is the lock, and a triangle is the key. Kinds of things are known again from trial to trial, by
colour and form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.colours import Labels, Palette
from hbtom.observe.video.regions import Region, regions
from hbtom.observe.video.shapes import is_block, is_key, is_lock, same_shape
from hbtom.observe.video.solids import (
    Form,
    Place,
    Solid,
    Stamp,
    placed,
    solid_of,
    stamp_of,
    window_round,
)

Role = Literal["thing", "key", "lock", "barrier"]

_SMALLEST = 30.0  # square pixels of the world that a thing covers
_LONGEST = 24.0  # pixels of the world that anything but a barrier measures
_GAP = 1.0  # pixels of the world between two pieces of one thing
_WIDE = 19.0  # pixels of the world; a square that is wider is a cell, and no object
_CLOSE = 0.7  # pixels of the picture that a known solid may be off, as a root mean square
_WORSE = 0.7  # pixels of the picture that a known solid may fit worse than any other
_HOME = {False: np.array([255.0, 105.0, 180.0]), True: np.array([200.0, 0.0, 190.0])}
_AT_HOME = 15.0  # pixels of the world
_SAME_COLOUR = {False: 30.0, True: 60.0}


@dataclass(frozen=True, eq=False)
class Thing:
    """Something that is seen in a picture."""

    role: Role
    form: Form
    place: Place
    label: int  # of its colour in the palette
    colour: Annotated[Floats, "3"]
    value: Annotated[Floats, "3"]  # of its colour, as palettes compare it
    region: Region  # where it is seen at first


def things_in(
    labels: Labels, palette: Palette, camera: Camera, known: Sequence[Thing] = ()
) -> list[Thing]:
    """Return all things of a picture, given the class of each pixel.

    What has the colour of a barrier is a part of it.
    """
    found = list(_things(labels, palette, camera, known))
    barrier = {thing.label for thing in found if thing.role == "barrier"}
    return [replace(thing, role="barrier") if thing.label in barrier else thing for thing in found]


def _things(
    labels: Labels, palette: Palette, camera: Camera, known: Sequence[Thing]
) -> Iterator[Thing]:
    for label, value in enumerate(palette.things):
        for region in _joined(regions(labels == label), camera):
            if len(region) < _SMALLEST * camera.scale**2:
                continue
            alike = [one for one in known if _alike(one.value, value, shaded=palette.shaded)]
            form, place = stamp_of(region, camera) if camera.flat else _solid(region, camera, alike)
            if place.min() < -SIDE / 10 or place.max() > SIDE * 1.1:
                continue
            role = _role(form, camera)
            yield Thing(role, form, place, label, palette.shown[label], value, region)


def _joined(pieces: Sequence[Region], camera: Camera) -> list[Region]:
    """Return pieces of one colour as things: those whose boxes all but touch belong together."""
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


def same_kind(one: Thing, other: Thing) -> bool:
    """Tell whether two things look the same, and are hence the same in two trials."""
    shaded = isinstance(one.form, Solid)
    if one.role != other.role or not _alike(one.value, other.value, shaded=shaded):
        return False
    if isinstance(one.form, Stamp) and isinstance(other.form, Stamp):
        return same_shape(one.form.pixels, other.form.pixels)
    return True


def is_home(thing: Thing, agent: Thing, camera: Camera) -> bool:
    """Tell whether a thing is the coloured square on which an agent stands at first."""
    shaded = isinstance(thing.form, Solid)
    if not _alike(thing.value, _HOME[shaded], shaded=shaded):
        return False
    middle = camera.ground(thing.region.mean(axis=0, keepdims=True))[0]
    return float(np.hypot(*(middle - agent.place))) < _AT_HOME


def _alike(one: Floats, other: Floats, *, shaded: bool) -> bool:
    return float(np.sqrt(((one - other) ** 2).sum())) < _SAME_COLOUR[shaded]


def _solid(region: Region, camera: Camera, alike: Sequence[Thing]) -> tuple[Solid, Place]:
    """Return the solid that a region is: one that is known already, if it fits about as well."""
    forms = dict.fromkeys(thing.form for thing in alike if isinstance(thing.form, Solid))
    fits = [(*placed(form, region, camera), form) for form in forms]
    place, misfit, form = min(fits, key=lambda fit: fit[1], default=(None, np.inf, None))
    if form is None or place is None or misfit > _CLOSE:
        new, there, better = solid_of(region, camera)
        if form is None or place is None or misfit > better + _WORSE:
            return new, there
    return form, place


def _role(form: Form, camera: Camera) -> Role:
    """Tell what a flat thing is for, by its shape."""
    if not isinstance(form, Stamp):
        return "thing"
    rows, columns = np.array(form.pixels.shape) / camera.scale
    if max(rows, columns) > _LONGEST or (min(rows, columns) > _WIDE and is_block(form.pixels)):
        return "barrier"
    return "key" if is_key(form.pixels) else "lock" if is_lock(form.pixels) else "thing"
