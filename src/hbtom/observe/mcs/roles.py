"""The role of a thing, which follows from its id, and its identity, from shape and material.

The order of things, the rest of an id after its prefix, and a later change of colour (the highlight
at contact) mean nothing.

Any look can also be converted into a skin, a shape with materials, and back. A look that comes from
a scene is kept as it is. Any other look gets a shape that depends on its image, and the named
colour nearest to its own. A second material spells out the look, so that different looks stay
different and each can be restored.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from math import isfinite
from typing import Literal
from urllib.parse import quote, unquote

from hbtom.observe.bodies import Identity
from hbtom.observe.colour_names import colour_table, nearest_name

Role = Literal[
    "agent",
    "object",
    "wall",
    "border",
    "barrier",
    "key",
    "lock",
    "other",
    "paddle",
    "screen",
    "stand",
]

_ROLES: dict[str, Role | None] = {
    "agent": "agent",
    "other_agents": "other",
    "other_agent": "other",
    "object": "object",
    "wall_grid": "border",
    "wall": "wall",
    "fuse_wall": "barrier",
    "key": "key",
    "lock": "lock",
    "paddle": "paddle",
    "occluder": "screen",  # an occluder or a door, depending on its colour
    "home": None,
    "platform": "stand",  # of the camera
}
COLOURS = colour_table(
    "Azure 007FFF, Black 000000, Blue 0000FF, Brown 8B4513, Chartreuse 7FFF00, Cyan 00FFFF, "
    "Goldenrod DAA520, Green 008000, Grey 808080, Indigo 4B0082, Lime 00FF00, Magenta FF00FF, "
    "Maroon 800000, Navy 000080, Olive 808000, Orange FFA500, Pink FFC0CB, Purple 800080, "
    "Red FF0000, Rose FF007F, SpringGreen 00FF7F, Tan D2B48C, Teal 008080, Turquoise 40E0D0, "
    "Violet EE82EE, White FFFFFF, Yellow FFFF00"
)
_BY_NAME = {name.lower(): colour for name, colour in COLOURS.items()}
_PICTURES = {"triangle": "triangle{}.png", "lock_wall": "triangle_slot{}.png"}
_MATERIALS = "Custom/Materials/"
_MADE_OF = "Benchmark"
# Scales at which shapes are one metre wide
BLOBS = {
    "blob_02": 3.03,
    "blob_03": 4.0,
    "blob_04": 3.33,
    "blob_05": 2.63,
    "blob_07": 4.0,
    "blob_10": 4.16,
    "blob_11": 2.85,
    "blob_12": 3.33,
}
_SOLIDS = (
    *("circle_frustum", "cone", "cube", "cube_hollow_narrow", "cube_hollow_wide", "cylinder"),
    *("pyramid", "sphere", "square_frustum", "tube_narrow", "tube_wide"),
)
_SHAPES = {  # a key is always a triangle
    "agent": tuple(BLOBS),
    "object": _SOLIDS,
    "key": ("triangle",),
    "lock": ("lock_wall",),
}
_UNUSED = "Black", "Red", "White"  # red marks contact
_PALETTE = {name: colour for name, colour in COLOURS.items() if name not in _UNUSED}


def role_of(name: str, *, old: bool) -> Role | None:
    """Return the role of a thing with an id such as ``wall_grid_left``; None if it has none.

    In old files, goal objects are named after their shape, so any unknown name is a goal object's.
    """
    for prefix, role in _ROLES.items():
        if name == prefix or name.startswith(f"{prefix}_"):
            return role
    return "object" if old else None


def look_of(shape: str, materials: tuple[str, ...] | None, *, turned: float = 0.0) -> Identity:
    """Return the identity of a thing: its shape and its materials, named after its shape.

    Keys and locks come in four rotations and are named as in the benchmark.

    >>> look_of("blob_12", ("Custom/Materials/Purple",))
    Identity(image='Custom/Materials/Purple/blob_12', colour=(128, 0, 128), twin=1)
    >>> str(look_of("triangle", ("Custom/Materials/Maroon",), turned=90.0))
    'triangle90.png'
    """
    picture = _PICTURES.get(shape)
    name = shape if picture is None else picture.format(round(turned / 90) % 4 * 90)
    return Identity("/".join((*(materials or ()), name)), colour_of(materials))


def colour_of(materials: tuple[str, ...] | None) -> tuple[float, ...]:
    """Return the red, green and blue of the first material that is named after a colour."""
    for material in materials or ():
        colour = _BY_NAME.get(material.rsplit("/", 1)[-1].lower())
        if colour is not None:
            return colour
    return ()


@dataclass(frozen=True, order=True, slots=True)
class Skin:
    """Shape, materials, and the picture's rotation in degrees, from x towards y."""

    shape: str
    materials: tuple[str, ...]
    turned: float = 0.0

    @property
    def metre(self) -> float:
        """The scale at which the shape is a metre wide."""
        return BLOBS.get(self.shape, 1.0)


