"""What is believed while a trial goes on: as if it ended now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from hbtom.mind.inference import find_posterior
from hbtom.mind.live import Chain, LiveSetting, LiveState, StepsSoFar, accumulated, step_likelihood
from hbtom.mind.motion_regret import find_regrets
from hbtom.mind.planned_trials import Alone, Planned
from hbtom.mind.posterior import Posterior
from hbtom.mind.regret import FilteredChoice
from hbtom.observe import Trial
from hbtom.world.modes import START
from hbtom.world.seeing import gait_of, waits
from hbtom.world.trajectory import TOUCH, Trajectory, touched_last
from hbtom.world.unfinished_leg import Ending, concatenated, steps_to_end


class CurrentBelief(NamedTuple):
    """What is believed now, and the evidence for it."""

    way: StepsSoFar  # up to the last complete step that counts
    end: Ending  # of the trial, if it ended now
    posterior: Posterior


def current_belief(
    setting: LiveSetting, state: LiveState, before: CurrentBelief | None = None
) -> CurrentBelief:
    """Return what is believed before the first step, and now.

    For speed, all steps so far are one step of the posterior. ``before`` is the result for the
    previous frame; it is returned again if nothing has changed since then.
    """
    way, end = _ended(setting, state)
    if before is not None and way.tail is before.way.tail and end[:3] == before.end[:3]:
        return before
    steps = steps_to_end(gait_of(setting.model.motion), way.tail, end, setting.seen.world)
    likelihood = step_likelihood(setting, way.entries, steps)
    log, wasted = accumulated(way, likelihood, len(way.entries.act))
    if way.steps is not None or len(likelihood.log):
        last = int(steps.frame[-1]) if len(steps.act) else int(way.tail.frame[0])
        regret = replace(
            likelihood.regret,
            frame=np.array([last]),
            step_regret=wasted[None],
            choice=FilteredChoice(lambda _: log[None]),
            warnings=(),
        )
        likelihood = replace(likelihood, log=log[None], regret=regret)
    agent = setting.scene.agent.look
    posterior = find_posterior(setting.model, setting.beliefs, agent, likelihood)
    return CurrentBelief(way, end, posterior)


def planned_so_far(setting: LiveSetting, state: LiveState, trial: Trial) -> Planned:
    """Return all steps so far, and their regret; ``trial`` has all frames so far."""
    way, end = _ended(setting, state)
    last = steps_to_end(gait_of(setting.model.motion), way.tail, end, setting.seen.world)
    steps = concatenated(setting.seen.trajectory, *reversed([*_backwards(way.steps)]), last)
    seen = setting.seen._replace(steady=trial, trajectory=steps, waited=waits(trial))
    regrets = find_regrets(setting.model, trial, seen, setting.costs)
    return Planned(Alone(seen, setting.costs), *regrets, memory=setting.beliefs.memory)


def _ended(setting: LiveSetting, state: LiveState) -> tuple[StepsSoFar, Ending]:
    """Return the steps that count if the trial ended now, and how it would end."""
    scene, way = setting.scene, state.way
    if setting.model.acts.final and state.moved:
        lying = scene.places if way.mode == START else scene.places[: len(scene.objects)]
        item = touched_last(np.array([state.place]), lying, float(scene.agent.radius))
        if item >= 0:
            way = state.touched.get(item, way)
            return way, Ending(way.mode, TOUCH, item, way.frame)
    return way, Ending(way.mode)


def _backwards(chain: Chain | None) -> Iterator[Trajectory]:
    while chain is not None:
        chain, steps = chain
        yield steps
