"""Any file is judged or refused: no other errors, and no numbers out of range."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hbtom
import scenes
from episodes import (
    HEART,
    KEY,
    LOCK,
    SPOON,
    Json,
    block,
    episode,
    frame,
    key_trial,
    simple_episode,
    to_bytes,
    trial,
    walk,
)
from hbtom import BadInput, Model, observe
from hbtom.judgement import account
from hbtom.show import judgement_row, judgement_table

ORIGINALS = (simple_episode(times=1), episode(key_trial(), key_trial(jump=False)))
SCENES = (scenes.preference(times=1), scenes.scene(*scenes.CROWDED), scenes.key_scene())

numbers = st.one_of(
    st.integers(-20, 220),
    st.floats(),
    st.sampled_from([0, -0.0, 1e308, -1e308, 1e-308, 5e-324, 2**63, 10**400]),
)
scraps = st.sampled_from(
    [[], {}, [[]], [[0, 0], [20, 20]], HEART.at(100, 100).entity(), [KEY.at(60, 60).entity()]]
).map(copy.deepcopy)
leaves = st.one_of(numbers, scraps, st.none(), st.booleans(), st.text(max_size=5))
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@st.composite
def changed_episodes(draw: st.DrawFn, originals: Sequence[Json] = ORIGINALS) -> Json:
    """Return an episode with a few values replaced, deleted, inserted or repeated."""
    changed = copy.deepcopy(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 3))):
        changed = change_somewhere(draw, changed)
    return changed


def change_somewhere(draw: st.DrawFn, value: Json) -> Json:
    """Follow a random path into a value and change the value there."""
    if isinstance(value, int) and draw(st.booleans()):
        return draw(st.integers(-5, 205) | numbers)
    deeper = isinstance(value, list | dict) and len(value) > 0
    if not deeper or draw(st.integers(0, 19)) == 0:
        return draw(values)
    place = draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value))))
    what = draw(st.sampled_from(["go on"] * 15 + ["delete", "insert", "repeat"]))
    if what == "go on":
        value[place] = change_somewhere(draw, value[place])
    elif what == "delete":
        del value[place]
    elif isinstance(value, list):
        value.insert(place, draw(values) if what == "insert" else copy.deepcopy(value[place]))
    else:
        value[draw(st.text(max_size=5))] = draw(values)
    return value


@st.composite
def changed_bytes(draw: st.DrawFn, originals: Sequence[Json] = ORIGINALS) -> bytes:
    """Return the bytes of an episode with a few stretches replaced, or cut off."""
    data = to_bytes(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        stop = start + draw(st.integers(0, 20))
        filling = draw(st.binary(max_size=5) | st.sampled_from([b"[", b"]", b",", b"-", b"9" * 30]))
        data = data[:start] + filling + data[stop:]
    return data


def judged_or_refused(data: bytes, model: Model) -> None:
    try:
        judgement = hbtom.judge(observe.read(data), model)
    except BadInput:
        return
    sound(judgement)


def sound(judgement: hbtom.Judgement) -> None:
    assert judgement.missing or 0 <= judgement.plausibility <= 1
    assert math.isnan(judgement.plausibility) == bool(judgement.missing)
    assert judgement_table([judgement_row(judgement, account(judgement), trace=True)])
    json.dumps(judgement.to_dict(trace=True), allow_nan=False)


things = st.sampled_from([HEART, SPOON])
models = st.sampled_from([Model.preset("default"), Model.preset("paper")])


@settings(max_examples=40)
@given(changed_episodes(), models)
def test_any_json_is_judged_or_refused(changed: Json, model: Model) -> None:
    judged_or_refused(json.dumps(changed).encode(), model)


@settings(max_examples=40)
@given(changed_bytes(), models)
def test_any_bytes_are_judged_or_refused(data: bytes, model: Model) -> None:
    judged_or_refused(data, model)


@settings(max_examples=60)
@given(changed_episodes(SCENES), models)
def test_any_scene_is_judged_or_refused(changed: Json, model: Model) -> None:
    judged_or_refused(json.dumps(changed).encode(), model)


@settings(max_examples=25)
@given(changed_bytes(SCENES), models)
def test_any_bytes_of_a_scene_are_judged_or_refused(data: bytes, model: Model) -> None:
    judged_or_refused(data, model)


ordinates = st.integers(0, 200) | st.sampled_from([0, 200])
places = st.tuples(ordinates, ordinates)
blocks = st.builds(
    block, st.integers(-40, 200), st.integers(-40, 200), st.integers(0, 100), st.integers(1, 100)
)


@st.composite
def odd_frames(draw: st.DrawFn) -> list[Json]:
    """Return a valid trial in which anything may be and move anywhere."""
    size = draw(st.sampled_from([200, 200, 201, 333]))
    objects = [thing.at(*draw(places)) for thing in draw(st.lists(things, min_size=1, max_size=3))]
    walls = draw(st.lists(blocks, max_size=6))
    frames = []
    for _ in range(draw(st.integers(1, 6))):
        now = frame(
            draw(places),
            objects,
            walls=walls,
            barrier=draw(st.lists(blocks, max_size=3)),
            key=KEY.at(*draw(places)) if draw(st.booleans()) else None,
            lock=LOCK.at(*draw(places)) if draw(st.booleans()) else None,
            size=size,
        )
        frames += [now] * draw(st.integers(1, 4))
    return frames


@settings(max_examples=25)
@given(st.lists(odd_frames(), min_size=1, max_size=3), models)
def test_any_world_is_judged_unless_the_agent_starts_in_a_wall(odd: Json, model: Model) -> None:
    try:
        judgement = hbtom.judge(observe.read(to_bytes(odd)), model)
    except BadInput as error:
        if "inside a wall" not in error.problem:
            raise
        return
    sound(judgement)


@pytest.mark.parametrize("model", ["default", "paper"])
@pytest.mark.parametrize("edge", [(0, 0), (0, 200), (200, 0), (200, 200), (200, 100), (100, 200)])
def test_things_on_the_edge_of_the_world_are_judged(edge: tuple[int, int], model: str) -> None:
    inside = (100, 60)
    for agent, thing, key, lock in (
        (inside, edge, inside, inside),
        (edge, inside, inside, inside),
        (inside, inside, edge, inside),
        (inside, inside, inside, edge),
    ):
        things = {"key": KEY.at(*key), "lock": LOCK.at(*lock), "walls": []}
        one = trial(walk(agent, (50, 50)), [HEART.at(*thing)], **things)
        judgement = hbtom.judge(observe.read(to_bytes([one, one])), model)
        assert judgement.missing in ("", "no goal can be reached")
        sound(judgement)


@settings(max_examples=60)
@given(st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()))
def test_anything_at_all_is_refused(data: bytes) -> None:
    try:
        observe.read(data)
    except BadInput:
        return
    raise AssertionError("this cannot be an episode")
