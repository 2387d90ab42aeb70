"""Find out what a rater relies on, by changing something in the episodes of each pair.

A rater has no parts to switch off, so its input is changed instead. If a change has no effect on a
pair, such as exchanging objects when there is only one, the pair does not count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from hbtom.bench.ablation import Ablation
from hbtom.bench.checked_rater import AnyRater, as_rater, identity
from hbtom.bench.evaluation import as_dataset
from hbtom.bench.judged import Both, Problems, Values, rate_members
from hbtom.bench.pairs import Dataset, LeftOut, Member, Pair, load_pairs
from hbtom.bench.placebo import Job, placebo, played, with_donors
from hbtom.bench.rater import Rater
from hbtom.bench.score import scores
from hbtom.bench.workers import Progress, counted, each
from hbtom.errors import BadInput
from hbtom.model import AnyModel
from hbtom.observe import Episode

Change = Callable[[Episode, Episode | None], Episode | None]  # the second is of another pair
Rated = dict[str, Values]  # by the name of a change


def _one_trial(episode: Episode, _: Episode | None) -> Episode | None:
    """Keep only the last familiarization trial."""
    return replace(episode, trials=episode.trials[-2:]) if len(episode) > 2 else None


def _alike(episode: Episode, _: Episode | None) -> Episode | None:
    """Make all objects look alike."""
    looks = {item.look for trial in episode for item in trial.objects}
    if len(looks) < 2:
        return None
    cast = dict.fromkeys(looks, min(looks))
    return replace(episode, trials=tuple(played(trial, cast) for trial in episode))


def _exchanged(episode: Episode, _: Episode | None) -> Episode | None:
    """Swap two objects in the test trial, so that the agent goes to the other one."""
    looks = [item.look for item in episode.test.objects]
    if len(looks) != 2:
        return None
    test = played(episode.test, dict(zip(looks, reversed(looks), strict=True)))
    return replace(episode, trials=(*episode.familiarization, test))


def _placebo(episode: Episode, other: Episode | None) -> Episode | None:
    return None if other is None else placebo(episode, other)


WHOLE = "as it is"
CHANGES: dict[str, tuple[str, Change]] = {  # groups and changes, by name
    WHOLE: ("rater", lambda episode, _: episode),
    "one trial": ("familiarization", _one_trial),
    "all look alike": ("objects", _alike),
    "exchanged at test": ("objects", _exchanged),
    "another pair's familiarization": ("placebo", _placebo),
}


def ablate_rater(
    dataset: str | os.PathLike[str] | Dataset | None,
    rater: AnyModel | Rater | type,
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Ablation:
    """Let a rater rate every pair of a dataset, unchanged and with each change."""
    found, rates = as_dataset(dataset, tasks), as_rater(rater)
    jobs, left_out = with_donors(found.pairs), list[LeftOut](found.left_out)
    work = _RateChanged(rates, len(CHANGES) * len(jobs))
    results = each(work, jobs, workers, weight=len(CHANGES), start=rates.start)
    rated: dict[str, dict[tuple[str, str], Values]] = {name: {} for name in CHANGES}
    for (pair, _), result in zip(jobs, counted(results, len(jobs), progress), strict=True):
        if isinstance(result, tuple):
            left_out.extend(result)
            continue
        for name, values in result.items():
            rated[name][pair.task, pair.name] = values
    groups = {name: group for name, (group, _) in CHANGES.items()}
    tasks_rated = {name: scores(values) for name, values in rated.items()}
    return Ablation(found.name, identity(rates), tasks_rated, tuple(left_out), groups)


@dataclass
class _RateChanged:
    """The work of rating pairs with each change; the rater is warmed up once in a process."""

    rater: AnyRater
    total: int  # pairs for all processes and changes together
    ready: bool = False

    def __call__(self, jobs: Sequence[Job]) -> Iterator[Rated | Problems]:
        if not self.ready:
            self.rater.warm_up(self.total)
            self.ready = True
        loaded = load_pairs(pair for pair, _ in jobs)
        for (_, donor), (pair, *both) in zip(jobs, loaded, strict=True):
            yield self._rated(pair, (both[0], both[1]), donor)

    def _rated(self, pair: Pair, both: Both, donor: Member | None) -> Rated | Problems:
        """Return the ratings with each change, or why the unchanged pair cannot be rated."""
        other = None
        with suppress(BadInput):  # errors of the donor are reported with its own pair
            other = None if donor is None else donor.load()
        found: Rated = {}
        for name, (_, change) in CHANGES.items():
            expected, unexpected = (
                one if isinstance(one, BadInput) else change(one, other) for one in both
            )
            if expected is None or unexpected is None:
                continue
            rated, problems = rate_members(self.rater, pair, (expected, unexpected))
            if not problems:
                found[name] = rated[0][1].value, rated[1][1].value
            elif name == WHOLE:
                return problems
        return found
