"""Videos: things are read back where they were drawn."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from http.server import HTTPServer, SimpleHTTPRequestHandler
from itertools import product
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest

import hbtom
from episodes import (
    ACORN,
    BEHIND,
    CLOVE,
    HEART,
    SPOON,
    block,
    border,
    episode,
    key_trial,
    read,
    simple_episode,
    to_thing,
    trial,
    walk,
)
from films import AGENT, BALL, CUBE, Theatre, film
from hbtom.bench.synth import encode, episode_pair
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.observe import Episode, Trial, names
from hbtom.observe.video import casting, container
from hbtom.observe.video.camera import calibrate_camera
from hbtom.observe.video.colours import is_dark
from hbtom.observe.video.pictures import is_plain, pictures
from hbtom.observe.video.shapes import is_key, is_lock, regions
from hbtom.observe.video.viewing import watch_trials
from hbtom.show.plots.glyphs import AGENTS, OBJECTS, SQUARE, mask, turned
from hbtom.show.plots.movie import Pace, animate


def seen_again(shown: Episode, form: str = "gif", scale: int = 2, **how: object) -> Episode:
    """Return an episode as read back from its movie."""
    return hbtom.read(animate(shown, form, scale=scale, **how), "movie")


def area(blocks: np.ndarray) -> np.ndarray:
    """Return which pixels of the world blocks cover."""
    covered = np.zeros((200, 200), dtype=bool)
    for x, y, width, height in blocks.astype(int):
        covered[max(y, 0) : y + height, max(x, 0) : x + width] = True
    return covered


def assert_same(one: Trial, other: Trial, within: float = 0.0) -> None:
    """Check that two trials agree except for names; positions may be off by a few pixels."""
    assert len(one.path) == len(other.path)
    assert np.abs(one.path - other.path).max() <= within
    assert np.array_equal(area(one.walls), area(other.walls))
    assert np.array_equal(area(one.barrier), area(other.barrier))
    assert one.agent.radius == other.agent.radius
    things, others = (sorted((it.centre, it.radius) for it in t.objects) for t in (one, other))
    for (place, radius), (true, size) in zip(things, others, strict=True):
        assert np.abs(np.subtract(place, true)).max() <= within
        assert radius == size
    assert (one.key is None, one.lock is None) == (other.key is None, other.lock is None)
    if within == 0:
        assert one.marks == other.marks


# Flat movies, as hbtom animate draws them


@pytest.mark.parametrize(("form", "scale", "within"), [
    ("gif", 1, 0.0),
    ("gif", 2, 0.0),
    ("mp4", 1, 1.0),
    ("mp4", 3, 0.0),
])  # fmt: skip
def test_a_movie_is_read_back(form: str, scale: int, within: float) -> None:
    true = read(simple_episode(times=1))
    found = seen_again(true, form, scale)
    assert len(found) == len(true)
    for one, other in zip(found, true, strict=True):
        assert_same(one, other, within)
    if within == 0:
        assert hbtom.judge(found).plausibility == pytest.approx(hbtom.judge(true).plausibility)


def test_key_lock_and_barrier() -> None:
    true = read(episode(*[key_trial()] * 2))
    found = seen_again(true, "mp4", 2)
    for one, other in zip(found, true, strict=True):
        assert_same(one, other)
        assert one.key is not None
        assert one.lock is not None
        assert (one.key.centre, one.key.radius) == (other.key.centre, other.key.radius)
        assert (one.lock.centre, one.lock.radius) == (other.lock.centre, other.lock.radius)
        assert np.array_equal(one.key_path, other.key_path, equal_nan=True)
        assert np.array_equal(one.lock_there, other.lock_there)
        # Blocks of this barrier overlap: the visible area is not the sum of their areas.
        assert np.abs(one.barrier_left - other.barrier_left).max() < 0.2
    assert hbtom.judge(found).plausibility == pytest.approx(hbtom.judge(true).plausibility)


@pytest.mark.parametrize("task", [task.folder for task in EVALUATION_TASKS])
def test_all_tasks(task: str) -> None:
    script, _ = episode_pair(task, np.random.default_rng(7))
    true = hbtom.read(encode(script))
    found = seen_again(true, scale=1, trials=[1, 9], pace=Pace(speed=3.0))
    again = hbtom.read(json.dumps(_thinned(json.loads(encode(script)), Pace(speed=3.0))).encode())
    for one, other in zip(found, again, strict=True):
        assert np.array_equal(one.path, other.path)
        assert np.array_equal(area(one.walls), area(other.walls))
        assert sorted(body.centre for body in one.items) == sorted(
            body.centre for body in other.items
        )
        assert (one.lock is None) == (other.lock is None)
        for mark in ("first", "picked", "gone", "last"):
            assert getattr(one.marks, mark) == getattr(other.marks, mark)
    assert hbtom.judge(found).plausibility == pytest.approx(
        hbtom.judge(again).plausibility, abs=1e-6
    )


def _thinned(trials: list, pace: Pace) -> list:
    return [[one[frame] for frame in pace.shown(len(one))] for one in (trials[0], trials[8])]


def test_beliefs_beside_the_world_do_not_matter() -> None:
    true = read(episode(*[to_thing(HEART.at(65, 100), others=[SPOON.at(100, 60)])] * 2))
    found = hbtom.read(animate(hbtom.judge(true), "mp4", scale=2))
    for one, other in zip(found, true, strict=True):
        assert_same(one, other)


def test_things_are_recognised_across_trials() -> None:
    heart, spoon = HEART.at(65, 100), SPOON.at(100, 60)
    first = to_thing(heart, others=[spoon])
    true = read(
        episode(
            first,
            to_thing(spoon, others=[heart], who=ACORN),
            to_thing(SPOON.at(65, 100), others=[HEART.at(100, 60)]),
        )
    )
    found = seen_again(true)
    agents = [trial.agent.look for trial in found]
    assert agents[0] == agents[2] != agents[1]
    wants = [[body.look for body in trial.objects] for trial in found]
    assert wants[0] == wants[1] == wants[2]
    places = [{body.look: body.centre for body in trial.objects} for trial in found]
    assert places[0] == places[1]
    assert sorted(places[0].values()) == sorted(places[2].values())
    assert places[0] != places[2]
    assert names(wants[0]) == ["cyan object", "red object"]


def test_an_agent_may_have_the_colour_of_an_object() -> None:
    red = HEART.at(65, 100)
    true = read(
        episode(*[trial(walk((40, 100), (54, 100)), [red, SPOON.at(100, 60)], who=_red(CLOVE))] * 2)
    )
    found = seen_again(true, "mp4", 2)
    for one, other in zip(found, true, strict=True):
        assert_same(one, other)


def _red(thing):
    return type(thing)(thing.image, HEART.colour, thing.radius)


def test_trials_without_a_picture_between_them() -> None:
    far = to_thing(HEART.at(150, 60), others=[SPOON.at(100, 140)])
    true = read(episode(far, far, far))
    shown = pictures(animate(true, "gif", scale=2))
    trials = watch_trials(picture for picture in shown if not is_plain(picture))
    assert [len(one.sights) for one in trials] == [len(one.path) for one in true]


def test_the_world_may_be_a_part_of_the_picture(tmp_path: Path) -> None:
    true = read(simple_episode(times=1))
    shown = list(pictures(animate(true, "gif", scale=2)))
    padded = [np.pad(one, ((20, 40), (60, 20), (0, 0)), constant_values=255) for one in shown]
    found = hbtom.load(film(tmp_path / "padded.mp4", padded))
    for one, other in zip(found, true, strict=True):
        assert_same(one, other)


def test_an_agent_that_does_not_move_is_known_from_other_trials() -> None:
    walks = to_thing(HEART.at(65, 100), others=[SPOON.at(100, 60)])
    stays = trial([(40, 100)], [HEART.at(65, 100), SPOON.at(100, 60)])
    found = seen_again(read(episode(walks, stays)))
    assert found[1].agent.look == found[0].agent.look
    assert (found[1].path == (40, 100)).all()


def test_inner_walls() -> None:
    walls = [*border(), block(100, 100), block(100, 120), block(60, 40)]
    true = read(episode(to_thing(HEART.at(150, 60), walls=walls)))
    assert_same(seen_again(true, "mp4")[0], true[0])


# Scenes with depth


@pytest.mark.parametrize(
    "theatre",
    [
        Theatre(walls=[(3, 2), (5, 5), (5, 6)]),
        Theatre((290, -70, 150), (120, 85, 0), 640, 640, 480, walls=[(2, 6), (7, 7)]),
        Theatre((240, -40, 160), (130, 70, 0), 500, 720, 520),
    ],
)
def test_the_camera_and_the_scene_are_found(theatre: Theatre, tmp_path: Path) -> None:
    camera = calibrate_camera(is_dark(theatre.picture([])))
    places = np.array([*product((30.0, 100.0, 170.0), (30.0, 100.0, 170.0), (0.0, 20.0))])
    assert np.abs(camera.project(places) - theatre.seen(places)).max() < 1.5
    assert np.abs(camera.ground(np.array(theatre.seen(places[::2]))) - places[::2, :2]).max() < 1.5

    path = [(50.0, 90.0)] * 3 + [(50.0 + 4 * i, 90.0 - 1.5 * i) for i in range(1, 8)]
    ball, cube = (125.0, 75.0), (90.0, 150.0)
    one = [theatre.picture([(AGENT, at), (BALL, ball), (CUBE, cube)]) for at in path]
    found = hbtom.load(film(tmp_path / "film.mp4", [*one, one[-1], one[0] * 0, *one[1:], one[-1]]))
    assert len(found) == 2
    for each in found:
        cells = {(int(x) // 20, int(y) // 20) for x, y, *_ in each.walls}
        assert {cell for cell in cells if not {*cell} & {0, 9}} == set(theatre.walls)
        assert [str(body.look).split()[0] for body in each.objects] == ["blue", "green"]
        assert str(each.agent.look) == "red cylinder"
        for body, true in zip(each.objects, (cube, ball), strict=True):
            assert np.abs(np.subtract(body.centre, true)).max() < 1.5
        steps = each.path[::2]  # a step is two frames
        assert len(steps) == len(path)
        assert np.abs(steps - path).max() < 1.5
        assert each.marks.first == found[0].marks.first


SOME = (0, 1, 8)  # of the nine trials of a real video, for speed


@dataclass(frozen=True)
class Seen:
    """Some trials of a real video: as an episode, as pictures, and as the truth."""

    found: Episode
    watched: list[Any]
    starts: list[int]  # the steps at which they start
    true: Episode
    scene: Path


@pytest.fixture(scope="module")
def real_videos(real_scenes: Path) -> list[Seen]:
    files = sorted(real_scenes.glob("*.mp4"))
    if not files:
        pytest.skip("no real videos beside the repository, in ../shared/data/mcs")
    return list(map(_seen, files))


def _seen(file: Path) -> Seen:
    trial, shown, starts = 0, [], {}
    for step, picture in enumerate(pictures(file.read_bytes())):
        trial += (plain := is_plain(picture))  # the first picture of each later trial is plain
        if trial in SOME:
            shown.append(picture)
            if not plain:
                starts.setdefault(trial, step)
    assert trial == 8
    watched, scene = watch_trials(iter(shown)), file.with_suffix(".json")
    whole = hbtom.load(scene)
    true = replace(whole, trials=tuple(whole[number] for number in SOME))
    return Seen(_read(watched, file.name), watched, list(starts.values()), true, scene)


def _read(watched: list, name: str) -> Episode:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(casting, "watch_trials", lambda _: watched)
        return casting.read(b"", name)


def _shown(scene: Path, prefix: str) -> list[dict]:
    things = json.loads(scene.read_text())["objects"]
    return next(thing for thing in things if thing["id"].startswith(prefix))["shows"]


def _true_place(shows: Sequence[dict], step: int) -> tuple[float, float]:
    """Return where a thing is at a step according to the scene file, without hbtom's reader."""
    last = [show for show in shows if show["stepBegin"] <= step][-1]["position"]
    return (last["x"] + 2.5) / 0.025, (last["z"] + 2.5) / 0.025


