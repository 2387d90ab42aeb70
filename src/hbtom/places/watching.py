"""Watching episodes under a model of one mind: which theory it is, and what is believed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from hbtom.assumptions import Grid as GridMotion
from hbtom.core.agent import Agent
from hbtom.core.goals import dirichlet, inverse_gamma
from hbtom.core.posterior import Posterior
from hbtom.core.watch import watch
from hbtom.model import Model
from hbtom.observe.episode import same_trial
from hbtom.observe.trial import Trial
from hbtom.places.grid import Grid
from hbtom.places.plane import Plane
from hbtom.places.steps import waiting

Space = Plane | Grid


def agent_of(model: Model) -> Agent:
    """Return the theory of a model: soft preferences, and an efficiency that lasts."""
    prior = model.efficiency
    efficiency = inverse_gamma(prior.shape, prior.scale, tuple(prior.temperatures))
    rule = dirichlet(model.preference.concentration, feasible=model.preference.feasible)
    return Agent(traits={"efficiency": efficiency}, choose=rule)


def space_of(model: Model) -> Space:
    """Return how a model interprets trials."""
    motion, acts, keys = model.motion, model.acts, model.preference.keys
    if isinstance(motion, GridMotion):
        return Grid(motion.cell, acts.cost, acts.final, keys)
    how = motion.cell, motion.clearance, motion.stride, motion.berth, motion.push
    return Plane(*how, motion.contact, motion.reluctance, acts.cost, acts.final, keys)


def opening_cost(model: Model, trials: Sequence[Trial]) -> float:
    """Return the cost that agents expect of opening a lock: the mean of waiting in these trials."""
    waits = [waiting(trial) for trial in trials] if model.acts.learn_opening else []
    known = [cost for cost in waits if cost is not None]
    return sum(known) / len(known) if known else model.acts.cost


@dataclass(frozen=True, eq=False)
class Watched:
    """What was believed in each trial of an episode."""

    trials: tuple[Trial, ...]
    posteriors: tuple[Posterior, ...]


class Watcher:
    """Watches episodes under one model, and remembers those that begin with the same trials."""

    def __init__(self, model: Model, agent: Agent | None = None, most: int = 64) -> None:
        self.model, self.space = model, space_of(model)
        self.agent = agent_of(model) if agent is None else agent
        self.most = most
        self._known: OrderedDict[tuple[int, ...], Watched] = OrderedDict()
        self._last: tuple[Trial, ...] = ()
        self._lock = Lock()

    def watch(self, trials: Sequence[Trial]) -> Watched:
        """Return what is believed in each trial; each agent is known by its look."""
        done = Watched((), ())
        for trial in self._known_ones(trials):
            done = self._remembered((*done.trials, trial), done)
        with self._lock:
            self._last = done.trials
        return done

    def _known_ones(self, trials: Sequence[Trial]) -> list[Trial]:
        """Return the trials; equal ones that were watched before are the same objects."""
        last = self._last
        return [
            last[i] if i < len(last) and same_trial(last[i], trial) else trial
            for i, trial in enumerate(trials)
        ]

    def _remembered(self, trials: tuple[Trial, ...], before: Watched) -> Watched:
        key = tuple(map(id, trials))
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = Watched(trials, (*before.posteriors, self._next(trials, before)))
        with self._lock:
            self._known[key] = found
            while len(self._known) > self.most:
                self._known.popitem(last=False)
        return found

    def _next(self, trials: tuple[Trial, ...], before: Watched) -> Posterior:
        trial = trials[-1]
        pairs = zip(trials[:-1], before.posteriors, strict=True)
        known = [p for one, p in pairs if one.agent.look == trial.agent.look]
        opening = opening_cost(self.model, trials[:-1])

        def world(trial: Any, before: Posterior | None) -> Any:
            return self.space.world(trial, opening)

        return watch(self.agent, trial, known[-1] if known else None, world)
