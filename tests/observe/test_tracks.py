"""Tracks: the output of trackers is judged like the episode that they saw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hbtom
import tracked
from hbtom.bench import evaluate
from hbtom.bench.dataset import find_pairs
from hbtom.judgement.pipeline import plan_trials
from hbtom.observe import same_trial
from hbtom.observe.tracks.points import Individual, Tracks
from hbtom.observe.tracks.scene_file import Columns
from hbtom.observe.tracks.scene_template import template
from hbtom.observe.tracks.track_reading import read_tracks
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
    planned = plan_trials(hbtom.Model.preset("default"), track)
    assert hbtom.judge(track, planned=planned).plausibility == judgement.plausibility


def test_all_kinds_of_deeplabcut_files_agree(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    episode = hbtom.load(EXAMPLE)
    tracked.scene(episode, tmp_path / "scene.toml")
    tracked.deeplabcut_csv(episode, tmp_path / "a.csv")
    tracked.deeplabcut_h5(episode, tmp_path / "a.h5")
    tracked.deeplabcut_fixed(episode, tmp_path / "b.h5")
    one = hbtom.load(tmp_path / "a.csv")
    for file in ("a.h5", "b.h5"):
        assert all(map(same_trial, one, hbtom.load(tmp_path / file)))
    lost = np.isnan(np.concatenate([trial.path[:, 0] for trial in one])).mean()
    assert lost == pytest.approx(tracked.LOST, abs=0.02)
    assert any("'centre' (1 of 2)" in note for note in one.notes)


@pytest.mark.parametrize("named", ["{},me,me", "{},,,me,me"], ids=["one path", "three columns"])
def test_labelled_pictures_are_not_a_track(place: Callable[..., Path], named: str) -> None:
    heading = [named.format(level) for level in ("scorer", "bodyparts", "coords")]
    heading[-1] = heading[-1].replace("me,me", "x,y")
    picture = "labeled-data/day/img0{}.png".replace("/", "/" if named == "{},me,me" else ",")
    rows = [f"{picture.format(at)},{10 + at},50" for at in range(12, 43, 10)]
    with pytest.raises(hbtom.BadInput, match="labelled pictures"):
        hbtom.load(place("\n".join([*heading, *rows])))


def test_labelled_pictures_in_hdf5_are_not_a_track(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    episode = hbtom.load(EXAMPLE)
    tracked.scene(episode, tmp_path / "scene.toml")
    path = tmp_path / "labelled.h5"
    tracked.deeplabcut_fixed(episode, path)
    with h5py.File(path, "a") as file:
        numbers = file["df_with_missing/axis1"][()]
        del file["df_with_missing/axis1"]  # in newer files, a name has three levels
    with pytest.raises(hbtom.BadInput, match="labelled pictures"):
        hbtom.load(path)
    with h5py.File(path, "a") as file:
        file["df_with_missing/axis1"] = np.array([b"labeled-data/%d.png" % at for at in numbers])
    with pytest.raises(hbtom.BadInput, match="labelled pictures"):
        hbtom.load(path)


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


@pytest.mark.parametrize("unit", ['units = "mm"', "per_unit = 10"])
def test_units_corner_and_direction_are_scaled_to_the_models_world(place, unit: str) -> None:
    cm = SCENE.replace("200, 100", "40, 20").replace("90, 0, 10, 40", "18, 12, 2, 8")
    cm = cm.replace("190, 90", "38, 2").replace("190, 10", "38, 18")
    scene = f'{cm}units = "cm"\ny = "up"\n[track]\n{unit}\n'
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


def test_rows_between_trials_belong_to_no_trial(place) -> None:
    rows = [(*xy, "a" if at < 9 else "b" if at > 20 else "") for at, xy in enumerate(WALK)]
    scene = f'{SCENE}[track.columns]\ntrial = "part"\n'
    episode = hbtom.load(place(table("x", "y", "part", rows=rows), scene))
    assert [len(trial.path) for trial in episode] == [9, 10]
    assert "left out: 12 rows without a trial" in episode.notes


def test_frames_shared_by_two_trials_are_reported(place) -> None:
    scene = f"{SCENE}[[trials]]\nframes = [0, 20]\n[[trials]]\nframes = [20, 30]\n"
    episode = hbtom.load(place(table("frame", "x", "y", rows=NUMBERED), scene))
    assert "trial 2 shares 1 frame with earlier trials" in episode.notes


def test_names_of_deeplabcut_may_contain_spaces(place) -> None:
    """Joined, the names of these two columns are the same."""
    heading = "scorer,n,n,n,n\nindividuals,a b,a b,a,a\nbodyparts,c,c,b c,b c\ncoords,x,y,x,y\n"
    rows = "".join(f"{at},0,0,{x},{y}\n" for at, (x, y) in enumerate(WALK))
    path = hbtom.load(place(heading + rows, f'{SCENE}[agent]\ntrack = "a"\n')).test.path
    assert path.tolist() == [list(map(float, one)) for one in WALK]


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


def test_saving_does_not_silently_lose_jitter(place, tmp_path: Path) -> None:
    rows = table("x", "y", rows=WALK)
    noisy = hbtom.load(place(rows, f"{SCENE}[track]\nnoise = 1\n"))
    with pytest.raises(hbtom.BadInput, match=r"jitter by 1 px.*noise = 0"):
        noisy.save(tmp_path / "a.json")
    hbtom.load(place(rows, f"{SCENE}[track]\nnoise = 0\n")).save(tmp_path / "a.json")
    assert hbtom.load(tmp_path / "a.json").test.path.tolist() == noisy.test.path.tolist()


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
        "there are 2 tracks: '0', '1'. Hint: say in the scene which one",
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
    "units": (table("x", "y", rows=WALK), '[track]\nunits = "furlong"', "one of px"),
    "pixels": (table("x", "y", rows=WALK), '[track]\nunits = "cm"', "per_unit"),
    "no number": (
        "scorer,n,n\nbodyparts,b,b\ncoords,x,y\n0,5,5\n,6,5\n",
        "",
        "line 5, field 'frame': the row has no number",
    ),
    "only a heading": (
        "scorer,n,n\nbodyparts,b,b\ncoords,x,y\n",
        "[[trials]]\nframes = [0, 3]",
        "there are no rows",
    ),
    "far apart": (
        table("frame", "x", "y", rows=[(-1e308, 5, 5), (1.7e308, 6, 5), (1.75e308, 7, 5)]),
        "",
        "line 3, field 'frame': frame 1.7e+308 is too far from -1e+308",
    ),
    "far away": (
        table("x", "y", rows=[(1e308, 5), (1e308, 6), (5, 5)]),
        '[track]\nunits = "cm"\nper_unit = 0.001',
        "track and scene do not fit",
    ),
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
    "one name": (
        table("x", "y", "agent_x", "agent_y", rows=[2 * xy for xy in WALK]),
        "",
        "two tracks",
    ),
    "no name": (
        table("id", "x", "y", rows=[("", *WALK[0]), *(("agent", *xy) for xy in WALK)]),
        "",
        "there are two tracks 'agent'",
    ),
    "name and frames": (
        table("frame", "x", "y", rows=NUMBERED),
        '[[trials]]\nname = "test"\nframes = [0, 3]',
        "trial 1, field 'trials': the trial is found by its frames, not by its name",
    ),
    "named twice": (
        table("x", "y", "part", rows=[(*xy, "a") for xy in WALK]),
        '[[trials]]\nname = "a"\n[[trials]]\nname = "a"\n[track.columns]\ntrial = "part"',
        "trial 'a' is in the scene twice",
    ),
    "wall": (table("x", "y", rows=WALK), "[[trials]]\nwalls = [[500, 5, 9, 9]]", "(500, 5) is out"),
    "columns": (
        "scorer,n,n\nbodyparts,b,b\ncoords,x,y\n0,5,5\n",
        '[track.columns]\nx = "x"',
        "the columns of DeepLabCut cannot be named",
    ),
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


@pytest.mark.parametrize("at", [(0, 0), (-60, -60)])
@pytest.mark.parametrize("scale", [0.002, 1.0])
def test_a_new_scene_holds_the_whole_track(place, at: tuple[int, int], scale: float) -> None:
    """This also holds in metres, or with the origin in the middle."""
    rows = table("x", "y", rows=[(scale * (x + at[0]), scale * (y + at[1])) for x, y in WALK])
    tracks = read_tracks(rows.encode(), ".csv", Columns())
    path = hbtom.load(place(rows, template(tracks))).test.path
    assert not np.isnan(path).any()
    assert path.max() > 180  # of 200 pixels


def test_a_track_needs_a_scene(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(table("x", "y", rows=WALK))
    with pytest.raises(hbtom.BadInput, match=r"a track needs a scene\. .*hbtom scene new"):
        hbtom.load(tmp_path / "a.csv")


def test_unsupported_compression_is_not_called_damage(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        kind = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        kind.set_chunk((1, 2, 1, 4))
        kind.set_filter(32001, h5py.h5z.FLAG_OPTIONAL)  # blosc, which h5py does not support
        space, number = h5py.h5s.create_simple((1, 2, 1, 4)), h5py.h5t.NATIVE_DOUBLE
        node = h5py.h5d.create(file.id, b"tracks", number, space, kind)
        node.write_direct_chunk((0, 0, 0, 0), b"packed")
    (tmp_path / "scene.toml").write_text(SCENE)
    with pytest.raises(hbtom.BadInput, match=r"compressed in a way .* Hint: export it as CSV"):
        hbtom.load(tmp_path / "a.h5")


def test_pickles_in_hdf5_files_cannot_run_code(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    table = np.zeros(3, [("index", "<i8"), ("values_block_0", "<f8", (2,))])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        node = file.create_dataset("df_with_missing/table", data=table)
        node.attrs["values_block_0_kind"] = np.bytes_(b"cos\nsystem\n(S'touch ran'\ntR.")
    (tmp_path / "scene.toml").write_text(SCENE)
    with pytest.raises(hbtom.BadInput, match="names of columns are not tuples of text"):
        hbtom.load(tmp_path / "a.h5")


def test_names_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    table = np.zeros(3, [("index", "<i8"), ("values_block_0", "<f8", (2,))])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        node = file.create_dataset("df_with_missing/table", data=table)
        node.attrs["values_block_0_kind"] = np.bytes_(b"(lp100000000\n.")
    (tmp_path / "scene.toml").write_text(SCENE)
    with pytest.raises(hbtom.BadInput, match="the names of columns are damaged"):
        hbtom.load(tmp_path / "a.h5")


SLEAP = ("track", "xy", "node", "frame")  # as SLEAP writes it


@pytest.mark.parametrize(
    "order",
    [SLEAP, ("frame", "track", "node", "xy"), ("node", "xy", "frame", "track")],
    ids=["matlab", "standard", "own"],
)
def test_sleap_names_its_dimensions(tmp_path: Path, order: tuple[str, ...]) -> None:
    """Two animals are two tracks, not x and y; scores are in the same order."""
    h5py = pytest.importorskip("h5py")
    way = np.array(WALK, dtype=float).T[None, :, None]  # [track, xy, node, frame]
    places = np.concatenate([way[:, :, :, ::-1], way])
    scores = np.where(np.arange(len(WALK)) == 4, 0.1, 0.9) * np.ones((2, 1, 1))
    inner, ours = [one for one in order if one != "xy"], [one for one in SLEAP if one != "xy"]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["tracks"] = places.transpose([SLEAP.index(one) for one in order])
        file["tracks"].attrs["dims"] = json.dumps(order)
        file["point_scores"] = scores.transpose([ours.index(one) for one in inner])
        file["track_names"] = np.array([b"one", b"two"])
    (tmp_path / "scene.toml").write_text(
        f'{SCENE}[agent]\ntrack = "two"\n[track]\nlikelihood = 0.5\n'
    )
    path = hbtom.load(tmp_path / "a.h5").test.path
    assert path[5:].tolist() == [list(map(float, one)) for one in WALK[5:]]
    assert np.flatnonzero(np.isnan(path[:, 0])).tolist() == [4]


def test_deeplabcuts_cutoff_is_not_sleaps(place, tmp_path: Path) -> None:
    """DeepLabCut does not draw points below 0.6; SLEAP's scores are not probabilities."""
    h5py = pytest.importorskip("h5py")
    sure = [0.59 if at == 4 else 0.6 for at in range(len(WALK))]
    rows = [(at, *xy, one) for at, (xy, one) in enumerate(zip(WALK, sure, strict=True))]
    heading = "scorer,net,net,net\nbodyparts,nose,nose,nose\n"
    path = hbtom.load(place(heading + table("coords", "x", "y", "likelihood", rows=rows))).test.path
    assert np.flatnonzero(np.isnan(path[:, 0])).tolist() == [4]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["tracks"] = np.array(WALK, dtype=float).T[None, :, None]
        file["point_scores"] = np.array(sure)[None, None]
    assert not np.isnan(hbtom.load(tmp_path / "a.h5").test.path).any()


