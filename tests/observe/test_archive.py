"""Archives: reading gives what was written, bit for bit, or a clear message."""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hbtom
import scenes
from episodes import HEART, SPOON, episode, key_trial, read, simple_episode, to_thing, write
from hbtom import BadInput, Episode, Trial
from hbtom.errors import Place
from hbtom.observe import Body, Identity, Other, same_trial
from hbtom.observe.archive import columns
from hbtom.observe.archive.columns import about, schema
from hbtom.observe.archive.encoding import encoded
from hbtom.observe.archive.reading import open_archive
from hbtom.observe.checks import SMALLEST_WORLD
from hbtom.observe.formats import load_each
from hbtom.observe.trial import CHANGING

TASK, PAIR = "preference", "000001lo"
FIRST_HASH = "1545e43bf6893196"  # of the simple episode, in version 1 of the format
OTHER = Other("door", Identity("door.png"), (20.0, 40.0), np.zeros((1, 2)), np.zeros(1))


def store(path: Path, *batches: Any, **said: str) -> Path:
    """Write pairs into an archive, each in a row group of its own."""
    names = {**about("data", 2 * len(batches)), **{f"hbtom.{k}": v for k, v in said.items()}}
    with pq.ParquetWriter(path, schema().with_metadata(names)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return path


def there_and_back(path: Path, one: Episode, other: Episode) -> tuple[Episode, Episode]:
    store(path, encoded(TASK, PAIR, one, other))
    found, mate = load_each(path)
    return found, mate


def assert_identical(found: Episode, wanted: Episode) -> None:
    """Check all fields of all trials by type and bits, and that all arrays are read-only."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        for field in fields(Trial):
            value, expected = getattr(one, field.name), getattr(other, field.name)
            assert type(value) is type(expected), field.name
            if isinstance(value, np.ndarray):
                assert (value.dtype, value.shape) == (expected.dtype, expected.shape), field.name
                assert value.tobytes() == expected.tobytes(), field.name
                assert value.flags.c_contiguous
                assert not value.flags.writeable
            elif field.name == "others":
                for mine, its in zip(value, expected, strict=True):
                    assert mine.path.tobytes() == its.path.tobytes()
                    assert mine.angle.tobytes() == its.angle.tobytes()
                    assert repr((mine.kind, mine.look, mine.size)) == repr(
                        (its.kind, its.look, its.size)
                    )
            else:
                assert repr(value) == repr(expected), field.name  # distinguishes 0.0 from -0.0


# There and back

sides = st.floats(0, 500, exclude_min=True)
colours = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4).map(tuple)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
looks = st.builds(Identity, texts, colours)
block_rows = st.tuples(*[st.floats(-1000, 1000)] * 2, *[st.floats(0, 1000)] * 2)
blocks = st.lists(block_rows, max_size=3).map(lambda rows: np.array(rows).reshape(-1, 4))
ordinates = st.floats(-1000, 1500)
with_gaps = st.tuples(ordinates, ordinates) | st.just((math.nan, math.nan))


def rows_from(draw: Any, first: Any, rows: Any, more: int) -> Any:
    return np.array([first, *draw(st.lists(rows, min_size=more, max_size=more))])


@st.composite
def others(draw: Any, frames: int) -> Other:
    turned = st.floats(0, 360).map(lambda angle: (angle,)) | st.just((math.nan,))
    rows = draw(st.lists(st.tuples(with_gaps, turned), min_size=frames, max_size=frames))
    whole = np.array([(*place, *angle) for place, angle in rows])
    whole[np.isnan(whole).any(axis=1)] = math.nan
    kind = draw(st.sampled_from(["agent", "door", "occluder", "paddle"]))
    look, size = draw(looks), (draw(sides), draw(sides))
    return Other(kind, look, size, whole[:, :2].copy(), whole[:, 2].copy())


@st.composite
def trials(draw: Any) -> Trial:
    more = draw(st.integers(0, 3))  # frames
    size = draw(sides), draw(st.floats(SMALLEST_WORLD, 500))
    places = st.tuples(st.floats(0, size[0]), st.floats(0, size[1]))
    bodies = st.builds(Body, looks, places, sides)
    agent, walls = draw(bodies), draw(blocks)
    key, lock = (draw(st.none() | bodies) for _ in range(2))
    (x, y), (left, low, width, height) = agent.centre, walls.T
    inside = (left < x) & (x < left + width) & (low < y) & (y < low + height)
    return Trial(
        size=size,
        walls=walls[~inside],
        barrier=draw(blocks),
        objects=tuple(draw(st.lists(bodies, min_size=1, max_size=3))),
        agent=agent,
        path=rows_from(draw, agent.centre, places, more),
        barrier_left=draw(arrays(np.float64, more + 1, elements=st.floats(0, 1))),
        key=key,
        key_path=rows_from(draw, key.centre, with_gaps, more) if key else None,
        lock=lock,
        lock_there=draw(arrays(np.bool_, more + 1)) if lock else None,
        warnings=tuple(draw(st.lists(texts, max_size=2))),
        others=tuple(draw(st.lists(others(more + 1), max_size=2))),
    )


episodes = st.lists(trials(), min_size=1, max_size=3).map(lambda found: Episode(tuple(found)))


@given(episodes, episodes)
def test_everything_written_is_read_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, one: Episode, other: Episode
) -> None:
    path = tmp_path_factory.mktemp("archive") / "a.parquet"
    for found, wanted in zip(there_and_back(path, one, other), (one, other), strict=True):
        assert_identical(found, wanted)


twins = [HEART.at(120, 60), HEART.at(120, 140)]
odd = replace(HEART, image="ÖØ\0\n😀/心.png", colour=()).at(65, 100)
SEEN = {
    "simple": simple_episode(),
    "key, lock and barrier": episode(key_trial(), key_trial(jitter=1)),
    "one with a key and one without": episode(key_trial(), simple_episode()[0]),
    "twins": episode(to_thing(twins[0], others=twins[1:])),
    "odd names": episode(to_thing(odd)),
    "no walls": episode(to_thing(HEART.at(65, 100), walls=[])),
    "many colours": episode(to_thing(replace(SPOON, colour=(1, 2.5, -0.0, 4, 5)).at(65, 100))),
}


def changing() -> Any:
    changed = simple_episode()
    changed[0][5]["walls"] = []
    return changed


@pytest.mark.parametrize("plain", [*SEEN.values(), changing()], ids=[*SEEN, "warnings"])
def test_episodes_from_all_readers_are_read_bit_for_bit(plain: Any, tmp_path: Path) -> None:
    wanted = read(plain)
    for found in there_and_back(tmp_path / "a.parquet", wanted, wanted):
        assert_identical(found, wanted)
        assert [trial.events for trial in found] == [trial.events for trial in wanted]


def test_the_case_with_warnings_has_warnings() -> None:
    assert read(changing())[0].warnings


def test_real_files(real_pairs: list[tuple[Path, Path]], tmp_path: Path) -> None:
    for one, other in real_pairs:
        wanted = hbtom.load(one), hbtom.load(other)
        for found, each in zip(
            there_and_back(tmp_path / "a.parquet", *wanted), wanted, strict=True
        ):
            assert_identical(found, each)


# Trials shared by the members of a pair


def rows_of(one: Episode, other: Episode) -> list[tuple[str, int]]:
    rows = encoded(TASK, PAIR, one, other).to_pydict()
    return list(zip(rows["members"], rows["trial"], strict=True))


def test_common_first_trials_are_stored_and_built_once(tmp_path: Path) -> None:
    one, other, last = (read(simple_episode(0))[0] for _ in range(3))
    last = replace(last, path=last.path[:-1], barrier_left=last.barrier_left[:-1])
    expected, unexpected = Episode((one, one, one)), Episode((other, last, other))
    assert rows_of(expected, unexpected) == [("eu", 1), ("e", 2), ("e", 3), ("u", 2), ("u", 3)]
    found, other_found = there_and_back(tmp_path / "a.parquet", expected, unexpected)
    assert found[0] is other_found[0]
    assert found[2] is not other_found[2]


def test_one_episode_may_be_the_beginning_of_the_other(tmp_path: Path) -> None:
    long, short = read(simple_episode(2)), read(simple_episode(1))
    assert rows_of(long, short) == [("eu", 1), ("eu", 2), ("e", 3)]
    assert rows_of(short, long) == [("eu", 1), ("eu", 2), ("u", 3)]
    found = there_and_back(tmp_path / "a.parquet", short, long)
    assert [len(each) for each in found] == [2, 3]


def test_equal_trials_with_different_bits_are_both_stored() -> None:
    (one,) = read(simple_episode(0))
    other = replace(one, size=(one.size[0], -0.0)), replace(one, size=(one.size[0], 0.0))
    assert other[0].size == other[1].size
    assert rows_of(Episode((other[0],)), Episode((other[1],))) == [("e", 1), ("u", 1)]


def test_the_hash_changes_with_every_field() -> None:
    (one,) = read(episode(key_trial()))
    assert one.key_path is not None
    assert one.lock_there is not None
    variations = [
        one,
        replace(one, size=(199.0, 200.0)),
        replace(one, walls=one.walls[1:]),
        replace(one, barrier=one.barrier[1:]),
        replace(one, objects=()),
        replace(one, agent=replace(one.agent, radius=7.0)),
        replace(one, path=one.path + 1),
        replace(one, barrier_left=one.barrier_left / 2),
        replace(one, key=None),
        replace(one, key_path=-one.key_path),
        replace(one, lock=None),
        replace(one, lock_there=~one.lock_there),
        replace(one, warnings=("odd",)),
        replace(one, others=(OTHER,)),
    ]
    assert len(variations) == 1 + len(fields(Trial)) - 1 - len(CHANGING)  # ``still`` follows
    pairs = [(Episode((one,)), Episode((each,))) for each in variations]
    pairs += [(other, first) for first, other in pairs[1:]]
    hashes = {encoded(TASK, PAIR, *pair).column("content")[0].as_py() for pair in pairs}
    assert len(hashes) == len(pairs)
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in hashes)


def test_the_hash_of_a_pair_has_not_changed_since_version_0_1() -> None:
    """It is used to resume results of an archive, even after repacking."""
    examples = Path(__file__).parents[2] / "examples"
    pair = [hbtom.load(examples / f"preference_{member}.json.zst") for member in "eu"]
    assert encoded(TASK, PAIR, *pair).column("content")[0].as_py() == "a644005a079dfae3"


# Trials made by hand


def test_arrays_of_other_kinds_are_converted() -> None:
    there, path = SOUND.lock_there, SOUND.path
    assert there is not None
    made = replace(
        SOUND,
        path=np.asfortranarray(path.astype(int)),
        walls=SOUND.walls.astype(np.float32),
        barrier_left=SOUND.barrier_left.astype(int),
        key_path=np.ones(path.shape, int),
        lock_there=there.astype(int),
    )
    for each in (made.path, made.walls, made.barrier_left, made.key_path):
        assert each is not None
        assert each.dtype == np.float64
        assert each.flags.c_contiguous
    assert made.lock_there is not None
    assert made.lock_there.dtype == np.bool_
    assert replace(SOUND, warnings=("odd",)).path is path


def test_trials_without_objects() -> None:
    assert replace(SOUND, objects=(), key=None, key_path=None).places.shape == (0, 3)


# Opening


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two pairs of one task and one of another."""
    one, other = read(simple_episode()), read(episode(key_trial()))
    names = [("preference", "1"), ("preference", "2"), ("multi_agent", "1")]
    return store(tmp_path / "a.parquet", *(encoded(*name, one, other) for name in names))


def test_an_episode_of_an_archive_has_a_path_like_a_file_in_a_folder(archive: Path) -> None:
    found = hbtom.load(archive / "multi_agent" / "1u")
    assert_identical(found, read(episode(key_trial())))
    assert found.name == f"{archive}/multi_agent/1u"


def test_an_episode_does_not_keep_others_in_memory(tmp_path: Path) -> None:
    one = read(simple_episode())
    pairs = pa.Table.from_batches([encoded(TASK, str(number), one, one) for number in range(9)])
    store(tmp_path / "a.parquet", *pairs.combine_chunks().to_batches())
    path = hbtom.load(tmp_path / "a.parquet" / TASK / "4e").test.path
    assert path.base is not None
    assert len(path.base) == sum(len(trial.path) for trial in one)


@pytest.mark.parametrize(
    ("inside", "names"),
    [
        ("", ["preference/1e", "preference/1u", "preference/2e", "preference/2u"]),
        ("preference", ["preference/1e", "preference/1u", "preference/2e", "preference/2u"]),
        ("multi_agent", ["multi_agent/1e", "multi_agent/1u"]),
        ("preference/2u", ["preference/2u"]),
    ],
)
def test_all_episodes_or_those_of_a_task_or_one(
    archive: Path, inside: str, names: list[str]
) -> None:
    names = names if inside else [*names, "multi_agent/1e", "multi_agent/1u"]
    assert [one.name for one in load_each(archive / inside)] == [f"{archive}/{n}" for n in names]


def test_a_file_that_is_not_an_archive_has_one_episode(tmp_path: Path) -> None:
    (found,) = load_each(write(tmp_path / "a.json", simple_episode()))
    assert_identical(found, found)


def test_a_folder_may_have_the_name_of_an_archive(tmp_path: Path) -> None:
    (tmp_path / "a.parquet" / "preference").mkdir(parents=True)
    file = write(tmp_path / "a.parquet" / "preference" / "1e.json", simple_episode())
    assert hbtom.load(file).name == str(file)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "an archive of 6 episodes, not a single"),
        ("preference", "no such episode"),
        ("preference/3e", "no such episode"),
        ("preference/1", "no such episode"),
        ("preference/1x", "no such episode"),
        ("preference/1eu", "no such episode"),
        ("1e", "no such episode"),
    ],
)
def test_missing_episodes(archive: Path, inside: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        hbtom.load(archive / inside)
    assert caught.value.place.file == str(archive / inside)
    assert f"{archive}/preference/1e" in caught.value.hint


def test_a_changed_archive_is_read_again(archive: Path) -> None:
    before = open_archive(str(archive))
    assert open_archive(str(archive)) is before
    one = read(episode(key_trial()))
    store(archive, encoded("preference", "7", one, one))
    assert list(open_archive(str(archive)).places) == [("preference", "7")]


# Invalid files


def complaint(path: Path) -> BadInput:
    with pytest.raises(BadInput) as caught:
        list(load_each(path))
    assert caught.value.place.file == str(path)
    return caught.value


def test_parquet_that_is_not_ours(tmp_path: Path) -> None:
    pq.write_table(pa.table({"rating": [1.0]}), tmp_path / "results.parquet")
    assert "not an archive of episodes" in str(complaint(tmp_path / "results.parquet"))


def test_a_newer_version_of_the_format(tmp_path: Path) -> None:
    one = read(simple_episode())
    path = store(tmp_path / "a.parquet", encoded(TASK, PAIR, one, one), format_version="4")
    error = complaint(path)
    assert "version 4" in error.problem
    assert "newer hbtom" in error.hint


def test_others_are_kept(tmp_path: Path) -> None:
    crowd, usual = (scenes.scene(*takes) for takes in (scenes.CROWDED, scenes.CROWDED[1:]))
    one, other = scenes.read(crowd), scenes.read(usual)
    assert all(trial.others for trial in (*one, *other))
    found = there_and_back(tmp_path / "a.parquet", one, other)
    for before, after in zip((one, other), found, strict=True):
        assert all(map(same_trial, before, after))
        assert not any(o.path.flags.writeable or o.angle.flags.writeable for o in after[0].others)


def moving() -> Episode:
    """Return an episode in which everything moves or is absent that can."""
    (one,) = read(simple_episode(0))
    frames, walls = len(one.path), np.array([[0.0, 0.0, 20.0, 20.0]])
    stands = np.ones((frames, 1), dtype=bool)
    stands[5:] = False
    paths = one.objects_at.copy()
    paths[7:] = np.nan
    there = np.arange(frames) > 2
    values = {"agent_there": there, "walls_there": stands, "object_paths": paths}
    return Episode((replace(one, walls=walls, camera=(260.0, -60.0), still=True, **values),))


def test_changes_are_kept(tmp_path: Path) -> None:
    one, other = moving(), read(simple_episode(0))
    found = there_and_back(tmp_path / "a.parquet", one, other)
    assert same_trial(one[0], found[0][0])
    assert same_trial(other[0], found[1][0])
    hashes = {encoded(TASK, PAIR, each, other).column("content")[0] for each in (one, other)}
    assert len(hashes) == 2


def test_changes_of_the_wrong_length_are_refused(tmp_path: Path) -> None:
    (one,) = moving()
    for odd in ({"camera": (1.0,)}, {"agent_there": one.agent_there[:-1]}):
        wrong = Episode((replace(one, **odd),))
        path = store(tmp_path / "b.parquet", encoded(TASK, PAIR, wrong, wrong))
        with pytest.raises(BadInput, match=r"needs"):
            list(load_each(path))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "cloud"},
        {"size": (0.0, 9.0)},
        {"size": (9.0, np.nan)},
        {"path": np.full((1, 2), 50.0)},
        {"angle": np.zeros(1)},
    ],
    ids=str,
)
def test_impossible_others_are_refused(wrong: dict[str, Any], tmp_path: Path) -> None:
    (one,) = read(simple_episode(0))
    whole = replace(OTHER, path=np.full((len(one.path), 2), 50.0), angle=np.zeros(len(one.path)))
    there_and_back(tmp_path / "a.parquet", *[Episode((replace(one, others=(whole,)),))] * 2)
    odd = Episode((replace(one, others=(replace(whole, **wrong),)),))
    path = store(tmp_path / "b.parquet", encoded(TASK, PAIR, odd, odd))
    with pytest.raises(BadInput, match=r"others|of an other"):
        list(load_each(path))


