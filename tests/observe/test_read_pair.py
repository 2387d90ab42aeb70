"""Reading the files of a pair together gives the same as alone, and shares common trials."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import zstandard

from episodes import (
    ACORN,
    HEART,
    Json,
    assert_same,
    episode,
    key_trial,
    simple_episode,
    to_bytes,
    to_thing,
)
from hbtom import BadInput, Episode, observe
from hbtom.bench.synth import encode, episode_pair
from hbtom.observe import bib
from hbtom.observe.episode import Loaded
from hbtom.observe.formats import read_pair

ONE, KEY, OTHER = simple_episode()[0], key_trial(), to_thing(HEART.at(65, 100), who=ACORN)
NAMES = ("e.json", "u.json")
PACKERS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}


def shared(one: Loaded, other: Loaded) -> int:
    """Check that two episodes share their first trials and no others, and return how many."""
    assert isinstance(one, Episode)
    assert isinstance(other, Episode)
    same = [a is b for a, b in zip(one, other, strict=False)]
    number = same.index(False) if False in same else len(same)
    assert not any(same[number:])
    return number


def assert_as_alone(pair: tuple[Loaded, Loaded], data: tuple[bytes, bytes]) -> None:
    for got, each, name in zip(pair, data, NAMES, strict=True):
        alone, _ = read_pair((each, BadInput("it is not read")), (name, ""))
        if isinstance(alone, BadInput):
            assert isinstance(got, BadInput)
            assert str(got) == str(alone)
        else:
            assert isinstance(got, Episode)
            assert got.name == name
            assert_same(got, alone)


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [
        ([ONE, KEY, ONE], [ONE, KEY, OTHER], 2),
        ([ONE, KEY, ONE], [ONE, KEY, ONE], 3),
        ([ONE, KEY, ONE], [OTHER, KEY, ONE], 0),
        ([ONE, KEY, ONE], [ONE, OTHER, ONE], 1),
        ([ONE, KEY, ONE], [ONE, KEY], 2),
        ([ONE, KEY], [ONE, KEY, ONE], 2),
        ([ONE, KEY, ONE], [ONE, KEY[:-1], ONE], 1),
        ([ONE, KEY, ONE], [ONE, [*KEY, KEY[-1]], ONE], 1),
    ],
)
@pytest.mark.parametrize("packing", PACKERS)
def test_common_first_trials_are_shared(one, other, number, packing) -> None:
    data = (PACKERS[packing](to_bytes(one)), PACKERS[packing](to_bytes(other)))
    pair = read_pair(data, NAMES)
    assert shared(*pair) == number
    assert_as_alone(pair, data)


def test_synthetic_pairs_share_their_familiarization() -> None:
    expected, unexpected = episode_pair("instrumental_no_barrier", np.random.default_rng(2))
    data = encode(expected), encode(unexpected)
    pair = read_pair(data, NAMES)
    assert shared(*pair) == 8
    assert_as_alone(pair, data)


def test_real_pairs_share_their_familiarization(real_pairs: list[tuple[Path, Path]]) -> None:
    for files in real_pairs:
        data = files[0].read_bytes(), files[1].read_bytes()
        pair = read_pair(data, NAMES)
        assert shared(*pair) == 8
        assert_as_alone(pair, data)


def test_shared_trials_cannot_be_changed() -> None:
    data = to_bytes([KEY, ONE])
    one, other = read_pair((data, data), NAMES)
    assert shared(one, other) == 2
    for array in (one[0].path, one[0].key_path, one[0].lock_there, one[0].walls):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_byte_order_mark_in_one_file_does_not_matter() -> None:
    data = b"\xef\xbb\xbf" + to_bytes([ONE, KEY]), to_bytes([ONE, KEY])
    assert shared(*read_pair(data, NAMES)) == 2


def broken(plain: Json, number: int) -> bytes:
    bad = episode(*plain)
    bad[number][5]["agent"][1] = -6
    return to_bytes(bad)


PLAIN = [ONE, KEY, ONE]
GOOD = to_bytes(PLAIN)
BAD = [
    b"",
    b"{}",
    b"[]",
    b"[[]]",
    GOOD[:-1],
    GOOD[:-9],
    GOOD + b"]",
    GOOD[:-1] + b", ]",
    GOOD[:-1] + b", []]",
    GOOD[:-1] + b" [[]]]",
    GOOD[: len(GOOD) // 2],
    *(broken(PLAIN, number) for number in range(3)),
    gzip.compress(GOOD)[:-3],
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_each_member_of_a_pair_is_refused_separately(bad) -> None:
    for data in ((GOOD, bad), (bad, GOOD), (bad, bad)):
        pair = read_pair(data, NAMES)
        assert_as_alone(pair, data)
        assert [isinstance(each, BadInput) for each in pair] == [each is bad for each in data]


def test_a_file_that_must_be_decoded_reuses_the_other_files_trials() -> None:
    """The scanner gives up at an object within a frame, after the common trials."""
    odd = episode(*PLAIN)
    odd[2][3]["weather"] = {}
    data = GOOD, to_bytes(odd)
    assert bib.reading(data[1], "odd").ends == []
    pair = read_pair(data, NAMES)
    assert shared(*pair) == 2
    assert_as_alone(pair, data)
    assert_as_alone(read_pair(data[::-1], NAMES), data[::-1])


def test_reading_one_file_does_not_share_with_another() -> None:
    assert shared(observe.read(GOOD), observe.read(GOOD)) == 0
