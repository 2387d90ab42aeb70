"""The contents of the gallery: synthetic pairs of episodes, and judgements of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import hbtom
from hbtom import Episode, Judgement, Model, Trial
from hbtom.bench.synth import episode_pair
from hbtom.bench.synth.script import encode_all
from hbtom.model import with_settings

CLEARLY = 0.05  # the smallest difference in plausibility that counts
MEMBERS = ("expected", "unexpected")
SAMPLE = range(1000, 1010)  # seeds of other pairs, to show that the first is no exception
Pair = tuple[Episode, Episode]
Judged = tuple[Judgement, Judgement]


def _as_it_is(episode: Episode) -> Episode:
    return episode


@dataclass(frozen=True)
class Variation:
    """The model with a changed parameter, or with a changed view of the episode."""

    label: str
    model: Model
    seen: Callable[[Episode], Episode] = _as_it_is

    def judge(self, pair: Pair) -> Judged:
        """Judge the expected and the unexpected episode."""
        expected = hbtom.judge(self.seen(pair[0]), self.model)
        return expected, hbtom.judge(self.seen(pair[1]), self.model, reuse=expected)

    def tells_apart(self, pairs: Sequence[Pair]) -> int:
        """Return in how many pairs the expected episode is clearly more plausible."""
        judged = map(self.judge, pairs)
        return sum(e.plausibility - u.plausibility >= CLEARLY for e, u in judged)


# Changed views of an episode


def _test_only(episode: Episode) -> Episode:
    return replace(episode, trials=episode.trials[-1:])


def _one_agent(episode: Episode) -> Episode:
    """Give all agents the appearance of the first."""
    first = episode[0].agent.look
    return replace(
        episode,
        trials=tuple(replace(one, agent=replace(one.agent, look=first)) for one in episode),
    )


def _locks_are_walls(episode: Episode) -> Episode:
    return replace(episode, trials=tuple(map(_walled, episode)))


def _walled(trial: Trial) -> Trial:
    if trial.lock is None:
        return trial
    corner, side = np.array(trial.lock.centre) - trial.lock.radius, 2 * trial.lock.radius
    walls = np.vstack([trial.walls, [*corner, side, side]])
    return replace(trial, walls=walls, lock=None, lock_there=None)


_DEFAULT = Model.preset("default")
_changed = partial(with_settings, _DEFAULT)
WHOLE = Variation("The full model", _DEFAULT)
WITHOUT = {
    "learning": Variation("The model learns nothing across trials", _DEFAULT, _test_only),
    "efficiency": Variation(
        "Agents are expected to move at random", _changed({"efficiency.temperatures": [1000.0]})
    ),
    "agents": Variation("All agents count as the same agent", _DEFAULT, _one_agent),
    "reach": Variation(
        "Agents may want what they cannot reach", _changed({"preference.feasible": False})
    ),
    "locks": Variation("Locks count as walls, so keys are useless", _DEFAULT, _locks_are_walls),
    "attitudes": Variation("Help and harm change nothing", _changed({"social.warmth": 1.0})),
    "others": Variation("Nobody wants to be with others", _changed({"social.others": False})),
    "copying": Variation("Nobody copies anybody", _changed({"social.copying": False})),
    "cause": Variation("Everything moves by itself", _changed({"social.moved": 0.0})),
    "ignorance": Variation("Agents know everything", _changed({"social.sight": "all"})),
    "sight": Variation("Agents only remember", _changed({"social.sight": "memory"})),
    "tree": Variation("All choices count alike", _changed({"preference.nested": False})),
}


def make_pair(task: str, seed: int) -> Pair:
    """Make a synthetic pair of a task; the same seed gives the same pair."""
    texts = encode_all(episode_pair(task, np.random.default_rng(seed)))
    expected, unexpected = map(hbtom.read, texts, MEMBERS)
    return expected, unexpected