def test_archives_of_the_first_version_are_read(tmp_path: Path) -> None:
    """They had no column for others or changes; everything else is the same, even the hash."""
    one = read(simple_episode())
    rows = encoded(TASK, PAIR, one, one)
    old = pa.Table.from_batches([rows]).drop_columns(["others", "changes"])
    names = {**about("data", 2), "hbtom.format_version": "1"}
    pq.write_table(old.replace_schema_metadata(names), tmp_path / "a.parquet")
    for each in load_each(tmp_path / "a.parquet"):
        assert_identical(each, one)
    assert rows.column("content")[0].as_py() == FIRST_HASH


def without(name: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([name])


def retyped(table: pa.Table) -> pa.Table:
    where = table.schema.names.index("trial")
    return table.set_column(where, "trial", table.column("trial").cast(pa.float64()))


def with_lists(table: pa.Table, name: str, change: Callable[[Any], Any]) -> pa.Table:
    lists = [change(one) for one in table.column(name).to_pylist()]
    field = table.schema.field(name)
    return table.set_column(table.schema.names.index(name), field, pa.array(lists, field.type))


def without_unexpected(table: pa.Table) -> pa.Table:
    field = table.schema.field("members")
    members = pa.array(["e"] * table.num_rows, field.type)
    return table.set_column(table.schema.names.index("members"), field, members)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without("walls"), "no column 'walls'"),
        (without("content"), "no column 'content'"),
        (retyped, "column 'trial' has the wrong type"),
        (without_unexpected, "there are not two episodes of preference/1"),
        (lambda table: pa.concat_tables([table, table]), "preference/1 are not together"),
    ],
    ids=["no walls", "no hash", "type", "members", "order"],
)
def test_invalid_tables(archive: Path, change: Any, words: str) -> None:
    pq.write_table(change(pq.read_table(archive)), archive)
    assert words in complaint(archive).problem


