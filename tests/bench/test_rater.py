"""Users' raters: run, resumed, reported and compared, with a clear message when they fail."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

import hbtom
from episodes import write_pairs
from hbtom.bench import Pair, Rating, as_rater, evaluate, find_pairs, find_rater
from hbtom.bench.evaluation import Interrupted
from hbtom.bench.judged import RateWithAll
from hbtom.bench.results import Row, decode, encode, write_rows
from hbtom.bench.sweep import sweep
from hbtom.bench.workers import THREADS
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.show.report import report
from hbtom.show.server.session import choice_of_models
from hbtom.show.server.work import draw, rate_pair

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "rater.md"
PAIRS = 16
SPAWNED = """
import os
from hbtom.bench.workers import THREADS
from lengths import PathLength

class Spawned(PathLength):
    name, fingerprint, start = "spawned", "spawned-1", "spawn"
    columns = {**PathLength.columns, "process": float, "threads": str}
    warmed = 0

    def warm_up(self, pairs):
        self.warmed += 1

    def rate_one(self, episode):
        from hbtom.bench import Rating
        assert self.warmed == 1
        rated = super().rate_one(episode)
        threads = " ".join(os.environ[name] for name in THREADS)
        return Rating(rated.value, {**rated.own, "process": os.getpid(), "threads": threads})
"""

NAMESAKE = """
class Rater:
    name = fingerprint = "namesake"

    def rate(self, expected, unexpected):
        return 2, 1
"""


PICKY = """
from hbtom import BadInput

