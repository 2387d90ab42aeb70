"""The content of a report: the ratings of pairs, and everything known about them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hbtom.bench.comparison import PairName, score_ratings
from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import Evaluation
from hbtom.bench.labels import Labels, read_labels
from hbtom.bench.pairs import Dataset, LeftOut
from hbtom.bench.ratings import EpisodeName, Ratings, read_ratings
from hbtom.bench.results import MODEL_COLUMNS, Row, decode, whole_lines
from hbtom.bench.score import Score, in_order, margin, pair_score, paired, scores
from hbtom.errors import BadInput
from hbtom.files import read_whole
from hbtom.model import Model, find_model, presets

if TYPE_CHECKING:
    from hbtom.neural.raters import NetworkRater
    from hbtom.show.report import Results, Source
WRONG = 20  # most wrong pairs, unless more are to be watched
CLOSE = 10  # most nearly wrong pairs


@dataclass(frozen=True)
class Findings:
    """Pairs in the benchmark's order, with the ratings of both members and everything known."""

    name: str  # of the dataset, or of the file of ratings
    rated: str  # kind of ratings: plausibility, predictive, a rater's name, or just rating
    ratings: Mapping[PairName, tuple[float, float]]  # of the expected and the unexpected member
    rows: Mapping[PairName, tuple[Row, Row]]  # of all pairs if hbtom rated them; otherwise empty
    left_out: tuple[LeftOut, ...]
    model: Model | None = None
    network: NetworkRater | None = None  # instead of a model
    unknown: str = ""  # the reason if neither is known
    dataset: Dataset | None = None  # where the episodes are, if given

    @property
    def values(self) -> dict[PairName, float]:
        """The score of every pair: 1, 1/2 for a tie or a missing rating, or 0."""
        return {name: pair_score(*both) for name, both in self.ratings.items()}

    @property
    def tasks(self) -> tuple[Score, ...]:
        """The score of every task."""
        return scores(self.ratings)

    @property
    def by_model(self) -> bool:
        """Whether a model has rated all pairs, so that parts and surprises are known."""
        rows = [row for both in self.rows.values() for row in both]
        return bool(rows) and all(row.own.keys() == MODEL_COLUMNS.keys() for row in rows)

    @property
    def rater(self) -> str:
        """The name of the model or rater, or fingerprints; empty if unknown."""
        if self.model is not None:
            return self.model.name
        return ", ".join(self.fingerprints) if self.by_model or not self.rows else self.rated

    @property
    def fingerprints(self) -> list[str]:
        """The models that rated these pairs; more than one if files were combined."""
        return sorted({row.model for both in self.rows.values() for row in both})

    @property
    def versions(self) -> list[str]:
        """The versions of hbtom that rated these pairs."""
        return sorted({row.version for both in self.rows.values() for row in both})


def find(
    results: Results,
    model: Model | Source | None,
    dataset: Dataset | Source | None,
    labels: Labels | Source | None = None,
) -> Findings:
    """Return the findings of an evaluation, of ratings, or of a file of either."""
    given: object = None if model is None else _named(model)
    if isinstance(labels, str | os.PathLike):
        labels = read_labels(Path(labels))
    if isinstance(dataset, str | os.PathLike):
        dataset = find_pairs(Path(dataset), labels=labels)
    if isinstance(results, Evaluation):
        rows = paired({_name(row): row for row in results.rows})
        found = Findings(results.dataset, results.score, results.ratings, rows, results.left_out)
        given = given or getattr(results.model, "rater", results.model)
    elif isinstance(results, Ratings):
        found = _of_ratings(results, {}, dataset)
    else:
        path = Path(results)
        found = _of_ratings(read_ratings(path, labels), _own_rows(path), dataset)
    if not found.ratings:
        raise BadInput("there is no pair to report on", hint="rate both members of a pair")
    return replace(_recognised(found, given), dataset=dataset)


def _named(model: Model | Source) -> Model | NetworkRater:
    """Return a model, or a network given by its name or file."""
    if isinstance(model, Model):
        return model
    from hbtom.neural.nets import NETWORKS
    from hbtom.neural.raters import FILES, network_rater

    name = os.fspath(model)
    return network_rater(name) if name in NETWORKS or name.endswith(FILES) else find_model(name)


