"""What all judgements share: a plausibility, and the named values that lead from a trial to it."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from hbtom.errors import BadInput
from hbtom.judgement.classifier import Surprise, plausibility
from hbtom.model import Model
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

    from hbtom.mind import Likelihood, Posterior, Regret


class Trace(NamedTuple):
    """All values that the judgement of one trial rests on, from the trial to its plausibility.

    The types of trial, world, costs and trajectory depend on the kind of world: they belong to a
    trial of an episode, or to a plan in a domain. If some actions of a plan were not seen, it has
    no trajectory, and the regret of its steps is unknown.
    """

    trial: object
    world: object
    cost_to_go: object
    trajectory: object
    regret: Regret
    likelihood: Likelihood
    posterior: Posterior
    surprise: Surprise
    plausibility: float

    def __repr__(self) -> str:
        width = max(map(len, self._fields))
        return "\n".join(f"{name:{width}}  {value!r}" for name, value in self._asdict().items())


def known_or_none(values: Mapping[str, float]) -> dict[str, float | None]:
    """Return values with None instead of what is not a number."""
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def judge_posterior(model: Model, posterior: Posterior) -> tuple[float, Surprise, Surprise]:
    """Return the plausibility of a trial, its factors, and the surprises that they come from."""
    from hbtom.judgement.surprises import surprise

    surprises = surprise(posterior, waste=model.classifier.waste is not None)
    return *plausibility(model.classifier, surprises), surprises


@dataclass(frozen=True, eq=False)
class BaseJudgement(Plottable):
    """How plausible the last trial or plan is."""

    model: Model
    plausibility: float  # between 0 and 1; NaN if the trial cannot be judged
    parts: Surprise  # the factors of the plausibility, one for each surprise
    surprise: Surprise
    test: Posterior  # what is believed during the last trial

    @property
    def predictive(self) -> float:
        """A score without fitted weights: how often regret would be at least as large, 0 to 1."""
        from hbtom.judgement.prediction import predictive

        return predictive(self.test)

    @cached_property
    def missing(self) -> str:
        """Why there is no plausibility, which is then not a number; empty if there is one."""
        from hbtom.judgement.prediction import why_missing

        return why_missing(self.test)

    @property
    @abstractmethod
    def explanation(self) -> str:
        """What was surprising about the last trial or plan, in a sentence; or that nothing was."""

    def to_xarray(self) -> xr.Dataset:
        """Return the last posterior with labelled axes (needs the extra ``tables``)."""
        from hbtom.judgement.tables import to_xarray

        return to_xarray(self.test)

    def show(self, *, browser: bool = True) -> Path:
        """Make a page that shows what is judged, open it in a browser, and return the file."""
        from hbtom.plottable import show_page

        return show_page(self, browser=browser)

    def _plain(self) -> dict[str, Any]:
        """Return the verdict as plain values: None, and why, if the trial cannot be judged."""
        numbers = {"plausibility": self.plausibility}
        return {
            **known_or_none(numbers),
            "parts": known_or_none(self.parts.to_dict()),
            "surprise": known_or_none(self.surprise.to_dict()),
            **({"missing": self.missing} if self.missing else {}),
        }

    def _told(self) -> str:
        return f"missing, {self.missing}" if self.missing else f"{self.plausibility:.3f}"

    def _named_model(self) -> dict[str, str]:
        return {"name": self.model.name, "fingerprint": self.model.fingerprint}

    def _check_number(self, number: int, many: int, what: str, file: str | None = None) -> None:
        """Refuse the number of a trial or plan that does not exist."""
        if not (isinstance(number, int) and -many <= number < many):
            hint = f"{what}s are counted from 0: the last one is {many - 1}, or -1"
            raise BadInput(f"there is no {what} {number!r}", hint=hint, file=file)

    def _traced(self, known: tuple[object, object, object, object], posterior: Posterior) -> Trace:
        """Return the chain of values, given those up to the trajectory and the posterior."""
        likelihood, (product, _, surprises) = (
            posterior.likelihood,
            judge_posterior(self.model, posterior),
        )
        return Trace(*known, likelihood.full_regret, likelihood, posterior, surprises, product)
