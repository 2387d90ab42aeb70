"""``hbtom judge`` on good files: the table for people and the JSON for programs."""

from __future__ import annotations

import json
import math
import weakref
from pathlib import Path
from typing import Any

import pytest

import hbtom
from episodes import (
    ACORN,
    CLOVE,
    HEART,
    SPOON,
    Thing,
    border,
    episode,
    every_frame,
    key_trial,
    ring,
    simple_episode,
    to_thing,
    trial,
    walk,
    write,
)
from hbtom.judgement import account
from hbtom.show.words import explain

THREE = ["goal", "efficiency", "observation"]
ALL = [*THREE, "waste"]
HEART_HERE, SPOON_HERE = HEART.at(120, 60), SPOON.at(120, 140)


def goes_to(thing: Thing, who: Thing = CLOVE) -> Any:
    other = HEART_HERE if thing == SPOON_HERE else SPOON_HERE
    return to_thing(thing, others=[other], who=who)


def strict(text: str) -> Any:
    """Read JSON like a strict parser: no NaN, no duplicate names in an object."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


# The table


def test_the_table_says_how_plausible_each_file_is(run, good: Path) -> None:
    ran = run("judge", good)
    heading, numbers, words = ran.out.splitlines()
    assert ran.status == 0
    assert ran.err == ""
    assert heading.split()[:2] == ["file", "plausibility"]
    for word in ALL:
        assert word in heading
    assert numbers.split()[:2] == ["good.json", f"{hbtom.judge(good).plausibility:.3f}"]
    assert len(numbers.split()) == 6
    assert "heart.png, chosen 2 of 2 times" in words


def only(folder: Path, part: str) -> Path:
    """Write a model for which only one kind of surprise makes a trial implausible."""
    weights = {"goal": -11.81, "efficiency": -9.42, "observation": -3.0, "waste": -3.0}
    lines = [
        f"[classifier.{name}]\nweight = {weights[name] if name == part else 0.0}\nbias = 5.9"
        for name in ALL
    ]
    file = folder / f"{part}.toml"
    file.write_text("\n".join(['base = "default"', *lines]))
    return file


def test_the_table_says_which_goal_was_expected(run, tmp_path: Path) -> None:
    trials = [goes_to(HEART_HERE)] * 8 + [goes_to(SPOON_HERE)]
    file = write(tmp_path / "u.json", episode(*trials))
    for model in (only(tmp_path, "goal"), "default", "paper"):
        ran = run("judge", file, "--model", model)
        assert "expected heart.png, chosen 8 of 8 times; went to spoon.png" in ran.out


def test_the_table_says_that_an_agent_is_new(run, tmp_path: Path) -> None:
    trials = [goes_to(HEART_HERE)] * 8 + [goes_to(SPOON_HERE, who=ACORN)]
    file = write(tmp_path / "new.json", episode(*trials))
    assert "acorn.png was not seen before" in run("judge", file).out


def test_the_table_says_that_only_one_goal_was_reachable(run, tmp_path: Path) -> None:
    closed = to_thing(SPOON.at(70, 130), others=[HEART.at(130, 50)], walls=border() + ring(6, 2))
    file = write(tmp_path / "closed.json", episode(*[goes_to(HEART_HERE)] * 8, closed))
    assert "went to spoon.png, the only one it can reach" in run("judge", file).out


def test_the_table_says_that_a_detour_was_surprising(run, tmp_path: Path) -> None:
    lone = HEART.at(150, 100)
    straight = trial(walk((40, 100), (138, 100)), [lone])
    astray = trial(walk((40, 100), (60, 30), (90, 165), (140, 30), (150, 87)), [lone])
    file = write(tmp_path / "astray.json", episode(*[straight] * 8, astray))
    said = {part: run("judge", file, "--model", only(tmp_path, part)).out for part in ALL}
    assert "went to heart.png, about as efficiently as expected" in said["goal"]
    assert "went to heart.png less efficiently than expected" in said["efficiency"]
    assert "by a detour" in said["observation"]
    assert "by a detour" in said["waste"]


def test_the_trace_is_a_row_for_each_step(run, good: Path) -> None:
    ran = run("judge", good, "--trace")
    test = hbtom.judge(good).test
    heading, *rows = ran.out.split("test trial\n")[1].splitlines()
    assert "P(heart.png)" in heading
    assert "P(spoon.png)" in heading
    assert len(rows) == len(test) + 1
    assert rows[-1].split()[:3] == [
        str(len(test)),
        str(test.frame[-1] + 1),
        f"{test.goal[-1][0]:.3f}",
    ]


@pytest.mark.parametrize(
    "options", [(), ("--trace",), ("--format", "json"), ("--trace", "--format", "json")]
)
def test_only_one_judgement_is_kept_in_memory(
    run, good: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    alive: list[weakref.ref[hbtom.Judgement]] = []
    most = []

    def watched(*given: Any) -> hbtom.Judgement:
        most.append(sum(one() is not None for one in alive))
        judgement = hbtom.judge(*given)
        alive.append(weakref.ref(judgement))
        return judgement

    monkeypatch.setattr("hbtom.cli.judge.judge", watched)
    ran = run("judge", *[good] * 5, *options)
    assert ran.status == 0
    assert ran.out.count("good.json") == (10 if options == ("--trace",) else 5)
    assert most == [0, 1, 1, 1, 1]


# The JSON


def test_the_json_is_laid_out_as_one_list(run, good: Path) -> None:
    ran = run("judge", good, good, "--format", "json", "--trace")
    assert ran.out == json.dumps(json.loads(ran.out), indent=2) + "\n"


@pytest.mark.parametrize("model", ["default", "paper"])
def test_the_json_is_what_programs_rely_on(run, good: Path, tmp_path: Path, model: str) -> None:
    other = write(tmp_path / "key.json.gz", episode(key_trial(), key_trial()))
    ran = run("judge", other, good, "--format", "json", "--model", model)
    first, second = entries = strict(ran.out)
    assert ran.status == 0
    assert ran.err == ""
    assert [entry["file"] for entry in entries] == [str(other), str(good)]
    for file, entry in zip((other, good), (first, second), strict=True):
        judgement = hbtom.judge(file, model)
        assert entry["plausibility"] == judgement.plausibility
        assert entry["explanation"] == explain(account(judgement))
        kinds = ALL if model == "default" else THREE
        assert list(entry["parts"]) == list(entry["surprise"]) == kinds
        for name in kinds:
            assert entry["parts"][name] == getattr(judgement.parts, name)
            assert entry["surprise"][name] == getattr(judgement.surprise, name)
        assert entry["plausibility"] == pytest.approx(math.prod(entry["parts"].values()))
        assert "trace" not in entry


def test_the_json_says_which_model_was_used(run, good: Path) -> None:
    (entry,) = strict(run("judge", good, "--format", "json", "--model", "paper").out)
    fingerprint = hbtom.Model.preset("paper").fingerprint
    assert entry["model"] == {"name": "paper", "fingerprint": fingerprint}


def test_the_json_holds_the_warnings(run, tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", simple_episode(times=0))
    ran = run("judge", one, "--format", "json")
    (entry,) = strict(ran.out)
    (warning,) = entry["warnings"]
    assert "only one trial" in warning
    assert warning in ran.err


@pytest.mark.parametrize("model", ["default", "paper"])
def test_the_traced_json_holds_the_beliefs_of_every_step(run, tmp_path: Path, model: str) -> None:
    trials = [key_trial(), goes_to(HEART_HERE), goes_to(SPOON_HERE, who=ACORN), goes_to(SPOON_HERE)]
    file = write(tmp_path / "a.json", episode(*trials))
    (entry,) = strict(run("judge", file, "--format", "json", "--trace", "--model", model).out)
    judgement = hbtom.judge(file, model)
    assert [one["trial"] for one in entry["trace"]] == [1, 2, 3, 4]
    assert [one["agent"] for one in entry["trace"]] == ["clove.png"] * 2 + [
        "acorn.png",
        "clove.png",
    ]
    for one, posterior in zip(entry["trace"], judgement.posteriors, strict=True):
        assert len(one["steps"]) == len(posterior) + 1
        for number, step in enumerate(one["steps"]):
            assert step["frame"] == posterior.frame[number] + 1
            for name in ("goal", "efficiency", "preference"):
                shares = list(step[name].values())
                assert shares == getattr(posterior, name)[number].tolist()
                assert sum(shares) == pytest.approx(1)
            efficiencies = [float(value) for value in step["efficiency"]]
            assert efficiencies == pytest.approx(posterior.efficiencies.tolist())
        unlikely = [step["observation_surprise"] for step in one["steps"]]
        assert unlikely == [0, *(-posterior.log_likelihood).tolist()]
    assert list(entry["trace"][3]["steps"][0]["goal"]) == ["heart.png", "spoon.png"]


def test_the_trace_distinguishes_twins(run, tmp_path: Path) -> None:
    """Objects with the same look, or with a name like a twin's, stay distinct."""

    def twins(one: Any) -> None:
        places = [(65, 100), (100, 60), (100, 140), (150, 100)]
        names = ["a/o.png", "a/o.png", "a/o.png (2)", "b/o.png"]
        one["objects"] = [
            Thing(name, (1, 2, 3)).at(*place).entity()
            for name, place in zip(names, places, strict=True)
        ]

    file = write(tmp_path / "twins.json", every_frame(simple_episode(), twins))
    (entry,) = strict(run("judge", file, "--format", "json", "--trace").out)
    for one in entry["trace"]:
        assert len(one["reachable"]) == len(set(one["reachable"])) == 4
        for step in one["steps"]:
            assert len(step["goal"]) == len(step["preference"]) == 4
            assert sum(step["goal"].values()) == pytest.approx(1)
            assert sum(step["preference"].values()) == pytest.approx(1)


