"""Tracks: what trackers write is judged as the episode that they saw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hbtom
import tracked
from hbtom.bench import evaluate
from hbtom.bench.dataset import find_pairs
from hbtom.observe import same_trial
from hbtom.observe.tracks.track_sight import guess_sight

EXAMPLE = Path(__file__).parents[2] / "examples" / "preference_e.json.zst"
SCENE = """\
size = [200, 100]
walls = [[90, 0, 10, 40]]
objects = [{name = "food", at = [190, 90]}, {name = "nest", at = [190, 10]}]
"""
WALK = [(10 + 3 * step, 50 + step) for step in range(31)]


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Path]:
    """Write a track and its scene, and return the track."""

    def placed(rows: str, scene: str = SCENE, name: str = "track.csv") -> Path:
        (tmp_path / "scene.toml").write_text(scene)
        (tmp_path / name).write_text(rows)
        return tmp_path / name

    return placed


def table(*columns: str, rows: list[tuple[object, ...]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [columns, *rows]) + "\n"


def test_jitter_and_lost_frames_hardly_change_the_judgement(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    whole = hbtom.load(EXAMPLE)
    short = hbtom.Episode((*whole.trials[:2], whole.test), "short")
    expected = hbtom.judge(short).plausibility
    for write, name, first in (
        (tracked.deeplabcut_csv, "network.csv", 0),
        (tracked.sleap, "analysis.h5", 1),
    ):
        write(short, tmp_path / name)
        tracked.scene(short, tmp_path / "scene.toml", first)
        track = hbtom.load(tmp_path / name)
        assert track.sight is not None
        assert track.sight.noise == pytest.approx(tracked.JITTER, rel=0.15)
        judgement = hbtom.judge(track)
        assert judgement.plausibility == pytest.approx(expected, abs=0.05)
        assert judgement.model.observation.noise == track.sight.noise


def test_deeplabcut_files_of_both_kinds_show_the_same(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    episode = hbtom.load(EXAMPLE)
    tracked.scene(episode, tmp_path / "scene.toml")
    tracked.deeplabcut_csv(episode, tmp_path / "a.csv")
    tracked.deeplabcut_h5(episode, tmp_path / "a.h5")
    one, other = hbtom.load(tmp_path / "a.csv"), hbtom.load(tmp_path / "a.h5")
    assert all(map(same_trial, one, other))
    lost = np.isnan(np.concatenate([trial.path[:, 0] for trial in one])).mean()
    assert lost == pytest.approx(tracked.LOST, abs=0.02)
    assert any("'centre' of 2" in note for note in one.notes)


@pytest.mark.parametrize(
    "rows",
    [
        table("x", "y", rows=WALK),
        table("frame", "mouse_x", "mouse_y", rows=[(at, *xy) for at, xy in enumerate(WALK)]),
        table("t", "id", "X", "Y", rows=[(at / 25, "m", *xy) for at, xy in enumerate(WALK)]),
        table(
            *("traj_id", "t", "geometry"),
            rows=[
                (1, f"2024-05-01 12:00:{at:02}", f"POINT ({x} {y})")
                for at, (x, y) in enumerate(WALK)
            ],
        ),
    ],
    ids=["plain", "wide", "long", "trajectory"],
)
def test_plain_tables(place: Callable[..., Path], rows: str) -> None:
    episode = hbtom.load(place(rows))
    assert episode.test.path.tolist() == [list(map(float, one)) for one in WALK]
    assert [str(one.look) for one in episode.test.objects] == ["food", "nest"]


def test_units_corner_and_direction_are_scaled_to_the_models_world(place) -> None:
    cm = SCENE.replace("200, 100", "40, 20").replace("90, 0, 10, 40", "18, 12, 2, 8")
    cm = cm.replace("190, 90", "38, 2").replace("190, 10", "38, 18")
    scene = f'{cm}units = "cm"\ny = "up"\n[track]\nunits = "mm"\n'
    rows = [(2 * x, 200 - 2 * y) for x, y in WALK]
    scaled = hbtom.load(place(table("x", "y", rows=rows), scene)).test
    plain = hbtom.load(place(table("x", "y", rows=WALK))).test
    assert np.allclose(scaled.path, plain.path)
    assert np.allclose(scaled.walls, plain.walls)
    assert np.allclose(scaled.places, plain.places)
    assert scaled.size == plain.size


def test_gaps_are_frames_in_which_the_agent_is_not_seen(place) -> None:
    rows = [(10 * at, x, "" if at == 3 else y) for at, (x, y) in enumerate(WALK) if at != 7]
    path = hbtom.load(place(table("frame", "x", "y", rows=rows))).test.path
    assert np.flatnonzero(np.isnan(path[:, 0])).tolist() == [3, 7]


def test_trials_by_column_with_agents_of_their_own(place) -> None:
    rows = [(at, *xy, name) for name in ("a", "b") for at, xy in enumerate(WALK)]
    scene = f'{SCENE}[track.columns]\ntrial = "part"\n[[trials]]\nname = "b"\nagent = "other"\n'
    episode = hbtom.load(place(table("frame", "x", "y", "part", rows=rows), scene))
    assert [str(trial.agent.look) for trial in episode] == ["agent", "other"]


def test_trajectories_may_be_the_trials_of_one_animal(place) -> None:
    rows = [(name, at, *xy) for name in ("a", "b") for at, xy in enumerate(WALK)]
    scene = f'{SCENE}[track.columns]\ntrial = "traj_id"\n'
    assert len(hbtom.load(place(table("traj_id", "t", "x", "y", rows=rows), scene))) == 2


def test_jitter_is_measured_at_rest() -> None:
    rng = np.random.default_rng(0)
    way = np.concatenate([np.full(60, 50.0), 50 + 2.0 * np.arange(50), np.full(60, 150.0)])
    path = np.stack([way, np.full(len(way), 80.0)], axis=1)
    for noise in (0.0, 0.5, 3.0):
        sight, rests = guess_sight([path + noise * rng.standard_normal(path.shape)])
        assert sight.noise == pytest.approx(noise, rel=0.2)
        assert sight.pace == pytest.approx(2.0, rel=0.3)
        assert rests >= 60


def test_datasets_may_consist_of_tracks(place, tmp_path: Path) -> None:
    place(table("x", "y", rows=WALK), f"{SCENE}[track]\nnoise = 0\n", "1e.csv")
    place(table("x", "y", rows=[*WALK, *WALK[::-1]]), f"{SCENE}[track]\nnoise = 0\n", "1u.csv")
    (row, other) = evaluate(tmp_path).rows
    assert row.rating == hbtom.judge(tmp_path / "1e.csv").plausibility
    assert other.rating < row.rating
    (tmp_path / "scene.toml").rename(f"{tmp_path}.toml")
    elsewhere = find_pairs(tmp_path, scene=f"{tmp_path}.toml")
    assert [one.rating for one in evaluate(elsewhere).rows] == [row.rating, other.rating]


NUMBERED = [(at, *xy) for at, xy in enumerate(WALK)]
BAD = {
    "no columns": (table("a", "b", rows=WALK), "", "line 1: columns are missing: there is no x"),
    "no y": (table("x", "z", rows=WALK), "", "line 1: columns are missing: there is no y. Hint"),
    "no heading": (table("1", "2", rows=WALK), "", "line 1: columns are missing: there is no head"),
    "several": (
        table("id", "x", "y", rows=[(at % 2, *xy) for at, xy in enumerate(WALK)]),
        "",
        "there are 2 tracks: '0', '1'. Hint: say in the scene whom",
    ),
    "no such track": (table("x", "y", rows=WALK), '[agent]\ntrack = "m"', "there is no track 'm'"),
    "no such part": (table("x", "y", rows=WALK), '[agent]\npart = "m"', "no body part 'm'"),
    "order": (
        table("frame", "x", "y", rows=[*NUMBERED[:5], *NUMBERED[3:]]),
        "",
        "line 7, field 'frame': frame 3 follows 4",
    ),
    "twice": (
        table("frame", "x", "y", rows=[*NUMBERED[:5], *NUMBERED[4:]]),
        "",
        "line 7, field 'frame': frame 4 occurs twice",
    ),
    "huge gap": (table("frame", "x", "y", rows=[*NUMBERED, (10**9, 5, 5)]), "", "with its gaps"),
    "units": (table("x", "y", rows=WALK), '[track]\nunits = "furlong"', "the units are px"),
    "pixels": (table("x", "y", rows=WALK), '[track]\nunits = "cm"', "per_unit"),
    "outside": (
        table("x", "y", rows=[(9 * x, 9 * y) for x, y in WALK]),
        "",
        "track and scene do not fit: the track has x from 90 to 900",
    ),
    "cell": (
        table("x", "y", rows=[*WALK, (1, "a")]),
        "",
        "line 33, field 'y': 'a' is not a number",
    ),
    "cut off": (table("x", "y", rows=[*WALK, (1,)]), "", "line 33: there are 1 cells"),
    "frames": (
        table("x", "y", rows=WALK),
        "[[trials]]\nframes = [100, 200]",
        "trial 1, field 'frames': there are no frames 100 to 200",
    ),
    "misspelt": (table("x", "y", rows=WALK), "[agents]\n", "unknown field 'agents'"),
    "column": (table("x", "y", rows=WALK), '[track.columns]\nx = "z"', "there is no column 'z'"),
    "never": (table("x", "y", "likelihood", rows=[(1, 2, 0)] * 9), "", "the agent is never seen"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_message_with_a_place(place, case: str) -> None:
    rows, more, message = BAD[case]
    track = place(rows, SCENE + more)
    with pytest.raises(hbtom.BadInput) as caught:
        hbtom.load(track)
    assert message in str(caught.value)
    assert str(track.parent) in str(caught.value)


def test_a_track_needs_a_scene(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(table("x", "y", rows=WALK))
    with pytest.raises(hbtom.BadInput, match=r"a track needs a scene\. .*hbtom scene new"):
        hbtom.load(tmp_path / "a.csv")


def test_pickles_in_hdf5_files_cannot_run_code(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    table = np.zeros(3, [("index", "<i8"), ("values_block_0", "<f8", (2,))])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        node = file.create_dataset("df_with_missing/table", data=table)
        node.attrs["values_block_0_kind"] = np.bytes_(b"cos\nsystem\n(S'touch ran'\ntR.")
    (tmp_path / "scene.toml").write_text(SCENE)
    with pytest.raises(hbtom.BadInput, match=r"hold a (os|posix)\.system"):
        hbtom.load(tmp_path / "a.h5")