def refused(path: Path) -> BadInput:
    with pytest.raises(BadInput) as caught:
        list(load_each(path))
    return caught.value


@pytest.mark.parametrize("change", [lambda path: path[1:], lambda path: []], ids=["short", "none"])
def test_paths_of_different_lengths(change: Any, archive: Path) -> None:
    pq.write_table(with_lists(pq.read_table(archive), "path_y", change), archive)
    error = refused(archive)
    assert "'path_y' needs one value for each frame" in error.problem
    assert (error.place.file, error.place.trial) == (f"{archive}/preference/1e", 1)


@pytest.mark.parametrize("name", ["key_path_x", "key_path_y"])
def test_half_a_path(name: str, archive: Path) -> None:
    pq.write_table(with_lists(pq.read_table(archive), name, lambda path: None), archive)
    error = refused(archive)
    assert "'key_path_x' and 'key_path_y' must come together" in error.problem
    assert (error.place.file, error.place.trial) == (f"{archive}/preference/1u", 1)


def test_a_pair_must_lie_in_one_row_group(archive: Path) -> None:
    pq.write_table(pq.read_table(archive), archive, row_group_size=2)
    assert "are not together" in complaint(archive).problem


def at(trial: Trial, frame: int, place: tuple[float, float]) -> Any:
    path = trial.path.copy()
    path[frame] = place
    return path


