"""Judging plain episodes on the new core, in the form that everything else still expects.

The numbers of a judgement come from ``hbtom.core``. What shows and explains judgements gets regrets
made of what the core's steps were chosen from, and the posteriors that follow from them.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Annotated, Any
from weakref import WeakKeyDictionary

import numpy as np

from hbtom.arrays import Ints
from hbtom.assumptions import Continuous
from hbtom.assumptions import Grid as GridMotion
from hbtom.core.axes import HOPELESS, log_sum
from hbtom.core.policy import Headings as CoreHeadings
from hbtom.core.policy import Options
from hbtom.core.posterior import Posterior as CorePosterior
from hbtom.errors import BadInput
from hbtom.judgement.classifier import plausibility
from hbtom.judgement.judging import Judgement
from hbtom.judgement.surprises import FURTHER, Surprise, missing_surprise
from hbtom.mind import Beliefs, Posterior
from hbtom.mind.grid import impossible_moves_warning
from hbtom.mind.planned_trials import Planned
from hbtom.mind.regret import Actions, Headings, Regret, mean_cost, share_done
from hbtom.mind.watching import watch_trials
from hbtom.model import Model
from hbtom.observe import Episode, Trial, names
from hbtom.places.steps import waiting
from hbtom.places.surprise import shift, waste, why_missing, worst_step
from hbtom.places.watching import Kept, Watched, Watcher
from hbtom.plan import CostToGo, plan_trial
from hbtom.world.seeing import Seen, see

_watchers = Kept(8)  # by everything that a model assumes, but for its classifier
_planned: WeakKeyDictionary[CorePosterior, Planned] = WeakKeyDictionary()


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
    key = model.preference, model.efficiency, model.motion, model.acts
    watcher: Watcher = _watchers.of(key, lambda: Watcher(model))
    try:
        return _judgement(model, episode, watcher.watch(episode.trials))
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

    watched: Watched

    @cached_property
    def planned(self) -> tuple[Planned, ...]:
        """What is known about each trial."""
        trials = self.watched.trials
        return tuple(
            _planned_of(self.model, trials[: i + 1], p)
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


class _Placed:
    """How a trial was planned: its world, as the other rooms know it, is made when it is shown."""

    def __init__(self, model: Model, trials: tuple[Trial, ...]) -> None:
        self.model, self.earlier, self.steady = model, trials[:-1], trials[-1]

    @property
    def waited(self) -> tuple[float, ...]:
        """The cost of waiting for a barrier, if there was one."""
        cost = waiting(self.steady)
        return () if cost is None else (cost,)

    @cached_property
    def seen(self) -> Seen:
        """The world, and the trajectory in it."""
        waits = [waiting(trial) for trial in self.earlier]
        return see(self.model, self.steady, tuple(cost for cost in waits if cost is not None))

    @cached_property
    def cost_to_go(self) -> CostToGo:
        """The cost-to-go of every item."""
        return plan_trial(self.model, self.seen)


def _planned_of(model: Model, trials: tuple[Trial, ...], p: CorePosterior) -> Planned:
    if p not in _planned:
        _planned[p] = Planned(_Placed(model, trials), regret_of(p))  # type: ignore[arg-type]
    return _planned[p]


def regret_of(p: CorePosterior) -> Regret:
    """Return the regret of the steps of a trial, from what they were chosen from."""
    choices: Any = p.choices[""]
    if isinstance(choices, CoreHeadings):
        regret, known = _goals_first(choices.regret, 2), _goals_first(choices.known, 2)
        silent = None if known.all() else ~known.T
        step = np.ascontiguousarray(regret.T)
        made: Any = Headings(choices.moves, choices.length, step, choices.act_cost, silent)
        warnings: tuple[str, ...] = ()
    else:
        options, taken = _actions(choices)
        step = np.take_along_axis(options, taken[:, None, None], axis=1)[:, 0]
        made = Actions(options)
        wrong = int((~_goals_first(choices.known, 2)[0]).sum())
        warnings = impossible_moves_warning(wrong)
    value = _goals_first(choices.value, 1)
    cost = np.where(value > HOPELESS / 2, -value, np.inf)
    spent = np.where(p.steps.moves, _length(p, choices), np.nan_to_num(p.steps.price))
    frame = np.asarray(p.steps.frame, dtype=np.int64)
    reachable = _goals_first(choices.reachable, 1).copy()
    share = share_done(spent, cost) if np.isfinite(mean_cost(cost)) else None
    return Regret(p.world.goals, reachable, frame, step, made, warnings, share)


def _goals_first(array: Any, behind: int) -> Any:
    """Return [*axes, ...] as [goal, ...], where only the goal, the last of the axes, matters."""
    return array.reshape(array.shape[-behind:]) if behind else array


def _length(p: CorePosterior, choices: Any) -> Any:
    if isinstance(choices, CoreHeadings):
        return choices.length
    down, right = (p.steps.stop - p.steps.start).T
    return np.sqrt(down * down + right * right)


def _actions(choices: Options) -> tuple[Any, Any]:
    """Return the regret of all actions [step, action, goal], and the action taken [step].

    An impossible step counts as the only available action.
    """
    assert choices.taken is not None
    assert choices.known is not None
    q = _goals_first(choices.q, 3)  # [goal, step, action]
    best = q.max(axis=-1, keepdims=True)
    hopeless = best <= HOPELESS / 2
    with np.errstate(invalid="ignore"):
        regret = np.where(hopeless, 0.0, np.where(q <= HOPELESS / 2, np.inf, best - q))
    regret = np.where(q == -np.inf, np.inf, regret)
    wrong = ~_goals_first(choices.known, 2)[0]
    regret[:, wrong], taken = np.inf, np.where(wrong, 0, choices.taken)
    regret[:, wrong, 0] = 0.0
    return np.ascontiguousarray(regret.transpose(1, 2, 0)), taken
