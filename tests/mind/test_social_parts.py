"""Parts of inference in company, one by one: deeds, places, gestures, paths."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from companions import BALL, BEN, CAT, WHITE, Place, made, other, way
from hbtom import Model, Trial
from hbtom.assumptions import Social
from hbtom.mind.believed_places import EMPTY_MEMORY, Memory, last_gestures, place_beliefs
from hbtom.mind.company import Company, find_company
from hbtom.mind.company_hypotheses import COPY, REACH
from hbtom.mind.deeds import FARTHEST, deeds_of, onset_of
from hbtom.mind.gesture_regret import gesture_regret, leads_to
from hbtom.mind.hypotheses import Hypotheses
from hbtom.observe import Body, Identity
from hbtom.observe.social_events import gestures
from hbtom.world.modes import UNIT
from hbtom.world.trajectory import MOVE, TOUCH, Trajectory

MODEL, SOCIAL = Model.preset("default"), Social()
HOME, AWAY, NEAR = (150.0, 100.0), (40.0, 100.0), (100.0, 100.0)
DOOR = Identity("cube", (0, 255, 255))
GATE = np.array([[80.0, 0.0, 20.0, 80.0], [80.0, 120.0, 20.0, 80.0]])
STRAIGHT = way((0, HOME), (40, HOME), (55, (110.0, 100.0)), (56, (110.0, 100.0)))


def company(trial: Trial, memory: Memory = EMPTY_MEMORY) -> Company:
    found = find_company(MODEL, SOCIAL, trial, (), memory)[3]
    assert found is not None
    return found


def thing(place: Place = AWAY) -> tuple[Body, ...]:
    return (Body(BALL, place, 9.0),)


# Deeds


def gate(mover: Any, *, opens: bool, path: Any = STRAIGHT) -> Trial:
    """Return a trial in which a door opens or closes the gate, perhaps with a mover beside it."""
    first, last = ((90.0, 100.0), (90.0, 60.0)) if opens else ((90.0, 60.0), (90.0, 100.0))
    ways = way((0, first), (5, first), (25, last), (26, last))
    panel = other("door", DOOR, ways, (20, 40))
    others = () if mover is None else (other("agent", mover, ways - (16.0, 0.0)),)
    return replace(made(path, objects=thing(), others=(*others, panel)), walls=GATE)


def test_opening_a_door_gives_as_much_as_closing_it_takes() -> None:
    [opened] = deeds_of(MODEL, gate(BEN, opens=True), ())
    [closed] = deeds_of(MODEL, gate(BEN, opens=False), ())
    assert (opened.actor, opened.goals) == (BEN, (BALL,))  # the path to Ben does not count
    assert opened.gain == pytest.approx(-closed.gain, abs=0.1)
    far = FARTHEST - opened.gain[0]
    assert 9.5 < far < 13.0  # 95 pixels to walk, and an act
    assert opened.barred.tolist() == closed.barred.tolist() == [True]


def test_a_door_that_no_other_agent_moves_is_not_a_deed() -> None:
    beside = way((0, (74, 100)), (5, (74, 100)), (25, (74, 60)), (26, (74, 60)))
    for path in (STRAIGHT, beside):  # no agent moves it, or the judged agent does
        assert not [*deeds_of(MODEL, gate(None, opens=True, path=path), ())]


def test_an_agent_sets_off_even_if_a_door_bars_its_path() -> None:
    shut, open = (company(gate(BEN, opens=opens)) for opens in (False, True))
    both = [one.goals.index(BALL) * len(one.hypotheses) for one in (shut, open)]
    assert shut.regret.reachable[both[0]]
    found, expected = (
        one.regret.step_regret[:, at] for one, at in zip((shut, open), both, strict=True)
    )
    assert found == pytest.approx(expected, abs=0.02)
    assert np.isfinite(found).all()


def test_doors_still_lengthen_the_path_to_reachable_goals() -> None:
    """The cup is behind a panel, and the ball behind the gate."""
    around = way((0, HOME), (40, HOME), (48, (125, 66)), (55, (112, 84)), (56, (112, 84)))
    trial = gate(BEN, opens=False, path=around)
    trial = replace(trial, objects=(*trial.objects, Body(WHITE, (108.0, 100.0), 9.0)))
    ways = {}
    for kind in ("door", "occluder"):
        panel = other(kind, DOOR, way((0, (128, 100))), (10, 50))
        found = company(replace(trial, others=(*trial.others, panel)))
        ways[kind] = found.regret.step_regret[:, found.goals.index(WHITE) * len(found.hypotheses)]
        assert found.regret.reachable[found.goals.index(BALL) * len(found.hypotheses)]
    assert ways["door"] == pytest.approx(ways["occluder"])


def test_an_onset_that_a_board_hides_is_not_seen() -> None:
    paddle = other("paddle", DOOR, way((0, (161.0, 100.0))), (10, 40))
    board = other("occluder", WHITE, way((0, (150.0, 130.0))), (60, 10))
    seen = made(STRAIGHT, objects=thing(), others=(paddle,), camera=(150.0, 260.0))
    assert onset_of(SOCIAL, seen) == (41, True)
    assert onset_of(SOCIAL, replace(seen, others=(paddle, board))) is None
    assert company(seen).regret.frame[0] == 41  # a step in which it begins to move
    assert company(seen).touched
    assert company(replace(seen, others=(paddle, board))).touched is None


# Places


MOVED = way((0, NEAR), (4, NEAR), (12, AWAY), (13, AWAY))


def lies(path: Any, *others: Any, **more: Any) -> Trial:
    return made(
        STRAIGHT, objects=thing(NEAR), object_paths=path[:, None], still=True, others=others, **more
    )


def test_belief_fades_with_distance_from_the_last_sighting() -> None:
    now, then = place_beliefs(SOCIAL, lies(MOVED), 0, 40, (), 1.0)
    assert (now.place, then.place) == (AWAY, NEAR)
    assert then.probability / now.probability == pytest.approx(math.exp(-60.0 / SOCIAL.fade))


def test_what_an_agent_sees_after_setting_off_changes_nothing() -> None:
    later = lies(MOVED, agent_there=np.arange(60) >= 41)
    now, then = place_beliefs(SOCIAL, later, 0, 40, (NEAR,), 1.0)
    assert (now.probability, then.probability) == pytest.approx((1 / 3, 2 / 3))


def test_without_sight_an_agent_remembers_where_a_thing_lay() -> None:
    blind = lies(MOVED, agent_there=np.zeros(60, dtype=bool))
    lay = (NEAR, NEAR, AWAY, (101.0, 99.0), NEAR)
    now, then = place_beliefs(SOCIAL, blind, 0, 40, lay, 0.5)
    assert (now.probability, then.probability) == pytest.approx((1.5 / 6, 4.5 / 6))


def test_latest_places_come_first_and_earlier_trials_count_only_if_unseen() -> None:
    twice = way(
        (0, NEAR), (4, NEAR), (8, (60.0, 150.0)), (20, (60.0, 150.0)), (26, AWAY), (27, AWAY)
    )
    places = [AWAY, (60.0, 150.0), NEAR]
    old = ((150.0, 30.0),)
    assert [one.place for one in place_beliefs(SOCIAL, lies(twice), 0, 40, old, 1.0)] == places
    blind = lies(twice, agent_there=np.zeros(60, dtype=bool))
    assert [one.place for one in place_beliefs(SOCIAL, blind, 0, 40, old, 1.0)] == [*places, *old]


def test_a_thing_that_is_only_believed_in_blocks_no_path() -> None:
    path = way((0, HOME), (40, HOME), (55, (56.0, 100.0)), (56, (56.0, 100.0)))
    found = company(replace(lies(MOVED), path=path))
    direct = found.regret.step_regret[:, 0]  # it walks through where the ball was
    assert direct.sum() < 0.1
    real = made(
        path,
        objects=(*thing(), Body(WHITE, NEAR, 9.0)),
        others=(other("agent", BEN, way((0, (150, 40)))),),
    )
    around = company(real).regret.step_regret[:, 0]
    assert around.sum() > 0.1
    paths = np.stack(
        [way((0, (60, 150)), (4, (60, 150)), (12, AWAY), (13, AWAY)), way((0, NEAR))], 1
    )
    both = company(replace(real, object_paths=paths, still=True))
    assert len(both.hypotheses.beliefs) == 2
    assert both.regret.step_regret[:, 0] == pytest.approx(around)  # only real things count


# Gestures


UPWARDS = np.stack([np.zeros(41), -np.arange(41.0)], axis=1)


def steps(*stops: Place, acts: tuple[int, ...] = ()) -> tuple[Trajectory, Any]:
    """Return steps along a path through places, one per frame."""
    path = np.array([(0.0, 0.0), *stops])
    many = len(stops)
    kind = np.array(acts or (MOVE,) * many)
    numbers = np.arange(1, many + 1), kind, np.full(many, -1), np.zeros(many, dtype=np.int64)
    return Trajectory(*numbers, path[:-1], path[1:], path[0], np.full(many, -1)), path


def test_copying_wastes_nothing_and_the_opposite_twice_the_distance() -> None:
    for side, wasted in (((0.0, -10.0), 0.0), ((10.0, 0.0), 10.0), ((0.0, 10.0), 20.0)):
        regret, silent = gesture_regret(*steps(side, tuple(np.multiply(2, side))), UPWARDS)
        assert regret * UNIT == pytest.approx(np.full(2, wasted))
        assert not silent.any()


def test_a_gesture_leads_where_it_turns() -> None:
    corner = np.concatenate(
        [UPWARDS[:21], UPWARDS[20] + np.stack([np.arange(1.0, 21.0), np.zeros(20)], axis=1)]
    )
    regret, _ = gesture_regret(*steps((0.0, -20.0), (20.0, -20.0)), corner)
    assert regret == pytest.approx(np.zeros(2))


def test_acts_short_steps_and_steps_after_the_end_say_nothing() -> None:
    walked = steps(
        (0.0, -2.0),
        (0.0, -20.0),
        (4.0, -20.0),
        (4.0, -36.0),
        (30.0, -36.0),
        acts=(MOVE, MOVE, TOUCH, MOVE, MOVE),
    )
    regret, silent = gesture_regret(*walked, UPWARDS)
    assert silent.tolist() == [True, False, True, False, True]
    assert regret == pytest.approx(np.zeros(5))


def test_a_gesture_leads_to_things_it_comes_near() -> None:
    start = np.array([100.0, 100.0])
    assert leads_to(UPWARDS, start, (110.0, 70.0), 10.0)
    assert not leads_to(UPWARDS, start, (110.0, 70.0), 9.9)


def test_only_earlier_gestures_of_agents_present_count() -> None:
    def bent(first: int) -> Any:
        start, turn = (150.0, 160.0), (120.0, 160.0)
        return way(
            (0, start), (first, start), (first + 6, turn), (first + 12, start), (first + 13, start)
        )

    early, late = (
        made(STRAIGHT, objects=thing(), others=(other("agent", BEN, bent(n)),)) for n in (4, 44)
    )
    assert last_gestures(early, gestures(early), before=40).keys() == {BEN}
    assert last_gestures(late, gestures(late), before=40) == {}
    assert last_gestures(late, gestures(late)).keys() == {BEN}
    hook = np.stack([-np.arange(41.0), np.zeros(41)], axis=1)  # leads to the ball
    memory = Memory(True, {}, {BEN: hook})
    for look, ways in ((BEN, {"by way of ben"}), (CAT, set())):
        there = made(
            STRAIGHT, objects=thing(NEAR), others=(other("agent", look, way((0, (150, 40)))),)
        )
        assert {*company(there, memory).hypotheses.processes} - {REACH, COPY} == ways
    found = company(replace(late, objects=thing((110.0, 100.0))))
    assert {*found.hypotheses.processes} == {REACH, COPY}


def test_an_agent_that_copies_gains_nothing_by_touching() -> None:
    hook = np.stack([-np.arange(41.0), np.zeros(41)], axis=1)
    trial = made(STRAIGHT, objects=thing(NEAR), others=(other("agent", BEN, way((0, (150, 40)))),))
    found = company(trial, Memory(True, {}, {BEN: hook}))
    kinds, goals = found.hypotheses, found.goals
    column = goals.index(BEN) * len(kinds) + kinds.processes.index(COPY)
    assert found.regret.step_regret[-1, column] == pytest.approx(MODEL.acts.cost)
    assert found.regret.step_regret[:-1, column] == pytest.approx(
        np.zeros(len(found.regret.frame) - 1)
    )
    ben = dict(zip(kinds.processes, np.exp(kinds.log_prior[goals.index(BEN), 0]), strict=True))
    assert ben == pytest.approx({REACH: 0.5, COPY: 0.5, "by way of ben": 0.0})


def test_a_pushed_agent_never_copies() -> None:
    with np.errstate(divide="ignore"):
        kinds = Hypotheses(
            ("true", "outdated"),
            (REACH, COPY),
            np.log([[[0.1, 0.5], [0.4, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]),
        )
        chance = np.exp(kinds.pushed)
    assert chance[0] == pytest.approx(np.array([[0.2, 0.0], [0.8, 0.0]]))
    assert not chance[1].any()
