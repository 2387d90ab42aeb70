"""Judging plain episodes on the new core, in the form that everything else still expects.

The numbers of a judgement come from ``hbtom.core``. For what shows and explains judgements, see
``adapting``.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hbtom.arrays import Ints
from hbtom.assumptions import Continuous
from hbtom.assumptions import Grid as GridMotion
from hbtom.core.axes import log_sum
from hbtom.core.policy import Options
from hbtom.core.posterior import Posterior as CorePosterior
from hbtom.errors import BadInput
from hbtom.judgement.classifier import FURTHER, Surprise, missing_surprise, plausibility
from hbtom.judgement.judging import Judgement
from hbtom.model import Model
from hbtom.observe import Episode
from hbtom.places.surprise import shift, waste, why_missing, worst_step
from hbtom.places.watching import Kept, Watched, Watcher

if TYPE_CHECKING:
    from hbtom.mind import Beliefs, Posterior
    from hbtom.mind.planned_trials import Planned

_watchers = Kept(8)  # by everything that a model assumes, but for its classifier


def is_plain(model: Model, episode: Episode) -> bool:
    """Return whether the new core judges an episode: one mind, exactly seen, in a still world."""
    plain = type(model.motion) in (GridMotion, Continuous)
    plain = (
        plain and model.observation.noise == 0 and not model.knowledge.plan and not model.fallible
    )
    plain = plain and model.hypotheses.outdated == model.hypotheses.random == 0
    plain = plain and getattr(model.motion, "slip", 0) == 0 and model.preference.nested
    if not plain or (model.minds is not None and episode.company):
        return False
    keys = model.preference.keys
    return all(not one.changes and (one.items if keys else one.objects) for one in episode.trials)


def judge_plain(model: Model, episode: Episode) -> CoreJudgement:
    """Judge a plain episode."""
    return _judgement(model, episode, _watched(model, episode))


def _watched(model: Model, episode: Episode) -> Watched:
    """Return what is believed in each trial of an episode."""
    key = model.preference, model.efficiency, model.motion, model.acts
    watcher: Watcher = _watchers.of(key, lambda: Watcher(model))
    try:
        return watcher.watch(episode.trials)
    except BadInput as error:
        raise error.at(file=episode.name) from None


def _judgement(model: Model, episode: Episode, watched: Watched) -> CoreJudgement:
    """Return the judgement of an episode that was watched."""
    made = object.__new__(CoreJudgement)  # its other fields are made when they are asked for
    vars(made).update(model=model, episode=episode, watched=watched)
    vars(made).update(missing=why_missing(watched.posteriors[-1]))
    surprises = _surprise(made)
    product, parts = plausibility(model.classifier, surprises)
    vars(made).update(surprise=surprises, plausibility=product, parts=parts)
    return made


def _surprise(judgement: CoreJudgement) -> Surprise:
    """Return the surprises of the last trial; not numbers if it cannot be judged."""
    p, counts = judgement.watched.posteriors[-1], judgement.model.classifier.waste is not None
    if judgement.missing:
        return missing_surprise(waste=counts)
    wasted = waste(p) if counts else None
    if counts and wasted is None:  # of choices among actions
        wasted = 0.0 - math.log(judgement.predictive)
    more = {name: further(judgement.test) for name, further in FURTHER.items()}
    return Surprise(shift(p, "goal"), shift(p, "efficiency"), worst_step(p), wasted, **more)


class CoreJudgement(Judgement):
    """A judgement whose numbers come from the core; all else is made when it is asked for."""

    @cached_property
    def watched(self) -> Watched:
        """What is believed in each trial; of a changed copy, it is found again."""
        return _watched(self.model, self.episode)

    @cached_property
    def planned(self) -> tuple[Planned, ...]:
        """What is known about each trial."""
        from hbtom.judgement.adapting import planned_of

        trials = self.watched.trials
        return tuple(
            planned_of(self.model, trials[: i + 1], p)
            for i, p in enumerate(self.watched.posteriors)
        )

    @property
    def frames(self) -> Annotated[Ints, "step"]:
        """The frames in which the steps of the last trial are complete."""
        frames: Ints = self.watched.posteriors[-1].steps.frame
        return frames

    @property
    def limits(self) -> tuple[tuple[str, ...], ...]:
        """What limits the meaning of each trial."""
        if any(map(_limited, self.watched.posteriors)):
            return super().limits
        return ((),) * len(self.watched.posteriors)

    @property
    def preferred(self) -> tuple[str, float]:
        """What the agent prefers before the last trial, and E[theta] of it."""
        from hbtom.observe import names

        p = self.watched.posteriors[-1]
        if p.caveats or isinstance(p.agents[""].choose, float):
            return super().preferred
        learnt, rule = p.update.learnt, p.agents[""].choose
        log = learnt.log_weight
        weight = log_sum(log.reshape(len(log), -1))
        goals = learnt.counts[""].goals
        shares = rule.expected(learnt.counts[""], weight).tolist()
        share = max(shares)
        return names(goals)[shares.index(share)], share

    @property
    def expected_efficiency(self) -> float:
        """The expected efficiency before the last trial."""
        return float(self.watched.posteriors[-1].mean("efficiency", at=0))

    @cached_property
    def _believed(self) -> tuple[Posterior, tuple[Beliefs, ...]]:
        from hbtom.mind.watching import watch_trials

        return watch_trials(self.model, self.planned, (), None)

    @cached_property
    def test(self) -> Posterior:
        """What is believed during the last trial."""
        return self._believed[0]

    @cached_property
    def learnt(self) -> tuple[Beliefs, ...]:
        """What is believed at the end of each trial but the last."""
        return self._believed[1]


def _limited(p: CorePosterior) -> bool:
    """Return whether anything limits the meaning of a trial."""
    choices: Any = p.choices[""]
    wrong = isinstance(choices, Options) and not np.all(choices.known)
    return bool(p.caveats or wrong or not choices.reachable.any())