def test_real_videos_show_the_agent_where_their_scenes_say(real_videos) -> None:
    for video in real_videos:
        shows, gaps = _shown(video.scene, "agent"), []
        for each, seen, start in zip(video.watched, video.found, video.starts, strict=True):
            number = next(
                index
                for index, thing in enumerate(each.scene.movable)
                if "red" in str(seen.agent.look) and thing.value.argmax() == 0 > thing.value[2] - 90
            )
            for step, place in enumerate(each.path(number), start):
                gaps.append(np.hypot(*np.subtract(place, _true_place(shows, step))))
        assert max(gaps) < 3.0
        assert np.mean(gaps) < 1.0


def test_real_videos_show_walls_and_objects_where_their_scenes_say(real_videos) -> None:
    for video in real_videos:
        for one, other in zip(video.found, video.true, strict=True):
            assert np.array_equal(area(one.walls), area(other.walls))
            assert len(one.path) == len(other.path)
            assert {str(body.look).split()[-1] for body in one.objects} == {"ball", "cube"}
            for body in other.objects:
                near = min(np.hypot(*np.subtract(body.centre, it.centre)) for it in one.objects)
                assert near < 3.0


@pytest.mark.parametrize("model", ["default", "paper"])
def test_real_videos_are_judged_like_their_scenes(real_videos, model: str) -> None:
    judged = [
        [hbtom.judge(one, model).plausibility for one in (video.found, video.true)]
        for video in real_videos
    ]
    for video, scene in judged:
        assert video == pytest.approx(scene, abs=0.01)
    (expected, _), (unexpected, _) = judged
    assert expected > unexpected + 0.5


