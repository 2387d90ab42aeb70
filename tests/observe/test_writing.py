"""Writing episodes: reading gives back what was written, as far as the format allows."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial

import hypothesis
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import scenes
from episodes import HEART, SPOON, assert_same, block, border, episode, key_trial, to_thing, trial
from episodes import read as read_plain
from hbtom import BadInput, Episode, Trial, judge
from hbtom.bench.synth.script import encode
from hbtom.bench.synth.task_episodes import episode_pair
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.observe import Identity, read, writing
from hbtom.observe.episode import same_trial
from hbtom.observe.mcs import export as mcs
from hbtom.observe.mcs.roles import look_of, original, skin_of

TASKS = [task.folder for task in EVALUATION_TASKS]
SNAP = 8.0  # pixels by which the end of a trial may be moved
LAST = 14  # frames that may be moved


@cache
def generated(task: str, seed: int) -> tuple[Episode, Episode]:
    one, other = episode_pair(task, np.random.default_rng(seed))
    return read(encode(one)), read(encode(other))


def round_trip(given: Episode) -> Episode:
    """Return an episode written as a scene and read back."""
    return read(mcs.write(given))


def as_bib(given: Episode) -> Episode:
    """Return an episode written as the benchmark's JSON and read back."""
    return read(writing.write(given))


each_task = pytest.mark.parametrize("task", TASKS)


@each_task
@hypothesis.given(seed=st.integers(0, 3))
@settings(max_examples=1)
def test_the_benchmarks_own_format_holds_everything(task, seed):
    for before in generated(task, seed):
        back = as_bib(before)
        assert len(back) == len(before)
        assert all(map(same_trial, before, back))


@each_task
@hypothesis.given(seed=st.integers(0, 3))
@settings(max_examples=1)
def test_a_scene_and_back(task, seed):
    for one in generated(task, seed):
        back = as_bib(round_trip(one))
        assert len(back) == len(one)
        for before, after in zip(one, back, strict=True):
            check_stage(before, after)
            check_path(before, after)
            check_events(before, after)


def check_stage(before: Trial, after: Trial) -> None:
    assert after.size == before.size
    assert np.array_equal(after.walls, before.walls)
    assert np.array_equal(after.barrier, before.barrier)
    assert after.objects == before.objects
    assert after.agent == before.agent
    assert after.key == before.key
    assert after.lock == before.lock


def check_path(before: Trial, after: Trial) -> None:
    """Check that the agent is where it was, except between steps and at the end."""
    assert tuple(after.path[0]) == tuple(before.path[0])
    gaps = np.hypot(*(after.path[:, None] - before.path[None]).transpose(2, 0, 1)).min(axis=1)
    assert gaps.max() <= SNAP
    moving = np.flatnonzero((np.diff(after.path, axis=0) != 0).any(axis=1))
    early = gaps[: max(moving[-1] + 2 - LAST, 1)] if len(moving) else gaps
    assert early.max() <= 1.5  # halfway between two places, on either side of a bend
    assert (early == 0).mean() > 0.4


def check_events(before: Trial, after: Trial) -> None:
    """Check that events agree and have the same order, except for touches before a key."""
    order = [
        [event.kind for event in one.events if event.kind != "touch"] for one in (before, after)
    ]
    assert order[0] == order[1]
    ends = [[e.item for e in one.events if e.kind == "touch"][-1:] for one in (before, after)]
    assert ends[0] == ends[1]


def plausibilities(expected: Episode, unexpected: Episode) -> list[float]:
    first = judge(expected)
    return [first.plausibility, judge(unexpected, reuse=first).plausibility]


@each_task
def test_the_more_plausible_member_stays_the_same(task):
    pair = generated(task, 0)
    there, back = plausibilities(*pair), plausibilities(*map(round_trip, pair))
    assert (there[0] > there[1]) == (back[0] > back[1])
    assert back == pytest.approx(there, abs=0.15)


def test_real_episodes_survive(real_files):
    for file in real_files[:2]:
        given = read(file.read_bytes())
        assert all(map(same_trial, given, as_bib(given)))
        for before, after in zip(given, as_bib(round_trip(given)), strict=True):
            check_stage(before, after)
            check_path(before, after)


# The scene itself


def scene_of(given: Episode) -> dict:
    return json.loads(mcs.write(given))


def test_a_written_scene_looks_like_real_scenes():
    made = scene_of(generated("instrumental_blocking_barrier", 0)[0])
    actions = made["goal"]["action_list"]
    assert actions.count(["EndHabituation"]) == made["goal"]["habituation_total"] == 8
    assert made["goal"]["last_step"] == len(actions)
    roles = {thing["id"].partition("_")[0] for thing in made["objects"]}
    assert roles == {"agent", "object", "wall", "fuse", "lock", "key", "home", "platform"}
    ids = [thing["id"] for thing in made["objects"]]
    assert len(set(ids)) == len(ids)
    assert {one for one in ids if one.startswith("wall_grid")} == {
        f"wall_grid_{side}" for side in ("front", "back", "left", "right")
    }