@pytest.mark.parametrize("grid", ["0.2, 0.2000000001", "9.99999999, 9.99999998", "0.2, 0.3"])
def test_the_trace_distinguishes_efficiencies_or_the_model_is_refused(
    run, good: Path, tmp_path: Path, grid: str
) -> None:
    model = tmp_path / "mine.toml"
    model.write_text(f'base = "default"\n[efficiency]\ntemperatures = [{grid}]\n')
    ran = run("judge", good, "--format", "json", "--trace", "--model", model)
    if ran.status == 1:
        assert "temperatures" in ran.err
        return
    for step in strict(ran.out)[0]["trace"][0]["steps"]:
        assert sum(step["efficiency"].values()) == pytest.approx(1)


def test_real_files_give_strict_json(run, real_files: list[Path]) -> None:
    ran = run("judge", *real_files, "--format", "json", "--trace")
    assert ran.status == 0
    assert ran.err == ""
    assert [entry["file"] for entry in strict(ran.out)] == [str(file) for file in real_files]


# Models


def test_a_model_may_be_a_file(run, good: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "default"\nname = "mine"\n[preference]\nconcentration = 30.0\n')
    (entry,) = strict(run("judge", good, "--format", "json", "--model", file).out)
    assert entry["model"]["name"] == "mine"
    assert entry["plausibility"] == hbtom.judge(good, file).plausibility
    assert entry["plausibility"] != hbtom.judge(good).plausibility


# Names that try to control the terminal

NASTY = "\x1b[2J\x1b[31m[bold red]<b>{x}%s\r\n\x07\u202e\x9b1m heart\u2028.png"


def nasty_episode() -> Any:
    def rename(one: Any) -> None:
        one["objects"][0][2] = one["agent"][2] = NASTY
        one["objects"][1][2] = "folder/spoon.png"

    return every_frame(simple_episode(times=0), rename)


@pytest.mark.parametrize("options", [(), ("--trace",)])
def test_names_cannot_control_the_terminal(run, tmp_path: Path, options) -> None:
    file = write(tmp_path / "\x1b[31mred\n.json", nasty_episode())
    ran = run("judge", file, *options)
    assert ran.status == 0
    for text in (ran.out, ran.err):
        assert all(letter.isprintable() for letter in text.replace("\n", ""))
    assert "[bold red]<b>{x}%s" in ran.out
    assert "?[31mred?.json" in ran.out
    assert len(ran.complaints) == 1


def test_names_are_escaped_in_json_and_read_back_unchanged(run, tmp_path: Path) -> None:
    file = write(tmp_path / "\x1b[31mred\n.json", nasty_episode())
    ran = run("judge", file, "--format", "json", "--trace")
    assert ran.out.isascii()
    assert all(letter.isprintable() for letter in ran.out.replace("\n", ""))
    (entry,) = strict(ran.out)
    assert entry["file"] == str(file)
    assert entry["trace"][0]["agent"] == NASTY


def test_a_message_about_a_nasty_file_is_one_harmless_line(run, tmp_path: Path) -> None:
    bad = nasty_episode()
    bad[0][0]["objects"][0][0] = [500, 500]
    ran = run("judge", write(tmp_path / "a\r\nb\x1b[2J.json", bad))
    assert ran.status == 1
    assert len(ran.complaints) == 1
    assert all(letter.isprintable() for letter in ran.complaints[0])


def test_a_file_name_that_is_not_text_is_judged(spawn, tmp_path: Path) -> None:
    name = bytes(tmp_path) + b"/\xff\xfe.json"
    try:
        with open(name, "wb") as file:
            file.write(json.dumps(simple_episode()).encode())
    except OSError:
        pytest.skip("this file system has names of text only")
    for options in ((), ("--format", "json")):
        ran = spawn("judge", name, *options)
        assert ran.status == 0
        assert ran.err == ""
        assert ran.out
