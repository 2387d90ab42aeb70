"""What a thing is, according to its id, and who it is, according to its shape and material.

The order of things, the rest of an id after its prefix, and a later change of colour (the highlight
at contact) mean nothing.
"""

from __future__ import annotations

from typing import Literal

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


_COLOURS: dict[str, tuple[float, float, float]] = {
    "azure": (0, 127, 255),
    "black": (0, 0, 0),
    "blue": (0, 0, 255),
    "brown": (139, 69, 19),
    "chartreuse": (127, 255, 0),
    "cyan": (0, 255, 255),
    "goldenrod": (218, 165, 32),
    "green": (0, 128, 0),
    "grey": (128, 128, 128),
    "indigo": (75, 0, 130),
    "lime": (0, 255, 0),
    "magenta": (255, 0, 255),
    "maroon": (128, 0, 0),
    "navy": (0, 0, 128),
    "olive": (128, 128, 0),
    "orange": (255, 165, 0),
    "pink": (255, 192, 203),
    "purple": (128, 0, 128),
    "red": (255, 0, 0),
    "rose": (255, 0, 127),
    "springgreen": (0, 255, 127),
    "tan": (210, 180, 140),
    "teal": (0, 128, 128),
    "turquoise": (64, 224, 208),
    "violet": (238, 130, 238),
    "white": (255, 255, 255),
    "yellow": (255, 255, 0),
}


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
        colour = _COLOURS.get(material.rsplit("/", 1)[-1].lower())
        if colour is not None:
            return colour
    return ()