# Parts


@pytest.mark.parametrize("seed", range(4))
def test_regions_match_a_flood_fill(seed: int) -> None:
    mask = np.random.default_rng(seed).random((30, 40)) < 0.55
    found = [{(int(x), int(y)) for x, y in region} for region in regions(mask)]
    assert sum(map(len, found)) == mask.sum()
    for region in found:
        x, y = min(region)
        assert region == _flood(mask, x, y)


def _flood(mask: np.ndarray, x: int, y: int) -> set[tuple[int, int]]:
    reached, edge = {(x, y)}, [(x, y)]
    while edge:
        x, y = edge.pop()
        for place in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= place[0] < mask.shape[1] and 0 <= place[1] < mask.shape[0]
            if inside and mask[place[1], place[0]] and place not in reached:
                reached.add(place)
                edge.append(place)
    return reached


@pytest.mark.parametrize("side", [16, 20, 36, 64])
def test_key_and_lock_are_distinguished_by_shape(side: int) -> None:
    for glyph in (*OBJECTS, *AGENTS):
        assert not is_key(mask(glyph, side))
        assert not is_lock(mask(glyph, side))
    for turn in (0, 90, 180, 270):
        triangle = turned(f"triangle{turn}.png")
        lock, slot = mask(SQUARE, side), round(0.6 * side)
        start = (side - slot) // 2
        lock[start : start + slot, start : start + slot] &= ~mask(triangle, slot)
        assert is_key(mask(triangle, side))
        assert not is_lock(mask(triangle, side))
        assert is_lock(lock)
        assert not is_key(lock)


