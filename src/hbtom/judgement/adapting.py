"""What shows plain judgements: regrets, made of what the core's steps were chosen from.

The posteriors of the other rooms follow from them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hbtom.core.axes import HOPELESS
from hbtom.core.policy import Headings as CoreHeadings
from hbtom.core.policy import Options
from hbtom.core.posterior import Posterior as CorePosterior
from hbtom.mind.grid import impossible_moves_warning
from hbtom.mind.planned_trials import Planned
from hbtom.mind.regret import Actions, Headings, Regret, mean_cost, share_done
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.places.steps import waiting
from hbtom.plan import CostToGo, plan_trial
from hbtom.world.seeing import Seen, see

_planned: WeakKeyDictionary[CorePosterior, Planned] = WeakKeyDictionary()


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


def planned_of(model: Model, trials: tuple[Trial, ...], p: CorePosterior) -> Planned:
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
