"""Items that are not the goal: agents walk around them, or through them if they seal the path."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from hbtom.bench.synth import Script, Take, Thing, episode_pair
from hbtom.bench.synth.geometry import FreeSpace, Point, path_length
from hbtom.bench.synth.ground import Ground, Rect, item_square
from hbtom.bench.synth.instrumental import (
    _needless,
    _removed,
    _stages,
    instrumental_no_barrier,
)
from hbtom.bench.synth.layouts import repeat
from hbtom.bench.synth.walks import passage, routes_from, walk_to

HOME, GOAL = (40, 100), (160, 100)
CORRIDOR = [(20, 60, 180, 80), (20, 120, 180, 140)]  # forty pixels wide
LANE = [(20, 20, 180, 60), (20, 140, 180, 180)]  # eighty pixels wide


def nearest(walk: list[Point], item: Point) -> int:
    """The distance of the walk from an item, along the longer axis."""
    return min(max(abs(x - item[0]), abs(y - item[1])) for x, y in walk)


@pytest.mark.parametrize("off", [0, 3, -7, 15])
def test_agents_keep_eighteen_pixels_from_items_in_their_path(off: int) -> None:
    item = (100, 100 + off)
    route = routes_from(LANE, HOME, GOAL, item).route(GOAL)
    assert route is not None
    assert nearest(route, item) == 18
    side = 18 - abs(off)
    assert path_length(route) == pytest.approx(2 * math.hypot(42, side) + 36, abs=0.01)


def test_an_item_that_seals_the_path_is_walked_through() -> None:
    item = (100, 102)
    way = passage(CORRIDOR, HOME, GOAL, item)
    assert way is not None
    assert (way.through, way.around) == (120, np.inf)
    assert way.length == 120
    assert routes_from(CORRIDOR, HOME, GOAL, item).route(GOAL) == [HOME, GOAL]


def test_an_item_beside_the_path_changes_nothing() -> None:
    assert passage(LANE, HOME, GOAL, (100, 118)) == passage(LANE, HOME, GOAL, (100, 130))


def test_a_gap_that_depends_on_one_pixel_is_ambiguous() -> None:
    walls = [(20, 20, 180, 73), (20, 120, 180, 180)]  # the item fits in beside the agent, or not
    gaps = [passage(walls, HOME, GOAL, (100, y)) for y in range(97, 103)]
    lengths = [None if way is None else way.around for way in gaps]
    assert lengths[0] == np.inf
    assert lengths[1:-1] == [None] * 4
    assert lengths[-1] is not None
    assert lengths[-1] < 150


def test_walks_around_items_are_hardly_longer_than_necessary() -> None:
    things = episode_pair("preference", np.random.default_rng(0))[0].trials[0]
    goal = Thing(GOAL, things.objects[0].look)
    for seed in range(20):
        field = routes_from(LANE, HOME, GOAL, (100, 100))
        walk = walk_to(np.random.default_rng(seed), field, things.agent, goal)
        assert nearest(list(walk), (100, 100)) >= 17
        assert path_length(walk) + math.dist(walk[-1], GOAL) <= 1.05 * field.length(GOAL)


def detour(trial: Take) -> float:
    """How much longer the path to the object is around the other item than through it."""
    first = trial.moments[0]
    end = trial.moments[-1].agent
    items = [thing.centre for thing in (*trial.objects, *filter(None, [first.key]))]
    goal, other = sorted(items, key=lambda at: math.dist(at, end))
    solid: list[Rect] = [(x, y, x + 20, y + 20) for x, y in (*trial.walls, *first.barrier)]
    if first.lock is not None:
        solid.append(item_square(first.lock.centre, 10))
    through, past = (Ground(boxes, 9) for boxes in (solid, [*solid, item_square(other)]))
    return past.length(trial.home, goal) - through.length(trial.home, goal)


@pytest.mark.parametrize(
    "task",
    [
        "preference",
        "multi_agent",
        "instrumental_no_barrier",
        "instrumental_inconsequential_barrier",
    ],
)
def test_items_lie_in_the_path_in_many_test_trials(task: str) -> None:
    tests = [episode_pair(task, np.random.default_rng([4, i])) for i in range(14)]
    longer = [
        max(detour(e.trials[8]), detour(u.trials[8]) if task == "preference" else 0)
        for e, u in tests
    ]
    assert 0.3 <= np.mean(np.array(longer) > 1) <= 0.75
    assert not np.isinf(longer).any(), "what seals the way at test leaves no right answer"


def test_items_lie_in_the_path_in_some_familiarization_trials() -> None:
    episodes = [episode_pair("preference", np.random.default_rng([4, i]))[0] for i in range(6)]
    longer = [detour(trial) for episode in episodes for trial in episode.trials[:8]]
    assert np.mean(np.array(longer) > 1) >= 0.1


def test_an_unneeded_key_is_never_worth_fetching() -> None:
    rng = np.random.default_rng(3)
    for crowded in (False, True) * 3:
        _, _, scene = repeat(partial(_stages, crowded=crowded, change=_removed), rng)
        direct = scene.direct()
        assert direct is not None
        assert direct.around < np.inf
        assert scene.by_key() >= 1.25 * direct.around
        assert direct.obstructed or not crowded
        beside = replace(scene.key, centre=(scene.home[0] + 10, scene.home[1]))
        assert not _needless(replace(scene, key=beside), obstructed=False), "it seals the way"


def test_there_is_a_lock_if_the_key_lies_in_the_path() -> None:
    pairs: list[tuple[Script, Script]] = []
    for i in range(12):
        pairs.append(instrumental_no_barrier(np.random.default_rng([4, i])))
    for e, _ in pairs:
        if e.trials[8].moments[0].lock is None:
            assert detour(e.trials[8]) < 1


def test_path_lengths_do_not_depend_on_the_order_of_goals() -> None:
    space = FreeSpace([(60, 40, 80, 160), (120, 20, 140, 120)])
    goals = [(150, 40), (100, 150), (40, 30), (100, 40), (150, 150)]
    fresh = [
        FreeSpace([(60, 40, 80, 160), (120, 20, 140, 120)]).field(HOME).length(g) for g in goals
    ]
    field = space.field(HOME)
    assert [field.length(g) for g in goals] == pytest.approx(fresh)
    assert [field.length(g) for g in reversed(goals)] == pytest.approx(fresh[::-1])
