"""Names for things in a video: their colour and what they are."""

from __future__ import annotations

from collections.abc import Iterable

_COLOURS = {
    "black": (0, 0, 0),
    "grey": (128, 128, 128),
    "white": (255, 255, 255),
    "maroon": (128, 0, 0),
    "red": (225, 20, 40),
    "brown": (139, 69, 19),
    "orange": (240, 130, 0),
    "gold": (225, 170, 20),
    "yellow": (250, 230, 30),
    "wheat": (245, 222, 179),
    "olive": (128, 128, 0),
    "green": (0, 140, 0),
    "lime": (0, 255, 0),
    "slate": (47, 79, 79),
    "teal": (0, 128, 128),
    "cyan": (0, 255, 255),
    "sky blue": (0, 190, 255),
    "steel blue": (70, 130, 180),
    "blue": (30, 30, 255),
    "navy": (0, 0, 128),
    "violet": (123, 104, 238),
    "purple": (128, 0, 128),
    "magenta": (255, 0, 255),
    "pink": (255, 105, 180),
    "mauve": (199, 21, 133),
}


def name_by_colour(colour: tuple[float, ...], what: str, taken: Iterable[str]) -> str:
    """Return a name for a thing of this colour that is not taken yet."""
    gaps = {
        word: sum((one - other) ** 2 for one, other in zip(colour, known, strict=True))
        for word, known in _COLOURS.items()
    }
    name = f"{min(gaps, key=gaps.__getitem__)} {what}"
    used = set(taken)
    numbers = (f"{name} {number}" for number in range(2, len(used) + 3))
    return next(one for one in (name, *numbers) if one not in used)