class Rater:
    name = fingerprint = "picky"

    def rate(self, expected, unexpected):
        return self.rate_one(expected), self.rate_one(unexpected)

    def rate_one(self, episode):
        if "00e" in episode.name:
            raise BadInput("not this one")
        return 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a dataset, and with the rater that the documentation shows."""
    here = tmp_path_factory.mktemp("raters")
    write_pairs(here / "data", ["preference", "efficiency_path"], PAIRS // 2)
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (here / "lengths.py").write_text(code)
    (here / "spawned.py").write_text(SPAWNED)
    return here


@pytest.fixture
def here(folder, monkeypatch) -> Path:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return folder


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command, which does not search the current folder by default."""
    code = "import sys; sys.path.remove(''); from hbtom.cli import main; main(prog_name='hbtom')"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_from_the_command_line(folder, monkeypatch):
    words = "evaluate", "data", "--rater", "lengths:PathLength"
    ran = command(folder, *words, "--workers", "2", "--out", "lengths.csv")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("rater path length (path-length-1), dataset data\n")
    whole = (folder / "lengths.csv").read_bytes()
    heading, first, *_ = whole.decode().splitlines()
    assert heading == "task,pair,member,file,rating,pixels,verdict,model,version,score,stamp"
    assert f"short,path-length-1,{hbtom.__version__},path length," in first

    torn = folder / "torn.csv"
    torn.write_bytes(whole[: len(whole) // 2])
    again = command(folder, *words, "--resume", "--out", "torn.csv")
    assert (again.returncode, again.stdout) == (0, ran.stdout)
    assert torn.read_bytes() == whole

    monkeypatch.chdir(folder)  # what follows does not import the rater
    other = CliRunner().invoke(main, ["evaluate", "data", "--out", "lengths.csv", "--resume"])
    assert other.exit_code == 1
    assert "its results differ in rater or model: path-length-1" in other.stderr
    assert (folder / "lengths.csv").read_bytes() == whole

    write_rows(evaluate("data", workers=1).rows, Path("model.csv"))
    compared = CliRunner().invoke(main, ["compare", "lengths.csv", "model.csv"])
    assert (compared.exit_code, compared.stderr) == (0, "")
    assert "efficiency_path" in compared.stdout
    reported = CliRunner().invoke(main, ["report", "lengths.csv", "--out", "lengths.html"])
    assert (reported.exit_code, reported.stdout) == (0, "lengths.html\n")
    assert "path length is not a model of hbtom" in reported.stderr
    page = (folder / "lengths.html").read_text()
    assert "<title>path length on data" in page
    assert re.search(r'"own":\{"pixels":\[\[[\d.]+,[\d.]+\],.*"verdict":\[\["short","', page)


def test_spawned_processes_are_warmed_up_once_and_have_one_thread(here, monkeypatch):
    for name in THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(THREADS[0], "3")  # what the user says is kept
    found = evaluate("data", find_rater("spawned:Spawned"), workers=2)
    assert {row.own["threads"] for row in found.rows} == {"3 1 1"}
    assert [os.environ.get(name) for name in THREADS] == ["3", None, None]
    assert os.getpid() not in {row.own["process"] for row in found.rows}
    assert found.overall == evaluate("data", find_rater("lengths:PathLength")).overall
    assert multiprocessing.active_children() == []


def test_a_script_without_a_main_guard_is_reported(here):
    code = "from hbtom.bench import *; evaluate('data', find_rater('spawned:Spawned'), workers=2)"
    (here / "bare.py").write_text(code)
    ran = subprocess.run([sys.executable, "bare.py"], capture_output=True, text=True, check=False)
    assert "BadInput: a worker process ended early. Hint: " in ran.stderr
    assert ran.stderr.endswith("in a script, call this under if __name__ == '__main__'\n")


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_an_interrupted_evaluation_is_resumed(here, tmp_path, kind):
    rater, out = find_rater("lengths:PathLength"), tmp_path / f"out{kind}"

    def interrupt(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        evaluate("data", rater, workers=1, out=out, progress=interrupt)
    told = []
    found = evaluate("data", rater, out=out, resume=True, progress=lambda n, _: told.append(n))
    assert told[0] == 5
    assert out.read_bytes() == encode(found.rows, kind)
    assert decode(out.read_bytes(), kind, rater.columns) == list(found.rows)
    assert [row.pixels for row in found.rows] == [-row.rating for row in found.rows]
    assert "path length on data" in report(out)


class Plain:
    """The smallest possible rater."""

    name, fingerprint = "plain", "plain-1"
    columns: ClassVar[dict[str, type]] = {}
    answer: object = (2, 1)

    def rate(self, expected, unexpected):
        return self.answer


def test_numbers_are_enough(here):
    found = evaluate("data", Plain())
    assert found.overall.accuracy == 1
    assert found.model.name == "plain"
    assert found.to_dict()["model"] == {"name": "plain", "fingerprint": "plain-1"}
    assert encode(found.rows[:0], ".csv", columns={}) == b"task,pair,member,file,rating,model," + (
        b"version,score,stamp\n"
    )


def test_a_class_is_accepted_but_not_a_score_of_models(here):
    assert evaluate("data", Plain).overall == evaluate("data", Plain()).overall
    with pytest.raises(BadInput, match="'Scaled' cannot be created: TypeError"):
        evaluate("data", type("Scaled", (Plain,), {"__init__": lambda self, scale: None}))
    for rater in (Plain, Plain(), as_rater(Plain())):
        with pytest.raises(BadInput, match="'predictive' is for models"):
            evaluate("data", rater, score="predictive")


def test_a_rater_that_rates_nothing(here):
    (here / "refuses.py").write_text(NAMESAKE.replace("return 2, 1", "raise hbtom.BadInput('no')"))
    with (here / "refuses.py").open("a") as module:
        module.write("import hbtom\n")
    ran = CliRunner().invoke(main, ["evaluate", "data", "--rater", "refuses:Rater"])
    assert ran.exit_code == 1
    assert ran.stdout.splitlines()[0] == "there is no pair to score"
    assert "nan" not in ran.stdout


def test_text_that_looks_like_a_number_stays_text(here, tmp_path):
    rater, out = Plain(), tmp_path / "out.csv"
    rater.columns = {"text": str, "count": float}
    rater.answer = [Rating(n, {"text": text, "count": 3}) for n, text in enumerate(["1", "1.0"])]
    whole = encode(evaluate("data", rater, out=out).rows, ".csv")
    assert b",1.0,1.0,3.0," in whole
    assert b",0.0,1,3.0," in whole
    out.write_bytes(whole[:300])
    assert evaluate("data", rater, out=out, resume=True).rows[0].text == "1"
    assert out.read_bytes() == whole


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_results_with_other_columns_are_not_mixed(here, tmp_path, kind):
    rater, out = Plain(), tmp_path / f"out{kind}"
    rater.columns, rater.answer = {"steps": float}, [Rating(n, {"steps": 1}) for n in (2, 1)]
    evaluate("data", rater, out=out)
    whole = out.read_bytes()
    rater.columns = {"steps": float, "why": str}
    rater.answer = [Rating(n, {"steps": 1, "why": "so"}) for n in (2, 1)]
    with pytest.raises(BadInput, match="its results differ in columns: steps, not steps, why"):
        evaluate("data", rater, out=out, resume=True)
    assert out.read_bytes() == whole


class Fails(Plain):
    def rate(self, expected, unexpected):
        return 1 / 0


class Refuses(Plain):
    def rate(self, expected, unexpected):
        raise BadInput("it is too long for me")


def test_episodes_that_a_rater_refuses_are_left_out(here):
    found = evaluate("data", Refuses())
    assert found.rows == ()
    assert len(found.unreadable) == 2 * PAIRS
    assert found.unreadable[0].why == "it is too long for me"


def test_the_mate_of_an_unreadable_member(here, tmp_path):
    data = write_pairs(tmp_path / "data", ["preference"], 2)
    (data / "preference" / "00u.json.gz").write_bytes(b"[[")
    alone = evaluate(data, find_rater("lengths:PathLength"))
    assert (len(alone.rows), len(alone.unreadable)) == (3, 1)
    paired = evaluate(data, Plain())
    assert (len(paired.rows), len(paired.unreadable)) == (2, 2)
    assert "other episode of its pair cannot be read" in paired.unreadable[0].why


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ((1, float("nan")), r"00u\.json\.gz: .*'plain' gave a rating.*not a finite number: nan"),
        ((float("inf"), 1), r"00e\.json\.gz: .*not a finite number: inf"),
        (("0.5", 1), r"00e\.json\.gz: .*not a finite number: '0.5'"),
        ((None, 1), "not a finite number: None"),
        (3, "rates a pair as 3, not as two ratings"),
        ((1, 2, 3), "not as two ratings"),
        ((Rating(1, {"x": 1}), 2), r"returned columns \['x'\], but `columns` declares \[\]"),
    ],
)
def test_an_answer_that_is_not_a_rating(here, tmp_path, answer, complaint):
    rater = Plain()
    rater.answer = answer
    with pytest.raises(BadInput, match=complaint):
        evaluate("data", rater, workers=2, out=tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_error_in_the_rater_is_reported_with_its_place(here):
    where = r"00e\S* and \S*00u\S*: .*ZeroDivisionError.*\(test_rater.py, line \d+\)"
    with pytest.raises(BadInput, match=where) as failed:  # in either episode of the pair
        evaluate("data", Fails(), workers=1)
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_an_episode_that_a_rater_refuses_is_named(here):
    """The rater does not know by which name it was called."""
    Path("picky.py").write_text(PICKY)
    file, other = sorted(Path("data/preference").iterdir())[:2]
    ran = CliRunner().invoke(main, ["judge", str(file), str(other), "--rater", "picky:Rater"])
    assert ran.exit_code == 1
    assert f"hbtom: {file}: not this one\n" in ran.stderr
    assert other.name in ran.stdout


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"name": ""}, "'name' is ''"),
        ({"fingerprint": 3}, "'fingerprint' is 3"),
        ({"start": "thread"}, "'start' is 'thread'"),
        ({"columns": ["steps"]}, "'columns' are"),
        ({"columns": {"steps": list}}, "'columns' are"),
        ({"columns": {"stamp": str}}, "has a column 'stamp'"),
        ({"rate": None}, "'Changed' does not rate"),
    ],
)
def test_a_rater_that_lacks_something(here, changed, complaint):
    with pytest.raises(BadInput, match=complaint):
        evaluate("data", type("Changed", (Plain,), changed)())