def _of_ratings(
    ratings: Ratings, own: Mapping[EpisodeName, Row], dataset: Dataset | None
) -> Findings:
    """Join ratings with the rows that hbtom wrote about them, if there are any."""
    values = paired(ratings.values)
    if dataset is not None:
        known = {(pair.task, pair.name) for pair in dataset.pairs}
        values = {name: both for name, both in values.items() if name in known}
    order = {task: place for place, task in enumerate(in_order(task for task, _ in values))}
    names = sorted(values, key=lambda name: (order[name[0]], name))
    rows = paired(own)
    rows = {name: rows[name] for name in names} if set(names) <= set(rows) else {}
    left_out = score_ratings(ratings, dataset).left_out
    kinds = {row.score for both in rows.values() for row in both}  # several if files were combined
    return Findings(
        name=dataset.name if dataset else _folder(rows) or ratings.name,
        rated=kinds.pop() if len(kinds) == 1 else "rating",
        ratings={name: values[name] for name in names},
        rows=rows,
        left_out=(*left_out, *(dataset.left_out if dataset else ())),
    )


def _own_rows(path: Path) -> dict[EpisodeName, Row]:
    """Return the rows of a results file written by hbtom; none for any other file."""
    try:
        rows = decode(whole_lines(read_whole(path), path.suffix), path.suffix)
    except (BadInput, KeyError):  # other columns, or another kind of file
        return {}
    values = (
        value for row in rows if not row.own.get("missing") for value in row.to_dict().values()
    )
    numbers = (value for value in values if isinstance(value, float))
    return {_name(row): row for row in rows} if all(map(math.isfinite, numbers)) else {}


def _name(row: Row) -> EpisodeName:
    return row.task, row.pair, row.member


def _folder(rows: Mapping[PairName, tuple[Row, Row]]) -> str:
    """Return the folder or archive that all episodes are in."""
    try:
        return os.path.commonpath([row.file for both in rows.values() for row in both])
    except ValueError:  # there are none, or they have nothing in common
        return ""


def _recognised(found: Findings, given: object) -> Findings:
    """Add the model or network that made all ratings, or why it is unknown."""
    fingerprints = found.fingerprints
    if not fingerprints:
        why = "the file has only ratings and does not say which model made them"
        return replace(found, unknown=why)
    if len(fingerprints) > 1:
        return replace(found, unknown=f"the results are from {len(fingerprints)} models")
    if not found.by_model:
        return _by_network(found, given)
    [wanted] = fingerprints
    named = given if isinstance(given, Model) else None
    for model in [named] if named else map(Model.preset, presets()):
        if model.fingerprint == wanted:
            return replace(found, model=model)
    why = f"the results are from the model {wanted}, "
    why += f"but {named.name} is {named.fingerprint}" if named else "which is not a preset"
    return replace(found, unknown=why)


def _by_network(found: Findings, given: object) -> Findings:
    """Add the network that made all ratings: the given one, or one shipped with hbtom."""
    from hbtom.neural.nets import NETWORKS
    from hbtom.neural.raters import NetworkRater, network_rater

    if found.rated not in NETWORKS:
        why = f"{found.rated} is not a model of hbtom, and gives only ratings"
        return replace(found, unknown=why)
    try:
        network = given if isinstance(given, NetworkRater) else network_rater(found.rated)
    except BadInput as error:  # there are no weights, or the extra is missing
        return replace(found, unknown=str(error))
    if [network.fingerprint] == found.fingerprints:
        return replace(found, network=network)
    other = f"the weights in {network.file.name} are not those that rated"
    return replace(found, unknown=f"{other}; name the right file as the model")


@dataclass(frozen=True)
class PairSelection:
    """Pairs to look at closely, the most revealing first."""

    wrong: tuple[PairName, ...]
    close: tuple[PairName, ...]


def choose(findings: Findings, limit: int = WRONG) -> PairSelection:
    """Choose up to ``limit`` wrong pairs, and the closest calls among the right ones."""
    margins = {name: margin(*both) for name, both in findings.ratings.items()}
    margins = {name: 0.0 if math.isnan(one) else one for name, one in margins.items()}  # as a tie
    values = findings.values
    wrong = [name for name in margins if values[name] < 1]
    right = [name for name in margins if values[name] == 1]
    close = sorted(right, key=margins.__getitem__)[:CLOSE]
    return PairSelection(tuple(in_turn(wrong, margins)[:limit]), tuple(close))


def in_turn(names: Sequence[PairName], margins: Mapping[PairName, float]) -> list[PairName]:
    """Return the worst pair of each task, then the second worst of each, and so on."""
    seen: dict[str, int] = {}
    places = {}
    for name in sorted(names, key=margins.__getitem__):
        task, _ = name
        seen[task] = seen.get(task, 0) + 1
        places[name] = seen[task], margins[name]
    return sorted(places, key=places.__getitem__)
