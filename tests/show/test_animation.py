"""Movies: every frame is there, and everything is where the file says."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import hbtom
from episodes import (
    CLOVE,
    HEART,
    HOME,
    KEY,
    LOCK,
    SPOON,
    Thing,
    episode,
    every_frame,
    key_trial,
    read,
    simple_episode,
    to_thing,
    trial,
    walk,
    write,
)
from hbtom.observe import Trial
from hbtom.show.plots.cast import BARRIER, BETWEEN, FLOOR, WALL
from hbtom.show.plots.glyphs import AGENTS, OBJECTS, TRIANGLE, mask, turned
from hbtom.show.plots.movie import LIFE, Pace, animate
from hbtom.show.plots.pixels import standing

Picture = np.ndarray  # rows, columns, red green blue


def pictures_of_gif(data: bytes, fps: float = LIFE) -> list[Picture]:
    """Return all pictures of a GIF, as often as they are shown."""
    found = []
    with Image.open(io.BytesIO(data)) as image:
        shown = 0.0
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            shown += image.info["duration"] / 1000
            picture = np.array(image.convert("RGB"))
            found += [picture] * (round(shown * fps) - len(found))
    return found


def box(picture: Picture, colour: tuple[int, ...], near: float = 0) -> tuple[int, ...] | None:
    """Return left, top, right and bottom of all pixels of a colour, or None if there are none."""
    far = np.abs(picture.astype(int) - np.array(colour)).max(axis=2)
    rows, columns = np.nonzero(far <= near)
    if not len(rows):
        return None
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def square(centre: Any, radius: float, scale: int) -> tuple[float, ...]:
    """Return the box around a thing, in pixels of the picture."""
    x, y = centre
    return tuple(scale * side for side in (x - radius, y - radius, x + radius, y + radius))


def share(picture: Picture, colour: tuple[int, int, int]) -> int:
    """Return how many pixels have a colour."""
    return int((picture == np.array(colour, dtype=np.uint8)).all(axis=2).sum())


def away(one: Any, other: Any) -> bool:
    """Return whether neither of two things hides a part of the other."""
    return float(np.hypot(*np.subtract(one, other))) > 24


# Places


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_agent_and_objects_are_where_the_file_says(scale: int) -> None:
    seen = read(simple_episode(times=0))
    pictures = pictures_of_gif(animate(seen, scale=scale))
    assert len(pictures) == len(seen.test.path)
    for picture, place in zip(pictures, seen.test.path, strict=True):
        assert picture.shape == (200 * scale, 200 * scale, 3)
        assert box(picture, CLOVE.colour) == square(place, 6, scale)
        for item in seen.test.objects:
            if away(item.centre, place):
                assert box(picture, item.look.colour) == square(item.centre, 9, scale)


def test_walls_and_floor_are_where_the_file_says() -> None:
    seen = read(simple_episode(times=0))
    picture = pictures_of_gif(animate(seen, scale=2))[0]
    expected = np.zeros((200, 200), dtype=bool)
    for x, y, width, height in seen.test.walls.astype(int):
        expected[y : y + height, x : x + width] = True
    drawn = (picture == np.array(WALL, dtype=np.uint8)).all(axis=2)
    assert np.array_equal(drawn, expected.repeat(2, axis=0).repeat(2, axis=1))
    assert share(picture, FLOOR) > 0.5 * drawn.size


def test_there_are_only_the_colours_of_things() -> None:
    """Nothing is antialiased."""
    seen = read(simple_episode(times=0))
    expected = {FLOOR, WALL, HOME.colour, HEART.colour, SPOON.colour, CLOVE.colour}
    for picture in pictures_of_gif(animate(seen, scale=2))[::6]:
        assert {tuple(colour) for colour in np.unique(picture.reshape(-1, 3), axis=0)} <= expected


def test_key_lock_and_barrier_come_and_go() -> None:
    seen = read(episode(key_trial()))
    one, scale = seen.test, 2
    pictures = pictures_of_gif(animate(seen, scale=scale))
    assert len(pictures) == len(one.path)
    whole = share(pictures[0], BARRIER)
    assert one.key_path is not None
    assert one.lock_there is not None
    for frame, picture in enumerate(pictures):
        assert box(picture, CLOVE.colour) == square(one.path[frame], 6, scale)
        lying = box(picture, KEY.colour)
        if np.isnan(one.key_path[frame]).any():
            assert lying is None
        elif away(one.key_path[frame], one.path[frame]):
            assert lying == square(one.key_path[frame], 8, scale)
        there = square(LOCK_PLACE, 10, scale) if one.lock_there[frame] else None
        if there is None or away(LOCK_PLACE, one.path[frame]):
            assert box(picture, LOCK.colour) == there
        if one.barrier_left[frame] in (0, 1):
            left = whole * one.barrier_left[frame]
            assert share(picture, BARRIER) == pytest.approx(left, rel=0.2)


LOCK_PLACE = (110, 110)


def test_the_barrier_shrinks_and_the_lock_vanishes_first() -> None:
    one = read(episode(key_trial())).test
    apart = replace(one, barrier=np.array([(100.0, y, 20, 20) for y in (20, 40, 60, 80)]))
    for left, stand in [(1, 4), (0.75, 3), (0.5, 2), (0.3, 1), (0.25, 1), (0.1, 0), (0, 0)]:
        now = standing(replace(apart, barrier_left=np.full(len(one.path), float(left))), 0)
        assert sorted(now[:, 1]) == [20, 40, 60, 80][:stand]


def test_a_thing_at_the_edge_is_clipped() -> None:
    corner = replace(HEART, radius=20).at(8, 196)
    seen = read(episode(trial([(100, 100)], [corner], walls=[])))
    picture = pictures_of_gif(animate(seen, scale=2))[0]
    left, _, _, bottom = box(picture, HEART.colour) or (None,) * 4
    assert (left, bottom) == (0, 400)
    assert picture.shape == (400, 400, 3)


def test_worlds_of_other_sizes_are_in_the_corner() -> None:
    def small(one: dict[str, Any]) -> None:
        one["size"], one["walls"] = [151, 121], []

    near = trial(walk((40, 60), (60, 60)), [HEART.at(80, 60)])
    seen = read(every_frame(episode(near), small))
    picture = pictures_of_gif(animate(seen, scale=1))[0]
    assert picture.shape == (122, 152, 3)  # made even
    assert box(picture, HEART.colour) == square((80, 60), 9, 1)
    both = read(episode(near, *every_frame(episode(near), small)))
    assert pictures_of_gif(animate(both, scale=1))[-1].shape == (200, 200, 3)


# Glyphs


@pytest.mark.parametrize("glyph", [*OBJECTS, *AGENTS, TRIANGLE, turned("triangle90.png")])
def test_a_glyph_touches_all_four_sides_of_its_square(glyph: np.ndarray) -> None:
    assert np.abs(glyph).max() == 1
    for side in range(12, 60):
        drawn = mask(glyph, side)
        assert drawn.shape == (side, side)
        assert drawn[0].any()
        assert drawn[-1].any()
        assert drawn[:, 0].any()
        assert drawn[:, -1].any()


def test_glyphs_are_distinguishable() -> None:
    for glyphs in (OBJECTS, AGENTS):
        drawn = [mask(glyph, 36) for glyph in glyphs]
        for index, one in enumerate(drawn):
            for other in drawn[index + 1 :]:
                assert (one != other).mean() > 0.1


def test_a_mask_matches_the_polygon() -> None:
    drawn = mask(AGENTS[0], 200)
    x, y = np.meshgrid(*[(np.arange(200) + 0.5) / 100 - 1] * 2)
    assert (drawn != (np.hypot(x, y) <= 1)).mean() < 0.01
    assert mask(OBJECTS[-1], 7).all()


def test_keys_and_locks_are_turned_as_their_images_say() -> None:
    tips = {"0": (0, -1), "90": (1, 0), "180": (0, 1), "270": (-1, 0)}
    for turn, tip in tips.items():
        for name in (f"./shapes/triangle{turn}.png", f"triangle_slot{turn}.png"):
            assert turned(name)[:2].mean(axis=0).tolist() == list(tip)
    assert turned("key.png").tolist() == TRIANGLE.tolist()


# Time


def test_between_trials_there_is_a_pause_of_one_colour() -> None:
    seen = read(simple_episode(times=2))
    pictures = pictures_of_gif(animate(seen, scale=1))
    pause = Pace().pause
    blank = [share(picture, BETWEEN) == 200 * 200 for picture in pictures]
    frames = len(seen.test.path)
    assert blank == [*([False] * frames + [True] * pause) * 2, *[False] * frames]


def test_only_some_trials(tmp_path: Path) -> None:
    seen = read(episode(*[to_thing(HEART.at(x, 100)) for x in (80, 100, 120)]))
    pictures = pictures_of_gif(animate(seen, scale=1, trials=[3, 1]))
    assert box(pictures[0], HEART.colour) == square((120, 100), 9, 1)
    assert box(pictures[-len(seen[0].path)], HEART.colour) == square((80, 100), 9, 1)
    assert len(pictures) == len(seen[2].path) + Pace().pause + len(seen[0].path)
    for wrong in (0, 4, -1):
        with pytest.raises(hbtom.BadInput, match=f"no trial {wrong}. Hint: the trials are 1 to 3"):
            animate(seen, trials=[1, wrong])
    with pytest.raises(hbtom.BadInput, match="no trial"):
        animate(seen, trials=[])


@pytest.mark.parametrize(
    ("fps", "speed", "frames"),
    [
        (25, 1, [*range(10)]),
        (25, 2, [0, 2, 4, 6, 8, 9]),
        (25, 3, [0, 3, 6, 9]),
        (50, 1, [frame for frame in range(10) for _ in range(2)]),
        (10, 1, [0, 2, 5, 7, 9]),
        (25, 100, [0, 9]),
    ],
)
def test_frames_are_left_out_or_repeated_to_keep_time(fps, speed, frames) -> None:
    assert Pace(fps, speed).shown(10) == frames
    assert Pace(fps, speed).shown(1)[-1] == 0


@pytest.mark.parametrize("fps", [25, 30, 12, 7.5])
def test_a_gif_keeps_time(fps: float) -> None:
    seen = read(simple_episode(times=2))
    pace = Pace(fps)
    pictures = 3 * len(pace.shown(len(seen.test.path))) + 2 * pace.pause
    with Image.open(io.BytesIO(animate(seen, scale=1, pace=pace))) as image:
        lasts = []
        for index in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(index)
            lasts.append(image.info["duration"])
        assert image.info["loop"] == 0
    assert min(lasts) >= 20
    assert sum(lasts) == pytest.approx(1000 * pictures / fps, abs=5.1)


def test_impossible_speeds_are_refused() -> None:
    seen = read(simple_episode(times=0))
    with pytest.raises(hbtom.BadInput, match="60 pictures per second"):
        animate(seen, pace=Pace(fps=60))
    for wrong in (Pace, lambda **how: Pace(**dict.fromkeys(how, -1))):
        with pytest.raises(hbtom.BadInput, match="greater than 0"):
            wrong(fps=0)
    with pytest.raises(hbtom.BadInput, match="gif, mp4"):
        animate(seen, "avi")


def test_the_same_movie_is_the_same_file() -> None:
    assert animate(read(simple_episode())) == animate(read(simple_episode()))


def test_progress_counts_the_pictures() -> None:
    seen = read(simple_episode())
    told: list[tuple[int, int]] = []
    animate(seen, scale=1, progress=lambda done, total: told.append((done, total)))
    total = sum(len(one.path) for one in seen) + 2 * Pace().pause
    assert told == [(number, total) for number in range(total + 1)]


def test_too_many_colours_are_refused() -> None:
    things = [Thing(f"{n}.png", (n, 10, 200)).at(100, 100) for n in range(140)]
    still = [trial([(40, 40)], things[n : n + 7], before=0, after=0) for n in range(0, 140, 7)]
    with pytest.raises(hbtom.BadInput, match="colours"):
        animate(read(episode(*still)), scale=1)


# MP4


def pictures_of_mp4(data: bytes, folder: Path) -> tuple[str, np.ndarray]:
    """Return what ffmpeg says about an MP4, and all its pictures."""
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    file = folder / "movie.mp4"
    file.write_bytes(data)
    raw = ("-v", "info", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    done = subprocess.run([ffmpeg.get_ffmpeg_exe(), *raw], capture_output=True, check=True)
    told = done.stderr.decode()
    width, height = map(int, re.findall(r"Video: h264.*?, (\d+)x(\d+)", told)[0])
    return told, np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width, 3)


def test_an_mp4_has_every_frame_with_everything_in_its_place(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    seen, scale = read(simple_episode(times=1)), 3
    data = animate(seen, "mp4", scale=scale)
    told, pictures = pictures_of_mp4(data, tmp_path)
    assert "yuv420p" in told  # all players support it
    assert f" {LIFE} fps" in told
    places = [*seen[0].path, *[None] * Pace().pause, *seen[1].path]
    assert len(pictures) == len(places)
    for picture, place in zip(pictures, places, strict=True):
        assert picture.shape == (200 * scale, 200 * scale, 3)
        if place is not None:
            assert box(picture, CLOVE.colour, near=60) == pytest.approx(
                square(place, 6, scale), abs=1
            )
        if place is not None and away(place, (65, 100)):
            assert box(picture, HEART.colour, near=60) == pytest.approx(
                square((65, 100), 9, scale), abs=1
            )
    assert data == animate(seen, "mp4", scale=scale)


def test_an_mp4_may_be_small_and_odd(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    seen = read(simple_episode(times=0))
    told, pictures = pictures_of_mp4(animate(seen, "mp4", scale=1, pace=Pace(60, 2)), tmp_path)
    assert " 60 fps" in told
    assert len(pictures) == len(Pace(60, 2).shown(len(seen.test.path)))
    assert pictures[0].shape == (200, 200, 3)


# Beliefs


def test_beliefs_are_shown_beside_the_world() -> None:
    judgement = hbtom.judge(read(simple_episode(times=1)))
    scale = 2
    pictures = pictures_of_gif(animate(judgement, scale=scale, trials=[2]))
    one = judgement.episode.test
    assert len(pictures) == len(one.path)
    blue, orange = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00)  # as in figures
    for picture, place in zip(pictures, one.path, strict=True):
        world, chart = picture[:, : 200 * scale], picture[:, 200 * scale :]
        assert box(world, CLOVE.colour) == square(place, 6, scale)
        if away(one.objects[0].centre, place):
            assert box(world, blue) == square(one.objects[0].centre, 9, scale)
        assert box(world, orange) == square(one.objects[1].centre, 9, scale)
        assert chart.shape[1] % 2 == 0
        assert chart.shape[1] > chart.shape[0]
    ends = [box(picture[60:, 200 * scale :], blue, near=40) for picture in pictures]
    rights = [end[2] for end in ends if end is not None]
    assert rights == sorted(rights)
    assert rights[-1] > rights[0] + 100  # the line grows
    assert not np.array_equal(pictures[0], pictures[1])  # even while nothing moves


def test_beliefs_can_be_shown_if_the_key_is_not_a_goal(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_text('base = "default"\n[preference]\nkeys = false')
    judgement = hbtom.judge(read(episode(key_trial(), key_trial())), file)
    assert pictures_of_gif(animate(judgement, scale=1, pace=Pace(speed=10)))


# The command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "good.json", simple_episode())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run ``hbtom`` in this process; return its status and output."""
    from hbtom.cli import main

    def ran(*words: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words], prog_name="hbtom")
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return ran


