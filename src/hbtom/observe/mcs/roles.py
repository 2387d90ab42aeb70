"""What a thing is, according to its id, and who it is, according to its shape and material.

The order of things, the rest of an id after its prefix, and a later change of colour (the highlight
at contact) mean nothing.
"""

from __future__ import annotations

from typing import Literal

from hbtom.observe.colour_names import colour_table
from hbtom.observe.episode import Identity

Role = Literal[
    "agent", "object", "wall", "border", "barrier", "key", "lock", "other", "paddle", "screen"
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
    "platform": None,
}


def role_of(name: str, *, old: bool) -> Role | None:
    """Return the role of a thing with an id such as ``wall_grid_left``; None if it has none.

    In old files goal objects are named after their shape, so any unknown name is theirs.
    """
    for prefix, role in _ROLES.items():
        if name == prefix or name.startswith(f"{prefix}_"):
            return role
    return "object" if old else None


COLOURS = colour_table(
    "Azure 007FFF, Black 000000, Blue 0000FF, Brown 8B4513, Chartreuse 7FFF00, Cyan 00FFFF, "
    "Goldenrod DAA520, Green 008000, Grey 808080, Indigo 4B0082, Lime 00FF00, Magenta FF00FF, "
    "Maroon 800000, Navy 000080, Olive 808000, Orange FFA500, Pink FFC0CB, Purple 800080, "
    "Red FF0000, Rose FF007F, SpringGreen 00FF7F, Tan D2B48C, Teal 008080, Turquoise 40E0D0, "
    "Violet EE82EE, White FFFFFF, Yellow FFFF00"
)
_BY_NAME = {name.lower(): colour for name, colour in COLOURS.items()}


_PICTURES = {"triangle": "triangle{}.png", "lock_wall": "triangle_slot{}.png"}


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