def plain(shape: str, colour: str) -> Skin:
    """Return a shape in a named colour."""
    return Skin(shape, (_MATERIALS + colour,))


def skin_of(role: str, look: Identity) -> Skin:
    """Return how an agent, object, key or lock looks in a scene."""
    return _native(look) or _made(role, look)


def original(look: Identity) -> Identity:
    """Return the look that a look in a scene was made from, or else the look itself.

    >>> clove = Identity("./shapes/clove.png", (0.0, 0.0, 128.0))
    >>> skin = skin_of("agent", clove)
    >>> original(look_of(skin.shape, skin.materials)) == clove
    True
    """
    made = re.fullmatch(rf"{_MATERIALS}\w+/{_MADE_OF}/([^/]*)/([^/]*)/[^/]*", look.image)
    colour = None if made is None else _numbers(made[2])
    return look if made is None or colour is None else Identity(unquote(made[1]), colour, look.twin)


def _numbers(text: str) -> tuple[float, ...] | None:
    """Return the numbers of a list, or None if it contains anything else."""
    try:
        numbers = tuple(float(number) for number in text.split(",") if number)
    except ValueError:
        return None
    return numbers if all(map(isfinite, numbers)) else None


def _made(role: str, look: Identity) -> Skin:
    """Return a skin for a look; a look made before gives the same skin again."""
    look, shapes = original(look), _SHAPES[role]
    shape = shapes[zlib.crc32(look.image.encode(errors="surrogatepass")) % len(shapes)]
    angle = _turned(look) if role in ("key", "lock") else 0.0
    shown = [min(max(part, 0.0), 255.0) for part in look.colour]
    colour = ",".join(f"{number:.17g}" for number in look.colour)
    spelt = f"{_MADE_OF}/{quote(look.image, safe='', errors='surrogatepass')}/{colour}"
    return Skin(shape, (_MATERIALS + nearest_name(shown, _PALETTE), spelt), angle)


def _native(look: Identity) -> Skin | None:
    """Return the skin of a look that was read from a scene, and None for any other look."""
    materials, _, name = look.image.rpartition("/")
    each = tuple(_MATERIALS + one.rstrip("/") for one in materials.split(_MATERIALS)[1:])
    if not each or original(look) != look:
        return None
    picture = re.fullmatch(r"(triangle|triangle_slot)(\d+)\.png", name)
    if picture is None:
        skin = Skin(name, each)
    else:
        shape = "triangle" if picture[1] == "triangle" else "lock_wall"
        skin = Skin(shape, each, float(picture[2]))
    return skin if look_of(skin.shape, each, turned=skin.turned) == look else None


def _turned(look: Identity) -> float:
    """Return the rotation of a key or lock, according to the name of its picture."""
    found = re.search(r"(\d+)\.\w+$", look.image)
    return float(int(found[1]) % 360 // 90 * 90) if found else 0.0
