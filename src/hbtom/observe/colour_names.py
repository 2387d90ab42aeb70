"""Names of colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Colours = dict[str, tuple[int, ...]]  # red, green and blue, from 0 to 255, by name


def colour_table(written: str) -> Colours:
    """Return colours, given as in ``teal 008080, sky blue 00BEFF``."""
    pairs = (one.rpartition(" ") for one in written.split(", "))
    return {name: tuple(bytes.fromhex(code)) for name, _, code in pairs}


def nearest_name(colour: Sequence[float], names: Mapping[str, Sequence[float]]) -> str:
    """Return the name of the nearest colour, the first of several."""

    def far(name: str) -> float:
        return sum((one - other) ** 2 for one, other in zip(colour, names[name], strict=False))

    return min(names, key=far)
