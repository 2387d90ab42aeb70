"""Pictures drawn from positions."""

from functools import partial

import numpy as np
import pytest

from episodes import BEHIND, CLOVE, HEART, block, border, key_trial, read, trial
from hbtom.neural import Generated, draw, stacked, to_tensors
from hbtom.neural.drawing import SIDE
from hbtom.neural.drawing_anywhere import draw_anywhere
from hbtom.neural.tensors import KIND, THERE

SCALE = SIDE / 200


def pictures_of(one, **changed):
    seen = to_tensors(one)._replace(**changed)
    return draw(seen.things, seen.places)


def standing(place, thing=HEART, **more):
    return read([trial([place] * 12, [thing], **more)])


def test_boxes_cover_the_right_share_of_a_pixel():
    cells = [block(33, 47, 14, 21), block(40, 60, 30, 5), block(111, 5, 1, 190)]
    picture = pictures_of(standing((150, 150), HEART.at(180, 180), walls=cells))[0, 0]
    times = 25  # subpixels along each side
    at = (np.arange(SIDE * times) + 0.5) / times / SCALE
    black = np.zeros((SIDE * times, SIDE * times), dtype=bool)
    for (x, y), (wide, high) in cells:
        black |= np.outer((y <= at) & (at < y + high), (x <= at) & (at < x + wide))
    share = black.reshape(SIDE, times, SIDE, times).mean(axis=(1, 3))
    away = np.s_[:55, :70]  # away from agent and object; pixels in which boxes cross are darker
    assert abs(picture[away][..., 0] - 255 * (1 - share[away])).max() < 255 * 0.06


@pytest.mark.parametrize("place", [(100, 60), (101.3, 60.7), (60.5, 111.9)])
def test_an_agent_is_drawn_where_it_is(place):
    picture = pictures_of(standing(place, HEART.at(20, 180), walls=[]))[0, 0]
    paint = 255.0 - picture[:70, :, 0].astype(float)  # the agent has no red, but floor and home do
    rows, columns = np.mgrid[:70, :SIDE] + 0.5
    x, y = (paint * columns).sum() / paint.sum(), (paint * rows).sum() / paint.sum()
    assert abs(x - place[0] * SCALE) < 0.35  # lobes differ between sides
    assert abs(y - place[1] * SCALE) < 0.35
    radius = CLOVE.radius * SCALE
    assert 0.6 * np.pi * radius**2 < paint.sum() / 255 < np.pi * radius**2


def test_the_agent_is_drawn_over_an_object():
    picture = pictures_of(standing((100, 100), HEART.at(100, 100)))[0, 0]
    middle = int(100 * SCALE)
    assert picture[middle, middle].tolist() == list(CLOVE.colour)
    assert (picture == HEART.colour).all(axis=-1).any()


def test_absent_things_are_not_drawn():
    seen = to_tensors(read([key_trial(before=30, after=83)]))
    gone = seen.places.copy()
    gone[..., THERE] *= seen.things[:, None, :, KIND] == 1
    before, after = draw(seen.things, seen.places)[0, 0], draw(seen.things, gone)[0, 0]
    assert (before < 255).any(axis=-1).sum() > 1000
    assert 0 < (after < 255).any(axis=-1).sum() < 40  # only the agent


def test_a_thing_at_the_edge_is_clipped():
    picture = pictures_of(standing((3, 100), HEART.at(199, 20), walls=[]))[0, 0]
    assert (picture[:, 20:60] == 255).all()
    assert (picture[40:45, :2] != 255).any()


@pytest.mark.parametrize("number", [1, 5, 13], ids=["preference", "barrier", "slow barrier"])
def test_drawing_all_frames_equals_drawing_each(number):
    seen = to_tensors(Generated(14).items()[number].episodes()[0])
    whole = draw(seen.things, seen.places)
    assert whole.shape == (*seen.places.shape[:2], SIDE, SIDE, 3)
    assert whole.dtype == np.uint8
    for trial_number, frame in ((0, 0), (3, 1), (8, seen.places.shape[1] - 1)):
        one = np.s_[trial_number : trial_number + 1]
        alone = draw(seen.things[one], seen.places[one, frame : frame + 1])
        np.testing.assert_array_equal(alone[0, 0], whole[trial_number, frame])


def test_pictures_change_as_the_barrier_vanishes():
    one = read([key_trial(before=30, after=83)])
    first, last = pictures_of(one)[0, [0, -1]]
    barrier = np.s_[int(64 * SCALE) : int(96 * SCALE), int(104 * SCALE) : int(116 * SCALE)]
    assert (first[barrier] == (79, 157, 105)).all()
    assert (last[barrier] == 255).all()
    assert (last == BEHIND.colour).all(axis=-1).any()


def test_overlapping_walls_are_as_black_as_others():
    walls = [*border(), block(60, 60), block(66, 63)]
    picture = pictures_of(standing((150, 150), HEART.at(40, 150), walls=walls))[0, 0]
    assert picture[29, 29].tolist() == [0, 0, 0]


@pytest.mark.parametrize("library", ["numpy", "jax"])
def test_any_array_library_draws_the_same(library):
    both = [to_tensors(Generated(14).items()[number].episodes()[0]) for number in (0, 13)]
    things, places = (one[:, 0] for one in stacked(both)[:2])  # the first trials
    if library == "jax":
        jax = pytest.importorskip("jax")
        drawn = jax.jit(partial(draw_anywhere, jax.numpy))(things, places)
    else:
        drawn = draw_anywhere(np, things, places)
    assert drawn.dtype == np.uint8
    assert abs(np.asarray(drawn).astype(int) - draw(things, places)).max() <= 2