@pytest.mark.parametrize(("column", "what"), [("time", "times"), ("frame", "frame numbers")])
def test_rows_at_uneven_intervals_are_warned_about(
    place: Callable[..., Path], column: str, what: str
) -> None:
    odd = table(column, "x", "y", rows=[(0, 10, 50), (1, 60, 60), ("1e18", 170, 90)])
    apart = f"{what} are between 1 and 1e+18 apart, but rows are taken to come at even intervals"
    assert apart in hbtom.load(place(odd)).test.warnings
    rows = [(0.9 * at if at == 5 else at, *xy) for at, xy in enumerate(WALK)]
    even = hbtom.load(place(table(column, "x", "y", rows=rows)))
    assert "intervals" not in "".join(even.test.warnings)


def test_complex_positions_in_hdf5_are_refused(place: Callable[..., Path], tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    place("")
    with h5py.File(tmp_path / "analysis.h5", "w") as file:
        file["tracks"] = np.ones((1, 2, 1, 5)) + 1j
        file["track_names"], file["node_names"] = [b"a"], [b"nose"]
    with pytest.raises(hbtom.BadInput, match="the numbers are complex"):
        hbtom.load(tmp_path / "analysis.h5")


def test_a_template_for_numbers_without_digits() -> None:
    rows = table("frame", "x", "y", rows=[(0, "5e-324", 50), (1, "5e-324", 60)])
    assert "size = [60, 60]" in template(read_tracks(rows.encode(), ".csv", Columns()))
    tracks = Tracks("any", {"a": Individual(np.array([np.nan]), {"": np.array([[1.0, 2.0, 1.0]])})})
    assert "frames = [0, 299]" in template(tracks)