def test_raters_that_cannot_be_sent_to_other_processes(here):
    class Local(Plain):
        start = "spawn"

    with pytest.raises(BadInput, match=r"cannot be sent to other processes.*module:object"):
        evaluate("data", Local(), workers=2)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("lengths", "does not name a rater"),
        ("lengths:", "does not name a rater"),
        ("nowhere:Rater", "there is no module 'nowhere'"),
        ("lengths:Nothing", "the module 'lengths' has no 'Nothing'. Hint: "),
        ("lengths:np", "'lengths:np' does not rate"),
        ("lengths:np.exp", "cannot be created: TypeError"),
        ("lengths.py:PathLength", "leave out .py: lengths:PathLength"),
        ("unsound:Rater", "'unsound' cannot be imported: ZeroDivisionError"),
        ("needs:Rater", "'needs' cannot be imported: ModuleNotFoundError.*'nowhere'"),
        ("nothing.csv", "there is no such file"),
    ],
)
def test_a_missing_rater(here, name, complaint):
    (here / "unsound.py").write_text("1 / 0")
    (here / "needs.py").write_text("import nowhere")
    with pytest.raises(BadInput, match=complaint):
        find_rater(name)


class Scaled(Plain):
    """A rater with a parameter."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale
        self.fingerprint = f"scaled-{scale}"

    def rate(self, expected, unexpected):
        return self.scale, 1.0

    def with_settings(self, settings):
        return Scaled(**settings)


def test_a_rater_can_be_swept(here):
    found = sweep("data", {"scale": [0.5, 2.0]}, Scaled(), workers=2)
    assert [one.overall.accuracy for one in found.models] == [0, 1]
    assert [one.model.fingerprint for one in found.models] == ["scaled-0.5", "scaled-2.0"]
    assert found.score == "plain"
    with pytest.raises(BadInput, match="has nothing to set"):
        sweep("data", {"scale": [1]}, Plain())
    (only,) = sweep("data", {}, Plain()).models
    assert only.overall.accuracy == 1


def test_a_model_can_be_named_like_a_rater(here):
    (here / "own_model.py").write_text("import hbtom\nmine = hbtom.Model.preset('paper')\n")
    assert find_rater("own_model:mine") == as_rater("paper")


@pytest.mark.parametrize("score", ["plausibility", "predictive"])
def test_a_model_rates_as_it_judges(here, score):
    (pair, *_) = find_pairs("data").pairs
    both = [member.load() for member in pair.members]
    rater = as_rater("paper", score)
    for rated, episode in zip(rater.rate(*both), both, strict=True):
        judged = hbtom.judge(episode, "paper")
        assert rated.value == getattr(judged, score)
        assert rated.own["plausibility"] == judged.plausibility
        assert (rated.own["part_waste"], rated.own["surprise_waste"]) == (1.0, 0.0)
        expected = judged.test.efficiency[0] @ judged.test.efficiencies
        assert rated.own["efficiency"] == pytest.approx(expected, abs=1e-12)
        assert not rated.warned
    assert rater.rate_one(replace(both[0], trials=both[0].trials[-1:])).warned
    assert rater.with_settings({"acts.cost": 2}).score == score
    with pytest.raises(BadInput, match="no score 'typo'"):
        as_rater("paper", "typo")


def test_models_and_other_raters_side_by_side(here):
    (pair, *_) = find_pairs("data").pairs
    model, plain = as_rater("default"), as_rater(Plain())
    for raters in ([plain, model], [model, plain, plain]):
        (values,) = RateWithAll(raters, len(raters))([pair])
        assert [one == (2, 1) for one in values] == [one is plain for one in raters]


@pytest.mark.parametrize("words", [["--model", "paper"], ["--score", "predictive"]])
def test_options_that_only_models_have(words):
    ran = CliRunner().invoke(main, ["evaluate", "data", "--rater", "lengths:PathLength", *words])
    assert ran.exit_code == 2
    assert f"{words[0]} is for models" in ran.stderr


def test_a_rater_in_the_viewer(here):
    choice = choice_of_models("paper", "lengths:PathLength")
    assert list(choice)[:2] == ["path length", "paper"]
    rater, pair = choice["path length"], find_pairs("data").pairs[0]
    assert pickle.loads(pickle.dumps(rater)) is rater  # it is pickled by name
    outcome = rate_pair(pickle.loads(pickle.dumps(rater)), pair, False)
    expected, unexpected = evaluate("data", rater).ratings[pair.task, pair.name]
    assert (outcome.verdict, outcome.expected) == ("wrong", expected)
    assert outcome.unexpected == unexpected
    drawn = draw(rater, pair, "both", False)
    assert (drawn.shown, drawn.outcome) == (None, outcome)
    assert "path length gives only ratings" in drawn.problems[0]
    gone = Pair(pair.expected, replace(pair.unexpected, path="gone.json"))
    assert rate_pair(rater, gone, False).verdict == "unreadable"


def test_a_file_of_ratings_is_a_rater(here, tmp_path):
    evaluate("data", find_rater("lengths:PathLength"), out=tmp_path / "lengths.csv")
    found = evaluate("data", find_rater(str(tmp_path / "lengths.csv")))
    assert found.overall == evaluate("data", find_rater("lengths:PathLength")).overall


def test_the_same_name_in_another_folder_is_another_file(tmp_path, monkeypatch):
    for name, rating in (("one", 1), ("two", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ratings.csv").write_text(f"file,rating\npreference/1e.json,{rating}\n")
        (folder / "namesake.py").write_text(NAMESAKE)
        monkeypatch.chdir(folder)
        assert list(find_rater("ratings.csv").rater.values.values()) == [rating]
        if name == "one":
            assert find_rater("namesake:Rater") is find_rater("namesake:Rater")
    with pytest.raises(BadInput, match=r"a module that is in use, .*namesake\.py.*another name"):
        find_rater("namesake:Rater")
    monkeypatch.delitem(sys.modules, "namesake")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if str(tmp_path) not in one])


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_columns_keep_their_types(kind):
    own = {"frame": 31, "share": 0.5, "whole": 2.0, "why": "031", "id": "12345678901234567890"}
    rows = [Row("x", "1", "e", "1e.json", 1.0, "m", "0", "s", "t", own)]
    for columns in ({name: type(value) for name, value in own.items()}, {}):
        (again,) = decode(encode(rows, kind), kind, columns)
        assert again == rows[0]
        assert list(map(type, again.own.values())) == list(map(type, own.values()))