# Other videos


def test_missing_things_are_reported(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    noise = [random.integers(0, 255, (120, 160, 3), dtype=np.uint8) for _ in range(6)]
    white = [np.full((120, 160, 3), 255, dtype=np.uint8)] * 6
    still = [Theatre(columns=300, rows=200, focus=260).picture([(CUBE, (90.0, 150.0))])] * 6
    for shown, words in (
        (noise, "the floor cannot be found"),
        (white, "no trial is seen"),
        (still, "no agent is seen"),
    ):
        file = film(tmp_path / "film.mp4", shown)
        with pytest.raises(hbtom.BadInput, match=words) as caught:
            hbtom.load(file)
        assert str(file) in str(caught.value)
        assert caught.value.hint


@pytest.mark.parametrize("form", ["gif", "mp4"])
@pytest.mark.parametrize("part", [0.05, 0.5, 0.9])
def test_a_truncated_video(form: str, part: float) -> None:
    data = some_movie(form)
    with pytest.raises(hbtom.BadInput, match="broken or cut off"):
        hbtom.read(data[: int(part * len(data))])


@cache
def some_movie(form: str) -> bytes:
    return animate(read(simple_episode(times=1)), form, scale=2)


@pytest.mark.parametrize("side", [2001, 12_000, 65_535])
def test_pictures_that_are_too_large(side: int) -> None:
    size = side.to_bytes(2, "little") * 2
    pixel = b"\x2c" + bytes(4) + b"\1\0\1\0\0" + b"\2\2\x44\1\0"
    bomb = b"GIF89a" + size + b"\x80\0\0" + b"\xff\xff\xff\0\0\0" + pixel + b";"
    with pytest.raises(hbtom.BadInput, match=f"{side} x {side} pixels"):
        hbtom.read(bomb)


def test_a_video_with_too_much_to_see(monkeypatch: pytest.MonkeyPatch) -> None:
    data = animate(read(simple_episode(times=0)), "gif", scale=1)
    monkeypatch.setattr("hbtom.observe.video.pictures.MOST", 10 * 200 * 200)
    monkeypatch.setattr(casting, "watch_trials", lambda shown: [None for _ in shown])
    with pytest.raises(hbtom.BadInput, match="more than 0 million pixels"):
        hbtom.read(data)


def test_a_video_with_too_many_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    data = animate(read(simple_episode(times=0)), "gif", scale=1)
    monkeypatch.setattr("hbtom.observe.video.pictures.MOST_PICTURES", 10)
    shown = pictures(data)
    assert len([next(shown) for _ in range(10)]) == 10
    with pytest.raises(hbtom.BadInput, match="more than 10 pictures"):
        next(shown)


def repacked(file: Path, target: Path, *how: str) -> Path:
    """Write a video again, with sound."""
    sound = ["-f", "lavfi", "-i", "sine=duration=1"]
    program = imageio_ffmpeg.get_ffmpeg_exe()
    command = [program, "-v", "error", "-i", str(file), *sound, *how, str(target)]
    subprocess.run(command, check=True, timeout=60)
    return target


@pytest.mark.parametrize("sound", ["ac3", "flac", "pcm_s16le", "aac"])
def test_sound_does_not_matter(sound: str, tmp_path: Path) -> None:
    silent = tmp_path / "silent.mp4"
    silent.write_bytes(animate(read(simple_episode(times=0)), "mp4", scale=1))
    how = ["-c:v", "copy", "-c:a", sound, "-f", "mov" if sound.startswith("pcm") else "mp4"]
    loud = repacked(silent, tmp_path / "loud.mp4", *how)
    before, after = (list(pictures(file.read_bytes())) for file in (silent, loud))
    assert np.array_equal(before, after)


def test_another_codec_is_refused(tmp_path: Path) -> None:
    still = np.zeros((200, 200, 3), dtype=np.uint8)
    file = film(tmp_path / "usual.mp4", [still])
    other = repacked(file, tmp_path / "other.mp4", "-c:v", "mjpeg")
    with pytest.raises(hbtom.BadInput, match=r"uses a codec that cannot be read \(mjpeg\)"):
        hbtom.load(other)


def test_a_picture_of_3900_x_1000_is_refused(tmp_path: Path) -> None:
    still = np.zeros((1000, 3900, 3), dtype=np.uint8)
    with pytest.raises(hbtom.BadInput, match=r"39\d\d x 1\d\d\d pixels"):
        hbtom.load(film(tmp_path / "large.mp4", [still]))


# What ffmpeg must not do


def manifest(address: str) -> bytes:
    """Return a streaming playlist that looks a little like MP4."""
    return f"""<!--ftypjp2 --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"
        mediaPresentationDuration="PT1S" minBufferTime="PT1S"
        profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period>
        <AdaptationSet mimeType="video/mp4">
        <Representation id="1" bandwidth="1" width="10" height="10">
        <BaseURL>{address}</BaseURL></Representation></AdaptationSet></Period></MPD>""".encode()


@pytest.mark.parametrize("name", ["a.json", "a.mp4", "a"])
def test_a_playlist_is_not_a_video(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(manifest("video.mp4"))
    with pytest.raises(hbtom.BadInput, match=r"not JSON|name of a video"):
        hbtom.load(tmp_path / name)


@pytest.mark.parametrize("kind", ["mov", "matroska", "gif"])
def test_ffmpeg_opens_neither_addresses_nor_other_files(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is mistaken for a video is decoded only as a video."""
    other = tmp_path / "other.mp4"
    other.write_bytes(animate(read(simple_episode(times=0)), "mp4", scale=1))
    monkeypatch.setattr("hbtom.observe.video.pictures.container", lambda data: kind)
    monkeypatch.setattr("hbtom.observe.video.pictures._GIF_END", b">")
    asked: list[str] = []

    class Listening(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for address in (f"http://127.0.0.1:{server.server_port}/a.mp4", f"file:{other}"):
            with pytest.raises(hbtom.BadInput, match="broken"):
                list(pictures(manifest(address)))
        server.shutdown()
    assert asked == []


@pytest.mark.parametrize("end", [b"\0\0\0\x08ftyp", b"\xff\xff\xff\xffftypisom", b"1234ftypisom"])
def test_a_file_without_a_leading_box_is_not_mp4(end: bytes) -> None:
    assert container(end) is None


def test_junk_that_begins_like_a_video() -> None:
    for data in (b"GIF89a;", b"\0\0\0\x20ftypisom" + bytes(60), b"\x1a\x45\xdf\xa3" + bytes(60)):
        with pytest.raises(hbtom.BadInput, match="broken or cut off"):
            hbtom.read(data)


def test_without_the_library_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = animate(read(simple_episode(times=0)), "gif", scale=1)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(hbtom.BadInput, match=r"extra 'video'"):
        hbtom.read(data)


def test_the_barrier_is_found_by_its_length_or_colour() -> None:
    true = read(episode(key_trial(goal=BEHIND)))
    found = seen_again(true, "mp4", 2)[0]
    assert [str(body.look) for body in found.objects] == ["red object"]
    assert found.marks.gone == true[0].marks.gone
