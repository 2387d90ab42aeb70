"""Trials with company, end to end: what must not leak, and what must not count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import hbtom
from companions import BALL, BEN, CAT, FRAMES, WHITE, hidden, made, other, way
from hbtom import Beliefs, Episode, Model
from hbtom.mind.company_hypotheses import REACH
from hbtom.mind.hypotheses import RANDOM
from hbtom.model import with_settings
from hbtom.observe import Body, Identity, Trial

HOME, DOWN, UP = (150.0, 100.0), (60.0, 150.0), (60.0, 50.0)
DEFAULT = Model.preset("default")
BYSTANDER = other("agent", BEN, way((0, (150, 40))))
GESTURE = way(
    (0, (150, 160)), (4, (150, 160)), (10, (120, 160)), (16, (150, 160)), (17, (150, 160))
)


def going(target=(72.0, 145.0), **more) -> Trial:
    """Return a trial in which the agent walks to one of two objects."""
    path = way((0, HOME), (20, HOME), (50, target), (51, target))
    given = {"objects": (Body(BALL, DOWN, 9.0), Body(WHITE, UP, 9.0)), **more}
    return made(path, **given)


def test_members_of_a_pair_are_judged_independently() -> None:
    before = tuple(going() for _ in range(3))
    watched = Episode((*before, going(others=(BYSTANDER,))))
    alone = Episode((*before, going((72.0, 55.0))))
    for one, other_one in ((watched, alone), (alone, watched)):
        first = hbtom.judge(one)
        second = hbtom.judge(other_one, reuse=first)
        assert second.plausibility == hbtom.judge(other_one).plausibility


def test_pushed_agents_neither_copy_nor_move_at_random() -> None:
    model = with_settings(DEFAULT, {"hypotheses.random": 0.1})
    test = hbtom.judge(Episode((going(), going(others=(BYSTANDER,)))), model).test
    assert (test.hypotheses.processes[0], test.hypotheses.processes[-1]) == (REACH, RANDOM)
    (pushed,) = (
        full for kind, full in zip(test.company.kinds, test.company.full, strict=True) if kind.moved
    )
    by_manner = pushed[0].sum(axis=(1, 3)) / pushed[0].sum()
    assert by_manner[:, 1:] == pytest.approx(0.0)
    assert by_manner[:, 0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("objects", [(WHITE,), (WHITE, BALL)])
def test_company_may_arrive_later(objects) -> None:
    places = {WHITE: UP, BALL: DOWN}
    bodies = tuple(Body(look, places[look], 9.0) for look in objects)
    _, beliefs = hbtom.infer(DEFAULT, Beliefs(), going())
    late, _ = hbtom.infer(DEFAULT, beliefs, going(others=(BYSTANDER,), objects=bodies))
    assert {*late.preferred} == {BALL, WHITE, BEN}
    assert late.preference.sum(axis=1) == pytest.approx(1.0)
    by_name = dict(zip(late.preferred, late.preference[0], strict=True))
    assert by_name[BALL] > by_name[WHITE]


def test_gestures_of_agents_with_the_same_name_are_distinct() -> None:
    twin = Identity(BEN.image, (1, 2, 3))
    steep = GESTURE + np.array([0.0, -130.0])
    others = other("agent", BEN, GESTURE), other("agent", twin, steep)
    ball = Body(BALL, (115.0, 100.0), 9.0)
    path = way((0, HOME), (20, HOME), (30, (130.0, 100.0)), (31, (130.0, 100.0)))
    one, two = (
        hbtom.judge(Episode((made(path, objects=(ball,), others=some),))).test
        for some in (others, others[::-1])
    )
    assert len(one.hypotheses.processes) == len(set(one.hypotheses.processes)) == 4
    for test in (one, two):
        ball_at = test.goals.index(BALL)
        ways = np.exp(test.hypotheses.log_prior[ball_at, 0])
        assert sorted(ways) == pytest.approx([0.0, 0.25, 0.25, 0.5])
    assert one.log_likelihood == pytest.approx(two.log_likelihood, abs=1e-12)


def test_agents_cannot_know_where_a_thing_will_be_put() -> None:
    def test_trial(moves: bool) -> Trial:
        later = way((0, DOWN), (40, DOWN), (50, UP), (51, UP)) if moves else way((0, DOWN))
        mover = other("agent", CAT, later + np.array([0.0, 15.0]))
        return going(
            objects=(Body(BALL, DOWN, 9.0),),
            object_paths=later[:, None],
            others=(mover,),
            still=True,
        )

    for moves in (False, True):
        (candidate,) = hbtom.judge(Episode((test_trial(moves),))).test.company.places[BALL]
        assert candidate == (DOWN, 1.0)


def test_an_absent_thing_is_never_a_goal() -> None:
    gone = np.full((FRAMES, 1, 2), np.nan)
    for sight in ("seen", "all", "memory"):
        model = with_settings(DEFAULT, {"social.sight": sight})
        before = going(objects=(Body(BALL, DOWN, 9.0),), others=(BYSTANDER,))
        test = replace(before, object_paths=gone, still=True)
        found = hbtom.judge(Episode((before, test)), model)
        assert found.test.goals == (BEN,)
        assert 0 <= found.plausibility <= 1


def test_tables_hold_only_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    moved = np.array([[*UP]] * FRAMES)[:, None]
    board = other("occluder", WHITE, way((0, (100.0, 75.0))), (10.0, 100.0))
    thing = (Body(BALL, DOWN, 9.0),)
    before = going(objects=thing, others=(BYSTANDER,))
    test = replace(going(objects=thing), object_paths=moved, still=True, others=(board,))
    table = hbtom.judge(Episode((before, before, test))).to_pandas()
    assert pandas.api.types.is_float_dtype(table.probability)
    assert {"place", "cause"} <= {*table.variable}


def test_only_agents_that_were_there_remember() -> None:
    moved = np.array([[*UP]] * FRAMES)[:, None]
    board = other("occluder", WHITE, way((0, (100.0, 75.0))), (10.0, 100.0))
    new = Identity("dora", (9, 9, 9))

    def hidden(trial: Trial) -> Trial:
        return replace(trial, object_paths=moved, still=True, others=(board,))

    thing = (Body(BALL, DOWN, 9.0),)
    before, test = going(objects=thing, others=(BYSTANDER,)), hidden(going(objects=thing))
    stranger = replace(test, agent=replace(test.agent, look=new))
    known, unknown = (
        hbtom.judge(Episode((before, before, last))).test.company.places[BALL]
        for last in (test, stranger)
    )
    assert [place for place, _ in known] == [UP, DOWN]
    assert [place for place, _ in unknown] == [UP]


def test_a_world_that_changes_in_python_is_planned_as_it_changes() -> None:
    """Company does not hide a change that the agent notices."""
    path = way((0, DOWN), (20, DOWN), (50, UP), (51, UP))[:, None]
    follows = going((72.0, 55.0), objects=(Body(BALL, DOWN, 9.0),), object_paths=path)
    with_company = replace(follows, others=(BYSTANDER,))
    one, two = (hbtom.judge(Episode((trial,))) for trial in (follows, with_company))
    assert one.surprise == two.surprise


def test_steps_of_a_pushed_agent_that_is_walled_in_are_uninformative() -> None:
    """It reaches no other agent, but it may still copy one."""
    walls = np.array([[120, 60, 60, 10], [120, 130, 60, 10], [120, 70, 10, 60], [170, 70, 10, 60]])
    path = way((0, HOME), (20, HOME), (30, (150, 90)), (31, (150, 90)))
    trial = made(path, objects=(), others=(other("agent", BEN, GESTURE - (90.0, 0.0)),))
    test = hbtom.judge(Episode((replace(trial, walls=walls.astype(float)),))).test
    kinds = {
        kind.moved: full.sum(axis=(1, 2, 3, 4))
        for kind, full in zip(test.company.kinds, test.company.full, strict=True)
    }
    assert kinds[False] + kinds[True] == pytest.approx(1.0)
    assert (kinds[True] > 0).all()
    assert np.isfinite(test.log_likelihood).all()


def test_ignoring_others_in_a_changing_world_comes_with_a_warning() -> None:
    still = hbtom.judge(Episode((hidden(),)))
    changing = hbtom.judge(Episode((replace(hidden(), still=False),)))
    assert still.planned[0].company is not None
    assert changing.planned[0].company is None
    told = [one for one in changing.warnings if "others are ignored" in one]
    assert len(told) == 1
    assert not [one for one in still.warnings if "others are ignored" in one]