def with_body(body: Body, **changes: Any) -> Callable[[Trial], Trial]:
    return lambda trial: replace(trial, objects=(replace(body, **changes),))


def with_walls(*row: float) -> Callable[[Trial], Trial]:
    return lambda trial: replace(trial, walls=np.array([row]))


def whole(**changes: Any) -> Callable[[Trial], Trial]:
    return lambda trial: replace(trial, **changes)


(SOUND,) = read(episode(key_trial()))
THING, NAN = SOUND.objects[0], math.nan
NONE = np.empty((0, 2))
ODD: dict[str, tuple[Callable[[Trial], Trial], str, int | None, str | None]] = {
    "no frames": (
        whole(path=NONE, barrier_left=NONE[:, 0], key_path=NONE, lock_there=NONE[:, 0] > 0),
        "no frames",
        None,
        None,
    ),
    "no width": (whole(size=(0.0, 200.0)), "0 x 200", 1, "size"),
    "great width": (whole(size=(1e5, 200.0)), "100000 x 200", 1, "size"),
    "height not a number": (whole(size=(200.0, NAN)), "200 x nan", 1, "size"),
    "no objects": (whole(objects=()), "no objects", 1, "objects"),
    "many objects": (whole(objects=(THING,) * 9), "9 objects", 1, "objects"),
    "path not a number": (
        lambda trial: replace(trial, path=at(trial, 2, (NAN, 5.0))),
        "(nan, 5)",
        3,
        "agent",
    ),
    "path far away": (
        lambda trial: replace(trial, path=at(trial, 4, (5.0, 1e9))),
        "(5, 1e+09)",
        5,
        "agent",
    ),
    "path begins elsewhere": (
        lambda trial: replace(trial, path=at(trial, 0, (5.0, 5.0))),
        "where its path begins",
        1,
        "agent",
    ),
    "agent in a wall": (with_walls(0.0, 0.0, 200.0, 200.0), "inside a wall", 1, "agent"),
    "wall not a number": (with_walls(NAN, 0.0, 1.0, 1.0), "impossible position", 1, "walls"),
    "wall of no number's size": (with_walls(0.0, 0.0, NAN, 1.0), "impossible position", 1, "walls"),
    "negative wall": (with_walls(9.0, 9.0, 1.0, -5.0), "impossible position", 1, "walls"),
    "endless wall": (with_walls(9.0, 9.0, math.inf, 5.0), "impossible position", 1, "walls"),
    "wall far away": (with_walls(-2e3, 9.0, 1.0, 5.0), "impossible position", 1, "walls"),
    "odd barrier": (whole(barrier=np.full((1, 4), NAN)), "impossible position", 1, "barrier"),
    "negative radius": (with_body(THING, radius=-1.0), "radius is -1", 1, "objects"),
    "great radius": (with_body(THING, radius=1e300), "radius is 1e+300", 1, "objects"),
    "radius not a number": (with_body(THING, radius=NAN), "radius is nan", 1, "objects"),
    "object far away": (with_body(THING, centre=(1e9, 5.0)), "(1e+09, 5)", 1, "objects"),
    "odd colour": (with_body(THING, look=Identity("a", (NAN,))), "colour", 1, "objects"),
    "agent's radius": (
        lambda trial: replace(trial, agent=replace(trial.agent, radius=0.0)),
        "radius is 0",
        1,
        "agent",
    ),
    "key's radius": (
        lambda trial: replace(trial, key=replace(trial.key, radius=0.0)),  # type: ignore[type-var]
        "radius is 0",
        1,
        "key",
    ),
    "lock far away": (
        whole(lock=replace(THING, centre=(5.0, -1.0))),
        "(5, -1), outside",
        1,
        "lock",
    ),
    "key without path": (whole(key_path=None), "must come together", None, "key"),
    "path without key": (whole(key=None), "must come together", None, "key"),
    "lock without frames": (whole(lock_there=None), "must come together", None, "lock"),
    "key's endless path": (
        lambda trial: replace(
            trial, key_path=np.array([trial.key_path[0], *trial.path[1:] + math.inf])
        ),
        "(inf, inf)",
        2,
        "key",
    ),
    "barrier that grows": (
        lambda trial: replace(trial, barrier_left=trial.barrier_left + 1),
        "2 of the barrier",
        1,
        "barrier_left",
    ),
    "barrier not a number": (
        lambda trial: replace(trial, barrier_left=trial.barrier_left * NAN),
        "nan of the barrier",
        1,
        "barrier_left",
    ),
    "short barrier": (
        lambda trial: replace(trial, barrier_left=trial.barrier_left[1:]),
        "'barrier_left' needs one value for each frame",
        None,
        None,
    ),
    "short lock": (whole(lock_there=np.ones(2, bool)), "'lock_there' needs one", None, None),
    "short key path": (whole(key_path=SOUND.path[1:]), "needs one value", None, None),
}


