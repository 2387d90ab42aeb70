"""Evaluating a model: judge every pair of a dataset, and count.

Work is handed out pair by pair; results come back in the dataset's order whatever the number of
workers, so that the same dataset and model always give the same rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from hbtom import __version__
from hbtom.bench.dataset import Dataset, LeftOut, Member, Pair, find_pairs, load_pairs, task_name
from hbtom.bench.score import Score, pair_score, paired, scores, total
from hbtom.bench.workers import each
from hbtom.errors import BadInput, missing
from hbtom.judgement import Judgement, judge
from hbtom.model import Model, find_model
from hbtom.observe import names
from hbtom.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

Compared = Literal["plausibility", "predictive"]
Progress = Callable[[int, int], None]  # pairs done, pairs in all


@dataclass(frozen=True, slots=True)
class Row:
    """One judged episode, as it stands in a results file."""

    task: str
    pair: str
    member: str
    file: str
    rating: float  # by which pairs are compared: the plausibility, or the predictive score
    plausibility: float
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


@dataclass(frozen=True, repr=False)
class Evaluation(Shown):
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
        values: dict[str, list[float]] = {}
        for (task, _), ratings in self.ratings.items():
            values.setdefault(task, []).append(pair_score(*ratings))
        return scores(values)

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


def evaluate(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: Model | str | os.PathLike[str] = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    score: Compared = "plausibility",
    progress: Progress | None = None,
) -> Evaluation:
    """Judge every pair of a dataset; ``workers`` is the number of processes, default all cores.

    Without a dataset, the default synthetic benchmark is made, once. ``score`` chooses what is
    compared: the fitted plausibility, or the predictive probability.
    """
    if score not in get_args(Compared):
        raise BadInput(f"there is no score '{score}'", hint=f"one of {get_args(Compared)}")
    model = find_model(model)
    found = as_dataset(dataset, tasks)
    rows: list[Row] = []
    left_out = list(found.left_out)
    judged = each(partial(_judge_pairs, model, score == "predictive"), found.pairs, workers)
    for done, (pair_rows, problems) in enumerate(judged, start=1):
        rows += pair_rows
        left_out += problems
        if progress is not None:
            progress(done, len(found.pairs))
    return Evaluation(found.name, model, score, tuple(rows), tuple(left_out))


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


Judged = tuple[list[Row], list[LeftOut]]  # of a pair: its episodes, and what cannot be read


def _judge_pairs(model: Model, predictive: bool, pairs: Sequence[Pair]) -> Iterator[Judged]:
    for pair, *episodes in load_pairs(pairs):
        rows, problems = [], []
        judgement = None
        for member, episode in zip((pair.expected, pair.unexpected), episodes, strict=True):
            try:
                if isinstance(episode, BadInput):
                    raise episode
                judgement = judge(episode, model, like=judgement)
                rows.append(_row(member, judgement, predictive))
            except BadInput as error:
                problems.append(LeftOut(member.file, error.said, unreadable=True))
        yield rows, problems


def _row(member: Member, judgement: Judgement, predictive: bool) -> Row:
    test = judgement.test
    preference = zip(names(test.preferred), test.preference[0], strict=True)
    return Row(
        task=member.task,
        pair=member.pair,
        member=member.member,
        file=member.file,
        rating=judgement.predictive if predictive else judgement.plausibility,
        plausibility=judgement.plausibility,
        **{f"part_{name}": value for name, value in judgement.parts.to_dict().items()},
        **{f"surprise_{name}": value for name, value in judgement.surprise.to_dict().items()},
        preference="; ".join(f"{name} {share:.4f}" for name, share in preference),
        efficiency=float(test.efficiency[0] @ test.efficiencies),
        model=judgement.model.fingerprint,
        version=__version__,
    )
