"""The scanner is only faster: decoding all frames gives the same values."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from itertools import count
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hbtom
from broken import Broken, catalogue
from episodes import (
    BARRIER,
    CLOVE,
    HEART,
    KEY,
    LOCK,
    Json,
    block,
    copied,
    episode,
    every_frame,
    frame,
    key_trial,
    simple_episode,
    to_bytes,
    to_thing,
    with_old_names,
)
from hbtom import BadInput, observe
from hbtom.bench.synth import background_episode, encode, episode_pair
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS
from hbtom.observe import bib
from hbtom.observe.scanner import scan
from hbtom.observe.template import times

# Two ways to read


def outcome(data: bytes) -> hbtom.Episode | str:
    """Return the episode, or the error message."""
    try:
        return observe.read(data)
    except BadInput as error:
        return str(error)


def decoded(data: bytes) -> hbtom.Episode | str:
    """Return the outcome of decoding every frame, as if the scanner had given up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bib, "scan", lambda *_: None)
        return outcome(data)


def exact(episode: hbtom.Episode | str) -> Json:
    """Return the content of an episode in a form that distinguishes -0.0 from 0 and 1 from 1.0."""
    if isinstance(episode, str):
        return episode
    return [
        [
            (value.dtype.str, value.shape, value.tobytes())
            if isinstance(value := getattr(trial, field.name), np.ndarray)
            else repr(value)
            for field in fields(trial)
        ]
        for trial in episode
    ]


def same_both_ways(data: bytes) -> hbtom.Episode | str:
    """Check that both ways of reading agree, and return the result."""
    seen = outcome(data)
    assert exact(seen) == exact(decoded(data))
    return seen


def runs_of(data: bytes) -> list[int]:
    """Return how many runs each trial has, if the scanner does not give up."""
    scanned = scan(data, {})
    assert scanned is not None
    return [len(trial.runs) for trial in scanned]


# Ordinary files


@cache
def synthetic_pair(task: str) -> tuple[bytes, bytes]:
    expected, unexpected = episode_pair(task, np.random.default_rng(5))
    return encode(expected), encode(unexpected)


TASKS = [task.folder for task in EVALUATION_TASKS]


@pytest.mark.parametrize("task", TASKS)
def test_synthetic_files_are_scanned_and_read_as_decoded(task) -> None:
    for data in synthetic_pair(task):
        seen = same_both_ways(data)
        assert isinstance(seen, hbtom.Episode)
        assert max(runs_of(data)) <= 5  # of about two hundred frames


@pytest.mark.parametrize("task", [task.folder for task in BACKGROUND_TASKS])
def test_background_files_are_scanned_and_read_as_decoded(task) -> None:
    data = encode(background_episode(task, np.random.default_rng(5)))
    assert isinstance(same_both_ways(data), hbtom.Episode)
    assert max(runs_of(data)) <= 5


def test_real_files_are_scanned_and_read_as_decoded(real_files: list[Path]) -> None:
    for file in real_files:
        data = file.read_bytes()
        assert isinstance(same_both_ways(data), hbtom.Episode)
        assert runs_of(data) == [1] * 9


def both_kinds(jitter: int = 2) -> Json:
    """Return two short trials with nearly everything that may happen in a trial.

    In the second, the key is carried from frame 4 on, the barrier vanishes from frame 27 on, and
    it is gone, with key and lock, at frame 29, counted from 0.
    """
    return copied(_both_kinds(jitter))


@cache
def _both_kinds(jitter: int) -> Json:
    short = episode(simple_episode()[0][:8], key_trial(jitter=jitter)[17:60])
    return every_frame(short, lambda one: one.update(walls=one["walls"][::9]))