@each_task
def test_only_changes_are_written_and_in_order(task):
    made = scene_of(generated(task, 0)[1])
    for thing in made["objects"]:
        shows = [show["stepBegin"] for show in thing["shows"]]
        hides = [hide["stepBegin"] for hide in thing["hides"]]
        assert shows == sorted(set(shows))
        assert hides == sorted(set(hides))
        assert not set(shows) & set(hides)
        assert all("scale" in show for show in thing["shows"][:1])
        for one, other in zip(thing["shows"], thing["shows"][1:], strict=False):
            between = any(one["stepBegin"] < hide < other["stepBegin"] for hide in hides)
            assert one["position"] != other["position"] or between


def test_still_frames_are_cut_and_motion_frames_halved():
    heart = HEART.at(150, 100)
    (only,) = read_plain(episode(to_thing(heart, start=(40, 100), before=30, after=60)))
    actions = scene_of(Episode((only,)))["goal"]["action_list"]
    moving = int((np.diff(only.path, axis=0) != 0).any(axis=1).sum())
    assert 3 + moving / 2 - 3 <= len(actions) <= 3 + moving / 2 + 3


def test_a_trial_ends_where_outlines_meet():
    given = generated("preference", 0)[0]
    for one in given:
        raw = mcs.steps_of(one).path
        last = min(np.hypot(*(raw[-1] - body.centre)) for body in one.objects)
        assert last == pytest.approx(15.0)
        others = (np.hypot(*(raw - body.centre).T) for body in one.objects)
        assert min(gaps.min() for gaps in others) >= 15.0 - 1e-9


def test_a_carried_key_is_over_the_head():
    made = scene_of(read_plain(episode(key_trial())))
    (key,) = scenes.things(made, "key_")
    (agent,) = scenes.things(made, "agent_")
    low, *high = [show["position"]["y"] for show in key["shows"]]
    assert all(one > 2 * low for one in high)
    at = {show["stepBegin"]: show["position"] for show in agent["shows"]}
    for show in key["shows"][1:]:
        before = max(step for step in at if step <= show["stepBegin"])
        assert (show["position"]["x"], show["position"]["z"]) == (at[before]["x"], at[before]["z"])


def test_still_frames_and_names_change_nothing():
    given = generated("preference", 0)[0]
    whole = mcs.write(given)
    assert mcs.write(replace(given, name="unexpected.json")) == whole
    longer = tuple(_stretched(trial) for trial in given)
    assert mcs.write(replace(given, trials=longer)) == whole


def _stretched(trial: Trial) -> Trial:
    """Return a trial that begins and ends with more still frames."""
    frames = np.r_[[0] * 9, np.arange(len(trial.path)), [len(trial.path) - 1] * 7]
    return replace(trial, path=trial.path[frames], barrier_left=trial.barrier_left[frames])


def test_agents_come_and_go():
    both = generated("multi_agent", 0)
    given = next(one for one in both if len({trial.agent.look for trial in one}) == 2)
    agents = scenes.things(scene_of(given), "agent_")
    assert len(agents) == 2
    first, second = sorted(agents, key=lambda agent: agent["shows"][0]["stepBegin"])
    assert first["hides"][0]["stepBegin"] == second["shows"][0]["stepBegin"]
    assert len({trial.agent.look for trial in round_trip(given)}) == 2


def test_a_border_with_a_gap_keeps_it():
    gap = [one for one in border() if one != block(0, 100)]
    whole = to_thing(HEART.at(120, 100), start=(60, 100))
    open_left = to_thing(HEART.at(120, 100), start=(60, 100), walls=gap)
    without = to_thing(HEART.at(120, 100), start=(60, 100), walls=[block(20, 20, 40, 20)])
    given = read_plain(episode(whole, open_left, without))
    for before, after in zip(given, round_trip(given), strict=True):
        assert after.walls.tolist() == tiles(before.walls)


def tiles(walls: np.ndarray) -> list[list[float]]:
    return sorted(
        [x + a, y + b, 20.0, 20.0]
        for x, y, width, height in walls.tolist()
        for a in range(0, int(width), 20)
        for b in range(0, int(height), 20)
    )


def test_things_that_look_the_same_stay_distinct():
    twins = [HEART.at(120, 60), HEART.at(120, 140)]
    given = read_plain(episode(to_thing(twins[0], others=twins[1:])))
    assert as_bib(round_trip(given))[0].objects == given[0].objects


def test_a_world_of_another_size_is_refused():
    small = replace(read_plain(episode(to_thing(HEART.at(120, 60))))[0], size=(180.0, 200.0))
    with pytest.raises(BadInput, match=r"trial 2: the world is 180 x 200"):
        mcs.write(Episode((replace(small, size=(200.0, 200.0)), small)))


# Episodes read from scenes


