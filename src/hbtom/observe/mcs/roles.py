"""What a thing is, told by its id, and how it looks, told by its shape and material.

Neither the order of things, nor what follows the prefix of an id, nor a colour that is put on later
(the highlight at contact) says anything.
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
    "occluder": "screen",  # by its colour a view blocker or a door
    "home": None,
    "platform": None,
}


def role_of(name: str, *, old: bool) -> Role | None:
    """Return what an id such as ``wall_grid_left`` says; None for what has no part in a trial.

    In old files goal objects are named after their shape, so that all other names are theirs.
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
    """Return who or what a thing is: its shape in its materials, called by its shape.

    Keys and locks are drawn in four rotations, and named as the benchmark does.

    >>> look_of("blob_12", ("Custom/Materials/Purple",))
    Look(image='Custom/Materials/Purple/blob_12', colour=(128, 0, 128), twin=1)
    >>> str(look_of("triangle", ("Custom/Materials/Maroon",), turned=90.0))
    'triangle90.png'
    """
    picture = _PICTURES.get(shape)
    name = shape if picture is None else picture.format(round(turned / 90) % 4 * 90)
    return Identity("/".join((*(materials or ()), name)), colour_of(materials))


def colour_of(materials: tuple[str, ...] | None) -> tuple[float, ...]:
    """Return red, green and blue of the first material that is named after a colour."""
    for material in materials or ():
        colour = _COLOURS.get(material.rsplit("/", 1)[-1].lower())
        if colour is not None:
            return colour
    return ()
