"""Trials and episodes made in Python: errors are reported before they are judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hbtom
from episodes import HEART, episode, read, to_thing
from hbtom import BadInput, Beliefs, Episode, Model, Trial
from hbtom.observe import Body, Identity, Other
from hbtom.observe.checks import checked

FRAMES = 21
PATH = np.linspace((40.0, 100.0), (140.0, 100.0), FRAMES)
BALL, BEAR = Body(Identity("ball"), (150.0, 100.0), 9.0), Body(Identity("bear"), (150.0, 40.0), 9.0)
STILL = np.tile([BALL.centre, BEAR.centre], (FRAMES, 1, 1))
GONE = np.full((FRAMES, 2), np.nan)
BOB = Other("agent", Identity("bob"), (12.0, 12.0), PATH + np.array([0, 60]), np.zeros(FRAMES))
GOOD = Trial(
    size=(200.0, 200.0),
    walls=[[90.0, 0.0, 20.0, 60.0]],
    barrier=[],
    objects=(BALL, BEAR),
    agent=Body(Identity("anna"), (40.0, 100.0), 6.0),
    path=PATH,
    barrier_left=[0] * FRAMES,
    others=(BOB,),
)


def from_frame(frame: int, place: tuple[float, float]) -> np.ndarray:
    """Return paths on which the bear is elsewhere from the given frame on."""
    paths = STILL.copy()
    paths[frame:, 1] = place
    return paths


BAD = {
    "transposed": ({"walls_there": np.ones((1, FRAMES))}, "'walls_there': the array has the shape"),
    "too short": ({"walls_there": np.ones((5, 1))}, "(5, 1), not (21, 1)"),
    "too narrow": (
        {"object_paths": STILL[:, :1]},
        "(21, 1, 2), not (21, 2, 2)",
    ),
    "flat": ({"path": PATH.T}, "'path': the array has the shape (2, 21), not (2, 2)"),
    "ragged": ({"walls": [[1, 2], [3]]}, "field 'walls': this is not an array"),
    "gone": ({"object_paths": from_frame(4, (np.nan, 1.0))}, "frame 5, field 'object_paths': bear"),
    "away": (
        {"object_paths": from_frame(9, (300.0, 40.0))},
        "frame 10, field 'object_paths': bear",
    ),
    "elsewhere": ({"object_paths": from_frame(0, (60.0, 40.0))}, "begins at (60, 40)"),
    "unseen": ({"path": GONE}, "field 'agent': the agent is never seen"),
    "outside": ({"path": np.vstack([PATH[:-1], (250, 100)])}, "frame 21, field 'agent'"),
    "start": ({"path": PATH + 1}, "it is at (40, 100), its path begins at (41, 101)"),
    "object": ({"objects": (BALL, replace(BEAR, centre=(-5.0, 9.0)))}, "frame 1, field 'objects'"),
    "person": ({"others": (replace(BOB, kind="person"),)}, "the kinds are agent, door, occluder"),
    "other": ({"others": (replace(BOB, path=PATH[:3]),)}, "for each of 21 frames"),
}


@pytest.mark.parametrize("case", BAD)
def test_errors_in_a_trial_are_reported_with_their_place(case: str) -> None:
    fields, message = BAD[case]
    with pytest.raises(BadInput) as caught:
        hbtom.judge(Episode((GOOD, replace(GOOD, **fields)), name="mine"))
    assert message in str(caught.value)
    assert "Hint: " in str(caught.value)
    if case != "ragged":  # it cannot even be made
        assert str(caught.value).startswith("mine: trial 2, ")
        with pytest.raises(BadInput, match="field"):
            hbtom.infer(Model.preset("default"), Beliefs(), replace(GOOD, **fields))


@pytest.mark.parametrize("thing", [GOOD, [GOOD], Episode(()), Episode(GOOD), Episode(("a",))])  # type: ignore[arg-type]
def test_only_episodes_of_trials_are_judged(thing: object) -> None:
    with pytest.raises(BadInput, match=r"Hint: .*hbtom\.(Episode|Trial)"):
        hbtom.judge(thing)  # type: ignore[arg-type]


def test_lists_work_like_arrays() -> None:
    alone = replace(GOOD, others=())  # a changing world is planned without company
    given = replace(alone, path=PATH.tolist(), walls_there=[[True]] * FRAMES)
    assert given.walls.shape == (1, 4)
    assert given.barrier.shape == (0, 4)
    one, other = (hbtom.judge(Episode((trial,))) for trial in (alone, given))
    assert one.plausibility == pytest.approx(other.plausibility, abs=1e-12)


def test_an_agent_may_start_where_a_wall_will_be() -> None:
    there = np.arange(FRAMES)[:, None] > 10
    checked(Episode((replace(GOOD, walls=[[30.0, 80.0, 30.0, 40.0]], walls_there=there),)))


@pytest.mark.parametrize("actor", [2, -1])
def test_an_unknown_actor_is_refused(actor: int) -> None:
    with pytest.raises(BadInput, match="2 actors, counted from 0"):
        GOOD.judging(actor)


@pytest.mark.parametrize("trial", [9, -3])
def test_an_unknown_trial_is_refused(trial: int) -> None:
    with pytest.raises(BadInput, match="trials are counted from 0"):
        hbtom.judge(Episode((GOOD, GOOD))).trace(trial)


def test_trials_from_files_are_checked_once() -> None:
    """A trial from a file is marked as checked; a changed copy is not."""
    loaded = read(episode(to_thing(HEART.at(150, 100)), to_thing(HEART.at(150, 100))))
    assert all("checked" in vars(trial) for trial in loaded)
    assert "checked" not in vars(replace(loaded.test))


def test_touches_are_found_where_objects_are() -> None:
    """The ball rolls away before it is reached, and the bear appears."""
    paths = STILL.copy()
    paths[5:, 0] = (150.0, 180.0)
    paths[12:, 1] = (110.0, 100.0)
    moved = replace(GOOD, object_paths=paths).events
    assert [(one.frame, one.item) for one in moved if one.kind == "touch"] == [(12, 1)]
    assert [one.item for one in GOOD.events if one.kind == "touch"] == [0]
