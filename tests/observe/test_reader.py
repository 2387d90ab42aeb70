"""What the reader extracts from a file, and what must not matter."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from episodes import (
    BARRIER,
    CLOVE,
    HEART,
    KEY,
    LOCK,
    SPOON,
    Json,
    assert_same,
    block,
    border,
    episode,
    every_frame,
    frame,
    key_trial,
    read,
    simple_episode,
    to_bytes,
    trial,
    walk,
    with_old_names,
)
from hbtom import observe
from hbtom.observe import Body, Identity

# What a trial holds


def test_a_trial_holds_what_its_frames_say() -> None:
    path = walk((40, 100), (50, 100))
    seen = read([trial(path, [HEART.at(65, 100)], walls=[block(0, 40), block(20, 0, 40, 10)])])[0]
    assert seen.size == (200, 200)
    assert seen.walls.tolist() == [[0, 40, 20, 20], [20, 0, 40, 10]]
    assert seen.objects == (Body(Identity(HEART.image, (255, 0, 0)), (65, 100), 9),)
    assert seen.agent == Body(Identity(CLOVE.image, (0, 0, 128)), (40, 100), 6)
    assert seen.path.tolist() == [[40, 100]] * 2 + [list(p) for p in path] + [[50, 100]] * 3
    assert (seen.key, seen.key_path, seen.lock, seen.lock_there) == (None, None, None, None)
    assert seen.barrier.shape == (0, 4)
    assert seen.barrier_left.tolist() == [0] * len(seen.path)
    assert seen.warnings == ()


def test_an_instrumental_trial_holds_key_lock_and_barrier() -> None:
    seen = read([key_trial()])[0]
    assert seen.key == Body(Identity(KEY.image, KEY.colour), (50, 90), 8)
    assert seen.lock == Body(Identity(LOCK.image, LOCK.colour), (110, 110), 10)
    assert seen.items == (*seen.objects, seen.key)
    assert seen.barrier.tolist() == [[100, 60, 20, 20], [100, 70, 20, 20], [100, 80, 20, 20]]
    assert seen.barrier_left[:44].tolist() == [1] * 44
    assert seen.barrier_left[44:46].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert not seen.barrier_left[46:].any()
    assert seen.lock_there.tolist() == [True] * 46 + [False] * (len(seen.path) - 46)
    assert seen.key_path[:21].tolist() == [[50, 90]] * 21
    assert (seen.key_path[21:46] - seen.path[21:46] == (0, 2)).all()
    assert np.isnan(seen.key_path[46:]).all()


def test_the_last_trial_is_the_test_trial() -> None:
    one, two = simple_episode()[0], key_trial()
    seen = read(episode(one, one, two))
    assert len(seen) == 3
    assert seen.test is seen[2]
    assert seen.test.key is not None
    assert seen.familiarization == (seen[0], seen[1])
    assert list(seen) == [seen[0], seen[1], seen[2]]


def test_trials_are_read_only() -> None:
    seen = read([key_trial()])[0]
    for array in (seen.path, seen.walls, seen.barrier, seen.barrier_left, seen.key_path):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# What must not matter


def shuffled_walls(one: Json, random: Random) -> None:
    random.shuffle(one["walls"])


def duplicate_walls(one: Json, random: Random) -> None:
    one["walls"] += random.choices(one["walls"], k=5)


def shuffled_barrier(one: Json, random: Random) -> None:
    one["fuse_walls"] += one["fuse_walls"][:1]
    random.shuffle(one["fuse_walls"])


def shuffled_objects(one: Json, random: Random) -> None:
    random.shuffle(one["objects"])


def wrapped_agent(one: Json, random: Random) -> None:
    one["agent"] = [one["agent"]]


def wrapped_home(one: Json, random: Random) -> None:
    one["home"] = [one["home"]]


def wrapped_objects(one: Json, random: Random) -> None:
    one["objects"] = [[entity] for entity in one["objects"]]


def wrapped_key_and_lock(one: Json, random: Random) -> None:
    one["pin"] = [[entity] for entity in one["pin"]]
    one["key"] = [[entity] for entity in one["key"]]


def unknown_fields(one: Json, random: Random) -> None:
    one["weather"] = {"wind": [1, {"deep": [[]]}], "lock": "not the lock"}
    one["Agent"] = None
    one[""] = 1e300


def fields_in_another_order(one: Json, random: Random) -> None:
    fields = list(one.items())
    random.shuffle(fields)
    one.clear()
    one.update(fields)


def no_optional_fields(one: Json, random: Random) -> None:
    for field in ("home", "blocking"):
        del one[field]
    for field in ("fuse_walls", "pin"):
        if not one[field]:
            del one[field]


def fractional_numbers(one: Json, random: Random) -> None:
    """Write whole numbers with a fraction, in half of the frames on average."""
    if random.random() < 0.5:
        text = json.dumps(one)
        one.clear()
        one.update(json.loads(text, parse_int=float))


CHANGES: list[Callable[[Json, Random], None]] = [
    shuffled_walls,
    duplicate_walls,
    shuffled_barrier,
    shuffled_objects,
    wrapped_agent,
    wrapped_home,
    wrapped_objects,
    wrapped_key_and_lock,
    unknown_fields,
    fields_in_another_order,
    no_optional_fields,
    fractional_numbers,
]


def changed(plain: Json, change: Callable[[Json, Random], None]) -> Json:
    random = Random(1)
    return every_frame(plain, lambda one: change(one, random))


def both_kinds() -> Json:
    return episode(simple_episode()[0], key_trial(jitter=2), simple_episode()[0])


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_irrelevant_change_is_read_as_the_same(change) -> None:
    plain = both_kinds()
    other = changed(plain, change)
    assert to_bytes(other) != to_bytes(plain)
    assert_same(read(other), read(plain))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_irrelevant_change_is_read_as_the_same_in_a_real_file(
    change, real_files: list[Path]
) -> None:
    real = json.loads(real_files[0].read_bytes())[:1]
    assert_same(read(changed(real, change)), read(real))


@pytest.mark.parametrize("wrap", [None, wrapped_agent, wrapped_key_and_lock])
def test_both_generations_of_names_are_read_as_the_same(wrap) -> None:
    plain = both_kinds()
    newer = changed(plain, wrap) if wrap else plain
    older = with_old_names(newer)
    assert "lock" in older[1][0]
    assert "pin" not in older[1][0]
    assert_same(read(older), read(plain))
    assert read(older)[1].lock.look.image == LOCK.image


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda plain: json.dumps(plain, indent=3).encode(),
        lambda plain: json.dumps(plain, separators=(",", ":")).encode(),
        lambda plain: json.dumps(plain, indent="\t", sort_keys=True).encode() + b"\r\n\n",
        lambda plain: to_bytes(plain).replace(b"heart", rb"h\u0065art").replace(b"/", rb"\/"),
        lambda plain: b"\xef\xbb\xbf" + to_bytes(plain),
        lambda plain: b" \r\n\t " + to_bytes(plain),
        lambda plain: to_bytes(plain).replace(b"200", b"2e2").replace(b" 20]", b" 2.0E+1]"),
    ],
    ids=["indented", "compact", "tabs", "escapes", "byte order mark", "leading space", "exponents"],
)
def test_another_spelling_of_the_same_json_is_read_as_the_same(rewrite) -> None:
    plain = both_kinds()
    data = rewrite(plain)
    assert data != to_bytes(plain)
    assert_same(observe.read(data), read(plain))


def test_names_beyond_ascii_are_read_escaped_or_not() -> None:
    plain = every_frame(
        simple_episode(), lambda one: one["objects"][0].__setitem__(2, "söt/\U0001f33b.png")
    )
    escaped = json.dumps(plain, ensure_ascii=True).encode()
    bare = json.dumps(plain, ensure_ascii=False).encode()
    assert escaped != bare
    assert_same(observe.read(escaped), observe.read(bare))
    assert "\U0001f33b.png" in [str(body.look) for body in observe.read(bare)[0].objects]


def test_objects_are_identified_by_their_looks_not_their_order() -> None:
    plain = simple_episode()
    other = copy.deepcopy(plain)
    for one in other[1]:
        one["objects"].reverse()
    for one in other[2][4:]:
        one["objects"].reverse()
    assert_same(read(other), read(plain))
    assert read(other)[2].warnings == ()


def test_positions_may_be_fractions() -> None:
    seen = read([[frame((40.25, 99.5), [HEART.at(65.125, 100)])]])[0]
    assert seen.path.tolist() == [[40.25, 99.5]]
    assert seen.objects[0].centre == (65.125, 100)


# Barriers


def test_barrier_blocks_may_overlap_off_the_lattice() -> None:
    blocks = [block(100, 60), block(107, 63), block(113, 68), block(107, 63)]
    seen = read([[frame((40, 100), [HEART.at(65, 100)], barrier=blocks)]])[0]
    assert seen.barrier.tolist() == [[100, 60, 20, 20], [107, 63, 20, 20], [113, 68, 20, 20]]
    assert seen.barrier_left.tolist() == [1]


@pytest.mark.parametrize(
    ("left", "share"),
    [
        (BARRIER, 1),
        (BARRIER[1:], 2 / 3),
        ((block(100, 60, 20, 10),), 1 / 6),
        ((*BARRIER, block(140, 60)), 1),  # never more than all
        ((), 0),
    ],
)
def test_a_barrier_vanishes_by_its_share_of_the_first_area(left, share) -> None:
    frames = [frame((40, 100), [HEART.at(65, 100)], barrier=now) for now in (BARRIER, left)]
    assert read([frames])[0].barrier_left.tolist() == pytest.approx([1, share])


def test_walls_without_extent_are_ignored() -> None:
    walls = [*border(), block(60, 60, 0, 20), block(80, 80, 20, 0)]
    seen = read([[frame((40, 100), [HEART.at(65, 100)], walls=walls)]])[0]
    assert len(seen.walls) == len(border())


# Warnings


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("walls", [block(0, 0)], "'walls' changes at frame 4"),
        ("objects", [SPOON.at(100, 100).entity()], "'objects' changes at frame 4"),
        ("size", [200, 220], "'size' changes at frame 4"),
    ],
)
def test_unexpected_changes_give_a_warning(field, value, word) -> None:
    frames = simple_episode()[0]
    frames[3][field] = value
    (warning,) = read([frames])[0].warnings
    assert word in warning


def test_the_first_frame_counts_when_something_changes() -> None:
    frames = simple_episode()[0]
    plain = read([frames])
    for one in frames[3:]:
        one["walls"] = []
        one["objects"] = one["objects"][:1]
    other = read([frames])
    assert other[0].objects == plain[0].objects
    assert other[0].walls.tolist() == plain[0].walls.tolist()


@pytest.mark.parametrize(("field", "word"), [("pin", "2 keys"), ("key", "2 locks")])
def test_more_than_one_key_or_lock_gives_a_warning(field, word) -> None:
    two = [KEY.at(60, 60).entity(), KEY.at(50, 50).entity()]
    seen = read(every_frame(simple_episode(), lambda one: one.update({field: two})))[0]
    (warning,) = seen.warnings
    assert word in warning
    assert (seen.key or seen.lock).centre == (50, 50)


# Real files


def test_real_files_are_read_as_by_an_independent_reader(real_files: list[Path]) -> None:
    for file in real_files:
        seen = observe.load(file)
        assert len(seen) == 9
        assert seen.name == str(file)
        for one, frames in zip(seen, json.loads(file.read_bytes()), strict=True):
            places = [[x + r, y + r] for (x, y), r, *_ in (each["agent"] for each in frames)]
            assert one.path.tolist() == places
            walls = {(*corner, *extent) for corner, extent in frames[0]["walls"]}
            assert sorted(walls) == [tuple(row) for row in one.walls.tolist()]
            images = sorted(entity[2] for entity in frames[0]["objects"])
            assert images == [body.look.image for body in one.objects]
            assert one.warnings == ()
