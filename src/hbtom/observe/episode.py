"""An episode, which is a series of trials, and comparing two trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from os import PathLike
from typing import NamedTuple

import numpy as np

from hbtom.errors import BadInput, count
from hbtom.observe.bodies import Other
from hbtom.observe.trial import Trial


class Sight(NamedTuple):
    """How well an agent is seen, in pixels: jitter, and how far it walks in a frame."""

    noise: float
    pace: float


@dataclass(frozen=True, eq=False)
class Episode:
    """A series of trials: familiarization trials, and then the test trial.

    ``sight`` is how well agents are seen, if known: a model that takes positions to be exact then
    expects this noise. ``notes`` say what a reader has guessed.
    """

    trials: tuple[Trial, ...]
    name: str = "episode"
    sight: Sight | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def company(self) -> bool:
        """Whether any trial has company."""
        return any(trial.company for trial in self.trials)

    @property
    def familiarization(self) -> tuple[Trial, ...]:
        return self.trials[:-1]

    @property
    def test(self) -> Trial:
        return self.trials[-1]

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the episode as the benchmark's JSON: .json, .json.gz or .json.zst."""
        from hbtom.observe.from_arrays import save

        save(self, path, overwrite=overwrite)

    def _repr_html_(self) -> str | None:
        """Return the HTML that notebooks show."""
        from hbtom.plottable import html_of

        return html_of(self)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def __getitem__(self, index: int) -> Trial:
        return self.trials[index]

    def __repr__(self) -> str:
        return f"<Episode {self.name!r} of {count(len(self.trials), 'trial')}>"


Loaded = Episode | BadInput  # an episode, or why it cannot be read


def check_writable(episode: Episode) -> None:
    """Refuse an episode whose walls or objects change, or that was seen with noise.

    Read back from a file, the episode would be judged differently.
    """
    if episode.sight is not None and episode.sight.noise > 0:
        problem = f"positions jitter by {episode.sight.noise:g} px, and no file format can say so"
        hint = "to write them as if they were exact, set [track] noise = 0 in the scene"
        raise BadInput(problem, hint=hint).at(file=episode.name)
    for number, trial in enumerate(episode, start=1):
        if trial.changes:
            raise BadInput(
                "walls or objects change during the trial; read from a file, it would be judged "
                "as if they did not",
                hint="episodes like this one can be judged, but not written",
            ).at(file=episode.name, trial=number)


def same_trial(one: Trial, other: Trial) -> bool:
    """Return whether two trials are the same in every field."""
    return one is other or _same_fields(one, other, _MOST_TELLING_FIRST)


def _same_fields(one: Trial | Other, other: Trial | Other, names: Iterable[str]) -> bool:
    return all(_same(getattr(one, name), getattr(other, name)) for name in names)


_MOST_TELLING_FIRST = sorted((field.name for field in fields(Trial)), key="path".__ne__)


def _same(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(map(_same, one, other))
    if isinstance(one, Other) and isinstance(other, Other):
        return _same_fields(one, other, (field.name for field in fields(Other)))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return one is other or (type(one) is type(other) and bool(one == other))
