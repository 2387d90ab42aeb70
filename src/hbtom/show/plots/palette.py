"""The few colours of a movie, taken from some of its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hbtom.show.plots.cast import MOST, Colour
from hbtom.show.plots.encoders import pillow
from hbtom.show.plots.pixels import Pixels

Photograph = Annotated[NDArray[np.uint8], "row column 3"]


@dataclass(frozen=True)
class Palette:
    """The colours of a movie, by their numbers."""

    colours: tuple[Colour, ...]
    image: Any  # Pillow's picture that holds them

    def numbered(self, picture: Photograph) -> Pixels:
        """Return a picture as numbers of colours."""
        return np.asarray(pillow().fromarray(picture).quantize(palette=self.image, dither=0))


def palette(pictures: Sequence[Photograph], first: Colour) -> Palette:
    """Return the colours of a movie, given pictures that have all of them, and colour number 0."""
    few = pillow().fromarray(np.concatenate(pictures)).quantize(MOST - 1, dither=0)
    flat = [*first, *(few.getpalette() or [])]
    image = pillow().new("P", (1, 1))
    image.putpalette(flat)
    colours = [(flat[at], flat[at + 1], flat[at + 2]) for at in range(0, len(flat), 3)]
    return Palette(tuple(colours), image)
