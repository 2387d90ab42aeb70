"""Where a thing is at each step: where it was shown last, until it is shown again or hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe.mcs.scene import SceneThing, Show
from hbtom.observe.mcs.space import pixels

_NOWHERE = (np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class SeenThing:
    """A thing and where it is at some steps: NaN where it is not seen."""

    thing: SceneThing
    place: Annotated[Floats, "step 2"]  # in pixels
    angle: Annotated[Floats, "step"]  # in degrees, from x towards y

    @property
    def there(self) -> Annotated[Bools, "step"]:
        return ~np.isnan(self.angle)

    @property
    def start(self) -> tuple[float, float]:
        """Where it is seen first."""
        x, y = self.place[self.there.argmax()].tolist()
        return x, y


def seen(thing: SceneThing, steps: Sequence[int]) -> SeenThing:
    """Return where a thing is at some steps."""
    shows = sorted(thing.shows, key=lambda show: show.step)
    table = np.array([*map(_row, shows), _NOWHERE])
    found = table[_shown(thing, steps)]
    return SeenThing(thing, found[:, :2], found[:, 2])


def _row(show: Show) -> tuple[float, float, float]:
    turn = show.rotation.y if show.rotation is not None else 0.0
    return *pixels(show.position.x, show.position.z), -turn % 360.0


def _shown(thing: SceneThing, steps: Sequence[int]) -> Annotated[Ints, "step"]:
    """Return which of its shows, in order, applies at each step; -1 where the thing is not seen.

    If there are a show and a hide at the same step, the show counts.
    """
    shows = np.array([-1, *sorted(show.step for show in thing.shows)])
    hides = np.array([-1, *sorted(hide.step for hide in thing.hides)])
    show, hide = (np.searchsorted(some, steps, side="right") - 1 for some in (shows, hides))
    return np.where((show > 0) & (shows[show] >= hides[hide]), show - 1, -1)


def stands(thing: SceneThing, step: int) -> tuple[float, float] | None:
    """Return where a thing is at one step, or None; like :func:`seen`, but faster."""
    shows = [show for show in thing.shows if show.step <= step]
    if not shows:
        return None
    last = max(reversed(shows), key=lambda show: show.step)  # among equals, the last in the file
    if any(last.step < hide.step <= step for hide in thing.hides):
        return None
    return pixels(last.position.x, last.position.z)


def changes(thing: SceneThing, span: range) -> int | None:
    """Return the first step of a trial at which a thing is not where it was at its beginning."""
    events = [*(show.step for show in thing.shows), *(hide.step for hide in thing.hides)]
    later = sorted({step for step in events if step in span[1:]})
    if not later:
        return None
    first, *places = seen(thing, [span[0], *later]).place.tolist()
    for step, place in zip(later, places, strict=True):
        if not np.array_equal(place, first, equal_nan=True):
            return step
    return None