def odd_archive(path: Path, change: Callable[[Trial], Trial]) -> Path:
    """Three pairs; the second has an odd second trial in its unexpected episode."""
    sound, odd = Episode((SOUND, SOUND)), Episode((SOUND, change(SOUND)))
    batches = [encoded(TASK, name, sound, odd if name == "2" else sound) for name in "123"]
    return store(path, *pa.Table.from_batches(batches).combine_chunks().to_batches())


@pytest.mark.parametrize(("change", "words", "frame", "field"), ODD.values(), ids=ODD)
def test_odd_trials_are_refused_as_in_other_files(
    change: Any, words: str, frame: int | None, field: str | None, tmp_path: Path
) -> None:
    path = odd_archive(tmp_path / "a.parquet", change)
    for error in (refused(path), refused(path / TASK / "2u")):
        assert words in error.problem
        assert error.place == Place(f"{path}/{TASK}/2u", 2, frame, field)
    for name in ("1e", "1u", "2e", "3e", "3u"):
        assert_identical(hbtom.load(path / TASK / name), Episode((SOUND, SOUND)))


JUDGED = """
import sys
import hbtom
from hbtom.compiled import start_compiler
assert start_compiler()
for path in sys.argv[1:]:
    try:
        print(path, hbtom.judge(path).plausibility)
    except hbtom.BadInput:
        pass
"""


