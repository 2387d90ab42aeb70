"""A small picture of a trial as plain values: walls, things, and the whole way of the agent."""

from __future__ import annotations

import numpy as np

from hbtom.observe import Trial
from hbtom.show.page.plain_values import Plain
from hbtom.show.plots.signs import rgb

MOST_PLACES = 40  # on the way; a picture is only as large as a few letters


def thumbnail(trial: Trial) -> Plain:
    """Return the values of a small picture; things have a kind, place, size and colour."""
    there = trial.walls if trial.walls_there is None else trial.walls[trial.walls_there[-1]]
    things = [("object", one) for one in trial.objects]
    things += [(kind, one) for kind, one in (("key", trial.key), ("lock", trial.lock)) if one]
    sampled = np.linspace(0, len(trial.path) - 1, min(MOST_PLACES, len(trial.path))).astype(int)
    return {
        "size": [round(side) for side in trial.size],
        "walls": _blocks(there),
        "barrier": _blocks(trial.barrier),
        "things": [
            [kind, *map(round, (*one.centre, one.radius)), *rgb(one.look)] for kind, one in things
        ],
        "way": np.rint(trial.whole_path[sampled]).astype(int).tolist(),
    }


def _blocks(blocks: np.ndarray) -> str:
    return "".join(f"M{x:.0f} {y:.0f}h{w:.0f}v{h:.0f}h-{w:.0f}z" for x, y, w, h in blocks.tolist())
