"""Evaluating a model: judge every pair of a dataset, and count.

Work is handed out pair by pair; results come back in the dataset's order whatever the number of
workers and wherever they are, so that the same dataset and model always give the same rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from hbtom import __version__
from hbtom.bench import cluster as machines
from hbtom.bench import journal
from hbtom.bench.dataset import Dataset, LeftOut, Pair, find_pairs
from hbtom.bench.entries import task_name
from hbtom.bench.judged import Judged, judge_pairs
from hbtom.bench.results import COLUMNS, Compared, Row
from hbtom.bench.score import Score, pair_score, paired, scores, total
from hbtom.bench.workers import each
from hbtom.errors import BadInput, missing
from hbtom.judgement.warm_up import warm_up, worth_compiling
from hbtom.model import Model, find_model
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], None]  # pairs done, pairs in all


@dataclass(frozen=True, repr=False)
class Evaluation(Plottable):
    """What a model makes of a dataset."""

    dataset: str
    model: Model
    score: Compared  # by which pairs are compared
    rows: tuple[Row, ...]
    left_out: tuple[LeftOut, ...]  # files that are not part of a judged pair

    @property
    def unreadable(self) -> tuple[LeftOut, ...]:
        """What should have been judged and could not be read; its pairs do not count."""
        return tuple(one for one in self.left_out if one.unreadable)

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
        """The ratings of those pairs whose expected member is not rated higher."""
        return {name: both for name, both in self.ratings.items() if pair_score(*both) < 1}

    @property
    def overall(self) -> Score:
        """The score of all pairs together."""
        return total("overall", self.tasks)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values."""
        return {
            "model": {"name": self.model.name, "fingerprint": self.model.fingerprint},
            "score": self.score,
            "version": __version__,
            "dataset": self.dataset,
            "tasks": [score.to_dict() for score in self.tasks],
            "overall": self.overall.to_dict(),
            "wrong": [{"task": task, "pair": pair} for task, pair in self.wrong],
            "left_out": [asdict(one) for one in self.left_out],
        }

    def __repr__(self) -> str:
        overall = self.overall
        return (
            f"<Evaluation of {self.model.name!r} on {self.dataset!r}: {overall.pairs} pairs, "
            f"accuracy {overall.accuracy:.3f}>"
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row an episode (needs the extra ``tables``)."""
        try:
            import pandas as pd
        except ImportError:
            raise missing("pandas", "tables") from None
        return pd.DataFrame([asdict(row) for row in self.rows], columns=list(COLUMNS))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, and what was judged until then."""

    def __init__(self, so_far: Evaluation, done: int, pairs: int) -> None:
        super().__init__(f"{done} of {pairs} pairs were judged")
        self.so_far = so_far
        self.done = done
        self.pairs = pairs


def evaluate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: Model | str | os.PathLike[str] = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    score: Compared = "plausibility",
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge every pair of a dataset; ``workers`` is the number of processes, default all cores.

    Without a dataset, the default synthetic benchmark is made, once. ``score`` chooses what is
    compared: the fitted plausibility, or the predictive probability. ``cluster`` has the work done
    by the workers of a Dask scheduler instead: its address, or the file that it has written.

    ``out`` is written as pairs are judged: ``.csv``, ``.jsonl`` or ``.parquet``. ``resume`` goes on
    with what an earlier run has left there, ``overwrite`` replaces it when all is judged; both
    together go on with a run that was to replace it. Ctrl-C raises :class:`Interrupted`.
    ``progress`` is first told of what need not be judged again.
    """
    if score not in get_args(Compared):
        raise BadInput(f"there is no score '{score}'", hint=f"one of {get_args(Compared)}")
    file = None if out is None else Path(out)
    with journal.reserved(file, resume=resume, overwrite=overwrite):
        model, found = find_model(model), as_dataset(dataset, tasks)
        target = _target(file, found, model, score, resume=resume, overwrite=overwrite)
        return _evaluate(
            found,
            model,
            score,
            target,
            partial(_results, model, score, workers=workers, cluster=cluster),
            progress or (lambda done, pairs: None),
        )


def _evaluate(
    found: Dataset,
    model: Model,
    score: Compared,
    target: journal.Target | None,
    judge: Callable[[Sequence[Pair]], Generator[Judged]],
    tell: Progress,
) -> Evaluation:
    """Judge those pairs that an earlier run has not judged, and write them to the target."""
    judged = {pair: Judged(rows) for pair, rows in target.kept.items()} if target else {}
    todo = [pair for pair in found.pairs if pair not in judged]
    tell(len(judged), len(found.pairs))
    try:
        with closing(judge(todo)) as results, journal.Growing(target) as growing:
            for pair, one in zip(todo, results, strict=True):
                growing.add(one.rows)
                judged[pair] = one
                tell(len(judged), len(found.pairs))
        evaluation = _evaluation(found, model, score, judged)
        if target is not None:
            journal.finish(target, evaluation.rows)
    except KeyboardInterrupt:
        so_far = _evaluation(found, model, score, judged)
        raise Interrupted(so_far, len(judged), len(found.pairs)) from None
    except BadInput as error:
        raise journal.and_resume(error) if target and judged else error from None
    return evaluation


def as_dataset(
    dataset: str | os.PathLike[str] | Dataset | None, tasks: Sequence[str] | None
) -> Dataset:
    """Return the pairs of what a caller may name as a dataset; None is the default benchmark."""
    tasks = (tasks,) if isinstance(tasks, str) else tasks
    if isinstance(dataset, Dataset):
        wanted = None if tasks is None else {task_name(name) for name in tasks}
        pairs = (pair for pair in dataset.pairs if wanted is None or pair.task in wanted)
        return replace(dataset, pairs=tuple(pairs))
    if dataset is None:
        from hbtom.bench.synthetic import default_dataset

        dataset = default_dataset()
    return find_pairs(Path(dataset), tasks)


def _target(
    out: Path | None,
    found: Dataset,
    model: Model,
    score: Compared,
    *,
    resume: bool,
    overwrite: bool,
) -> journal.Target | None:
    if out is None:
        return None
    if resume:
        return journal.resume(out, found.pairs, model, score, overwrite=overwrite)
    return journal.start(out, overwrite=overwrite)


def _results(
    model: Model,
    score: Compared,
    pairs: Sequence[Pair],
    *,
    workers: int | None,
    cluster: str | None,
) -> Generator[Judged]:
    """Judge pairs on this machine, or on those of a cluster."""
    if cluster is None:
        compiled = warm_up([model], len(pairs))
        return each(partial(judge_pairs, model, score, compiled=compiled), pairs, workers)
    here = os.getcwd()
    members = (member for pair in pairs for member in (pair.expected, pair.unexpected))
    sources = {one.path if one.inside else os.path.dirname(one.path) for one in members}
    shared = sorted(os.path.join(here, source) for source in sources)
    compiled = worth_compiling([model], len(pairs))  # there, not here
    work = partial(judge_pairs, model, score, folder=here, compiled=compiled)
    return machines.each(work, pairs, cluster, shared)


def _evaluation(
    found: Dataset, model: Model, score: Compared, judged: Mapping[Pair, Judged]
) -> Evaluation:
    """Put together what was judged, in the dataset's order."""
    known = [judged[pair] for pair in found.pairs if pair in judged]
    rows = tuple(row for one in known for row in one.rows)
    problems = (problem for one in known for problem in one.problems)
    return Evaluation(found.name, model, score, rows, (*found.left_out, *problems))
