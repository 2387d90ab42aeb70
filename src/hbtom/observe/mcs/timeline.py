"""Where a thing is at each step: what was shown last holds until it is shown again or hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe.mcs.scene import Show, Thing
from hbtom.observe.mcs.space import pixels

_NOWHERE = (np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class Seen:
    """A thing and where it is at some steps; not a number where it is not seen."""

    thing: Thing
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


def seen(thing: Thing, steps: Sequence[int]) -> Seen:
    """Return where a thing is at some steps."""
    shows = sorted(thing.shows, key=lambda show: show.step)
    table = np.array([*map(_row, shows), _NOWHERE])
    found = table[_shown(thing, steps)]
    return Seen(thing, found[:, :2], found[:, 2])


def _row(show: Show) -> tuple[float, float, float]:
    turn = show.rotation.y if show.rotation is not None else 0.0
    return *pixels(show.position.x, show.position.z), -turn % 360.0


def _shown(thing: Thing, steps: Sequence[int]) -> Annotated[Ints, "step"]:
    """Return which of its shows, in order, holds at each step; -1 where the thing is not seen.

    Of a show and a hide at the same step, the show counts.
    """
    shows = np.array([-1, *sorted(show.step for show in thing.shows)])
    hides = np.array([-1, *sorted(hide.step for hide in thing.hides)])
    show, hide = (np.searchsorted(some, steps, side="right") - 1 for some in (shows, hides))
    return np.where((show > 0) & (shows[show] >= hides[hide]), show - 1, -1)


def stands(thing: Thing, step: int) -> tuple[float, float] | None:
    """Return where a thing is at one step, the same as :func:`seen`, quickly; None if nowhere."""
    shows = [show for show in thing.shows if show.step <= step]
    if not shows:
        return None
    last = max(reversed(shows), key=lambda show: show.step)  # of equals the last in the file
    if any(last.step < hide.step <= step for hide in thing.hides):
        return None
    return pixels(last.position.x, last.position.z)


def changes(thing: Thing, span: range) -> int | None:
    """Return the step at which a thing is not where it was at the first step of a trial, if any."""
    events = [*(show.step for show in thing.shows), *(hide.step for hide in thing.hides)]
    later = sorted({step for step in events if step in span[1:]})
    if not later:
        return None
    first, *places = seen(thing, [span[0], *later]).place.tolist()
    return next(
        (step for step, at in zip(later, places, strict=True) if not _same(at, first)), None
    )


def _same(place: Sequence[float], other: Sequence[float]) -> bool:
    return np.array_equal(place, other, equal_nan=True)
