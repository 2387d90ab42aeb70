"""Gridworlds as agents see them: where things may lie, what is in sight, and their files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hbtom import BadInput, Gridworld
from hbtom.world.gridworld_file import load_gridworlds
from hbtom.world.possible_worlds import HAVE, STAY, situations, start_of
from hbtom.world.text_worlds import alike, possible_worlds, walk_of

PICTURE = """
    1.@.3
    .##..
    .#2..
"""


def world(**given: object) -> Gridworld:
    usual = {"things": {"K": "1"}, "known": ("K",), "missing": ("L", "M"), "diagonal": False}
    return Gridworld(**{"picture": PICTURE, **usual, **given})


def test_things_lie_at_places_of_their_own_or_nowhere() -> None:
    found = possible_worlds(world())
    assert found.things == ("K", "L", "M")
    assert found.names == (
        "L at 3, M at 2",
        "L at 3",
        "L at 2, M at 3",
        "L at 2",
        "M at 3",
        "M at 2",
        "nothing",
    )
    assert found.lacking == (False, True, False, True, True, True, True)
    assert found.hidden == (False, True, True)
    there = possible_worlds(world(things={"K": "1", "L": "3"}, missing=()))
    assert there.names == ("L at 3", "L at 2")


def test_an_agent_learns_by_looking() -> None:
    posed, walk = possible_worlds(world()), walk_of(world(moves="E"), "")
    some = situations(posed.worlds, [start_of(posed.worlds, walk)])
    left = {tuple(one) for one in some.possible.tolist()}
    assert max(sum(one) for one in left) == 3  # the place 3 is seen from the beginning
    assert min(sum(one) for one in left) == 1
    parts = np.add.reduceat(some.possible[some.target].sum(axis=1), some.outcomes[:-1])
    before = np.repeat(some.possible.sum(axis=1), np.diff(some.choices))
    np.testing.assert_array_equal(parts, before)  # possibilities are only split, and never lost


def test_waiting_and_taking_are_steps() -> None:
    seen = world(things={"K": "1", "M": "3"}, moves="e wait E take")
    assert seen.path == ((0, 2), (0, 3), (0, 3), (0, 4))
    walk = walk_of(seen, "one")
    assert walk.acts == (3, STAY, 3, HAVE)
    assert walk.words == ("E", "wait", "E", "take")
    assert walk.truth == possible_worlds(seen).names.index("M at 3")


def test_worlds_planned_together_may_differ_only_in_what_is_unknown() -> None:
    one = world()
    began = PICTURE.replace("@", ".").replace("1.", "1@")
    for same in (world(moves="W"), world(things={"K": "1", "L": "2"}), world(picture=began)):
        assert alike(one) == alike(same)
    less = PICTURE.replace(".##", ".#.")
    for other in (world(diagonal=True), world(missing=("L",)), world(picture=less)):
        assert alike(one) != alike(other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"moves": "NE"}, "there is no move 'NE'"),
        ({"moves": "take"}, "move 1 takes nothing"),
        ({"moves": "W W take W"}, "move 3 takes nothing, or is not the last"),
        ({"things": {"K": "1", "L": "2", "M": "2"}}, "things cannot lie like this"),
        ({"missing": ("K",)}, "'K' is both known and possibly missing"),
        ({"beliefs": {"sure": {"2": 1.0}}}, "beliefs are inferred here"),
        (
            {"picture": "1@", "things": {"K": "1", "L": "1"}, "missing": ()},
            "there is no room for 1",
        ),
        ({"things": {"K": "1", "L": "1"}, "known": ("K", "L"), "missing": ()}, "the same place"),
        ({"moves": "wait " * 1001}, "more than 1,000 moves"),
        ({"picture": f"1@{'.' * 10_000}"}, "more than 10,000 cells"),
        ({"missing": tuple("LMNOP"), "picture": "12@34567"}, "in too many ways"),
    ],
)
def test_senseless_worlds(given: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        walk_of(world(**given), "")
    assert error.value.hint


FILE = f'''
picture = """{PICTURE}"""
things = {{ K = "1" }}
known = ["K"]
missing = ["L"]
diagonal = false
'''


def test_a_file_has_a_map_and_paths(tmp_path: Path) -> None:
    file = tmp_path / "world.toml"
    file.write_text(
        FILE
        + '[[paths]]\nmoves = "E"\n'
        + '[[paths]]\nname = "other"\nstart = [3, 5]\nmoves = "W"\nthings = { L = "3" }\n'
    )
    found = load_gridworlds(file)
    assert list(found) == ["path 1", "other"]
    assert found["path 1"].path == ((0, 2), (0, 3))
    assert found["other"].path == ((2, 4), (2, 3))
    assert found["other"].things == {"K": "1", "L": "3"}
    assert alike(found["path 1"]) == alike(found["other"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("picture = 1\npaths = []", "Expected 'str', got 'int' - at 'picture'"),
        ("", "missing required field 'picture'"),
        ("picture = ", "not TOML"),
        (f"{FILE}paths = []", "there are no paths"),
        (f"{FILE}colour = 'red'\npaths = []", "unknown field 'colour'"),
        (f'{FILE}[[paths]]\nmoves = "E X"', "trial 1, field 'moves': there is no move 'X'"),
        (f'{FILE}[[paths]]\nmoves = ""\nstart = [9, 1]', r"\[9, 1\] is not on the map"),
        (f'{FILE}[[paths]]\nmoves = ""\nstart = [1, 1]', r"'1' is at \[1, 1\]"),
        (
            f'{FILE}[[paths]]\nname = "a"\nmoves = ""\n' * 1 + '[[paths]]\nname = "a"\nmoves = ""',
            "two",
        ),
    ],
)
def test_senseless_files(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "world.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=message) as error:
        load_gridworlds(file)
    assert error.value.hint
    assert error.value.place.file == str(file)