@pytest.mark.skipif(find_spec("numba") is None, reason="there is no compiler")
@pytest.mark.usefixtures("kernels")
def test_odd_trials_are_also_refused_by_compiled_code(tmp_path: Path) -> None:
    paths = [
        odd_archive(tmp_path / f"{number}.parquet", change) / TASK / "2u"
        for number, (change, *_) in enumerate(ODD.values())
    ]
    for path in paths:
        with pytest.raises(BadInput):
            hbtom.judge(path)
    command = [sys.executable, "-c", JUDGED, *map(str, paths)]
    compiled = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    ran = subprocess.run(command, env=compiled, capture_output=True, text=True, check=True)
    assert ran.stdout == ""


def test_a_table_may_have_more_columns(archive: Path) -> None:
    table = pq.read_table(archive)
    more = table.add_column(0, "mine", pa.array(range(table.num_rows)))
    pq.write_table(more, archive.with_name("more.parquet"))
    for one, other in zip(
        load_each(archive), load_each(archive.with_name("more.parquet")), strict=True
    ):
        assert_identical(one, other)


@pytest.mark.parametrize("share", [0, 0.01, 0.3, 0.9, 0.999])
def test_a_truncated_file(archive: Path, share: float) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data[: int(share * len(data))])
    assert "broken or cut off" in complaint(archive).problem
    assert "\n" not in str(complaint(archive))


