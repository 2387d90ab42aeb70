"""Fitting a model's classifier to a dataset, with an honest account of how good the fit is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hbtom.assumptions import Classifier
from hbtom.bench.evaluation import Evaluation
from hbtom.bench.results import Row
from hbtom.bench.score import Score, margin, paired
from hbtom.errors import BadInput
from hbtom.judgement import Surprise, plausibility
from hbtom.judgement.fitting import PENALTY, Fit, fit_classifier
from hbtom.judgement.surprises import KINDS
from hbtom.model import Model
from hbtom.plottable import Plottable

FOLDS = 5
BINS = 5


@dataclass(frozen=True)
class Bin:
    """Episodes with plausibilities in one range: how many there are, and how many were expected."""

    low: float
    high: float
    episodes: int
    mean_plausibility: float
    expected: float  # share


@dataclass(frozen=True)
class Calibration(Plottable):
    """A fitted model, its accuracy on pairs it was not fitted to, and its calibration there."""

    model: Model
    fit: Fit
    episodes: int
    cross_validated: Score
    bins: tuple[Bin, ...]
    calibration_error: float  # mean |plausibility - share expected|, weighted by episodes

    def to_dict(self) -> dict[str, Any]:
        """Return the account as plain values."""
        return {
            "episodes": self.episodes,
            "classifier": msgspec.to_builtins(self.fit.classifier),
            "loss": self.fit.loss,
            "iterations": self.fit.iterations,
            "converged": self.fit.converged,
            "cross_validated": self.cross_validated.to_dict(),
            "calibration_error": self.calibration_error,
            "calibration": [msgspec.to_builtins(one) for one in self.bins],
        }


def calibrate(
    evaluation: Evaluation, *, name: str = "fitted", penalty: float = PENALTY
) -> Calibration:
    """Fit the classifier to all pairs of an evaluation; folds leave whole pairs out."""
    model = evaluation.model
    if not isinstance(model, Model):
        raise BadInput(f"'{model.name}' has no classifier to fit", hint="evaluate a model")
    every = _pairs(evaluation.rows, waste=model.classifier.waste is not None)
    pairs = [both for both in every if not is_missing(both)]
    fit = _fit(pairs, penalty)
    rated = [(product(e), product(u)) for e, u in held_out(pairs, penalty)]
    bins, missing = binned(rated), [math.nan] * (len(every) - len(pairs))
    return Calibration(
        model=msgspec.structs.replace(model, name=name, classifier=fit.classifier),
        fit=fit,
        episodes=2 * len(pairs),
        cross_validated=Score("overall", (*(margin(e, u) for e, u in rated), *missing)),
        bins=bins,
        calibration_error=calibration_error(bins),
    )


Both = tuple[Surprise, Surprise]  # of the expected and the unexpected member of a pair


def is_missing(pair: Both) -> bool:
    """Return whether a member of a pair cannot be judged."""
    return any(math.isnan(one.goal) for one in pair)


def held_out(pairs: Sequence[Both], penalty: float = PENALTY) -> list[Both]:
    """Return the parts of every pair's plausibility under a fit to the pairs of other folds."""
    if len(pairs) < FOLDS:
        hint = f"this dataset has {len(pairs)}; name a larger one, or more tasks"
        raise BadInput(f"fitting needs at least {FOLDS} pairs", hint=hint)
    folds = [[pair for n, pair in enumerate(pairs) if n % FOLDS != fold] for fold in range(FOLDS)]
    classifiers = [_fit(others, penalty).classifier for others in folds]
    return [parts_of(classifiers[number % FOLDS], pair) for number, pair in enumerate(pairs)]


def parts_of(classifier: Classifier, pair: Both) -> Both:
    """Return the parts of the plausibility of both members."""
    return plausibility(classifier, pair[0])[1], plausibility(classifier, pair[1])[1]


def product(parts: Surprise) -> float:
    """Return the plausibility: the product of its parts."""
    return math.prod(parts.to_dict().values())


def _pairs(rows: Sequence[Row], *, waste: bool) -> list[Both]:
    kinds = [kind for kind in KINDS if waste or kind != "waste"]
    surprises = {
        (row.task, row.pair, row.member): Surprise(
            **{kind: getattr(row, f"surprise_{kind}") for kind in kinds}
        )
        for row in rows
    }
    return list(paired(surprises).values())


def _fit(pairs: Sequence[Both], penalty: float) -> Fit:
    surprises = [surprise for pair in pairs for surprise in pair]
    fit = fit_classifier(surprises, [True, False] * len(pairs), penalty=penalty)
    if not fit.converged:
        problem = f"the fit did not converge after {fit.iterations} iterations: {fit.message}"
        hint = "give it more pairs, or a larger --penalty"
        raise BadInput(problem, hint=hint)
    return fit


def binned(pairs: Sequence[tuple[float, float]]) -> tuple[Bin, ...]:
    """Return the share of expected episodes in bins of plausibility.

    ``pairs`` holds the plausibilities of the expected and the unexpected member of each pair.
    """
    rated = [(e, True) for e, _ in pairs] + [(u, False) for _, u in pairs]
    bins = []
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        inside = [one for one in rated if low <= one[0] < high or (high == 1 and one[0] == 1)]
        if inside:
            mean = sum(value for value, _ in inside) / len(inside)
            share = sum(expected for _, expected in inside) / len(inside)
            bins.append(Bin(low, high, len(inside), mean, share))
    return tuple(bins)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean difference of plausibility and share expected, weighted by episodes."""
    if not bins:
        return math.nan
    off = sum(one.episodes * abs(one.mean_plausibility - one.expected) for one in bins)
    return off / sum(one.episodes for one in bins)
