"""Tracks on the command line."""

from __future__ import annotations

from pathlib import Path

from hbtom.observe.tracks.scene_file import read_scene

SCENE = """\
size = [200, 100]
objects = [{name = "food", at = [190, 90]}, {name = "nest", at = [190, 10]}]
"""


def test_a_new_scene_file_is_valid_and_replaces_nothing(run, tmp_path: Path) -> None:
    (tmp_path / "track.csv").write_text("frame,a_x,a_y,b_x,b_y\n1,2,3,40,50\n2,2,3,40,50\n")
    assert run("scene", "new", tmp_path / "track.csv", "-o", tmp_path / "new.toml").status == 0
    scene = read_scene(tmp_path / "new.toml")
    assert (scene.agent.track, scene.size) == ("a", (40, 50))
    again = run("scene", "new", "-o", tmp_path / "new.toml")
    assert again.status == 1
    assert "exists already" in again.err


def test_guesses_are_printed_and_pages_drawn(run, tmp_path: Path) -> None:
    track, scene = tmp_path / "track.csv", tmp_path / "somewhere.toml"
    track.write_text("x,y\n" + "".join(f"{10 + 3 * at},{50 + at}\n" for at in range(31)))
    scene.write_text(SCENE)
    ran = run("judge", track, "--scene", scene)
    assert ran.status == 0
    assert "positions are taken to be exact" in ran.err
    assert "stopped 71 px from food" in ran.out
    drawn = run("show", track, "--scene", scene, "-o", tmp_path / "page.html", "--no-open")
    assert drawn.status == 0
    assert "food" in (tmp_path / "page.html").read_text()


def test_a_scene_is_only_for_tracks(run, good: Path, tmp_path: Path) -> None:
    ran = run("judge", good, "--scene", tmp_path / "scene.toml")
    assert ran.status == 1
    assert "this is not a track" in ran.err
    ran = run("evaluate", good.parent, "--scene", tmp_path / "s.toml")
    assert (ran.status, "cannot have a scene" in ran.err) == (1, True)
