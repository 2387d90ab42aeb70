"""Watching episodes under a model of one mind: which theory it is, and what is believed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from hbtom.assumptions import Grid as GridMotion
from hbtom.core.agent import Agent
from hbtom.core.goals import dirichlet, inverse_gamma
from hbtom.core.posterior import Posterior
from hbtom.core.watch import watch
from hbtom.errors import BadInput
from hbtom.model import Model
from hbtom.observe.episode import same_trial
from hbtom.observe.trial import Trial
from hbtom.places.grid import Grid
from hbtom.places.plane import Plane
from hbtom.places.world import Places, Space


class Kept(OrderedDict[Any, Any]):
    """What was made last, by key; at most so many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.lock = most, Lock()

    def of(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made for a key, and make it if it is not kept."""
        with self.lock:
            if key in self:
                self.move_to_end(key)
                return self[key]
        made = make()
        with self.lock:
            self[key] = made
            while len(self) > self.most:
                self.popitem(last=False)
        return made


_last: list[tuple[Trial, ...]] = [()]  # the trials that were watched last


def _same_objects(trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """Return trials; those that were just watched are the same objects, as in pairs of episodes."""
    last = _last[0]
    found = tuple(
        last[i] if i < len(last) and same_trial(last[i], trial) else trial
        for i, trial in enumerate(trials)
    )
    _last[0] = found
    return found


_worlds = Kept(64)  # by trial, which they keep, and by how it is interpreted: theories share them


def world_of(space: Space, trial: Trial, opening: float) -> Places:
    """Return the world of a trial, in which opening a lock costs so much."""
    key = id(trial), space, opening
    found: Places = _worlds.of(key, lambda: space.world(trial, opening))
    return found


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
        return Grid(motion.cell, acts.cost, acts.final, keys, acts.learn_opening)
    return Plane(
        cell=motion.cell, clearance=motion.clearance, stride=motion.stride, berth=motion.berth,
        push=motion.push, contact=motion.contact, reluctance=motion.reluctance,
        act=acts.cost, final=acts.final, keys=keys, learn_opening=acts.learn_opening,
    )  # fmt: skip


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
        self._known = Kept(most)

    def watch(self, trials: Sequence[Trial]) -> Watched:
        """Return what is believed in each trial; each agent is known by its look."""
        done = Watched((), ())
        for trial in _same_objects(trials):
            done = self._remembered((*done.trials, trial), done)
        return done

    def _remembered(self, trials: tuple[Trial, ...], before: Watched) -> Watched:
        def watched() -> Watched:
            return Watched(trials, (*before.posteriors, self._next(trials, before)))

        found: Watched = self._known.of(tuple(map(id, trials)), watched)
        return found

    def _next(self, trials: tuple[Trial, ...], before: Watched) -> Posterior:
        trial = trials[-1]
        pairs = zip(trials[:-1], before.posteriors, strict=True)
        known = [p for one, p in pairs if one.agent.look == trial.agent.look]
        opening = self.space.opening(trials[:-1])

        def world(trial: Any, before: Posterior | None) -> Any:
            return world_of(self.space, trial, opening)

        try:
            return watch(self.agent, trial, known[-1] if known else None, world)
        except BadInput as error:
            raise error.at(trial=len(trials)) from None
