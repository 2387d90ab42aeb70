"""``hbtom recognise``: what it prints and writes, and its error messages."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import hbtom
from errands import FILES, TOWN, pack, unpack
from hbtom.bench.recognition_rows import decode
from hbtom.errors import BadInput
from hbtom.judgement.recognising import ENGINES, RecognitionOptions, recognise
from hbtom.world.pddl.recognition_problem import read_posed

pytest.importorskip("highspy")
SHARED = Path(__file__).parents[3] / "shared" / "data" / "gpr"


@pytest.fixture
def found(run) -> Callable[..., dict]:
    """Run ``hbtom recognise --format json`` and return its output."""

    def values(*words: str | Path, status: int = 0) -> dict:
        ran = run("recognise", *words, "--format", "json")
        assert ran.status == status, ran.err
        return json.loads(ran.out)

    return values


def dataset(folder: Path) -> Path:
    """Make three problems of two domains, one of them with wrong observations."""
    pack(folder / "town" / "50" / "one.tar.bz2")
    pack(folder / "town" / "100" / "two.tar.bz2", {"real_hyp.dat": "(have bread)"})
    pack(folder / "town-noisy" / "50" / "three.tar.bz2", {"obs.dat": "(go home bakery)\n(sleep)"})
    (folder / "town" / "README").write_text("not a problem")
    return folder


def test_all_problems_of_a_folder_are_counted(run, found, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "set")
    table = run("recognise", folder)
    assert table.status == 0
    assert [line.split()[:3] for line in table.out.splitlines() if line][1:6] == [
        ["town", "2", "50.0"],
        ["town-noisy", "1", "0.0"],
        ["clean", "2", "50.0"],
        ["noisy", "1", "0.0"],
        ["all", "3", "33.3"],
    ]
    values = found(folder)
    assert [one["observed"] for one in values["cells"]] == ["50 %", "100 %", "50 %, noisy"]
    first = values["problems"][1]
    assert first["problem"].endswith(os.path.join("town", "50", "one.tar.bz2"))
    assert first["true"] == 1
    assert first["best"] == [1]
    assert sum(first["posterior"]) == pytest.approx(1)
    assert (first["engine"], first["approximate"]) == ("exact", False)


@pytest.mark.parametrize("engine", [None, *ENGINES])
def test_every_engine_gives_the_same_kind_of_answer(engine, found, tmp_path: Path) -> None:
    folder = unpack(tmp_path / "one", {"obs.dat": "(go home mill)\n(go mill shop)"})
    more = () if engine is None else ("--engine", engine)
    (answer,) = found(folder, "--whole", *more)["problems"]
    assert answer["engine"] == (engine or "exact")
    assert answer["approximate"] == (engine == "counting")
    assert answer["best"] == [1]
    assert len(answer["posterior"]) == 3


@pytest.mark.parametrize("engine", ["exact", "counting"])
def test_beliefs_after_every_observation(engine: str, found, run, tmp_path: Path) -> None:
    folder = unpack(tmp_path / "one")
    (answer,) = found(folder, "--trace", "--engine", engine)["problems"]
    steps = answer["trace"]
    assert [step["observed"] for step in steps] == ["", "(go home mill)", "(go mill shop)"]
    assert steps[0]["posterior"] == pytest.approx([1 / 3] * 3)
    assert steps[1]["posterior"][0] < 0.2
    assert steps[-1]["posterior"] == pytest.approx(answer["posterior"])
    (once,) = found(folder, "--engine", engine)["problems"]
    assert once["posterior"] == pytest.approx(answer["posterior"], abs=1e-6)
    assert "(go mill shop)" in run("recognise", folder, "--trace").out


def test_a_large_problem_is_counted_unless_more_states_are_allowed(found, tmp_path: Path) -> None:
    folder = unpack(tmp_path / "one")
    assert found(folder, "--states", "5")["problems"][0]["engine"] == "counting"
    assert found(folder, "--states", "500")["problems"][0]["engine"] == "exact"


def test_files_may_be_named_one_by_one(run, found, tmp_path: Path) -> None:
    folder = unpack(tmp_path / "one", {"hyps.dat": "soap: (have soap)\nbread: (have bread)"})
    names = ("domain.pddl", "template.pddl", "hyps.dat", "obs.dat")
    options = ("--domain", "--problem", "--goals", "--observations")
    words = [
        word
        for option, name in zip(options, names, strict=True)
        for word in (option, folder / name)
    ]
    (answer,) = found(*words)["problems"]
    assert answer["goals"] == ["soap", "bread"]
    assert answer["true"] is None
    assert "soap" in run("recognise", *words).out
    assert run("recognise", *words[:-2]).status == 2
    assert run("recognise", *words, folder).status == 2


def test_observed_facts_and_marked_gaps(found, tmp_path: Path) -> None:
    text = "(go home mill)\n...\n... => (at shop)"
    folder = unpack(tmp_path / "one", {"obs.dat": text})
    for engine in ("exact", "counting"):
        (answer,) = found(folder, "--engine", engine)["problems"]
        assert answer["best"] == [1]


def test_wrong_observations_are_tolerated(found, tmp_path: Path) -> None:
    seen = "(go home mill)\n(sleep)\n(go mill shop)\n(buy soap shop)"
    folder = unpack(tmp_path / "one", {"obs.dat": seen})
    for engine in ("exact", "counting"):
        assert found(folder, "--engine", engine)["problems"][0]["best"] == [1]
    ran = found(folder, "--whole", "--wrong", "0", "--engine", "exact", status=1)
    assert ran["problems"] == []
    assert "step 2, (sleep), is impossible after the steps before it" in ran["left_out"][0]["why"]


def test_what_is_learnt_about_an_agent_carries_over(found, tmp_path: Path) -> None:
    clear = {"obs.dat": "(go home bakery)\n(buy bread bakery)"}
    unclear = {"obs.dat": "(sleep)\n(wake)"}
    paths = [unpack(tmp_path / name, clear) for name in "abc"] + [unpack(tmp_path / "d", unclear)]
    alone = found(*paths)["problems"][-1]
    after = found(*paths, "--same-agent")["problems"][-1]
    assert after["posterior"][0] > alone["posterior"][0] + 0.2  # it has wanted bread three times
    assert after["efficiency"] > alone["efficiency"]


def test_unknown_observations_are_left_out_and_reported(run, found, tmp_path: Path) -> None:
    folder = unpack(tmp_path / "one", {"obs.dat": "(fly home)\n(go home mill)\n(go mill shop)"})
    ran = run("recognise", folder)
    assert ran.status == 0
    assert "warning" in ran.err
    assert "1 observation left out" in ran.err
    strict = run("recognise", folder, "--strict")
    assert strict.status == 1
    assert "obs.dat: line 1: there is no action 'fly'" in strict.err


BAD = {
    "the archive has no hyps.dat": {"hyps.dat": None},
    "hyps.dat: line 1: there is no predicate 'has'": {"hyps.dat": "(has bread)"},
    "obs.dat: nothing was observed": {"obs.dat": ""},
    "no goal can be reached": {"hyps.dat": "(have home)\n(have mill)"},
    "domain.pddl: line 1": {"domain.pddl": "(define)"},
}


@pytest.mark.parametrize("why", BAD)
def test_a_bad_problem_is_reported_and_the_others_are_answered(
    why: str, run, tmp_path: Path
) -> None:
    pack(tmp_path / "set" / "good.tar.bz2")
    bad = pack(tmp_path / "set" / "bad.tar.bz2", BAD[why])
    ran = run("recognise", tmp_path / "set", "--format", "json")
    assert ran.status == 1
    (line,) = ran.complaints
    assert str(bad) in line
    assert why in line
    assert len(json.loads(ran.out)["problems"]) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_unreachable_goals_are_reported(engine) -> None:
    files = {**FILES, "hyps.dat": "(have soap)\n(have home)", "obs.dat": "(go home mill)"}
    found = recognise(read_posed(files, whole=True), how=RecognitionOptions(engine))
    assert found.probability == pytest.approx([1, 0])
    assert "1 goal cannot be reached, such as (have home)" in found.warnings


def test_a_bug_in_hbtom_spoils_only_one_problem(run, tmp_path: Path, monkeypatch) -> None:
    from hbtom.bench import recognition

    right = recognition.recognise

    def fails_once(posed, *rest):
        return right(posed, *rest) if "good" in posed.name else len(posed.no_such_name)

    monkeypatch.setattr(recognition, "recognise", fails_once)
    folder = tmp_path / "set"
    pack(folder / "bad.tar.bz2")
    pack(folder / "good.tar.bz2")
    ran = run("recognise", folder, "--format", "json", "--workers", "1")
    assert ran.status == 1
    assert "bad.tar.bz2: hbtom fails on this problem" in ran.err
    assert len(json.loads(ran.out)["problems"]) == 1


def test_files_that_are_not_problems(run, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"hbtom\.load_posed"):
        hbtom.recognise("problem.tar.bz2")
    (tmp_path / "empty").mkdir()
    broken = tmp_path / "broken.tar.bz2"
    broken.write_bytes(b"BZh9 nothing")
    empty = tmp_path / "empty"
    for path, why in ((empty, "there are no problems"), (broken, "not a whole archive")):
        ran = run("recognise", path)
        assert ran.status == 1
        assert len(ran.complaints) == 1
        assert why in ran.err
    assert "no such file" in run("recognise", tmp_path / "nowhere").err


def test_an_interrupted_run_is_resumed(run, tmp_path: Path) -> None:
    folder, out = dataset(tmp_path / "set"), tmp_path / "answers.jsonl"
    assert run("recognise", folder, "--out", out).status == 0
    lines = out.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    out.write_text("".join(lines[:2]) + lines[2][:20])  # the last line is torn
    assert run("recognise", folder, "--out", out).status == 1
    assert run("recognise", folder, "--out", out, "--resume").status == 0
    again = out.read_text().splitlines(keepends=True)
    assert again[:2] == lines[:2]  # to the last digit, so these were not solved again
    assert json.loads(again[2])["problem"] == json.loads(lines[2])["problem"]
    other = run("recognise", folder, "--out", out, "--resume", "--engine", "counting")
    assert other.status == 1
    assert "another model, version or engine" in other.err
    assert run("recognise", folder, "--out", out, "--overwrite", "--wrong", "0.1").status == 0
    assert json.loads(out.read_text().splitlines()[0])["by"]["wrong"] == 0.1


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "parquet"])
def test_results_of_any_kind_are_written_whole_and_resumed(kind: str, run, tmp_path: Path) -> None:
    folder, out = dataset(tmp_path / "set"), tmp_path / f"answers.{kind}"
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    words = ("recognise", folder, "--trace", "--peers", "--out", out)
    assert run(*words).status == 0
    lines = decode(out.read_bytes(), out.suffix)
    assert [line["true"] for line in lines] == [0, 1, 1]
    assert lines[1]["goals"][0] == "(have bread)"
    assert lines[1]["trace"][1]["observed"] == "(go home mill)"
    assert (lines[1]["domain"], lines[1]["observed"]) == ("town", 50)
    pack(folder / "town" / "50" / "one.tar.bz2", {"obs.dat": "(sleep)"})
    assert run(*words, "--resume").status == 0
    again = decode(out.read_bytes(), out.suffix)
    assert [again[0], again[2]] == [lines[0], lines[2]]  # with the seconds: not solved again
    assert again[1]["observations"] == 1
    assert [path.name for path in tmp_path.iterdir() if path != folder] == [out.name]
    out.write_text("mine")
    assert run(*words, "--resume").status == 1
    assert out.read_text() == "mine"


def test_json_has_the_figures_as_well(run, tmp_path: Path) -> None:
    out = tmp_path / "answers.json"
    assert run("recognise", dataset(tmp_path / "set"), "--out", out).status == 0
    values = json.loads(out.read_text())
    assert values["overall"][-1]["problems"] == len(values["problems"]) == 3
    assert sum(one["goals"] for one in values["calibration"]) == 9
    assert sum(one["goals"] * one["true"] for one in values["calibration"]) == pytest.approx(3)


def test_the_results_of_an_interrupted_run_are_not_overwritten(run, tmp_path: Path) -> None:
    folder, out = dataset(tmp_path / "set"), tmp_path / "answers.csv"
    assert run("recognise", folder, "--out", out).status == 0
    journal = out.with_name("answers.csv.part.jsonl")
    first, *_ = decode(out.read_bytes(), ".csv")
    journal.write_text(json.dumps(first) + "\n" + '{"problem": "to')
    out.unlink()
    assert "an interrupted run has left" in run("recognise", folder, "--out", out).err
    assert run("recognise", folder, "--out", out, "--resume").status == 0
    assert decode(out.read_bytes(), ".csv")[0] == first
    assert not journal.exists()


def test_by_counting_observations_say_less_the_more_of_them_are_wrong() -> None:
    goals = "(have bread)\n(have flour)"  # both cost the same
    posed = read_posed({**FILES, "hyps.dat": goals, "obs.dat": "(buy bread bakery)"})
    most, none = (
        recognise(posed, how=RecognitionOptions("counting", wrong=rate)) for rate in (0.3, 0.0)
    )
    assert 0.5 < most.probability[0] < none.probability[0] - 0.05


def test_agents_are_named_and_distinguished(run, found, tmp_path: Path) -> None:
    clear, unclear = {"obs.dat": "(go home bakery)\n(buy bread bakery)"}, {"obs.dat": "(sleep)"}
    one, two = (unpack(tmp_path / name, clear) for name in "ab")
    last, other = (unpack(tmp_path / name, unclear) for name in "cd")
    named = (f"ann={one}", f"ann={two}", f"bob={other}", f"ann={last}")
    told = found(*named, "--workers", "2")["problems"]
    assert [one["agent"] for one in told] == ["ann", "ann", "bob", "ann"]
    assert told[2]["posterior"] == pytest.approx([1 / 3] * 3, abs=0.03)  # bob is unknown
    assert told[3]["posterior"][0] > 0.5
    rest = [
        word for key in ("domain", "problem", "goals") for word in (f"--{key}", one / NAMES[key])
    ]
    seen = [word for path in (one, last) for word in ("--observations", path / "obs.dat")]
    apart, same = (found(*rest, *seen, *more)["problems"] for more in ((), ("--same-agent",)))
    assert apart[1]["posterior"] == pytest.approx([1 / 3] * 3, abs=0.03)
    assert same[1]["posterior"][0] > 0.4


NAMES = {"domain": "domain.pddl", "problem": "template.pddl", "goals": "hyps.dat"}


def test_processes_find_the_same(found, tmp_path: Path) -> None:
    for number in range(10):
        pack(tmp_path / "set" / f"{number}.tar.bz2", {"obs.dat": "(go home mill)"})
    one, two = (found(tmp_path / "set", "--workers", many)["problems"] for many in ("1", "2"))
    assert [{**each, "seconds": 0} for each in one] == [{**each, "seconds": 0} for each in two]


def test_costs_count_if_the_problem_says_so() -> None:
    """A costly road is taken only for a good reason."""
    domain = FILES["domain.pddl"].replace("(:action go", "(:functions (total-cost)) (:action go")
    domain = domain.replace("(not (at ?a))))", "(not (at ?a)) (increase (total-cost) 3)))")
    domain = domain.replace(
        ":effect (have ?t))", ":effect (and (have ?t) (increase (total-cost) 1)))"
    )
    problem = TOWN.rstrip().removesuffix(")") + "(:metric minimize (total-cost)))"
    posed = read_posed({**FILES, "domain.pddl": domain, "template.pddl": problem})
    for engine in ("exact", "counting"):
        assert recognise(posed, how=RecognitionOptions(engine)).best == [1]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the public problems are not here")
def test_a_public_problem_is_answered(found) -> None:
    some = sorted(SHARED.glob("logistics/100/*"))[0]
    (answer,) = found(some, "--engine", "counting")["problems"]
    assert answer["true"] in answer["best"]


def test_peers_solve_the_same_problems(run, found, tmp_path: Path) -> None:
    folder = dataset(tmp_path / "set")
    values = found(folder, "--peers")
    names = ["completion", "uniqueness", "hard-counting", "cost-difference"]
    assert [one["domain"] for one in values["peers"]] == names
    assert all(one["problems"] == 3 for one in values["peers"])
    assert all(one["log_loss"] is None for one in values["peers"])
    table = run("recognise", folder, "--peers").out
    assert "recogniser" in table
    assert "uniqueness" in table
    alone = run("recognise", next(folder.rglob("*.tar.bz2")), "--peers").out
    assert re.search(r"^recogniser +most probable goals\ncompletion +\d", alone, re.MULTILINE)