def test_the_command_writes_a_movie(run, file: Path) -> None:
    out = file.with_name("movie.gif")
    status, said, complaints = run("animate", file, "-o", out, "--size", 1, "--trials", "1-2, 3")
    assert (status, complaints) == (0, "")
    assert str(out) in said
    assert out.read_bytes() == animate(hbtom.load(file), scale=1)
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, out.name]
    how = ("--fps", 10, "--speed", 2, "--beliefs", "--model", "paper", "--overwrite")
    assert run("animate", file, "-o", out, "--size", 1, "--trials", 3, *how)[0] == 0
    expected = animate(hbtom.judge(file, "paper"), scale=1, trials=[3], pace=Pace(10, 2))
    assert out.read_bytes() == expected


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (("good.json", "-o", "movie.avi"), 1, "end the name in .gif or .mp4"),
        (("good.json", "-o", "old.gif"), 1, "--overwrite"),
        (("good.json", "-o", "nowhere/movie.gif"), 1, "no such folder"),
        (("nowhere.json", "-o", "movie.gif"), 1, "nowhere.json: there is no such file"),
        (("old.gif", "-o", "movie.gif"), 1, "old.gif"),
        (("good.json", "-o", "movie.gif", "--trials", "4"), 1, "the trials are 1 to 3"),
        (("good.json", "-o", "movie.gif", "--trials", "0"), 1, "the trials are 1 to 3"),
        (("good.json", "-o", "movie.gif", "--fps", "60"), 1, "the limit is 50"),
        (("good.json", "-o", "movie.gif", "--beliefs", "--model", "guess"), 1, "'guess'"),
        (("good.json", "-o", "movie.gif", "--trials", "a"), 2, "1-3,9"),
        (("good.json", "-o", "movie.gif", "--trials", "3-1"), 2, "1-3,9"),
        (("good.json", "-o", "movie.gif", "--trials", "1-99999999999"), 2, "1-3,9"),
        (("good.json", "-o", "movie.gif", "--size", "0"), 2, "--size"),
        (("good.json", "-o", "movie.gif", "--speed", "0"), 2, "--speed"),
        (("good.json",), 2, "--out"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_files_that_cannot_be_animated_are_reported_and_leave_nothing(
    run, file: Path, monkeypatch, words: tuple[str, ...], status: int, complaint: str
) -> None:
    monkeypatch.chdir(file.parent)
    Path("old.gif").write_text("[precious]")
    got, said, complaints = run("animate", *words)
    assert (got, said) == (status, "")
    assert complaint in complaints
    assert "Traceback" not in complaints
    assert sorted(path.name for path in file.parent.iterdir()) == ["good.json", "old.gif"]
    assert Path("old.gif").read_text() == "[precious]"


@pytest.mark.parametrize(
    ("library", "kind", "more", "extra"),
    [
        ("PIL", "gif", (), "plots"),
        ("imageio_ffmpeg", "mp4", (), "video"),
        ("matplotlib", "gif", ("--beliefs",), "plots"),
    ],
)
def test_a_missing_library_is_named(
    run, file: Path, monkeypatch, library: str, kind: str, more: tuple[str, ...], extra: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    out = file.with_name(f"movie.{kind}")
    status, _, complaints = run("animate", file, "-o", out, *more)
    assert status == 1
    assert f"'.[{extra}]'" in complaints
    assert not out.exists()


def test_a_plain_movie_needs_no_matplotlib(file: Path) -> None:
    code = (
        "import sys, hbtom\n"
        "from hbtom.show.plots.movie import animate\n"
        f"assert animate(hbtom.load({str(file)!r}), scale=1)\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_real_agents_are_where_they_should_be(real_files: list[Path]) -> None:
    seen = hbtom.load(real_files[0])
    pictures = pictures_of_gif(animate(seen, scale=1, trials=[1]))
    one: Trial = seen[0]
    assert len(pictures) == len(one.path)
    for picture, place in zip(pictures, one.path, strict=True):
        assert box(picture, one.agent.look.colour) == square(place, one.agent.radius, 1)
