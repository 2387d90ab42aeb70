"""Evaluating a model: judge every pair of a dataset, and count.

Work is handed out pair by pair; results come back in the dataset's order whatever the number of
workers, so that the same dataset and model always give the same rows.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from hbtom import __version__
from hbtom.bench.dataset import Dataset, LeftOut, Member, Pair, find_pairs
from hbtom.bench.score import Score, pair_score, scores, total
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.model import Model, find_model
from hbtom.observe import names

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Rating = Literal["plausibility", "predictive"]
Progress = Callable[[int, int], None]  # pairs done, pairs in all


@dataclass(frozen=True, slots=True)
class Row:
    """One judged episode, as it stands in a results file."""

    task: str
    pair: str
    member: str
    file: str
    plausibility: float
    predictive: float | None  # the score without fitted weights, where it was asked for
    part_goal: float
    part_efficiency: float
    part_observation: float
    surprise_goal: float
    surprise_efficiency: float
    surprise_observation: float
    preference: str  # E[theta] at the start of the test trial: "heart.png 0.9; spoon.png 0.1"
    efficiency: float  # E[beta] at the start of the test trial
    model: str  # fingerprint
    version: str


COLUMNS = tuple(column.name for column in fields(Row))


@dataclass(frozen=True)
class Evaluation:
    """What a model makes of a dataset."""

    dataset: str
    model: Model
    score: Rating  # by which pairs are compared
    rows: tuple[Row, ...]
    unreadable: tuple[LeftOut, ...]  # members that could not be judged; their pairs do not count
    left_out: tuple[LeftOut, ...]  # files that are not part of a pair

    @property
    def tasks(self) -> tuple[Score, ...]:
        """The score of every task."""
        members: dict[tuple[str, str], dict[str, float]] = {}
        for row in self.rows:
            rating = row.plausibility if self.score == "plausibility" else row.predictive
            members.setdefault((row.task, row.pair), {})[row.member] = rating or 0.0
        values: dict[str, list[float]] = {}
        for (task, _), rated in members.items():
            if len(rated) == 2:
                values.setdefault(task, []).append(pair_score(rated["e"], rated["u"]))
        return scores(values)

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
            "unreadable": [asdict(one) for one in self.unreadable],
            "left_out": [asdict(one) for one in self.left_out],
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return one row an episode (needs the extra ``tables``)."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows], columns=list(COLUMNS))


def evaluate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: Model | str | os.PathLike[str] = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    score: Rating = "plausibility",
    progress: Progress | None = None,
) -> Evaluation:
    """Judge every pair of a dataset; ``workers`` is the number of processes, default all cores.

    Without a dataset, the default synthetic benchmark is made, once. ``score`` chooses what is
    compared: the fitted plausibility, or the predictive probability.
    """
    model = find_model(model)
    found = as_dataset(dataset, tasks)
    rows: list[Row] = []
    unreadable: list[LeftOut] = []
    judged = each_pair(partial(_judge_pair, model, score == "predictive"), found.pairs, workers)
    for done, (pair_rows, problems) in enumerate(judged, start=1):
        rows += pair_rows
        unreadable += problems
        if progress is not None:
            progress(done, len(found.pairs))
    return Evaluation(found.name, model, score, tuple(rows), tuple(unreadable), found.left_out)


def as_dataset(
    dataset: str | os.PathLike[str] | Dataset | None, tasks: Sequence[str] | None
) -> Dataset:
    """Return the pairs of what a caller may name as a dataset; None is the default benchmark."""
    if isinstance(dataset, Dataset):
        return dataset
    if dataset is None:
        from hbtom.bench.synthetic import default_dataset

        dataset = default_dataset()
    return find_pairs(Path(dataset), tasks)


def each_pair(
    work: Callable[[Pair], T], pairs: Sequence[Pair], workers: int | None = None
) -> Iterator[T]:
    """Yield the result of some work on each pair, in order, done by several processes."""
    workers = min(workers or os.cpu_count() or 1, max(1, len(pairs) // 8))
    if workers == 1:
        yield from map(work, pairs)
        return
    chunk = max(1, min(16, len(pairs) // (4 * workers)))
    with ProcessPoolExecutor(workers, initializer=_without_garbage) as pool:
        yield from pool.map(work, pairs, chunksize=chunk)


def _without_garbage() -> None:
    """Reading builds many small objects in a short time and no cycles: collecting only costs."""
    gc.disable()


def _judge_pair(model: Model, predictive: bool, pair: Pair) -> tuple[list[Row], list[LeftOut]]:
    rows, problems = [], []
    for member in (pair.expected, pair.unexpected):
        try:
            rows.append(_row(member, judge(member.load(), model), predictive))
        except BadInput as error:
            problems.append(LeftOut(member.file, str(error)))
    return rows, problems


def _row(member: Member, judgement: Judgement, predictive: bool) -> Row:
    test = judgement.test
    preference = zip(names(test.preferred), test.preference[0], strict=True)
    return Row(
        task=member.task,
        pair=member.pair,
        member=member.member,
        file=member.file,
        plausibility=judgement.plausibility,
        predictive=judgement.predictive if predictive else None,
        **{f"part_{name}": value for name, value in judgement.parts.to_dict().items()},
        **{f"surprise_{name}": value for name, value in judgement.surprise.to_dict().items()},
        preference="; ".join(f"{name} {share:.4f}" for name, share in preference),
        efficiency=float(test.efficiency[0] @ test.efficiencies),
        model=judgement.model.fingerprint,
        version=__version__,
    )
