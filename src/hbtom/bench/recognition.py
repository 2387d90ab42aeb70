"""Recognising the goals of many problems, and counting how often the answer is right.

An answer is right if the true goal is among the most probable goals (accuracy). The spread is the
number of these, and the score is 1 / spread for a right answer, else 0. Log loss is
-log P(true goal).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import mean, median
from typing import Any

from hbtom import __version__
from hbtom.bench.other_recognisers import PEERS, ask
from hbtom.bench.recognition_problems import ProblemSource, load_posed
from hbtom.bench.score import wilson
from hbtom.errors import BadInput
from hbtom.judgement.recognising import RecognitionOptions, recognise
from hbtom.mind import Beliefs
from hbtom.model import Model

NOISY = "-noisy"  # at the end of a domain's name: some observations are wrong
_LEAST = 1e-12  # lower bound on probabilities whose logarithm is taken
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # of probabilities


@dataclass(frozen=True)
class Answer:
    """The answer to one problem, or why there is none, as plain values."""

    source: ProblemSource
    values: dict[str, Any]  # as Recognition.to_dict returns them; empty if there is no answer
    stamp: str = ""
    why: str = ""

    @property
    def true(self) -> int | None:
        return self.values.get("true")

    @property
    def spread(self) -> int:
        return len(self.values["best"])

    @property
    def right(self) -> bool:
        return self.true in self.values["best"]

    @property
    def loss(self) -> float:
        """-log P(true goal); NaN if there are no probabilities."""
        if self.true is None or "posterior" not in self.values:
            return math.nan
        return -math.log(max(self.values["posterior"][self.true], _LEAST))

    def of_peer(self, name: str) -> Answer:
        """Return another recogniser's answer to the same problem."""
        found = self.values["peers"][name]
        same = {"true": self.true, "engine": name}
        return Answer(self.source, {} if found is None else {**same, **found})


