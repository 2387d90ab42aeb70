"""An episode as a movie: its trials frame by frame, as the benchmark shows them.

Between two trials a picture of a single colour, :data:`hbtom.show.plots.cast.BETWEEN`, is shown for
:data:`PAUSE` seconds. All pictures have the size of the largest world among the trials, times the
scale, rounded up to an even number; a smaller world is drawn in the top left corner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from hbtom.bench.workers import Progress, counted
from hbtom.errors import BadInput, located
from hbtom.judgement import Judgement
from hbtom.observe import Episode, Trial
from hbtom.show.plots import need_matplotlib
from hbtom.show.plots.cast import BETWEEN, Paints, cast, paints
from hbtom.show.plots.company_pixels import CompanyPainter
from hbtom.show.plots.encoders import ENCODERS, Film
from hbtom.show.plots.pixels import Painter, Pixels
from hbtom.show.plots.signs import signs
from hbtom.show.trial_deeds import has_company

if TYPE_CHECKING:
    from hbtom.show.plots.charts import Chart

LIFE = 25  # frames per second in the benchmark
PAUSE = 0.4  # seconds between trials
SCALE = 4  # pixels of the picture per pixel of the world


@dataclass(frozen=True)
class Pace:
    """How fast a movie runs: pictures per second, and how many times faster than life."""

    fps: float = LIFE
    speed: float = 1.0

    def __post_init__(self) -> None:
        if not (self.fps > 0 and self.speed > 0):
            raise BadInput("pictures per second and speed must be greater than 0")

    def shown(self, frames: int) -> list[int]:
        """Return the frames of a trial that are shown, one per picture, including the last."""
        each = LIFE * self.speed / self.fps
        found = [int(number * each) for number in range(int(np.ceil(frames / each)))]
        return found if found[-1] == frames - 1 else [*found, frames - 1]

    @property
    def pause(self) -> int:
        """Pictures between two trials."""
        return max(1, round(PAUSE * self.fps))


def animate(
    shown: Episode | Judgement,
    form: str = "gif",
    *,
    trials: Sequence[int] | None = None,
    pace: Pace | None = None,
    scale: int = SCALE,
    progress: Progress | None = None,
) -> bytes:
    """Return a movie of an episode as the bytes of a file; ``form`` is gif or mp4.

    For a judgement, the changing P(goal) is shown next to the world. ``trials`` are numbers from 1;
    the default is all. ``scale`` is the number of pixels in the picture per pixel of the world.
    """
    if form not in ENCODERS:
        raise BadInput(f"a movie cannot be written as {form}", hint=f"one of {', '.join(ENCODERS)}")
    pace = pace or Pace()
    episode = shown.episode if isinstance(shown, Judgement) else shown
    with located(file=episode.name):
        chosen = choose(len(episode), trials, "trial")
    painters, found = _painters(shown, chosen, scale)
    (width, height), colours, charts = painters[0].size, found.colours, None
    if isinstance(shown, Judgement):
        need_matplotlib()
        from hbtom.show.plots.charts import draw_charts

        charts, colours = draw_charts(shown, chosen, height, colours)
        width += charts[0].width
    blank = np.full((height, width), found[BETWEEN], dtype=np.uint8)
    pictures = _pictures(painters, charts, pace, blank)
    each = [len(pace.shown(len(painter.trial.path))) for painter in painters]
    pictures = counted(pictures, sum(each) + pace.pause * (len(each) - 1), progress)
    return ENCODERS[form](Film(colours, (width, height), pace.fps), runs(pictures))


def _painters(
    shown: Episode | Judgement, chosen: Sequence[int], scale: int
) -> tuple[list[Painter], Paints]:
    """Return a painter for each trial, all with pictures of the same size, and their colours."""
    judgement = shown if isinstance(shown, Judgement) else None
    episode = shown.episode if isinstance(shown, Judgement) else shown
    trials, known = [episode[index] for index in chosen], signs([episode])
    casts = [cast(trial, known, own=judgement is None) for trial in trials]
    found, size = paints(casts), _size(trials, scale)
    painters: list[Painter] = []
    for index, trial, actors in zip(chosen, trials, casts, strict=True):
        given = trial, actors, found, scale, size
        if judgement is not None and has_company(trial):
            painters.append(CompanyPainter(*given, judgement.posteriors[index]))
        else:
            painters.append(Painter(*given))
    return painters, found


def choose(many: int, numbers: Sequence[int] | None, what: str) -> list[int]:
    """Return the indices of trials or plans given by their numbers; all by default."""
    if numbers is None:
        return list(range(many))
    if not numbers:
        hint = f"name one or more {what}s, or leave the choice out"
        raise BadInput(f"no {what} was chosen", hint=hint)
    for number in numbers:
        if not 1 <= number <= many:
            hint = f"the {what}s are 1 to {many}" if many > 1 else f"there is only one {what}"
            raise BadInput(f"there is no {what} {number}", hint=hint)
    return [number - 1 for number in numbers]


def _size(trials: Iterable[Trial], scale: int) -> tuple[int, int]:
    """Return the width and height of the pictures; encoders need even numbers."""
    sizes = np.ceil(scale * np.array([trial.size for trial in trials]).max(axis=0) / 2) * 2
    return int(sizes[0]), int(sizes[1])


def _pictures(
    painters: Sequence[Painter], charts: Sequence[Chart] | None, pace: Pace, blank: Pixels
) -> Iterator[Pixels]:
    """Yield the world in all trials, with its chart if there is one, and pauses in between."""
    for index, painter in enumerate(painters):
        if index > 0:
            yield from [blank] * pace.pause
        frames = pace.shown(len(painter.trial.path))
        for world, frame in zip(painter.frames(frames), frames, strict=True):
            chart = [] if charts is None else [charts[index].at(frame)]
            yield np.concatenate([world, *chart], axis=1) if chart else world


def runs(pictures: Iterable[Pixels]) -> Iterator[tuple[Pixels, int]]:
    """Yield each picture that differs from the one before, and how many times it is shown."""
    for _, same in groupby(pictures, key=id):
        shown = list(same)
        yield shown[0], len(shown)