SPELLINGS: dict[str, Callable[[Json], bytes]] = {
    "usual": to_bytes,
    "compact": lambda plain: json.dumps(plain, separators=(",", ":")).encode(),
    "indented": lambda plain: json.dumps(plain, indent=2).encode(),
    "tabs": lambda plain: json.dumps(plain, indent="\t").encode() + b"\r\n ",
    "sorted": lambda plain: json.dumps(plain, sort_keys=True).encode(),
    "spread": lambda plain: b"\r\n" + to_bytes(plain).replace(b",", b" ,\t ").replace(b"]", b" ]"),
    "fractions": lambda plain: re.sub(rb"(\d)(?=[],])", rb"\1.0", to_bytes(plain)),
    "escapes": lambda plain: (
        to_bytes(plain).replace(b"agent", rb"\u0061gent").replace(b"/", rb"\/")
    ),
    "braces in names": lambda plain: to_bytes(plain).replace(b"heart", b"{he[a]rt"),
    "old names": lambda plain: to_bytes(with_old_names(plain)),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_file_is_scanned_however_it_is_spelt(spelling) -> None:
    """With a barrier there is a run before it vanishes, one during, and one after."""
    data = SPELLINGS[spelling](both_kinds(jitter=0))
    assert isinstance(same_both_ways(data), hbtom.Episode)
    assert runs_of(data) == [1, 3]


# Unusual files


def extended(**more: Json) -> Callable[[Json], None]:
    return lambda one: one.update(more)


def first_fields(name: str) -> Callable[[Json], None]:
    """Return a change that moves a field to the front."""

    def change(one: Json) -> None:
        rest = {key: value for key, value in one.items() if key != name}
        value = one[name]
        one.clear()
        one.update({name: value}, **rest)

    return change


def home_like_the_agent(one: Json) -> None:
    one["home"] = one.pop("home")
    one["home"] = copy.deepcopy(one["agent"])


def key_like_the_agent(one: Json) -> None:
    one["pin"] = [copy.deepcopy(one["agent"])]


def agent_behind_its_copy(one: Json) -> None:
    one["copy"] = copy.deepcopy(one["agent"])


EVERYWHERE: dict[str, Callable[[Json], None]] = {
    "an unknown field": extended(weather=[1, [2]], Agent=None),
    "an object": extended(weather={"wind": [1, {"deep": [[]]}], "lock": "not the lock"}),
    "an empty object": extended(blocking=[{}]),
    "deep lists": extended(blocking=json.loads("[" * 300 + "]" * 300)),
    "agent first": first_fields("agent"),
    "key first": first_fields("pin"),
    "home like the agent": home_like_the_agent,
    "home like the agent at first": extended(home=simple_episode()[0][0]["agent"]),
    "key like the agent": key_like_the_agent,
    "a copy of the agent": agent_behind_its_copy,
    "a copy of the agent at first": extended(copy=simple_episode()[0][0]["agent"]),
    "braces in a field": extended(note='}, {"size": [200, 200], "walls": []}'),
    "quotes in a field": extended(note='"agent": [[1, 2], 6, "x", []]} \\'),
    "braces in a name": lambda one: one["agent"].__setitem__(2, 'a}"\\{b'),
    "two keys": lambda one: one["pin"].append(KEY.at(60, 40).entity()),
    "two locks": lambda one: one["key"].append(LOCK.at(60, 40).entity()),
    "the key wrapped": lambda one: one.update(pin=[[entity] for entity in one["pin"]]),
    "the agent wrapped": lambda one: one.update(agent=[one["agent"]]),
    "no key field": lambda one: one.pop("pin"),
    "no barrier field": lambda one: one.pop("fuse_walls"),
    "an agent without a look": lambda one: one["agent"].pop(),
    "an agent that is a pair": lambda one: one.update(agent=[[1, 2], [3, 4]]),
    "an agent that is a list": lambda one: one.update(agent=[1, 2]),
    "a key that is a pair": lambda one: one.update(pin=[[1, 2]]),
    "blocks that are no blocks": lambda one: one["fuse_walls"].append([1, 2]),
    "no agent": lambda one: one.pop("agent"),
}


@pytest.mark.parametrize("change", EVERYWHERE)
@pytest.mark.parametrize("names", ["newer", "older"])
def test_frames_that_are_unusual_throughout(change, names) -> None:
    plain = every_frame(both_kinds(), EVERYWHERE[change])
    if names == "older":
        plain = every_frame(plain, lambda one: one.setdefault("pin", []))
        plain = with_old_names(plain)
    for spell in (SPELLINGS["usual"], SPELLINGS["indented"]):
        same_both_ways(spell(plain))


@pytest.mark.parametrize("change", EVERYWHERE)
@pytest.mark.parametrize("number", [0, 1, 10, 26, 28, -1])
def test_one_frame_that_is_unusual(change, number) -> None:
    plain = both_kinds()
    EVERYWHERE[change](plain[1][number])
    same_both_ways(to_bytes(plain))


SOMEWHERE: dict[str, Json] = {
    "size": [[200, 220], [200, 200.0], [100, 100]],
    "walls": [[], [block(0, 0)], [block(0, 0)] * 2, [block(1000, 0), block(1000.5, 0)]],
    "objects": [[], [HEART.at(100, 100).entity()], [HEART.at(300, 0).entity()]],
    "fuse_walls": [
        [],
        [block(100, 60, 20, -1)],
        [block(100, 60, 20, -0.0)],
        [block(100, 60), block(100, 70, 0, 20)],
        list(BARRIER) * 50,
        [[[100, 60], [20, 20], [3]]],
        [[]],
        "none",
    ],
    "agent": [
        CLOVE.at(50, 50.5).entity(),
        HEART.at(50, 50).entity(),
        [[44, 44], 6.5, CLOVE.image, [0, 0, 128]],
        [[44, 44, 44], 6, CLOVE.image, [0, 0, 128]],
        [[195, 20], 6, CLOVE.image, [0, 0, 128]],
        [[20, -7], 6, CLOVE.image, [0, 0, 128]],
        [[1001, 20], 6, CLOVE.image, [0, 0, 128]],
        [["44", 20], 6, CLOVE.image, [0, 0, 128]],
        [[], 6, CLOVE.image, [0, 0, 128]],
    ],
    "pin": [
        [],
        [KEY.at(50, 50).entity()],
        [KEY.at(-400, 50).entity()],
        [KEY.at(-4000, 50).entity()],
        [KEY.at(50, 50).entity(), KEY.at(40, 40).entity()],
        [LOCK.at(50, 50).entity()],
    ],
    "key": [[], [LOCK.at(50, 50).entity()], [LOCK.at(5000, 50).entity()]],
    "lock": [[], [LOCK.at(50, 50).entity()], 7],
}


@pytest.mark.parametrize("name", SOMEWHERE)
@pytest.mark.parametrize("number", [0, 10, 26, 27, 28, -1])
def test_a_field_that_changes_somewhere(name, number) -> None:
    for value in SOMEWHERE[name]:
        for more in (1, 50):
            plain = both_kinds()
            for one in plain[1][number:][:more]:
                one[name] = value
            same_both_ways(to_bytes(plain))


def test_spellings_may_change_from_frame_to_frame() -> None:
    random = Random(3)
    plain = both_kinds()
    for _ in range(20):
        data = spelt_by_frame(
            plain, lambda one: json.dumps(one, indent=random.choice((None, None, 0, 1))) + " "
        )
        assert exact(same_both_ways(data)) == exact(outcome(to_bytes(plain)))


@pytest.mark.parametrize(("frames", "scanned"), [(64, True), (65, False)])
def test_the_scanner_gives_up_where_no_frame_is_like_the_last(frames, scanned) -> None:
    random = Random(4)
    one = frame((40, 100), [HEART.at(65, 100)])
    data = to_bytes([[dict(random.sample(list(one.items()), len(one))) for _ in range(frames)]])
    assert (scan(data, {}) is not None) is scanned
    assert exact(same_both_ways(data)) == exact(outcome(to_bytes([[one] * frames])))


def spelt_by_frame(plain: Json, spell: Callable[[Json], str]) -> bytes:
    trials = ("[" + ",".join(spell(one) for one in frames) + "]" for frames in plain)
    return ("[" + ", ".join(trials) + "]").encode()


def twice(name: str, value: Callable[[Json], Json], *, first: bool) -> Callable[[Json], str]:
    """Return a function that writes a frame with a field twice."""

    def spell(one: Json) -> str:
        again = f'"{name}": {json.dumps(value(one))}'
        text = json.dumps(one)
        return "{" + again + ", " + text[1:] if first else text[:-1] + ", " + again + "}"

    return spell


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", ["agent", "pin", "fuse_walls", "walls"])
def test_the_last_of_several_fields_with_one_name_counts(name, first) -> None:
    plain = both_kinds()
    numbers = count()
    for value in (
        lambda one: one[name],
        lambda one: plain[1][0][name],
        lambda one: plain[1][next(numbers) % 25][name],
    ):
        seen = same_both_ways(spelt_by_frame(plain, twice(name, value, first=first)))
        assert isinstance(seen, hbtom.Episode)
        if first:
            assert exact(seen) == exact(outcome(to_bytes(plain)))


def test_the_lock_may_appear_as_a_field_within_a_trial() -> None:
    plain = both_kinds()
    for start in (0, 1, 10, 27, 29):
        mixed = copy.deepcopy(plain)
        mixed[1][start:] = with_old_names(plain)[1][start:]
        same_both_ways(to_bytes(mixed))
        mixed = with_old_names(plain)
        mixed[1][start:] = plain[1][start:]
        same_both_ways(to_bytes(mixed))


def test_the_first_of_several_keys_by_look_and_place_counts() -> None:
    """One key passes the other, so that their order changes."""
    frames = [
        frame((40, 100), [HEART.at(65, 100)], key=KEY.at(20 + 5 * step, 60)) for step in range(20)
    ]
    for one in frames:
        one["pin"].append(KEY.at(60, 60).entity())
    seen = same_both_ways(to_bytes([frames]))
    assert isinstance(seen, hbtom.Episode)
    assert seen[0].key_path[:, 0].tolist() == [min(20 + 5 * step, 60) for step in range(20)]


# Numbers


NUMBERS = [
    *b"34 34.0 3.4e1 340E-1 3.4e+1 -0 -0.0 0e5 0.1 1e-400 5e-324 33.99999999999999999999".split(),
    *b"1000 1e3 1000.0000000000001 1001 -1001 1e308 1e309 1e999 123456789012345678901234".split(),
    *b"01 +1 .5 1. -.5 - 1e 1e+ 0x10 1_0 1/1 NaN Infinity -Infinity nan true null".split(),
    *b"34,34 34],[34 34,94],[34 34],6,[34 [1] {} '1' \"1\" 1\x00 \xef\xbc\x91".split(),
    *(b"", b" 34\t\r\n", b"\x0b34", b"3 4", b"34 ]", b'34 ], 6, "x', b"1" + b"0" * 400),
]


def with_corner(data: bytes, field: bytes, text: bytes, number: int) -> bytes:
    """Return the data with other text for the first coordinate of a field, in one frame."""
    found = list(re.finditer(rb'"%s": \[+([^],]*),' % field, data))[number]
    return data[: found.start(1)] + text + data[found.end(1) :]


@pytest.mark.parametrize("number", [0, 1, 3, -1])
def test_numbers_of_any_form_are_read_or_refused(number) -> None:
    data = to_bytes([to_thing(HEART.at(65, 100), key=KEY.at(50, 50), barrier=BARRIER)])
    for text in NUMBERS:
        for field in (b"agent", b"pin", b"fuse_walls", b"size"):
            same_both_ways(with_corner(data, field, text, number))


ordinates = st.floats(-10, 1100) | st.integers(-10, 1100) | st.floats(allow_nan=False)


@given(st.lists(st.tuples(ordinates, ordinates), min_size=1, max_size=6))
def test_any_path_is_read_as_decoded(places) -> None:
    start = frame((100, 100), [HEART.at(65, 100)], walls=[], key=KEY.at(50, 50))
    frames = [copy.deepcopy(start) for _ in range(len(places) + 1)]
    for one, (x, y) in zip(frames[1:], places, strict=True):
        one["agent"][0] = [abs(x) % 180, y % 180 if y == y else 0]
        one["pin"][0][0] = [x, y]
    same_both_ways(to_bytes([frames]))


# Broken files


@pytest.mark.parametrize("broken", catalogue(), ids=lambda broken: broken.name)
def test_the_catalogue_is_refused_in_the_same_words(broken: Broken) -> None:
    assert isinstance(same_both_ways(broken.data), str)


ENDS = (b" \n", b"]", b"[", b"]]", b"x", b"\x00", b",", b", []", b"{}", b" 1", b"\xef\xbb\xbf")


@pytest.mark.parametrize("spelling", ["usual", "compact", "indented"])
def test_cuts_and_other_ends_and_beginnings(spelling) -> None:
    plain = both_kinds()
    data = SPELLINGS[spelling]([plain[0][3:5], plain[1][26:29], plain[0][4:6]])
    for length in [*range(0, len(data), len(data) // 150), *range(len(data) - 20, len(data))]:
        same_both_ways(data[:length])
    for more in ENDS:
        same_both_ways(data + more)
        same_both_ways(more + data)
        same_both_ways(data[:-1] + more)
        same_both_ways(data[:1] + more + data[1:])


SCRAPS = (*b'[]{},:"\\ -+.e0159}', b"], [", b"}, {", b"[[", b"]]", b"\xff", b'"agent"', b"\xc3\xa4")


def mutated(data: bytes, random: Random) -> bytes:
    """Return the data with a few bytes replaced, or a stretch of it repeated or left out."""
    for _ in range(random.choice((1, 1, 2, 3))):
        start = random.randrange(len(data))
        if random.random() < 0.3:
            places = [match.start() for match in re.finditer(rb"[]},:]", data)]
            start, stop, to = (random.choice(places) for _ in range(3))
            piece = data[min(start, stop) : max(start, stop)][:3000]
            data = data[:to] + piece + data[to + random.choice((0, len(piece))) :]
        else:
            scrap = random.choice(SCRAPS)
            scrap = bytes([scrap]) if isinstance(scrap, int) else scrap
            data = data[:start] + scrap + data[start + random.choice((0, 1, 1, len(scrap))) :]
    return data


@pytest.mark.parametrize("seed", range(4))
def test_files_with_random_faults_are_read_or_refused_as_decoded(seed) -> None:
    random = Random(seed)
    plain = both_kinds(jitter=seed % 2)
    small = episode(plain[0][1:], plain[1][::2], plain[0])
    data = SPELLINGS[("usual", "compact", "old names", "usual")[seed]](small)
    assert isinstance(same_both_ways(data), hbtom.Episode)
    for _ in range(250):
        same_both_ways(mutated(data, random))


# Parts


@given(st.binary(max_size=3), st.binary(min_size=1, max_size=3), st.integers(0, 40), st.binary())
def test_repetitions_are_counted(before, text, number, after) -> None:
    data = before + text * number + after
    counted = 0
    while data.startswith(text, len(before) + counted * len(text)):
        counted += 1
    assert times(data, text, len(before)) == counted
