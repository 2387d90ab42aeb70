"""An observer that takes one frame at a time believes the same as about a recorded trial."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import goldens
from episodes import HEART, SPOON, episode, key_trial, read, to_thing
from hbtom import (
    BadInput,
    Beliefs,
    Episode,
    Frame,
    Model,
    Observer,
    Posterior,
    Trial,
    infer,
    judge,
    load,
)
from hbtom.model import with_settings
from hbtom.observe.minigrid import frame_of, scene_of, trial_of
from hbtom.observe.stream import frames_of, recorded
from worlds import odd_model, odd_trial

MODELS = Model.preset("default"), Model.preset("paper")


def assert_same_now(live: Posterior, batch: Posterior) -> None:
    """Compare all beliefs at the end of a trial."""
    assert live.goals == batch.goals
    assert live.reachable.tolist() == batch.reachable.tolist()
    for name in ("full", "preference", "efficiency", "goal"):
        one, other = getattr(live, name), getattr(batch, name)
        assert one[0] == pytest.approx(other[0], abs=1e-12)
        assert one[-1] == pytest.approx(other[-1], abs=1e-12)
    assert live.log_likelihood.sum() == pytest.approx(batch.log_likelihood.sum(), abs=1e-9)


def check_throughout(model: Model, trial: Trial, every: int = 1) -> None:
    """Compare what is believed after some frames with the trial cut off there."""
    observer, frames = Observer(trial, model), list(frames_of(trial))
    assert not observer.recomputes
    for number, frame in enumerate(frames, start=1):
        now = observer.observe(frame)
        if number % every == 0 or number == len(frames):
            batch, _ = infer(model, Beliefs(), recorded(trial, frames[:number]))
            assert_same_now(now, batch)


def two_things() -> Trial:
    return read(episode(to_thing(HEART.at(150, 60), others=[SPOON.at(99, 100)])))[0]


@pytest.mark.parametrize("model", MODELS, ids=["default", "paper"])
def test_beliefs_agree_throughout_a_trial_with_a_key(model: Model) -> None:
    check_throughout(model, read(episode(key_trial(jump=False)))[0], every=4)
    check_throughout(model, read(episode(key_trial()))[0], every=9)


@pytest.mark.parametrize("seed", range(8))
def test_beliefs_agree_throughout_odd_trials(seed: int) -> None:
    """They have jumps, loops, walls anywhere, and items that are touched in passing."""
    model = odd_model(seed)
    if model.observation.noise:
        model = with_settings(model, {"observation.noise": 0.0})
    check_throughout(model, odd_trial(seed), every=3)


def test_passing_by_an_item_and_gaps() -> None:
    trial = two_things()
    path = trial.path.copy()
    path[5:9] = path[20] = np.nan
    check_throughout(MODELS[0], replace(trial, path=path), every=5)


def test_an_agent_that_appears_late() -> None:
    trial = two_things()
    path = trial.path.copy()
    path[:3] = np.nan
    late = replace(trial, path=path)
    observer = Observer(trial, MODELS[0])
    for frame in frames_of(late):
        now = observer.observe(frame)
    start = replace(late, agent=replace(trial.agent, centre=tuple(path[3].tolist())))
    assert_same_now(now, infer(MODELS[0], Beliefs(), start)[0])


def test_an_agent_that_leaves_is_not_seen() -> None:
    """The trial so far has as many frames as were observed, regardless of the scene."""
    trial = two_things()
    there = np.arange(len(trial.path)) < 8
    observer = Observer(replace(trial, agent_there=there))
    for frame in list(frames_of(replace(trial, agent_there=there)))[:12]:
        observer.observe(frame)
    assert observer.trial.agent_there is None
    assert np.isnan(observer.trial.path[:, 0]).tolist() == [False] * 8 + [True] * 4


LIVE = """
import goldens
from hbtom import Episode, Observer, judge, load
from hbtom.compiled import start_compiler
from hbtom.observe.stream import frames_of
start_compiler()
for name, some in ("default", slice(None)), ("paper", slice(None, None, 4)):
    for path in goldens.episodes(name)[some]:
        episode = Episode(load(path).trials[-2:])
        observer = Observer(episode[0], name)
        for number, trial in enumerate(episode):
            if number:
                observer.next_trial(trial)
            before = None
            for frame in frames_of(trial):
                if frame != before:  # still frames cost little and mean nothing
                    now = observer.observe(frame)
                before = frame
        batch, live = judge(episode, name), observer.judgement()
        ends = abs(now.full[-1] - batch.test.full[-1]).max()
        one, other = goldens.numbers(live), goldens.numbers(batch)
        print(name, path.name, max(ends, *(abs(one[key] - other[key]) for key in other)))
"""


@pytest.mark.usefixtures("kernels")
def test_golden_episodes_are_judged_the_same_live() -> None:
    """The last two trials of each by the default model, and of every fourth by the paper's."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": paths}
    ran = subprocess.run(
        [sys.executable, "-c", LIVE], env=environment, capture_output=True, text=True, check=True
    )
    differences = [line.split() for line in ran.stdout.splitlines()]
    assert len(differences) == 1.25 * len(goldens.episodes("default"))
    assert max(float(line[-1]) for line in differences) < 1e-9


def test_trials_in_sequence() -> None:
    whole = read(episode(key_trial(), key_trial(), to_thing(HEART.at(150, 60))))
    observer = Observer(whole[0])
    for number, trial in enumerate(whole):
        if number:
            observer.next_trial(trial)
        for frame in frames_of(trial):
            observer.observe(frame)
    live, batch = observer.judgement(), judge(whole)
    assert live.plausibility == pytest.approx(batch.plausibility, abs=1e-12)
    assert live.test.frame.tolist() == batch.test.frame.tolist()
    assert live.beliefs[1].openings == pytest.approx(batch.beliefs[1].openings)
    assert live.warnings == batch.warnings


