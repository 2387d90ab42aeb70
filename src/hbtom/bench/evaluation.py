"""Evaluating a rater: it rates every pair of a dataset, and correct pairs are counted.

Results come back in the order of the dataset, however many workers there are and wherever they run.
So the same dataset and rater always give the same rows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from hbtom import __version__
from hbtom.bench import journal
from hbtom.bench.checked_rater import AnyRater, CheckedRater, as_rater, identity
from hbtom.bench.cluster import WorkersLost
from hbtom.bench.dataset import find_pairs
from hbtom.bench.entries import task_name
from hbtom.bench.judged import RatedPair, rate_pairs
from hbtom.bench.labels import Levels
from hbtom.bench.pairs import Dataset, LeftOut, Pair, Result
from hbtom.bench.rater import Rater
from hbtom.bench.results import Compared, Row, layout
from hbtom.bench.score import Score, mean_by_level, pair_score, paired, scores, total
from hbtom.bench.workers import Progress
from hbtom.errors import BadInput, count
from hbtom.judgement.tables import frame
from hbtom.model import AnyModel, Model
from hbtom.plottable import Plottable, notebook_progress

if TYPE_CHECKING:
    import pandas as pd

_KEPT = "the results so far are kept: the same command with --resume continues from there"


@dataclass(frozen=True, repr=False)
class Evaluation(Plottable, Result):
    """How a model, or any other rater, rates the pairs of a dataset."""

    dataset: str
    rater: AnyRater
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]  # files that are not part of a judged pair
    warned: Mapping[str, int] = field(default_factory=dict)  # by task: episodes with warnings
    levels: Levels = field(default_factory=dict)  # how plausible each episode is, if known

    @property
    def model(self) -> Model | CheckedRater:
        """The model itself, or another rater."""
        return identity(self.rater)

    @property
    def score(self) -> str:
        """The number by which pairs are compared: plausibility, predictive, or the rater's name."""
        return self.rater.score

    @property
    def tasks(self) -> tuple[Score, ...]:
        """The score of every task."""
        return scores(self.ratings)

    @property
    def ratings(self) -> dict[tuple[str, str], tuple[float, float]]:
        """The ratings of the expected and the unexpected member, by task and pair."""
        return paired({(row.task, row.pair, row.member): row.rating for row in self.rows})

    @property
    def wrong(self) -> dict[tuple[str, str], tuple[float, float]]:
        """The ratings of pairs whose expected member is not rated higher."""
        return {name: both for name, both in self.ratings.items() if pair_score(*both) < 1}

    @property
    def overall(self) -> Score:
        """The score of all pairs together."""
        return total("overall", self.tasks)

    @property
    def by_level(self) -> dict[str, dict[str, float]]:
        """The mean rating of the episodes of each level, by task, where levels are known."""
        return mean_by_level({(r.task, r.pair, r.member): r.rating for r in self.rows}, self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values."""
        return {
            "model": {"name": self.rater.name, "fingerprint": self.rater.fingerprint},
            "score": self.score,
            "version": __version__,
            "dataset": self.dataset,
            "tasks": [score.to_dict() for score in self.tasks],
            "overall": self.overall.to_dict(),
            "wrong": [{"task": task, "pair": pair} for task, pair in self.wrong],
            "left_out": [asdict(one) for one in self.left_out],
            "warned": dict(self.warned),
            **({"levels": self.by_level} if self.levels else {}),
        }

    def __repr__(self) -> str:
        overall = self.overall
        return (
            f"<Evaluation of {self.rater.name!r} on {self.dataset!r}: "
            f"{count(overall.pairs, 'pair')}, accuracy {overall.accuracy:.3f}>"
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per episode (needs the extra ``tables``)."""
        return frame([row.to_dict() for row in self.rows], layout(self.rater.columns))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the results so far."""

    def __init__(self, so_far: Evaluation, done: int, pairs: int) -> None:
        super().__init__(f"{done} of {pairs} pairs were judged")
        self.so_far = so_far
        self.done = done
        self.pairs = pairs


class Output(TypedDict, total=False):
    """Where results go."""

    out: str | os.PathLike[str] | None  # written as pairs are rated: .csv, .jsonl or .parquet
    resume: bool  # continue an earlier run
    overwrite: bool  # replace an existing file once all pairs are rated


def evaluate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: AnyModel | Rater | type = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    score: Compared = "plausibility",
    progress: Progress | None = None,
    **output: Unpack[Output],
) -> Evaluation:
    """Rate every pair of a dataset with a model or any other rater, and count correct pairs.

    - ``dataset``: by default the synthetic benchmark, which is generated once.
    - ``model``: a model, the name of a preset, a TOML file, or a :class:`hbtom.bench.Rater`.
    - ``tasks``: rate only these.
    - ``workers``: the number of processes; by default all cores are used.
    - ``cluster``: the address of a Dask scheduler whose workers do the work, or the file that the
      scheduler has written.
    - ``score``: the number with which a model rates: fitted plausibility or predictive score.
    - ``progress``: called with the number of pairs rated so far and of all pairs. The first call
      gives the number that need not be rated again. Notebooks show a bar by default.
    - ``out``: a results file, which is written as pairs are rated: ``.csv``, ``.jsonl`` or
      ``.parquet``.
    - ``resume``: continue the run that an earlier call began in ``out``.
    - ``overwrite``: replace ``out`` once all pairs are rated. With ``resume``, continue a run that
      was going to replace it.

    Ctrl-C raises :class:`Interrupted`. If all workers of a cluster are lost and none comes back,
    the error has what was evaluated as ``so_far``.
    """
    rater = as_rater(model, score)
    file = None if (out := output.get("out")) is None else Path(out)
    how = {name: bool(output.get(name)) for name in ("resume", "overwrite")}
    with journal.reserved(file, rater.columns, **how):
        found = as_dataset(dataset, tasks)
        target = None if file is None else journal.start(file, found.pairs, rater, **how)
        rate = partial(rate_pairs, rater, workers=workers, cluster=cluster)
        return _evaluate(found, rater, target, rate, progress or notebook_progress() or _silent)


def _silent(done: int, pairs: int) -> None:
    """Show no progress."""


def _evaluate(
    found: Dataset,
    rater: AnyRater,
    target: journal.Target | None,
    rate: Callable[[Sequence[Pair]], Generator[RatedPair]],
    tell: Progress,
) -> Evaluation:
    """Rate the pairs that an earlier run has not rated, and write them to the target."""
    judged = {pair: RatedPair(rows) for pair, rows in target.kept.items()} if target else {}
    todo = [pair for pair in found.pairs if pair not in judged]
    tell(len(judged), len(found.pairs))
    latest: dict[Pair, RatedPair] = {}
    try:
        with closing(rate(todo)) as results, journal.growing(target) as add:
            for pair, one in zip(todo, results, strict=True):
                latest = {pair: one}
                add(one.rows)
                judged |= latest
                tell(len(judged), len(found.pairs))
        evaluation = _evaluation(found, rater, judged)
        if target is not None:
            journal.finish(target, evaluation.rows)
    except KeyboardInterrupt:
        if target is not None:  # a pair may have been written but not yet counted
            judged |= {pair: one for pair, one in latest.items() if target.ends_with(one.rows)}
        so_far = _evaluation(found, rater, judged)
        raise Interrupted(so_far, len(judged), len(found.pairs)) from None
    except BadInput as error:
        if target and judged:
            error.hint = f"{error.hint}; {_KEPT}" if error.hint else _KEPT
        if isinstance(error, WorkersLost):
            error.so_far = _evaluation(found, rater, judged)
        raise
    return evaluation


def as_dataset(
    dataset: str | os.PathLike[str] | Dataset | None, tasks: Sequence[str] | None
) -> Dataset:
    """Return a dataset, given itself or its path; None means the default benchmark."""
    tasks = (tasks,) if isinstance(tasks, str) else tasks
    if isinstance(dataset, Dataset):
        wanted = None if tasks is None else {task_name(name) for name in tasks}
        pairs = (pair for pair in dataset.pairs if wanted is None or pair.task in wanted)
        return replace(dataset, pairs=tuple(pairs))
    if dataset is None:
        from hbtom.bench.synthetic import default_dataset

        dataset = default_dataset()
    return find_pairs(Path(dataset), tasks)


def _evaluation(found: Dataset, rater: AnyRater, judged: Mapping[Pair, RatedPair]) -> Evaluation:
    """Combine the results of all pairs, in the dataset's order."""
    known = {pair: judged[pair] for pair in found.pairs if pair in judged}
    rows = tuple(row for one in known.values() for row in one.rows)
    left_out = (*found.left_out, *(each for one in known.values() for each in one.problems))
    warned = Counter(pair.task for pair, one in known.items() for _ in range(one.warned))
    return Evaluation(found.name, rater, rows, left_out, warned, found.levels)
