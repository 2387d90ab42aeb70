"""Raters, which say how plausible the two episodes of a pair are.

A model is a rater; so is a neural network, a baseline, or a file of ratings. Evaluating, resuming,
sweeping, reporting and comparing work with any rater.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, get_args

from msgspec import Struct, field

from hbtom.bench.results import MODEL_COLUMNS, Columns, Compared
from hbtom.bench.workers import Start
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.judgement.pipeline import judge_pairs
from hbtom.judgement.warm_up import warm_up
from hbtom.model import Model, with_settings
from hbtom.observe import Episode


class Rating(Struct, frozen=True):
    """How an episode is rated, with values for the rater's own columns."""

    value: float
    own: Mapping[str, float | str] = field(default_factory=dict)
    warned: bool = False  # whether a model's judgement came with warnings


class Rater(Protocol):
    """What a rater needs: a name, a fingerprint, and ``rate``.

    It can also have:

    - ``columns``: its own columns in results files, ``{"steps": int, "share": float, "why": str}``;
    - ``start``: ``"spawn"`` if its processes cannot be forked, as with CUDA; else ``"fork"``;
    - ``warm_up(pairs)``: called with the number of pairs before they are rated, in every process
      that is not a fork of one where it was called. This is the place to load weights;
    - ``rate_one(episode)``: rates an episode whose counterpart cannot be read;
    - ``trace(episode)``: returns a mapping for each step of the test trial, for ``--trace``;
    - ``with_settings(settings)``: returns a rater with other parameters, for sweeps.
    """

    @property
    def name(self) -> str:
        """Its name in tables and figures."""

    @property
    def fingerprint(self) -> str:
        """A text that changes whenever ratings may; results with different ones are not mixed."""

    def rate(self, expected: Episode, unexpected: Episode) -> Sequence[Rating | float]:
        """Rate both episodes of a pair: a number or a :class:`Rating` for each."""


class RaterFailed(BadInput):
    """A failure that stops a rater, unlike an episode that it cannot rate."""


@dataclass(frozen=True)
class ModelRater:
    """A model as a rater, which compares by plausibility or by the predictive score."""

    model: Model
    score: Compared = "plausibility"
    columns: ClassVar[Columns] = MODEL_COLUMNS
    start: ClassVar[Start] = "fork"
    rates_alone: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.score not in get_args(Compared):
            hint = f"one of {get_args(Compared)}"
            raise BadInput(f"there is no score '{self.score}'", hint=hint)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def fingerprint(self) -> str:
        return self.model.fingerprint

    @property
    def room(self) -> float:
        """How many pixels the worlds of all trials may have that are judged at once.

        This is enough for eight pairs of the benchmark; more save little time, and take more
        memory. What takes long is judged pair by pair, so that each is kept as soon as possible.
        """
        slow = self.model.observation.noise > 0 or self.model.knowledge.plan
        return 0.0 if slow else 6e6

    def warm_up(self, pairs: int) -> None:
        """Compile the kernels for judging, if that pays off for this number of pairs."""
        warm_up([self.model], pairs)

    def rate(self, expected: Episode, unexpected: Episode) -> tuple[Rating, Rating]:
        """Judge both episodes; computations that they share are done once."""
        return self.rate_all([(expected, unexpected)])[0]

    def rate_all(self, pairs: Sequence[tuple[Episode, Episode]]) -> list[tuple[Rating, Rating]]:
        """Judge several pairs, whose trials are planned together."""
        return [(self.of(one), self.of(other)) for one, other in judge_pairs(self.model, pairs)]

    def rate_one(self, episode: Episode) -> Rating:
        """Judge one episode."""
        return self.of(judge(episode, self.model))

    def of(self, judgement: Judgement) -> Rating:
        """Return the rating for a judgement."""
        parts, surprise = judgement.parts, judgement.surprise
        preferred, share = judgement.preferred
        own: dict[str, float | str] = {
            "plausibility": judgement.plausibility,
            "part_goal": parts.goal,
            "part_efficiency": parts.efficiency,
            "part_observation": parts.observation,
            "surprise_goal": surprise.goal,
            "surprise_efficiency": surprise.efficiency,
            "surprise_observation": surprise.observation,
            "preferred": preferred,
            "preferred_share": share,
            "efficiency": judgement.expected_efficiency,
            "part_waste": 1.0 if parts.waste is None else parts.waste,
            "surprise_waste": surprise.waste or 0.0,
            "missing": judgement.missing,
        }
        return Rating(self.value(judgement), own, bool(judgement.warnings))

    def value(self, judgement: Judgement) -> float:
        """Return the number by which pairs are compared."""
        return judgement.predictive if self.score == "predictive" else judgement.plausibility

    def with_settings(self, settings: Mapping[str, Any]) -> ModelRater:
        return ModelRater(with_settings(self.model, settings), self.score)