def test_trials_that_cannot_be_followed_are_recomputed() -> None:
    noisy = with_settings(MODELS[1], {"observation.noise": 1.0})
    trial = two_things()
    observer = Observer(trial, noisy)
    assert "noise" in observer.recomputes
    some = list(frames_of(trial))[:12]
    for frame in some:
        now = observer.observe(frame)
    batch, _ = infer(noisy, Beliefs(), recorded(trial, some))
    assert now.full[-1] == pytest.approx(batch.full[-1])


def test_a_key_that_is_picked_up_after_the_barrier_has_gone() -> None:
    trial = read(episode(key_trial()))[0]
    frames = [one._replace(key_lies=number < 60) for number, one in enumerate(frames_of(trial))]
    observer = Observer(trial)
    for number, frame in enumerate(frames, start=1):
        now = observer.observe(frame)
        if number in (50, 60, 61, 66):
            batch, _ = infer(MODELS[0], Beliefs(), recorded(trial, frames[:number]))
            assert_same_now(now, batch)
    assert "key" in observer.recomputes


def test_frames_may_be_places() -> None:
    trial = two_things()
    observer, other = Observer(trial), Observer(trial)
    for x, y in trial.path[:30].tolist():
        one, two = observer.observe((x, y)), other.observe(Frame((x, y), barrier_left=0.0))
    assert one.goal.tolist() == two.goal.tolist()
    assert len(observer.trial.path) == 30
    assert repr(observer) == "<Observer in trial 1, frame 30>"


def test_positions_in_metres_are_reported() -> None:
    trial = two_things()
    pixels, metres = Observer(trial), Observer(trial)
    for x, y in trial.path.tolist():
        pixels.observe((x, y))
        metres.observe((x / 100, y / 100))
        assert bool(metres.warnings) == (len(metres.trial.path) >= 30)
    assert pixels.warnings == ()
    (told,) = metres.warnings
    assert "are positions in other units?" in told
    assert told in metres.judgement().warnings


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ((1, 2, 3), "2 numbers"),
        ("here", "not a frame"),
        ((1, 9999), "outside"),
        (Frame((40, 100), barrier_left=2), "barrier"),
    ],
)
def test_bad_frames_are_refused_and_forgotten(frame: Frame, told: str) -> None:
    observer = Observer(two_things())
    with pytest.raises(BadInput, match=told) as error:
        observer.observe(frame)
    assert error.value.place.frame == 1
    with pytest.raises(BadInput, match="nothing has been observed"):
        observer.judgement()


def test_the_key_lies_there_at_first() -> None:
    trial = read(episode(key_trial()))[0]
    with pytest.raises(BadInput, match="key"):
        Observer(trial).observe(Frame(trial.agent.centre, key_lies=False))


def test_changing_worlds_are_refused() -> None:
    trial = two_things()
    paths = np.repeat(trial.objects_at[:1], len(trial.path), axis=0)
    with pytest.raises(BadInput, match="changing worlds"):
        Observer(replace(trial, object_paths=paths))


def test_an_agent_in_minigrid_is_watched(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("minigrid")
    example = runpy.run_path(
        str(Path(__file__).parents[2] / "docs" / "examples" / "minigrid_live.py")
    )
    example["main"]()
    *steps, last = capsys.readouterr().out.splitlines()
    assert len(steps) == 11
    assert last.startswith("plausibility")
    key, goal = (
        float(one.split()[-1]) for one in sorted(steps[-1].split(": ")[1].split(", "))[::-1]
    )
    assert goal > 0.9 > key


def test_a_trajectory_in_minigrid_is_a_trial(tmp_path: Path) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    example = runpy.run_path(
        str(Path(__file__).parents[2] / "docs" / "examples" / "minigrid_live.py")
    )
    env = gymnasium.make("MiniGrid-DoorKey-6x6-v0")
    actions = [2, 3, 2, 1, 2, 5, 2, 2, 1, 2, 2]
    env.reset(seed=7)
    live = example["watch"](env, actions).judgement()
    env.reset(seed=7)
    trial = trial_of(env, [*actions, 0])  # the last one comes after the end
    assert len(trial.path) == 12
    whole = Episode((trial,))
    assert judge(whole, example["MODEL"]).plausibility == live.plausibility
    whole.save(tmp_path / "episode.json")
    (again,) = load(tmp_path / "episode.json")
    assert (again.path == trial.path).all()


def test_minigrid_without_a_door() -> None:
    """Anything with the same attributes is read."""
    wall, ball = SimpleNamespace(type="wall"), SimpleNamespace(type="ball", color="blue")
    grid = SimpleNamespace(get=lambda x, y: {(0, 0): wall, (2, 1): ball}.get((x, y)))
    world = SimpleNamespace(width=4, height=3, grid=grid, agent_pos=(3, 2))
    env = SimpleNamespace(unwrapped=world)
    scene = scene_of(env)
    assert scene.size == (80, 60)
    assert scene.walls.tolist() == [[0, 0, 20, 20]]
    assert [(body.look.image, body.centre) for body in scene.objects] == [("ball", (50, 30))]
    assert Observer(scene).observe(frame_of(env)).goal[-1] == pytest.approx([1.0])
    grid.get = lambda x, y: SimpleNamespace(type="key", color="red")
    with pytest.raises(BadInput, match="several keys"):
        scene_of(env)
