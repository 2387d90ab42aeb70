"""How well people and models agree: statistics with intervals, and what they refer to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hbtom import __version__
from hbtom.arrays import Floats
from hbtom.bench.looking_times import Effect
from hbtom.bench.measures import Measures
from hbtom.bench.resampling import Estimate, Sampled
from hbtom.errors import count
from hbtom.judgement.tables import frame
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"  # the category of all scenarios


@dataclass(frozen=True)
class Agreement:
    """How well a model agrees with people, on all scenarios or on those of a category."""

    model: str
    category: str
    scenarios: int
    items: int
    r: Estimate  # Pearson's
    rank: Estimate  # Spearman's
    error: Estimate  # root mean square


@dataclass(frozen=True)
class Gap:
    """How much better one model agrees with people than another, on the same items."""

    first: str
    second: str
    category: str
    r: Estimate
    rank: Estimate
    error: Estimate


@dataclass(frozen=True)
class Ceiling:
    """How well people agree among themselves (split halves), which limits any model."""

    category: str
    reliability: float
    r: float  # the root of the reliability


@dataclass(frozen=True, eq=False)
class Correlation(Plottable):
    """People and models on the same items, and how well they agree."""

    measures: Measures
    models: Mapping[str, Annotated[Floats, "item"]]  # predictions, in the direction of people
    agreements: tuple[Agreement, ...]
    gaps: tuple[Gap, ...]
    ceilings: tuple[Ceiling, ...]
    effects: tuple[Effect, ...]
    samples: int
    seed: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """What looks wrong with the measures."""
        warnings = []
        if missing := _missing(sampled(self.measures)):
            answers = count(missing, "answer is", "answers are")
            warnings.append(f"{answers} missing in scenarios that a participant answered in part")
        if unjudged := self.missing:
            items = count(unjudged, "item is", "items are")
            warnings.append(f"{items} left out, which a model cannot judge")
        whole = [one.r.high for one in self.agreements if one.category == ALL]
        if all(high is not None and high < 0 for high in whole):
            other = "rating" if self.measures.direction == "looking" else "looking"
            hint = f"if more is less {'surprising' if other == 'rating' else 'plausible'}, say"
            warnings.append(f"it looks reversed; {hint} --direction {other}")
        return tuple(warnings)

    @property
    def missing(self) -> int:
        """The number of items left out, because a model cannot judge them."""
        return int(np.isnan([*self.models.values()]).any(axis=0).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return all statistics as plain values."""
        measures = self.measures
        return {
            "measures": measures.name,
            "answer": measures.answer,
            "direction": measures.direction,
            "log": measures.log,
            "participants": len(measures.participants) or None,
            "scenarios": len(measures.names),
            "items": len(measures.items),
            "missing": self.missing,
            "agreement": [_plain(one) for one in self.agreements],
            "differences": [_plain(one) for one in self.gaps],
            "ceiling": [_plain(one) for one in self.ceilings],
            "effects": [_plain(one) for one in self.effects],
            "samples": self.samples,
            "seed": self.seed,
            "version": __version__,
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per answer, with each model's prediction: ready for mixed models."""
        measures = self.measures
        who = measures.participants or (None,)
        return [
            {
                **({} if person is None else {"participant": person}),
                "scenario": item.scenario,
                **({"category": measures.categories[item.scenario]} if measures.categories else {}),
                **({} if item.time is None else {"time": item.time}),
                **({"goal": item.goal} if item.goal else {}),
                **({"variable": item.variable} if item.variable else {}),
                **measures.others[person or "", item],
                **_answer(measures, float(value)),
                **{f"model_{name}": float(said[place]) for name, said in self.models.items()},
            }
            for person, answers in zip(who, measures.values, strict=True)
            for place, (item, value) in enumerate(zip(measures.items, answers, strict=True))
            if not math.isnan(value)
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the records as a table (needs the extra ``tables``)."""
        return frame(self.to_records())

    def __repr__(self) -> str:
        each = (f"{one.model} r = {one.r.value:.2f}" for one in self.agreements)
        first = len({one.category for one in self.agreements})
        return f"<Correlation with {self.measures.name!r}: {', '.join(list(each)[::first])}>"


def _missing(people: Sampled) -> int:
    """Return how many answers are missing in scenarios that a participant answered in part."""
    missing = 0
    for number in range(people.scenarios if people.several else 0):
        there = ~np.isnan(people.values[:, people.scenario == number])
        missing += int((~there[there.any(axis=1)]).sum())
    return missing


def _plain(figure: Agreement | Gap | Ceiling | Effect) -> dict[str, Any]:
    values = {name: getattr(figure, name) for name in asdict(figure)}
    return {
        name: value.to_dict()
        if isinstance(value, Estimate)
        else None
        if isinstance(value, float) and math.isnan(value)
        else value
        for name, value in values.items()
    }


def _answer(measures: Measures, value: float) -> dict[str, float]:
    if measures.log:
        return {"looking": math.exp(value), "log_looking": value}
    return {measures.answer: value}


def sampled(people: Measures) -> Sampled:
    """Return measures as samples of scenarios and participants."""
    _, scenario = np.unique([one.scenario for one in people.items], return_inverse=True)
    return Sampled(people.values, scenario, bool(people.participants))
