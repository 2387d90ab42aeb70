import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hbtom.bench.synth import Script, encode, episode_pair
from hbtom.bench.tasks import EVALUATION_TASKS

KEYS = ["size", "walls", "fuse_walls", "pin", "key", "objects", "blocking", "home", "agent"]
IMAGES = {
    "objects": r"\./shapes/train/objects/\w+\.png",
    "agent": r"\./shapes/train/agents/\w+\.png",
    "home": r"\./shapes/home\.png",
    "pin": r"\./shapes/triangle(0|90|180|270)\.png",
    "key": r"\./shapes/triangle_slot(0|90|180|270)\.png",
}


def bare(entity: list[Any]) -> list[Any]:
    return entity[0] if len(entity) == 1 else entity


def check_entity(entity: list[Any], role: str, r: int | None = None) -> None:
    (x, y), radius, image, rgb = entity
    assert all(isinstance(v, int) for v in (x, y, radius, *rgb))
    assert re.fullmatch(IMAGES[role], image)
    assert len(rgb) == 3
    assert all(0 <= v <= 255 for v in rgb)
    assert r is None or radius == r


@pytest.fixture(scope="module", params=[t.folder for t in EVALUATION_TASKS])
def pair(request: pytest.FixtureRequest) -> tuple[bytes, bytes]:
    e, u = episode_pair(request.param, np.random.default_rng(17))
    return encode(e), encode(u)


@pytest.fixture(scope="module")
def decoded(pair: tuple[bytes, bytes]) -> list[Any]:
    """Both members as plain lists, which tests do not change."""
    return [json.loads(data) for data in pair]


def test_text_matches_the_json_module(pair: tuple[bytes, bytes], decoded: list[Any]) -> None:
    (expected, unexpected), (whole, other) = pair, decoded
    assert json.dumps(whole).encode() == expected
    assert unexpected.endswith(json.dumps(other[-1:])[1:].encode())  # its test trial


def test_frames_have_the_benchmarks_keys_and_entities(decoded: list[Any]) -> None:
    for trials in decoded:
        assert len(trials) == 9
        for frames in trials:
            for frame in (frames[0], frames[len(frames) // 2], frames[-1]):
                assert list(frame) == KEYS
                assert frame["size"] == [200, 200]
                assert frame["blocking"] == []
                check_entity(bare(frame["agent"]), "agent", 6)
                check_entity(bare(frame["home"]), "home", 6)
                for entity in frame["objects"]:
                    check_entity(entity, "objects", 9)
                for role in ("pin", "key"):
                    assert len(frame[role]) <= 1
                    for entity in frame[role]:
                        check_entity(entity, role)


def test_only_some_parts_change_between_frames(decoded: list[Any]) -> None:
    for trials in decoded:
        for frames in trials:
            for frame in frames[1:]:
                for key in ("size", "walls", "objects", "blocking", "home"):
                    assert frame[key] == frames[0][key]


def test_walls_are_cells_on_the_lattice_with_a_border(decoded: list[Any]) -> None:
    for trials in decoded:
        for frames in trials:
            walls = frames[0]["walls"]
            assert all(size == [20, 20] for _, size in walls)
            corners = [tuple(corner) for corner, _ in walls]
            assert all(x % 20 == y % 20 == 0 for x, y in corners)
            border = {(x, y) for x in range(0, 200, 20) for y in (0, 180)}
            assert border | {(y, x) for x, y in border} <= set(corners)
            assert len(corners) > len(set(corners)), "real wall lists hold duplicates"


def test_carried_keys_stay_with_the_agent() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        episode, _ = episode_pair("instrumental_blocking_barrier", rng)
        for trial in episode.trials[:8]:
            keys = [m.key.centre if m.key else None for m in trial.moments]
            first = next(i for i in range(1, len(keys)) if keys[i] != keys[i - 1])
            lock = trial.moments[0].lock
            assert lock is not None
            for moment in trial.moments[first:]:
                if moment.key is None or moment.key.centre == lock.centre:
                    break
                stray = np.subtract(moment.key.centre, moment.agent)
                assert np.abs(stray).max() <= 3
            sizes = [len(m.barrier) for m in trial.moments]
            assert all(b <= a for a, b in pairwise(sizes))
            assert sizes[0] > 0
            assert sizes[-1] == 0


def test_some_files_wrap_entities_in_another_list() -> None:
    trials = episode_pair("preference", np.random.default_rng(1))[0].trials[:1]
    for wrapped in ("home", "agent"):
        frame = json.loads(encode(Script(trials, wrapped)))[0][0]
        assert len(frame[wrapped]) == 1
        assert bare(frame[wrapped]) == json.loads(encode(Script(trials)))[0][0][wrapped]
    pairs = (
        episode_pair("instrumental_no_barrier", np.random.default_rng([8, i])) for i in range(100)
    )
    assert any(e.wrapped is not None and e.wrapped == u.wrapped for e, u in pairs)


def test_real_files_have_this_format_too(real_files: list[Path]) -> None:
    for path in real_files[:1]:
        frame = json.loads(path.read_bytes())[0][0]
        assert list(frame) == KEYS
        check_entity(frame["agent"], "agent", 6)
        check_entity(frame["objects"][0], "objects", 9)
