"""Names of things: short, and distinct."""

from __future__ import annotations

import pytest

from hbtom.mind.regret import KEY
from hbtom.observe import Identity
from hbtom.observe.colour_names import nearest_name
from hbtom.show.plots.signs import COLOURS, called, rgb, shape_of

RED, BLUE, OTHER_RED = (255, 0, 0), (0, 0, 255), (254, 0, 0)


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("./shapes/train/objects/heart.png", "heart"),
        ("heart", "heart"),
        ("clove_tree.PNG", "clove tree"),
        ("C:\\shapes\\flag.jpeg", "flag"),
        ("version.2", "version.2"),
        ("", "thing"),
        ("a/b/", "thing"),
        ("tab\there", "tab?here"),
        ("x" * 50, "x" * 39 + "…"),
    ],
)
def test_a_thing_is_named_after_its_image(image, name) -> None:
    look = Identity(image, RED)
    assert called([look]) == {look: name}


def test_the_key_is_named_the_key() -> None:
    assert called([KEY]) == {KEY: "key"}


def test_things_of_one_shape_are_distinguished_by_colour_then_number() -> None:
    one, other, third = (Identity("heart.png", colour) for colour in (RED, BLUE, OTHER_RED))
    spoon = Identity("spoon.png", RED)
    assert list(called([one, other, spoon]).values()) == ["red heart", "blue heart", "spoon"]
    assert list(called([one, third]).values()) == ["red heart", "red heart (2)"]


@pytest.mark.parametrize(
    ("colour", "found"),
    [
        ((255, 0, 127.6), (255, 0, 128)),
        ((-5, 300, 1e300), (0, 255, 255)),
        ((1, 2, 3, 4), (1, 2, 3)),
        ((1, 2), (128, 128, 128)),
        ((), (128, 128, 128)),
    ],
)
def test_a_colour_is_three_whole_numbers(colour, found) -> None:
    assert rgb(Identity("heart.png", colour)) == found


@pytest.mark.parametrize(
    ("colour", "word"),
    [((0, 0, 128), "navy"), ((255, 255, 0), "yellow"), ((245, 222, 179), "beige")],
)
def test_a_colour_has_a_word(colour, word) -> None:
    assert nearest_name(colour, COLOURS) == word


def test_the_shape_is_the_name_of_the_image() -> None:
    assert shape_of(Identity("./shapes/triangle_slot90.png")) == "triangle_slot90"
