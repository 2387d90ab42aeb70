"""Sentences about company: self-motion, liking, helping, and knowing.

Anna is judged in all trials. She stands at (150, 100) until frame 40, and is there by frame 56.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

import hbtom
from companions import (
    BEN,
    CAT,
    DOWN,
    HOME,
    UP,
    WHITE,
    Place,
    ball,
    carried,
    made,
    other,
    to,
    way,
)
from hbtom import Episode, Trial
from hbtom.judgement import account
from hbtom.observe import Identity
from hbtom.show.words import explain
from stories import story

PADDLE, DOOR = Identity("cube", (0, 0, 0)), Identity("cube", (0, 255, 255))


def said(*trials: Trial, **social: Any) -> str:
    """Return the sentence about the trials; assumptions about company may be changed."""
    model = hbtom.Model.preset("default")
    model = structs.replace(model, social=structs.replace(model.social, **social))
    return explain(account(hbtom.judge(Episode(trials), model)))


def stands(look: Identity, place: Place) -> Any:
    return other("agent", look, way((0, place)))


def gestures(look: Identity, first: int, far: Place, start: Place) -> Any:
    """Return an agent that gestures for sixteen frames."""
    turn = tuple(np.add(start, far))
    stops = (
        (0, start),
        (first, start),
        (first + 8, turn),
        (first + 16, start),
        (first + 17, start),
    )
    return other("agent", look, way(*stops))


BOTH = stands(BEN, UP), stands(CAT, DOWN)
TO_BEN = made(to(UP, short=12), objects=(), others=BOTH)
TO_CAT = made(to(DOWN, short=12), objects=(), others=BOTH)


# Liking


def shown(*, copies: Place | None = None, thing: Place = (110, 60), **more: Any) -> Trial:
    """Return a trial in which Ben gestures upwards and Cat downwards, and then Anna goes."""
    others = gestures(BEN, 2, (0, -40), (60, 90)), gestures(CAT, 20, (0, 40), (60, 110))
    if copies is not None:
        turn = tuple(np.add(HOME, copies))
        more = {"path": way((0, HOME), (40, HOME), (48, turn), (56, HOME), (57, HOME))}
    return made(**more, objects=ball(thing), others=others)


def test_it_copies_the_agent_it_has_approached():
    text = said(*[TO_BEN] * 8, shown(copies=(0, -40)))
    assert text == (
        "it copied the gesture of ben, which it had approached in 8 of 8 trials; nothing surprising"
    )


def test_it_copies_another_agent():
    text = said(*[TO_BEN] * 8, shown(copies=(0, 40)))
    assert text == "it had approached ben in 8 of 8 trials; this time it copied cat's gesture"


def test_most_trials_are_a_preference_even_if_something_new_is_there():
    before = [TO_BEN] * 6 + [TO_CAT] * 2
    assert said(*before, shown(copies=(0, 40))) == (
        "it had approached ben in 6 of 8 trials; this time it copied the gesture of cat, "
        "which it had approached in 2 of 8 trials"
    )


def test_it_goes_to_a_thing_by_a_gesture():
    hook = (HOME[0], HOME[1] - 40)
    path = way((0, HOME), (40, HOME), (52, (150, 75)), (53, (150, 75)))
    text = said(*[TO_BEN] * 8, shown(path=path, thing=hook))
    assert text.startswith("it had approached ben in 8 of 8 trials; this time it ")
    assert text.endswith(" ball, which is new, by way of ben's gesture")


def test_it_goes_to_the_agent_it_has_copied():
    before = [shown(copies=(0, -40))] * 8
    assert said(*before, TO_BEN) == (
        "it went to ben, whose gesture it had copied in 8 of 8 trials; nothing surprising"
    )
    assert said(*before, TO_CAT) == (
        "it had copied ben's gesture in 8 of 8 trials; this time it went to cat"
    )


def test_it_has_shown_no_preference():
    before = shown(path=to((110, 60)))
    assert said(*[before] * 8, TO_CAT) == (
        "it had gone to ball in 8 of 8 trials; that is gone now, and it went to cat"
    )


# Helping


def door(mover: Identity, *, opens: bool, path: Any) -> Trial:
    """Return a trial in which an agent moves the door into the gate, or out of it."""
    gate, aside = (90.0, 100.0), (90.0, 60.0)
    first, last = (gate, aside) if opens else (aside, gate)
    beside = (16.0, 0.0)
    start, stop = (tuple(np.subtract(place, beside)) for place in (first, last))
    moves = other("agent", mover, way((0, start), (5, start), (25, stop), (26, stop)))
    still = stands(CAT if mover is BEN else BEN, (150, 40))
    panel = other("door", DOOR, way((0, first), (5, first), (25, last), (26, last)), (20, 40))
    walls = np.array([[80.0, 0.0, 20.0, 80.0], [80.0, 120.0, 20.0, 80.0]])
    trial = made(path, objects=ball((40, 100)), others=(moves, still, panel))
    return replace(trial, walls=walls)


def test_it_goes_to_the_helper_or_not():
    alone = replace(
        door(BEN, opens=True, path=to((40, 100))), others=(stands(BEN, UP), stands(CAT, (150, 40)))
    )
    opened = door(BEN, opens=True, path=to((40, 100)))
    closed = door(
        CAT, opens=False, path=way((0, HOME), (40, HOME), (44, (134, 100)), (45, (134, 100)))
    )
    before = alone, alone, opened, closed, opened, closed
    assert "way" not in said(*before, TO_CAT, warmth=1.0)  # deeds do not change liking
    assert said(*before, TO_BEN) == (
        "it went to ben, which had opened the way twice; nothing surprising"
    )
    assert said(*before, TO_CAT) == (
        "ben had opened the way twice; the agent went to cat, which had closed it twice"
    )


def test_a_door_that_does_not_block_makes_the_path_longer():
    def around(trial: Trial) -> Trial:
        return replace(trial, walls=trial.walls * (1, 1, 1, 0.7) + ([0, 0, 0, 0], [0, 24, 0, 0]))

    opened = around(door(BEN, opens=True, path=to((40, 100))))
    detour = way((0, HOME), (40, HOME), (46, (90, 130)), (55, (50, 110)), (56, (50, 110)))
    closed = around(door(CAT, opens=False, path=detour))
    assert said(opened, closed, opened, closed, TO_CAT) == (
        "ben had made the way shorter twice; the agent went to cat, which had made it longer twice"
    )


# Knowing


@pytest.mark.parametrize(
    ("ending", "late", "text"),
    [
        (UP, False, "it saw ben move ball, and went to the new place; nothing surprising"),
        (DOWN, False, "it saw ben move ball, yet it went to the old place"),
        (UP, True, "it cannot have seen that ben moved ball; it went where ball is"),
        (
            DOWN,
            True,
            "it cannot have seen that ben moved ball, and went where ball used to be; "
            "nothing surprising",
        ),
    ],
)
def test_it_goes_where_it_must_think_the_ball_is_or_not(ending, late, text):
    assert said(*[BEFORE] * 8, carried(ending, late=late)) == text


BEFORE = made(to(DOWN), objects=ball(DOWN))


@pytest.mark.parametrize(
    ("ending", "away", "text"),
    [
        (
            UP,
            (),
            "it saw ben move ball and put it back, yet it went where ball had been in between",
        ),
        (DOWN, range(16, 32), "it cannot have seen that ben put ball back; it went where ball is"),
        (
            DOWN,
            range(32),
            "it cannot have seen that ben moved ball and put it back, and went where ball is; "
            "nothing surprising",
        ),
    ],
)
def test_the_ball_is_put_back(ending, away, text):
    there = np.array([frame not in away for frame in range(60)])
    trial = replace(carried(ending, late=False, back=True), agent_there=there)
    assert said(*[BEFORE] * 8, trial) == text


def test_it_sees_only_where_the_ball_is():
    trial = carried(DOWN, late=True)
    trial = replace(trial, others=trial.others[:1])  # no boards
    assert said(*[BEFORE] * 8, trial) == "it saw where ball is, yet it went where ball used to be"


@pytest.mark.parametrize(
    ("sight", "ending", "text"),
    [
        ("all", UP, "it knows where ball is, and went there; nothing surprising"),
        ("all", DOWN, "it knows where ball is, yet it went where ball used to be"),
        ("memory", UP, "it only remembers where ball used to be, yet it went where ball is"),
        (
            "memory",
            DOWN,
            "it only remembers where ball used to be, and went there; nothing surprising",
        ),
    ],
)
def test_reasons_follow_the_model(sight, ending, text):
    assert said(*[BEFORE] * 8, carried(ending, late=True), sight=sight) == text


# Self-motion


def paddle(place: Place, ending: Place = UP) -> Trial:
    """Return a trial with a paddle at a place: (161, 100) is at Anna's back."""
    turns = other("paddle", PADDLE, way((0, place)), (10, 40))
    return made(to(ending), objects=ball(UP, DOWN), others=(turns,))