def test_damage_is_noticed_or_does_no_harm(tmp_path: Path) -> None:
    """Flip a few bits; ``hbtom pack`` writes checksums."""
    from hbtom.bench.dataset_packing import pack

    folder = tmp_path / TASK
    folder.mkdir()
    for member in "eu":
        write(folder / f"1{member}.json", [*simple_episode(), key_trial()])
    path = tmp_path / "a.parquet"
    pack(folder, path)
    data, wanted = path.read_bytes(), list(load_each(path))
    chance = random.Random(1)
    noticed = 0
    for _ in range(300):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = list(load_each(path))
        except BadInput:
            noticed += 1
        else:
            for one, other in zip(found, wanted, strict=True):
                assert_identical(one, other)
    assert noticed > 200


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all files")
def test_an_unreadable_file(archive: Path) -> None:
    archive.chmod(0)
    assert complaint(archive).problem == "the file cannot be read: Permission denied"


def test_without_the_library(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match="pyarrow") as caught:
        hbtom.load(archive / "preference" / "1e")
    assert "'tables'" in caught.value.hint


def test_parquet_by_another_name(archive: Path) -> None:
    shutil.copy(archive, archive.with_name("a.json"))
    with pytest.raises(BadInput, match=r"Parquet.*\.parquet"):
        hbtom.load(archive.with_name("a.json"))


# The description of the columns


def test_every_column_is_described() -> None:
    names = schema().names
    page = Path(__file__).parents[2] / "docs" / "archive.md"
    assert re.findall(r"^``(\w+)``", columns.__doc__ or "", re.MULTILINE) == names
    assert re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE) == names
