"""Following a trial frame by frame: a frozen state, and a pure step from one frame to the next.

After every frame, beliefs are those that would hold if the trial ended now. The likelihood of steps
that can no longer change is computed once, and only their sum is kept. The rest is short: the
motion since the last complete step, and the touch that would end the trial. While the agent touches
an item, the state when contact began is kept, because motion since then would be part of the touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.mind.beliefs import Beliefs
from hbtom.mind.likelihood import Likelihood, find_likelihood
from hbtom.mind.motion_regret import find_regrets
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.observe.events import touching
from hbtom.observe.stream import Frame
from hbtom.plan import CostToGo
from hbtom.plan.planning import plan_in
from hbtom.world.modes import HELD, OPEN, START
from hbtom.world.seeing import Seen, gait_of, see
from hbtom.world.trajectory import NO_ACT, OPENING, TOUCH, Trajectory, cut
from hbtom.world.unfinished_leg import (
    Ending,
    Tail,
    complete_steps,
    concatenated,
    steps_to_end,
    tail_at,
)

Place = tuple[float, float]
Chain = tuple["Chain | None", Trajectory]  # steps, and those before them


def why_not_live(model: Model) -> str:
    """Return why a model cannot follow a trial step by step, or an empty string if it can."""
    if model.observation.noise > 0:
        return "observation.noise is not 0"
    if model.goals.switching > 0:
        return "goals.switching is not 0"
    return "knowledge.plan is on" if model.knowledge.plan else ""


class LiveSetting(NamedTuple):
    """What stays the same during a trial."""

    model: Model
    beliefs: Beliefs  # before the trial
    scene: Trial  # as it is seen first
    seen: Seen  # the world, and the trajectory before the first step
    costs: CostToGo  # from everywhere


class StepsSoFar(NamedTuple):
    """What the agent has done: its complete steps, and the end of its current leg."""

    tail: Tail
    mode: int
    frame: int
    entries: Trajectory  # the first step in each mode that was entered
    log: Annotated[Floats, "hypothesis efficiency"]  # of all complete steps together
    wasted: Annotated[Floats, "goal"]
    steps: Chain | None = None


class LiveState(NamedTuple):
    """The state after the frames so far: everything that later frames need."""

    way: StepsSoFar
    place: Place
    touched: Mapping[int, StepsSoFar]  # for each item touched now, ``way`` when contact began
    barrier: float  # how much of it there was at first
    moved: bool = False  # whether the agent has moved
    picked: bool = False  # whether the key has been picked up
    started: bool = False  # whether the barrier has started to vanish
    gone: bool = False  # whether all of the barrier has vanished
    walks: bool = True  # False from when the barrier starts to vanish to the first motion after
    lost: bool = False  # a key was picked up after a barrier had gone: legs have to be cut anew


def prepare_live(model: Model, beliefs: Beliefs, scene: Trial) -> LiveSetting:
    """Plan from everywhere in a scene, whose path needs only one frame."""
    seen = see(model, scene, beliefs.openings)
    seen = seen._replace(trajectory=cut(seen.trajectory, 0))
    return LiveSetting(
        model, beliefs, scene, seen, plan_in(model.motion, seen.world, seen.trajectory, True)
    )


def first_frame(setting: LiveSetting, frame: Frame) -> LiveState:
    """Return the state after the first frame; the agent is where the scene has it."""
    place, nothing = setting.scene.agent.centre, setting.seen.trajectory
    none = step_likelihood(setting, nothing, nothing)
    log, wasted = np.zeros(none.log.shape[1:]), np.zeros(len(none.goals))
    way = StepsSoFar(tail_at(place, 0), START, 0, nothing, log, wasted)
    state = LiveState(way, place, _touched(setting, place, {}, way), frame.barrier_left)
    return _happened(setting, state, frame)


def next_frame(setting: LiveSetting, state: LiveState, frame: Frame) -> LiveState:
    """Return the state after one more frame."""
    place, number = frame.agent or state.place, state.way.frame + 1
    moves = place != state.place
    way = state.way._replace(frame=number)
    if moves and not state.walks:  # until the barrier is gone, and for a jump afterwards
        way = way._replace(tail=tail_at(place, number))
        state = state._replace(walks=state.gone, touched={})
    elif moves:
        steps, tail = complete_steps(
            gait_of(setting.model.motion), way.tail.to(place, number), way.mode, setting.seen.world
        )
        way = _with_steps(setting, way, steps)._replace(tail=tail)
    touched = _touched(setting, place, state.touched, way)
    state = state._replace(way=way, place=place, touched=touched, moved=state.moved or moves)
    return _happened(setting, state, frame)


def _touched(
    setting: LiveSetting, place: Place, before: Mapping[int, StepsSoFar], way: StepsSoFar
) -> Mapping[int, StepsSoFar]:
    """Return the items that the agent touches, and what it had done when contact began."""
    radius = float(setting.scene.agent.radius)
    now = (
        item
        for item, body in enumerate(setting.scene.places)
        if touching(place[0], place[1], body, radius)
    )
    return MappingProxyType({item: before.get(item, way) for item in now})


def _happened(setting: LiveSetting, state: LiveState, frame: Frame) -> LiveState:
    """Return the state after what happens to the key and the barrier in a frame."""
    scene, key = setting.scene, len(setting.scene.objects)
    if not (state.picked or frame.key_lies or scene.key is None):
        state = state._replace(lost=state.started, picked=True)
        way = state.touched.get(key, state.way)
        state = _new_leg(setting, state, way, Ending(START, TOUCH, key, way.frame), HELD)
    less = frame.barrier_left < state.barrier
    if not state.started and (less or (scene.lock is not None and not frame.lock_there)):
        act = OPENING if state.way.mode == HELD else NO_ACT
        arrived = int(state.way.tail.frame[-1])
        end = Ending(state.way.mode, act, len(scene.items), arrived)
        state = _new_leg(setting, state, state.way, end, OPEN)._replace(started=True, walks=False)
    return state._replace(gone=state.gone or (state.started and frame.barrier_left == 0))


def _new_leg(
    setting: LiveSetting, state: LiveState, way: StepsSoFar, end: Ending, mode: int
) -> LiveState:
    """End a leg, and begin another where the agent is now."""
    steps = steps_to_end(gait_of(setting.model.motion), way.tail, end, setting.seen.world)
    number = state.way.frame
    way = _with_steps(setting, way, steps)
    way = way._replace(tail=tail_at(state.place, number), mode=mode, frame=number)
    return state._replace(way=way, touched=_touched(setting, state.place, {}, way))


def _with_steps(setting: LiveSetting, way: StepsSoFar, steps: Trajectory) -> StepsSoFar:
    """Add complete steps."""
    if not len(steps.act):
        return way
    log, wasted = accumulated(
        way, step_likelihood(setting, way.entries, steps), len(way.entries.act)
    )
    last = way.entries.mode[-1] if len(way.entries.act) else START
    entered = concatenated(way.entries, cut(steps, 1)) if steps.mode[0] != last else way.entries
    return way._replace(entries=entered, log=log, wasted=wasted, steps=(way.steps, steps))


def step_likelihood(setting: LiveSetting, entries: Trajectory, steps: Trajectory) -> Likelihood:
    """Return the likelihood of the first step in each mode, and of the steps after them.

    The first steps are needed because they determine which goals are reachable.
    """
    model, some = setting.model, concatenated(entries, steps)
    seen = setting.seen._replace(trajectory=some)
    return find_likelihood(model, *find_regrets(model, setting.scene, seen, setting.costs))


def accumulated(way: StepsSoFar, likelihood: Likelihood, known: int) -> tuple[Floats, Floats]:
    """Return the sums over all steps; ``way`` includes the first ``known`` of the likelihood."""
    log, wasted = way.log, way.wasted
    for step, regret in zip(
        likelihood.log[known:], likelihood.regret.step_regret[known:], strict=True
    ):
        log, wasted = log + step, wasted + regret
    return log, wasted
