"""Marks in a movie with beliefs: paths of others, things out of sight, ghosts, attitudes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools
from hbtom.mind import Posterior
from hbtom.observe.contact import Places
from hbtom.show.company_beliefs import Ghost, attitudes, ghosts
from hbtom.show.plots.cast import ATTITUDE_COLOURS, FLOOR, SHARES, WALL, Colour, paler
from hbtom.show.plots.pixels import Painter, Pixels
from hbtom.world.sight_lines import sees_objects

BAR = (18.0, 4.0)  # pixels of the world: width and height of an attitude's bar
DASHES = 14  # around a ghost


@dataclass(frozen=True, eq=False)
class CompanyPainter(Painter):
    """Draws the frames of one trial, with beliefs about company."""

    posterior: Posterior | None = None

    def _pale(self, frame: int) -> frozenset[int]:
        return frozenset(np.flatnonzero(~self._seen[frame]).tolist())

    @cached_property
    def _seen(self) -> Annotated[Bools, "frame object"]:
        return sees_objects(self.trial, 0)

    @cached_property
    def _floor(self) -> int:
        return self.paints[FLOOR]

    def _step(self, frame: int) -> int:
        assert self.posterior is not None
        return int(np.searchsorted(self.posterior.frame, frame, side="right")) - 1

    def _marks(self, frame: int) -> Hashable:
        known = attitudes(self.trial, self.posterior)
        return self._ghosts_at(frame), self._step(frame) if known else 0

    @cached_property
    def _ghosts(self) -> tuple[Ghost, ...]:
        return ghosts(self.trial, self.posterior)

    def _ghosts_at(self, frame: int) -> tuple[Ghost, ...]:
        return tuple(one for one in self._ghosts if frame in range(*one.frames))

    def _draw_below(self, picture: Pixels, frame: int) -> None:
        """Draw the paths that others and objects have taken so far."""
        for other, colour in zip(self.trial.others, self.cast.others, strict=True):
            if other.kind == "agent":
                self._draw_way(picture, other.path[: frame + 1], paler(colour))
        if self.trial.object_paths is not None:
            for index, actor in enumerate(self.cast.objects):
                way = self.trial.object_paths[: frame + 1, index]
                self._draw_way(picture, way, paler(actor.colour))

    def _draw_way(self, picture: Pixels, path: Places, colour: Colour) -> None:
        """Draw dots on empty floor where a thing has been, unless it has never moved."""
        places = np.unique(path[~np.isnan(path[:, 0])], axis=0)
        corners = np.floor(self.scale * (places - 0.5) + 0.5).astype(np.int64)
        dot = np.arange(self.scale)
        columns = (corners[:, 0, None, None] + dot[None, None]).clip(0, picture.shape[1] - 1)
        rows = (corners[:, 1, None, None] + dot[None, :, None]).clip(0, picture.shape[0] - 1)
        if len(places) > 1:
            free = picture[rows, columns] == self._floor
            picture[rows, columns] = np.where(free, self.paints[colour], picture[rows, columns])

    def _draw_above(self, picture: Pixels, frame: int) -> None:
        for ghost in self._ghosts_at(frame):
            actor = self.cast.objects[ghost.index]
            colour = paler(actor.colour, min(SHARES, key=lambda one: abs(one - ghost.chance)))
            self._stamp(picture, ghost.place, dashed(self._shape(actor), self.scale), colour)
        for other, chances in attitudes(self.trial, self.posterior):
            if not np.isnan(other.path[frame]).any():
                x, y = other.path[frame].tolist()
                above = y - other.size[1] / 2 - 1.5 * BAR[1]
                self._draw_bar(picture, (x - BAR[0] / 2, above), chances[self._step(frame)])

    def _draw_bar(self, picture: Pixels, corner: tuple[float, float], chances: Places) -> None:
        """Draw P(hinders), P(neutral) and P(helps) as parts of a bar."""
        x, y = corner
        edge = 1.0 / self.scale
        around = np.array([[x - edge, y - edge, BAR[0] + 2 * edge, BAR[1] + 2 * edge]])
        self._fill(picture, around, WALL)
        for colour, chance in zip(ATTITUDE_COLOURS, chances.tolist(), strict=True):
            self._fill(picture, np.array([[x, y, chance * BAR[0], BAR[1]]]), colour)
            x += chance * BAR[0]


def dashed(shape: Bools, scale: int) -> Bools:
    """Return the outline of a shape, one and a half pixels of the world wide, in dashes."""
    inner = shape.copy()
    for _ in range(round(1.5 * scale)):
        padded = np.pad(inner, 1)
        inner = inner & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    rows, columns = np.indices(shape.shape) - (len(shape) - 1) / 2
    turn = np.arctan2(rows, columns) / (2 * np.pi) * DASHES
    dashes: Bools = turn % 1 < 0.6
    return shape & ~inner & dashes