AT, AWAY = (161.0, 100.0), (30.0, 100.0)


def test_a_pushed_thing_may_end_up_anywhere():
    board = other("occluder", WHITE, way((0, (150, 130))), (60, 10))
    hidden = paddle(AWAY)
    hidden = replace(hidden, others=(*hidden.others, board), camera=(150.0, 260.0))
    assert said(*[paddle(AT)] * 8, hidden) == (
        "anna moves only when it is pushed, so it may end up anywhere; it ended up at ball"
    )


def test_a_thing_that_was_pushed_starts_by_itself():
    assert said(*[paddle(AT)] * 8, paddle(AWAY)) == (
        "anna started to move though nothing touched it, which it never did before; it went to ball"
    )


def test_an_agent_that_moves_by_itself_is_pushed():
    assert said(*[paddle(AWAY)] * 8, paddle(AT)) == (
        "anna was pushed this time, though it used to move by itself; it went to ball"
    )


def test_an_agent_that_moves_by_itself_wants_something():
    before = [paddle(AWAY)] * 8
    assert said(*before, paddle(AWAY)) == (
        "anna moves by itself, and went to ball, as in 8 of 8 trials; nothing surprising"
    )
    assert said(*before, paddle(AWAY, DOWN)) == (
        "anna had gone to ball in 8 of 8 trials; this time it went to cup"
    )


# The page


def test_the_page_says_that_agents_are_approached_or_copied():
    for before, does in ((TO_BEN, "approached"), (shown(copies=(0, -40)), "copied")):
        judged = hbtom.judge(Episode((*[before] * 8, TO_BEN)))
        assert story(judged)[-1].moments[0].text.endswith(f", which it {does} 8 of 8 times.")


def test_the_page_says_the_same():
    judged = hbtom.judge(Episode((*[TO_BEN] * 8, shown(copies=(0, 40)))))
    assert story(judged)[-1].summary == (
        "It had approached the ben in 8 of 8 trials; this time it copied the cat's gesture."
    )