@dataclass(frozen=True)
class Cell:
    """A line of the table: several problems, of which those with a known true goal count."""

    domain: str
    observed: str
    answers: tuple[Answer, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the statistics as plain values."""
        known = [one for one in self.answers if one.true is not None]
        right = sum(one.right for one in known)
        any_known = bool(known)
        loss = mean(one.loss for one in known) if any_known else math.nan
        return {
            "domain": self.domain,
            "observed": self.observed,
            "problems": len(known),
            "accuracy": right / len(known) if any_known else None,
            "interval": list(wilson(right, len(known))) if any_known else [None, None],
            "spread": mean(one.spread for one in known) if any_known else None,
            "score": mean(one.right / one.spread for one in known) if any_known else None,
            "log_loss": None if math.isnan(loss) else loss,
            "seconds": median(one.values["seconds"] for one in known) if any_known else None,
            "engines": dict(Counter(one.values["engine"] for one in known)),
        }


@dataclass(frozen=True)
class Recognised:
    """The answers to many problems."""

    model: Model
    answers: tuple[Answer, ...]

    @property
    def answered(self) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if one.values)

    @property
    def failed(self) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if not one.values)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All problems by domain and observed share."""
        return _cells(self.answered, lambda one: (one.source.domain, _observed(one)))

    @property
    def by_domain(self) -> tuple[Cell, ...]:
        return _cells(self.answered, lambda one: (one.source.domain, ""))

    @property
    def by_share(self) -> tuple[Cell, ...]:
        """All domains together by observed share, with and without wrong observations."""
        known = tuple(one for one in self.answered if one.source.observed is not None)
        return _cells(known, lambda one: ("", _observed(one)))

    @property
    def overall(self) -> tuple[Cell, ...]:
        """All problems; if some have wrong observations, also those with and without."""
        noisy = [one.source.domain.endswith(NOISY) for one in self.answered]
        both = any(noisy) and not all(noisy)
        kinds = [False, True] if both else []
        parts = [
            Cell(
                "noisy" if kind else "clean",
                "",
                tuple(one for one, its in zip(self.answered, noisy, strict=True) if its == kind),
            )
            for kind in kinds
        ]
        return (*parts, Cell("all", "", self.answered))

    @property
    def peers(self) -> tuple[Cell, ...]:
        """Other recognisers' answers, on the problems that they could answer."""
        return tuple(
            Cell(name, "", tuple(one for one in asked if one.values))
            for name in PEERS
            if (asked := [one.of_peer(name) for one in self.answered if "peers" in one.values])
        )

    @property
    def calibration(self) -> tuple[dict[str, Any], ...]:
        """Goals in bins of probability: their number, and the share of true goals among them."""
        pairs = [
            (share, goal == one.true)
            for one in self.answered
            if one.true is not None
            for goal, share in enumerate(one.values["posterior"])
        ]
        bins = []
        for low, high in pairwise(_BINS):
            inside = [pair for pair in pairs if low <= pair[0] < high or pair[0] == high == 1.0]
            if inside:
                probability, true = (
                    mean(map(float, values)) for values in zip(*inside, strict=True)
                )
                its = {"goals": len(inside), "probability": probability, "true": true}
                bins.append({"between": [low, high], **its})
        return tuple(bins)

    def to_dict(self) -> dict[str, Any]:
        """Return all answers and statistics as plain values."""
        return {
            "version": __version__,
            "model": {"name": self.model.name, "fingerprint": self.model.fingerprint},
            "problems": [one.values for one in self.answered],
            "cells": [one.to_dict() for one in self.cells],
            "overall": [one.to_dict() for one in self.overall],
            "calibration": list(self.calibration),
            "peers": [one.to_dict() for one in self.peers],
            "left_out": [{"problem": one.source.path, "why": one.why} for one in self.failed],
        }


def _failure(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this problem"
    message = str(error).partition("\n")[0][:200]
    return f"hbtom fails on this problem; please report it ({type(error).__name__}: {message})"


def _observed(one: Answer) -> str:
    share, noisy = one.source.observed, one.source.domain.endswith(NOISY)
    return "" if share is None else f"{share} %{', noisy' if noisy else ''}"


def _cells(answers: Sequence[Answer], key: Callable[[Answer], tuple[str, str]]) -> tuple[Cell, ...]:
    groups: dict[tuple[str, str], list[Answer]] = {}
    for one in answers:
        groups.setdefault(key(one), []).append(one)
    return tuple(Cell(*name, tuple(groups[name])) for name in sorted(groups, key=_natural))


def _natural(name: tuple[str, str]) -> tuple[str, bool, int]:
    domain, observed = name
    return domain, NOISY[1:] in observed, int(observed.partition(" ")[0] or 0)


@dataclass(frozen=True)
class RecognitionWork:
    """The work to do on every problem."""

    model: Model
    how: RecognitionOptions = field(default_factory=RecognitionOptions)
    strict: bool = False  # refuse observations that are not actions of the problem
    whole: bool = False  # observations have no gaps
    peers: bool = False  # also ask other recognisers

    def __call__(self, sources: Sequence[ProblemSource]) -> Iterator[Answer]:
        """Yield the answer to each problem, in order.

        Beliefs about a named agent carry over to its next problem.
        """
        beliefs = Beliefs()
        for source in sources:
            answer, learnt = self._answer(source, beliefs if source.agent else Beliefs())
            beliefs = learnt if source.agent else beliefs
            yield answer

    def _answer(self, source: ProblemSource, beliefs: Beliefs) -> tuple[Answer, Beliefs]:
        began = time.process_time()
        try:
            posed = load_posed(source, strict=self.strict, whole=self.whole)
            found = recognise(posed, self.model, beliefs, self.how)
        except BadInput as error:
            return Answer(source, {}, why=str(error.at(file=source.path))), beliefs
        except Exception as error:  # one bad problem must not stop the others
            return Answer(source, {}, why=f"{source.path}: {_failure(error)}"), beliefs
        values = {
            **found.to_dict(),
            "agent": source.agent or None,
            "domain": source.domain,
            "observed": source.observed,
            "seconds": time.process_time() - began,
        }
        if self.peers:
            values["peers"] = {name: ask(name, posed) for name in PEERS}
        return Answer(source, values, posed.stamp), found.beliefs
