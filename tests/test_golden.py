"""Judgements have not changed: of generated episodes, and of real ones if they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

import goldens
from hbtom import judge
from hbtom.bench.tasks import EVALUATION_TASKS


def test_the_golden_episodes_are_two_pairs_of_each_task() -> None:
    files = [path.relative_to(goldens.EPISODES) for path in goldens.episodes("default")]
    wanted = [
        Path(task.folder) / f"{pair:06}{task.letters}{member}.json.zst"
        for task in EVALUATION_TASKS
        for pair in (0, 1)
        for member in "eu"
    ]
    assert files == sorted(wanted)
    assert list(goldens.read("synthetic")) == [*goldens.PRESETS, *goldens.VARIANTS]


@pytest.mark.parametrize("model", [*goldens.PRESETS, *goldens.VARIANTS])
def test_generated_episodes_are_judged_as_before(model: str) -> None:
    """This is in plain Python; test_compiled.py has the same test for compiled kernels."""
    judged = goldens.judged(model, goldens.episodes(model))
    assert goldens.difference(judged, goldens.read("synthetic")[model]) < 1e-9


@pytest.mark.parametrize("model", goldens.PRESETS)
def test_real_files_are_judged_as_before(model: str, real_files: list[Path]) -> None:
    golden = goldens.read("real")[model]
    known = [path for path in real_files if goldens.name(path) in golden]
    assert known, "real.json holds none of the real files; see goldens.py for how to write it"
    wanted = {name: golden[name] for name in map(goldens.name, known)}
    assert goldens.difference(goldens.judged(model, known), wanted) < 1e-9


def test_the_expected_member_of_each_real_pair_is_far_more_plausible(
    real_pairs: list[tuple[Path, Path]],
) -> None:
    for expected, unexpected in real_pairs:
        assert judge(expected).plausibility > judge(unexpected).plausibility + 0.5, expected.name
