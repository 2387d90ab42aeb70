"""Frames in which the agent is not seen: how files mark them, and that everything copes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hbtom
from episodes import HEART, SPOON, assert_same, episode, key_trial, read, to_thing, write
from hbtom import BadInput
from hbtom.bench.dataset_packing import pack
from hbtom.bench.synth import generate
from hbtom.bench.synth.jitter import Jitter
from hbtom.model import with_settings

NOTHING = [[], None, "absent"]


def without(told: list, frames: list[int], nothing: object = ()) -> list:
    """Return an episode in whose last trial the agent is not seen in the given frames."""
    for frame in frames:
        if nothing == "absent":
            del told[-1][frame]["agent"]
        else:
            told[-1][frame]["agent"] = None if nothing is None else []
    return told


def simple() -> list:
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(60, 140)])
    return episode(one, one)


@pytest.mark.parametrize("nothing", NOTHING, ids=str)
@pytest.mark.parametrize("frames", [[4], [0, 1], [-1], [0, 5, 6, 7, -2, -1]], ids=str)
def test_a_frame_without_the_agent_is_read(frames: list[int], nothing: object) -> None:
    whole, (_, trial) = read(simple())[-1], read(without(simple(), frames, nothing))
    unseen = np.isnan(trial.path).all(axis=1)
    assert np.flatnonzero(unseen).tolist() == sorted(np.arange(len(unseen))[frames].tolist())
    assert np.array_equal(trial.path[~unseen], whole.path[~unseen])
    assert trial.agent.centre == tuple(whole.path[~unseen][0])
    assert not np.isnan(trial.whole_path).any()
    assert [event.kind for event in trial.events] == [event.kind for event in whole.events]


def test_missing_frames_give_one_warning_per_episode() -> None:
    told = simple()
    both = [*without(told[:1], [4, 5]), *without(told[1:], [4])]
    judgement = hbtom.judge(read(both))
    frames = sum(map(len, told))
    assert judgement.warnings == (f"the agent is not seen in 3 of {frames} frames",)
    assert not hbtom.judge(read(simple())).warnings


def test_the_scanner_reads_the_same() -> None:
    frames = [3, 4, 9]
    compact = json.dumps(without(simple(), frames), separators=(",", ":")).encode()
    spaced = json.dumps(without(simple(), frames), indent=2).encode()
    assert_same(hbtom.read(compact), hbtom.read(spaced))


def test_an_agent_that_is_never_seen_is_an_error_with_its_place() -> None:
    told = simple()
    with pytest.raises(BadInput, match="never seen") as caught:
        read(without(told, list(range(len(told[-1])))))
    assert caught.value.place.trial == 2
    assert caught.value.place.field == "agent"


def test_a_place_with_only_one_number_is_refused() -> None:
    told = simple()
    told[-1][3]["agent"][0] = [None, 3]
    with pytest.raises(BadInput, match="frame 4"):
        read(told)


@pytest.mark.parametrize("model", ["default", "paper"])
@pytest.mark.parametrize("noise", [0.0, 1.5])
def test_gaps_are_bridged(model: str, noise: float) -> None:
    chosen = with_settings(hbtom.Model.preset(model), {"observation.noise": noise})
    for told in (simple(), episode(key_trial(), key_trial())):
        gaps = without(json.loads(json.dumps(told)), [0, 6, 7, 12, -1], None)
        judgement = hbtom.judge(read(gaps), chosen)
        assert judgement.plausibility == pytest.approx(
            hbtom.judge(read(told), model).plausibility, abs=0.3
        )
        assert any("not seen" in warning for warning in judgement.warnings)


def test_pictures_pages_and_tables_work_with_gaps(tmp_path: Path) -> None:
    from hbtom.judgement import account
    from hbtom.show.page import page
    from hbtom.show.words import explain

    for noise in (0.0, 2.0):
        model = with_settings(hbtom.Model.preset("default"), {"observation.noise": noise})
        judgement = hbtom.judge(read(without(episode(key_trial(), key_trial()), [0, 9, -1])), model)
        assert "NaN" not in json.dumps(judgement.to_dict(trace=True))
        assert "NaN" not in page(judgement).partition("</script>")[0]
        assert explain(account(judgement))
        judgement.plot()
        assert judgement._repr_html_()


def test_archives_hold_gaps(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "preference"
    folder.mkdir(parents=True)
    gaps = {"e": without(simple(), [3, 8]), "u": without(simple(), [0, 1, -1])}
    for member, told in gaps.items():
        write(folder / f"000000lo{member}.json", told)
    archive = tmp_path / "all.parquet"
    pack(tmp_path / "data", archive)
    for member, told in gaps.items():
        assert_same(hbtom.load(f"{archive}/preference/000000lo{member}"), read(told))


def test_a_generated_dataset_can_jitter_and_lack_frames(tmp_path: Path) -> None:
    plain, noisy, again = (tmp_path / name for name in ("plain", "noisy", "again"))
    generate(plain, pairs=1, tasks=["preference"], workers=1)
    for out in (noisy, again):
        generate(out, pairs=1, tasks=["preference"], jitter=Jitter(2.0, 0.1), workers=1)
    name = Path("preference", "000000loe.json")
    assert (noisy / name).read_bytes() == (again / name).read_bytes()
    exact, seen = hbtom.load(plain / name), hbtom.load(noisy / name)
    off = np.concatenate([b.path - a.path for a, b in zip(exact, seen, strict=True)])
    missing = np.isnan(off[:, 0])
    assert 0.05 < missing.mean() < 0.15
    assert np.std(off[~missing]) == pytest.approx(2.0, rel=0.1)
    other = hbtom.load(noisy / "preference" / "000000lou.json")
    shared = [n for n, one in enumerate(exact) if n < len(exact) - 1]
    for n in shared:  # shared trials have the same noise in both members
        assert np.array_equal(seen[n].path, other[n].path, equal_nan=True)
