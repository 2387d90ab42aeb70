"""The agent's course: when it sets off, where it ends, and what blocks it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from companions import BALL, BEN, FRAMES, WHITE, made, other, way
from hbtom import Trial
from hbtom.observe import Body
from hbtom.world.course import course, last_onset, panel_boxes, with_onset
from hbtom.world.trajectory import MOVE, NO_STEPS


def walked(path: Any, **more: Any) -> Trial:
    return made(path, **{"objects": (), **more})


TWICE = way(
    (0, (150, 100)),
    (4, (150, 100)),
    (10, (130, 100)),
    (30, (130, 100)),
    (40, (100, 100)),
    (41, (100, 100)),
)  # it moves in frames 5 to 10 and 31 to 40
MOVES = way((0, (60, 150)), (15, (60, 150)), (20, (60, 120)), (21, (60, 120)))
LATER = way((0, (60, 150)), (45, (60, 150)), (50, (60, 120)), (51, (60, 120)))
CHANGES: dict[str, Any] = {
    "an agent": {"others": (other("agent", BEN, MOVES),)},
    "a door": {"others": (other("door", WHITE, MOVES, (20, 40)),)},
    "an object": {
        "objects": (Body(BALL, (60.0, 150.0), 9.0),),
        "object_paths": MOVES[:, None],
        "still": True,
    },
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_rest_during_which_the_world_changes_begins_a_new_bout(what: str) -> None:
    assert last_onset(walked(TWICE, **CHANGES[what])) == 30


def test_other_rests_are_part_of_the_course() -> None:
    assert last_onset(walked(TWICE)) == 0
    assert last_onset(walked(TWICE, others=(other("agent", BEN, LATER),))) == 0
    short = np.concatenate([TWICE[:11], TWICE[29:], TWICE[-18:]])  # two still frames in between
    soon = way((0, (60, 150)), (10, (60, 150)), (12, (60, 120)), (13, (60, 120)))
    assert last_onset(walked(short, others=(other("agent", BEN, soon),))) == 0


def test_an_agent_that_enters_sets_off_after_the_first_rest() -> None:
    there = np.arange(FRAMES) >= 12
    path = np.concatenate([TWICE[:1]] * 20 + [TWICE[4:44]])  # in frames 21 to 26 and 47 on
    assert last_onset(walked(path, agent_there=there)) == 20


def test_the_course_ends_with_the_first_touch() -> None:
    near, far, here = (Body(BALL, (x, 100.0), 9.0) for x in (110.0, 90.0, 150.0))
    trial = walked(TWICE)
    for things, last in (((near, far), 32), ((far, near), 32), ((here, near), 32), ((here,), 59)):
        assert len(course(trial, 0, things, ()).path) == last + 1


def test_a_step_aside_when_touching_another_agent_does_not_count() -> None:
    path = way((0, (150, 100)), (20, (150, 100)), (50, (60, 100)), (51, (60, 100)))
    ben = other("agent", BEN, way((0, (105, 108))))
    aside = path.copy()
    aside[34:37] += (0.0, -3.0)
    straight = course(walked(aside, others=(ben,)), 0, (), ()).path
    assert straight == pytest.approx(path)


def test_panels_block_where_they_stand_and_as_they_are_rotated() -> None:
    def boxes(place: Any, turn: float) -> Any:
        panel = replace(
            other("door", WHITE, way((0, place)), (20, 40)), angle=np.full(FRAMES, turn)
        )
        return panel_boxes(walked(TWICE, others=(panel,)), "door", 0)

    assert boxes((90, 100), 0.0) == [(80, 80, 20, 40)]
    assert boxes((90, 100), 90.0) == [(70, 90, 40, 20)]
    assert boxes((90, -30), 0.0) == []
    slanted = np.array(boxes((90, 100), 45.0))
    middles = slanted[:, :2] + slanted[:, 2:] / 2 - (90, 100)
    assert middles[0] == pytest.approx(-middles[-1])
    assert middles[-1] == pytest.approx(np.array([-1, 1]) * 10 / np.sqrt(2))


def test_an_onset_is_a_step_on_the_spot() -> None:
    steps = with_onset(NO_STEPS._replace(first=np.array([3.0, 4.0])), 7)
    assert (steps.frame.tolist(), steps.act.tolist()) == ([7], [MOVE])
    assert steps.start.tolist() == steps.stop.tolist() == [[3, 4]]
