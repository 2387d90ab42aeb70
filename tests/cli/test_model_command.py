"""``hbtom model``."""

from __future__ import annotations

from pathlib import Path

import pytest

from hbtom import Model
from hbtom.model import presets


def test_the_list_has_every_preset_with_its_fingerprint(run) -> None:
    ran = run("model", "list")
    assert ran.status == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[:2] for row in rows] == [
        [name, Model.preset(name).fingerprint] for name in presets()
    ]
    assert {row[0] for row in rows} >= {"default", "paper"}


@pytest.mark.parametrize("name", presets())
def test_the_shown_text_is_the_model(run, name: str) -> None:
    ran = run("model", "show", name)
    assert ran.status == 0
    assert Model.from_toml(ran.out) == Model.preset(name)
    assert ran.out.startswith(f"# fingerprint {Model.preset(name).fingerprint}\n")


def test_the_default_is_shown_without_a_name(run) -> None:
    assert run("model", "show").out == run("model", "show", "default").out


def test_the_shown_text_can_be_saved_changed_and_used(run, good: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = run("model", "show", "paper").out
    file.write_text(
        text.replace('name = "paper"', 'name = "mine"').replace("cell = 10.0", "cell = 8.0")
    )
    shown = run("model", "show", file)
    assert shown.status == 0
    assert Model.from_toml(shown.out).motion.cell == 8
    assert run("judge", good, "--model", file).status == 0


def test_a_model_with_a_base_is_shown_whole(run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "default"\n[acts]\ncost = 3.0\n')
    shown = Model.from_toml(run("model", "show", file).out)
    assert shown.acts.cost == 3
    assert shown.efficiency == Model.preset("default").efficiency


def test_a_name_in_a_model_cannot_control_the_terminal(run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "default"\nname = "\\u001b[2J\\u007f\\u009b1m\\u202e"\n')
    ran = run("model", "show", file)
    assert all(letter.isprintable() for letter in ran.out.replace("\n", ""))
    assert Model.from_toml(ran.out).name == "\x1b[2J\x7f\x9b1m\u202e"


BAD = {
    "not there": (None, "no model"),
    "not TOML": ("[[", "not TOML"),
    "empty": ("", "name"),
    "unknown field": ('base = "default"\n[acts]\nspeed = 1.0\n', "speed"),
    "wrong value": ('base = "default"\n[acts]\ncost = "much"\n', "acts.cost"),
    "none of a few": (
        'base = "default"\n[social]\nsight = "far"\n',
        "'social.sight'. Hint: one of seen, all, memory",
    ),
    "none of two kinds": (
        'base = "default"\n[motion]\nkind = "hops"\n',
        "'motion.kind'. Hint: one of grid, continuous",
    ),
    "unknown base": ('base = "best"\n', "best"),
    "odd base": ('base = "a\\u0000b"\n', "preset"),
    "deep": ("a = " + "[" * 5000, "deep"),
}


@pytest.mark.parametrize("verb", [("model", "show"), ("judge", "a.json", "--model")])
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_model_ends_with_status_1(run, tmp_path: Path, verb, kind) -> None:
    text, word = BAD[kind]
    file = tmp_path / "mine.toml"
    if text is not None:
        file.write_text(text)
    ran = run(*verb, file)
    assert ran.status == 1
    assert ran.out == ""
    (line,) = ran.complaints
    assert line.startswith("hbtom: ")
    assert str(file) in line
    assert word in line


def test_a_model_that_is_not_text_ends_with_status_1(run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"name = '\xff\xfe'")
    for path in (file, tmp_path):
        ran = run("model", "show", path)
        assert ran.status == 1
        assert len(ran.complaints) == 1
        assert str(path) in ran.err


def test_an_unknown_preset_gets_the_presets_as_a_hint(run) -> None:
    ran = run("model", "show", "papre")
    assert ran.status == 1
    assert "papre" in ran.err
    for name in presets():
        assert name in ran.err
