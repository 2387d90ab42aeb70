"""Other things in a trial, as polygons: other agents are discs, boards are rotated boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hbtom.observe import Episode, Other, Trial
from hbtom.observe.episode import OtherKind
from hbtom.show.plots.glyphs import DISC, SQUARE, Polygon

CALLED: dict[OtherKind, str] = {
    "agent": "other agent",
    "door": "door",
    "occluder": "occluder",
    "paddle": "paddle",
}


def kinds(episode: Episode) -> list[OtherKind]:
    """Return the kinds of other things in an episode, in alphabetical order."""
    return sorted({other.kind for trial in episode for other in trial.others})


def shape(other: Other, frame: int) -> Polygon:
    """Return the outline of another thing in a frame, around its position."""
    outline = (DISC if other.kind == "agent" else SQUARE) * np.array(other.size) / 2
    turn = np.radians(other.angle[frame])
    towards = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    corners: Polygon = outline @ towards
    return corners


def first_seen(trial: Trial) -> Iterator[tuple[Other, Polygon]]:
    """Yield all other things, with their outlines where they first appear."""
    for other in trial.others:
        frame = int((~np.isnan(other.angle)).argmax())
        yield other, other.path[frame] + shape(other, frame)
