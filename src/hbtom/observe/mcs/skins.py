"""How things look in a scene: a shape and materials for any look, and back.

A look that comes from a scene is kept as it is. Any other look gets a shape that depends on its
image, and the named colour nearest to its own. A second material spells out the look, so that
different looks stay different and each can be restored.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from math import isfinite
from urllib.parse import quote, unquote

from hbtom.observe.colour_names import nearest_name
from hbtom.observe.episode import Identity
from hbtom.observe.mcs.roles import COLOURS, look_of

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