def test_a_scene_is_written_back_unchanged():
    given = scenes.read(scenes.preference())
    assert [t.objects for t in as_bib(given)] == [t.objects for t in given]
    for back in (round_trip(given), round_trip(as_bib(given))):
        assert [t.objects for t in back] == [t.objects for t in given]
        assert [t.agent.look for t in back] == [t.agent.look for t in given]
        assert judge(back).plausibility == pytest.approx(judge(given).plausibility, abs=0.01)


def test_other_things_are_written():
    given = scenes.read(scenes.scene(*scenes.CROWDED))
    for before, after in zip(given, round_trip(given), strict=True):
        kinds = [(one.kind, one.look, one.size) for one in before.others]
        assert [(one.kind, one.look, one.size) for one in after.others] == kinds
        for one, other in zip(before.others, after.others, strict=True):
            was, now = (places(each.path) for each in (one, other))
            assert now <= was
            assert len(now) >= len(was) / 2 - 1
    with_objects = Episode(given.trials[1:])  # files of the benchmark need objects
    frame = json.loads(writing.write(with_objects))[0][-1]
    assert {"door"} <= set(frame)


def places(path: np.ndarray) -> set[tuple[float, float]]:
    whole = path[~np.isnan(path).any(axis=1)]
    return {(round(x, 3), round(y, 3)) for x, y in whole.tolist()}


# Looks

a_look = st.builds(
    Identity,
    st.text(max_size=20),
    st.lists(st.floats(0, 255, allow_nan=False), max_size=4).map(tuple),
)


@hypothesis.given(one=a_look, other=a_look)
@settings(max_examples=25)
def test_any_look_is_read_back(one, other):
    for role in ("agent", "object", "key", "lock"):
        dressed = partial(skin_of, role)
        made = [_worn(dressed(look)) for look in (one, other)]
        assert [original(look) for look in made] == [one, other]
        assert (made[0] == made[1]) == (one == other)
        assert dressed(original(made[0])) == dressed(one)


def test_writing_a_scene_twice_gives_the_same():
    for given in (read_plain(episode(key_trial())), scenes.read(scenes.key_scene())):
        first = round_trip(given)
        second = round_trip(first)
        looks = [[(t.agent.look, t.items, t.lock) for t in one] for one in (first, second)]
        assert looks[0] == looks[1]


@pytest.mark.parametrize("colour", ["red", "1,nan", "inf,0,0", "1,2,"])
def test_a_look_that_resembles_a_generated_one_can_be_written(colour):
    strange = Identity(
        f"Custom/Materials/Red/Benchmark/heart.png/{colour}/blob_02", (255.0, 0.0, 0.0)
    )
    given = read_plain(episode(trial([(40, 100)] * 3, [SPOON.at(120, 140)])))[0]
    dressed = Episode((replace(given, agent=replace(given.agent, look=strange)),))
    assert as_bib(round_trip(dressed))[0].agent.look == original(strange)


def test_colours_out_of_range_can_be_written():
    glaring = Identity("heart.png", (1e308, -1e308, 0.0))
    assert original(_worn(skin_of("agent", glaring))) == glaring


def _worn(skin) -> Identity:
    return look_of(skin.shape, skin.materials, turned=skin.turned)


def test_looks_of_scenes_are_kept():
    purple = look_of("blob_12", ("Custom/Materials/Purple", "Custom/Materials/White"))
    assert _worn(skin_of("agent", purple)) == purple
    assert original(purple) == purple
    turned = look_of("triangle", ("Custom/Materials/Maroon",), turned=270.0)
    assert skin_of("key", turned).turned == 270.0
    assert _worn(skin_of("key", turned)) == turned


def test_a_barrier_that_shrinks_bit_by_bit():
    given = read_plain(episode(trial([(40, 100)] * 3, [SPOON.at(120, 140)])))[0]
    blocks = np.array([[60.0, 60.0, 20.0, 20.0], [60.0, 80.0, 20.0, 20.0]])
    left = np.linspace(1, 0, len(given.path))
    shrinking = replace(given, barrier=blocks, barrier_left=left)
    (back,) = as_bib(Episode((shrinking,)))
    assert back.barrier_left == pytest.approx(left, abs=1e-6)
    assert_same(Episode((back,)), as_bib(Episode((back,))))


def test_a_barrier_with_a_flat_block():
    given = read_plain(episode(key_trial()))[0]
    blocks = np.array([[60.0, 60.0, 20.0, 0.0], *given.barrier.tolist()])
    (back,) = as_bib(Episode((replace(given, barrier=blocks),)))
    assert back.barrier_left == pytest.approx(given.barrier_left)


def test_an_unseen_agent_is_not_written():
    given = read_plain(episode(key_trial()))[0]
    path = given.path.copy()
    path[5:9] = np.nan
    gap = Episode((replace(given, path=path),))
    assert np.array_equal(as_bib(gap)[0].path, path, equal_nan=True)
    assert not np.isnan(round_trip(gap)[0].path).any()  # scenes cannot have gaps
