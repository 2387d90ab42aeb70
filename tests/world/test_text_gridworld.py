"""Gridworlds drawn as text."""

from __future__ import annotations

import numpy as np
import pytest

from hbtom import BadInput, Model
from hbtom.world import see
from hbtom.world.text_gridworld import Gridworld

PICTURE = """
    ######
    #@..1#
    #.##.#
    #...2#
    ######
"""


def test_a_picture_becomes_a_trial() -> None:
    world = Gridworld(PICTURE, {"cup": "2"}, "S S E E E", known=("cup",))
    assert world.path == ((1, 1), (2, 1), (3, 1), (3, 2), (3, 3), (3, 4))
    trial = world.trial
    assert trial.size == (60.0, 50.0)
    assert [(str(one.look), one.centre) for one in trial.objects] == [("cup", (45.0, 35.0))]
    seen = see(Model.preset("paper"), trial)
    assert [(row, column) for column, row in seen.trajectory.stop.tolist()] == list(world.path[1:])
    free = [[mark != "#" for mark in row] for row in world.rows]
    np.testing.assert_array_equal(~seen.world.blocked[0], free)
    assert world.whereabouts.places == {"1": (45.0, 15.0)}


def test_diagonal_moves_are_kept_as_they_are() -> None:
    world = Gridworld("@....\n.....\n....1", {"cup": "1"}, "E SE E SW NE NW")
    steps = see(Model.preset("paper"), world.trial).trajectory
    assert [(row, column) for column, row in steps.stop.tolist()] == list(world.path[1:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"moves": "S X"}, "field 'moves': there is no move 'X'"),
        ({"moves": "S E"}, "move 2, 'E', runs into a wall"),
        ({"moves": "S SE"}, "move 2, 'SE', runs into a wall"),
        ({"picture": "@..\n..1", "moves": "N"}, "move 1, 'N', runs into a wall"),
        ({"picture": "...\n..1"}, "there is no agent on the map"),
        ({"picture": "@.1\n..1"}, "the mark '1' occurs twice"),
        ({"things": {"cup": "7"}}, "there is no mark '7' for 'cup'"),
        ({"known": ("saucer",)}, "there is no thing 'saucer'"),
        ({"picture": ""}, "field 'picture': the map is empty"),
    ],
)
def test_senseless_maps_and_moves(given: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        Gridworld(**{"picture": PICTURE, "things": {"cup": "2"}, **given})
    assert error.value.hint
