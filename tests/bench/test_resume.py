"""Results files that grow, and evaluations that continue where another has stopped."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import hbtom
from episodes import write_pairs
from hbtom.bench import journal
from hbtom.bench.evaluation import Evaluation, Interrupted, evaluate
from hbtom.bench.ratings import read_ratings
from hbtom.bench.results import MODEL_COLUMNS, decode, encode, write_rows
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.model import Model
from measuring import unmeasured

KINDS = [".csv", ".jsonl", ".parquet"]
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """Three pairs of three tasks, all different and quick to judge."""
    tasks = ["preference", "efficiency_path", "inaccessible_goal"]
    return write_pairs(tmp_path_factory.mktemp("small"), tasks, pairs=3)


@pytest.fixture
def changeable(small, tmp_path) -> Path:
    """Nine pairs that a test may change."""
    return Path(shutil.copytree(small, tmp_path / "data"))


def written(data: Path) -> dict[str, bytes]:
    """Return the files that an uninterrupted evaluation writes, by kind."""
    rows = evaluate(data, workers=1).rows
    return {kind: encode(rows, kind) for kind in KINDS}


@pytest.fixture(scope="module")
def evaluated(small) -> Evaluation:
    """The result of an uninterrupted evaluation of the nine pairs."""
    return evaluate(small, workers=1)


@pytest.fixture(scope="module")
def whole(evaluated) -> dict[str, bytes]:
    return {kind: encode(evaluated.rows, kind) for kind in KINDS}


def judged_again(data: Path, out: Path, **settings) -> list[int]:
    """Resume an evaluation; return the numbers of pairs at which progress was reported."""
    told = []
    evaluate(
        data, out=out, resume=True, workers=1, progress=lambda n, _: told.append(n), **settings
    )
    assert list(out.parent.glob("*.part.jsonl")) == []
    return told


def hbtom_command(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


# Rows survive being written and read


@every_kind
def test_rows_come_back_exactly(evaluated, kind):
    rows = list(evaluated.rows)
    name = 'a "b", c;\u2028\u00e9\r\n\r'
    own = {**rows[0].own, "part_goal": 5e-324}
    odd = replace(rows[0], pair=name, file="\r", rating=0.1 + 0.2, own=own)
    data = encode([odd, *rows], kind)
    assert decode(data, kind) == [odd, *rows]
    assert encode(decode(data, kind), kind) == data


@every_kind
@pytest.mark.parametrize("added", [("missing",), ("missing", "part_waste", "surprise_waste")])
def test_files_of_earlier_versions_are_resumed(small, whole, tmp_path, kind, added):
    """They had the shares of all items in one column of text, and version 0.1 had no waste."""
    rows = decode(whole[kind], kind)
    older = [replace(row, own=dict(_older(row.own, added))) for row in rows]
    out = tmp_path / f"out{kind}"
    out.write_bytes(encode(older[:4], kind))
    again = decode(out.read_bytes(), kind)
    assert [row.preferred for row in again] == [row.preferred for row in rows[:4]]
    for row, same in zip(again, rows, strict=False):
        assert row.preferred_share == pytest.approx(same.preferred_share, abs=5e-5)
        assert list(row.own) == list(MODEL_COLUMNS)
    assert hbtom_command("score", out).exit_code == 0
    assert judged_again(small, out) == list(range(2, len(rows) // 2 + 1))
    assert out.read_bytes().count(b"preferred_share") >= 1
    assert [row.rating for row in decode(out.read_bytes(), kind)] == [row.rating for row in rows]


def _older(own, left_out):
    share = own["preferred_share"]
    text = f"a; b.png {1 - share:.4f}; {own['preferred']} {share:.4f}"
    for name, value in own.items():
        if name == "preferred":
            yield "preference", text
        elif name not in (*left_out, "preferred_share"):
            yield name, value


def test_a_file_may_have_a_name_that_is_not_unicode(evaluated):
    row = replace(evaluated.rows[0], file=os.fsdecode(b"caf\xe9/1e.json"))
    for kind in (".csv", ".jsonl"):
        assert decode(encode([row], kind), kind) == [row]
    (plain,) = decode(encode([row], ".parquet"), ".parquet")
    assert plain == replace(row, file=r"caf\udce9/1e.json")


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of any bytes")
@every_kind
@pytest.mark.parametrize("name", [b"caf\xe9", b"a\rb"])
def test_files_of_any_name_are_judged_once(small, tmp_path, kind, name):
    folder = shutil.copytree(small / "preference", tmp_path / os.fsdecode(name) / "preference")
    for file in list(folder.iterdir()):
        file.rename(folder / (os.fsdecode(name) + file.name))
    out = tmp_path / f"out{kind}"
    assert judged_again(folder.parent, out) == [0, 1, 2, 3]
    assert judged_again(folder.parent, out) == [3]
    assert out.read_bytes() == encode(evaluate(folder.parent, workers=1).rows, kind)


# A file grows by whole rows, in order


@pytest.mark.parametrize("kind", [".csv", ".jsonl"])
def test_the_file_grows_by_whole_pairs(small, whole, tmp_path, kind):
    out = tmp_path / f"out{kind}"
    seen = []
    evaluate(small, out=out, workers=1, progress=lambda n, _: seen.append((n, _read(out))))
    assert [len(decode(content, kind)) for _, content in seen] == [2 * n for n, _ in seen]
    assert all(whole[kind].startswith(content) for _, content in seen)
    assert out.read_bytes() == whole[kind]


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def test_a_parquet_file_appears_when_it_is_complete(small, whole, tmp_path):
    out, beside = tmp_path / "out.parquet", tmp_path / "out.parquet.part.jsonl"
    seen = []
    evaluate(
        small, out=out, workers=1, progress=lambda n, _: seen.append((out.exists(), _read(beside)))
    )
    assert not any(there for there, _ in seen)
    assert [content for _, content in seen[1:]] == [
        encode(decode(whole[".jsonl"], ".jsonl")[: 2 * n], ".jsonl") for n in range(1, 10)
    ]
    assert out.read_bytes() == whole[".parquet"]
    assert not beside.exists()


def test_an_existing_file_is_replaced_only_by_a_complete_one(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("precious")
    seen = []
    progress = lambda n, _: seen.append(out.read_text())  # noqa: E731
    evaluate(small, out=out, overwrite=True, workers=1, progress=progress)
    assert set(seen) == {"precious"}
    assert out.read_bytes() == whole[".csv"]
    assert list(tmp_path.glob("*.part.jsonl")) == []


# Resuming


@every_kind
def test_nothing_is_judged_twice(small, whole, tmp_path, kind):
    out = tmp_path / f"out{kind}"
    assert judged_again(small, out) == list(range(10))  # a missing file is created
    assert out.read_bytes() == whole[kind]
    assert judged_again(small, out) == [9]
    assert out.read_bytes() == whole[kind]


def stop_after(pairs: int):
    def progress(done: int, total: int) -> None:
        if done == pairs:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize(
    ("kind", "overwrite"),
    [(".csv", False), (".jsonl", True), (".parquet", False), (".parquet", True)],
)
def test_an_interrupted_evaluation_is_resumed(small, whole, tmp_path, kind, overwrite):
    out = tmp_path / f"out{kind}"
    if overwrite:
        out.write_bytes(encode([], kind))
    with pytest.raises(Interrupted) as caught:
        evaluate(small, out=out, overwrite=overwrite, workers=1, progress=stop_after(4))
    assert (caught.value.done, caught.value.pairs) == (4, 9)
    assert caught.value.so_far.overall.pairs == 4
    again = {"resume": True, "overwrite": overwrite}
    with pytest.raises(Interrupted) as caught:
        evaluate(small, out=out, **again, workers=1, progress=stop_after(7))
    assert caught.value.so_far.overall.pairs == 7
    assert judged_again(small, out) == [7, 8, 9]
    assert out.read_bytes() == whole[kind]


@every_kind
def test_a_resumed_evaluation_gives_the_same_result(small, evaluated, tmp_path, kind):
    out = tmp_path / f"out{kind}"
    with pytest.raises(Interrupted):
        evaluate(small, out=out, workers=1, progress=stop_after(5))
    again = evaluate(small, out=out, resume=True, workers=1)
    assert again == evaluated


@every_kind
def test_a_changed_file_is_judged_again(changeable, tmp_path, kind):
    whole = written(changeable)
    out = tmp_path / f"out{kind}"
    out.write_bytes(whole[kind])
    first, second, *_ = sorted((changeable / "preference").glob("*e.json.gz"))
    shutil.copy(second, first)
    assert judged_again(changeable, out) == [8, 9]
    assert out.read_bytes() == encode(evaluate(changeable, workers=1).rows, kind) != whole[kind]


def test_only_a_changed_member_of_an_archive_is_judged_again(changeable, tmp_path):
    def pack():
        return shutil.make_archive(str(tmp_path / "data"), "zip", changeable)

    out = tmp_path / "out.csv"
    judged_again(pack(), out)
    pack()  # another time, the same content
    assert judged_again(tmp_path / "data.zip", out) == [9]
    first, second, *_ = sorted((changeable / "preference").glob("*e.json.gz"))
    shutil.copy(second, first)
    assert judged_again(pack(), out) == [8, 9]
    assert out.read_bytes() == encode(evaluate(tmp_path / "data.zip", workers=1).rows, ".csv")


@pytest.mark.parametrize(
    ("kind", "there"),
    [
        (".csv", "nothing"),
        (".csv", "precious"),
        (".jsonl", "other pairs"),
        (".parquet", "nothing"),
        (".parquet", "other pairs"),
    ],
)
def test_a_file_to_be_replaced_is_not_read(small, whole, tmp_path, kind, there):
    out = tmp_path / f"out{kind}"
    other = encode([replace(decode(whole[kind], kind)[0], pair="other")], kind)
    content = {"nothing": None, "precious": b"precious", "other pairs": other}[there]
    if content is not None:
        out.write_bytes(content)
    with pytest.raises(Interrupted):
        evaluate(small, out=out, overwrite=True, workers=1, progress=stop_after(4))
    assert (out.read_bytes() if out.exists() else None) == content
    assert judged_again(small, out, overwrite=True) == [4, 5, 6, 7, 8, 9]
    assert out.read_bytes() == whole[kind]
    assert judged_again(small, out, overwrite=True) == list(range(10))  # nothing to resume


def test_a_journal_of_other_pairs_is_not_lost(small, whole, tmp_path):
    out, beside = tmp_path / "out.csv", tmp_path / "out.csv.part.jsonl"
    beside.write_bytes(whole[".jsonl"])
    with pytest.raises(BadInput, match=r"part.jsonl: .*6 pairs not judged here"):
        evaluate(small, out=out, resume=True, overwrite=True, tasks=["preference"])
    assert beside.read_bytes() == whole[".jsonl"]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (".csv", {"model": "paper"}),
        (".jsonl", {"score": "predictive"}),
        (".parquet", {"model": "paper"}),
    ],
)
def test_another_model_or_score_replaces_nothing_by_default(small, whole, tmp_path, kind, settings):
    out = tmp_path / f"out{kind}"
    out.write_bytes(whole[kind])
    with pytest.raises(
        BadInput, match=r"its results differ in (score|rater or model): .*--overwrite"
    ):
        evaluate(small, out=out, resume=True, workers=1, **settings)
    assert out.read_bytes() == whole[kind]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert judged_again(small, out, overwrite=True, **settings) == list(range(10))
    assert out.read_bytes() == encode(evaluate(small, workers=1, **settings).rows, kind)


def test_nothing_is_judged_again_under_another_name_of_the_model(small, whole, tmp_path):
    from msgspec.structs import replace as changed

    out = tmp_path / "out.csv"
    out.write_bytes(whole[".csv"])
    assert judged_again(small, out, model=changed(Model.preset("default"), name="mine")) == [9]


def test_results_of_another_model_are_kept_until_all_is_judged_again(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(whole[".csv"])
    with pytest.raises(Interrupted):
        evaluate(small, "paper", out=out, overwrite=True, workers=1, progress=stop_after(8))
    assert out.read_bytes() == whole[".csv"]
    with pytest.raises(BadInput, match=r"part.jsonl: .*differ in rater or model"):
        evaluate(small, out=out, resume=True)  # would lose the judgements of the other model
    assert out.read_bytes() == whole[".csv"]
    assert judged_again(small, out, model="paper") == [8, 9]  # known to be replaced
    assert out.read_bytes() == encode(evaluate(small, "paper", workers=1).rows, ".csv")


def test_another_version_replaces_nothing_by_default(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    older = [replace(row, version="0.0.1") for row in decode(whole[".csv"], ".csv")]
    write_rows(older, out)
    with pytest.raises(BadInput, match=r"0\.0\.1"):
        evaluate(small, out=out, resume=True)
    assert decode(out.read_bytes(), ".csv") == older
    assert judged_again(small, out, overwrite=True) == list(range(10))
    assert out.read_bytes() == whole[".csv"]


@every_kind
def test_missing_repeated_and_disordered_rows(small, whole, tmp_path, kind):
    out = tmp_path / f"out{kind}"
    rows = decode(whole[kind], kind)
    write_rows([*rows[:3], *rows[4:]], out)
    assert judged_again(small, out) == [8, 9]
    assert out.read_bytes() == whole[kind]
    write_rows([*reversed(rows), rows[0]], out, overwrite=True)
    assert judged_again(small, out) == [9]
    assert out.read_bytes() == whole[kind]


@pytest.mark.parametrize(
    ("kind", "rest"), [(".csv", 1), (".csv", -1), (".jsonl", 1), (".jsonl", 100), (".jsonl", -1)]
)
def test_a_torn_last_line_is_cut(small, whole, tmp_path, kind, rest):
    out = tmp_path / f"out{kind}"
    lines = whole[kind].splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:9]) + lines[9][:rest])
    left = tmp_path / f"left{kind}"
    left.write_bytes(b"".join(lines[: 10 if rest == -1 else 9]))  # -1: only its end is missing
    assert read_ratings(out).values == read_ratings(left).values
    assert judged_again(small, out) == [4, 5, 6, 7, 8, 9]
    assert out.read_bytes() == whole[kind]


@pytest.mark.parametrize(("kind", "size"), [(".csv", 0), (".csv", 9), (".jsonl", 3)])
def test_a_torn_first_line_is_cut(small, whole, tmp_path, kind, size):
    out = tmp_path / f"out{kind}"
    out.write_bytes(whole[kind][:size])
    assert judged_again(small, out) == list(range(10))
    assert out.read_bytes() == whole[kind]


def test_a_torn_line_after_all_rows_is_cut(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(whole[".csv"] + b"preference,2")
    assert judged_again(small, out) == [9]
    assert out.read_bytes() == whole[".csv"]


def test_a_torn_line_of_the_journal_is_cut(small, whole, tmp_path):
    lines = whole[".jsonl"].splitlines(keepends=True)
    (tmp_path / "out.parquet.part.jsonl").write_bytes(b"".join(lines[:6]) + lines[6][:200])
    assert judged_again(small, tmp_path / "out.parquet") == [3, 4, 5, 6, 7, 8, 9]
    assert (tmp_path / "out.parquet").read_bytes() == whole[".parquet"]


def test_unreadable_files_are_tried_again(changeable, tmp_path):
    whole = written(changeable)
    out = tmp_path / "out.csv"
    victim = sorted((changeable / "preference").iterdir())[0]
    away = victim.rename(tmp_path / "away")
    victim.write_bytes(b"[[")
    with pytest.raises(Interrupted) as caught:
        evaluate(changeable, out=out, workers=1, progress=stop_after(8))
    (problem,) = caught.value.so_far.unreadable
    assert problem.file == str(victim)
    again = evaluate(changeable, out=out, resume=True, workers=1)
    assert again.unreadable == (problem,)
    assert out.read_bytes() == encode(evaluate(changeable, workers=1).rows, ".csv")
    away.rename(victim)
    assert judged_again(changeable, out) == [8, 9]
    assert out.read_bytes() == whole[".csv"]


def test_a_dataset_that_has_grown(changeable, tmp_path):
    whole = written(changeable)
    out = tmp_path / "out.csv"
    out.write_bytes(whole[".csv"])
    for member in "eu":
        source = changeable / "preference" / f"00{member}.json.gz"
        shutil.copy(source, source.with_name(f"001{member}.json.gz"))
    assert judged_again(changeable, out) == [9, 10]
    assert out.read_bytes() == encode(evaluate(changeable, workers=1).rows, ".csv")


# Refused files are left unchanged


@every_kind
@pytest.mark.parametrize(
    "content",
    [b"precious", b"task,pair\nx,1\n", b'{"task": 1}\n', b'{"task": "a"}\n', b"PAR1 not really"],
)
def test_a_file_that_is_not_ours_is_refused_and_left(small, tmp_path, kind, content):
    out = tmp_path / f"mine{kind}"
    out.write_bytes(content)
    result = hbtom_command("evaluate", small, "--out", out, "--resume")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "not a results file" in result.stderr
    assert "Traceback" not in result.stderr
    assert out.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_row_that_was_changed_by_hand_is_refused(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    content = whole[".csv"].replace(b"preference,01,e", b"preference,01,e,extra")
    out.write_bytes(content)
    with pytest.raises(BadInput, match=r"not a results file .*\(a row has other columns\)"):
        evaluate(small, out=out, resume=True)
    assert out.read_bytes() == content


def test_results_of_other_pairs_are_not_lost(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(whole[".csv"])
    with pytest.raises(BadInput, match="6 pairs not judged here"):
        evaluate(small, out=out, resume=True, tasks=["preference"])
    assert out.read_bytes() == whole[".csv"]


def test_the_rows_of_an_interrupted_evaluation_are_not_lost(small, whole, tmp_path):
    out, beside = tmp_path / "out.parquet", tmp_path / "out.parquet.part.jsonl"
    beside.write_bytes(whole[".jsonl"][:3000])
    refused = hbtom_command("evaluate", small, "--out", out)
    assert refused.exit_code == 1
    assert "--resume" in refused.stderr
    assert beside.read_bytes() == whole[".jsonl"][:3000]
    assert hbtom_command("evaluate", small, "--out", out, "--overwrite").exit_code == 0
    assert out.read_bytes() == whole[".parquet"]
    assert not beside.exists()


def test_the_message_about_an_existing_file_says_how_to_resume(small, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(b"")
    assert "--resume" in hbtom_command("evaluate", small, "--out", out).stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
@pytest.mark.parametrize(("kind", "limit"), [(".csv", 10), (".jsonl", 1500), (".csv", 3000)])
def test_a_full_disk_tears_no_line(small, whole, tmp_path, kind, limit):
    """A file that cannot grow any more takes part of what is written to it, and then nothing."""
    out = tmp_path / f"out{kind}"
    code = (
        "import resource, hbtom.cli\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
        "hbtom.cli.main()"
    )
    command = [sys.executable, "-c", code, "evaluate", small, "--workers", "1", "--out", out]
    environment = unmeasured()  # coverage could not write its own file
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "cannot be written" in ran.stderr
    assert ("--resume" in ran.stderr) == (limit > 10)  # otherwise there is nothing to resume
    assert "Traceback" not in ran.stderr
    assert len(out.read_bytes()) <= limit
    assert whole[kind].startswith(out.read_bytes())
    assert out.read_bytes()[-1:] in (b"", b"\n")
    judged_again(small, out)
    assert out.read_bytes() == whole[kind]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs rights to be missing")
def test_an_unwritable_file_is_reported(small, whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(b"".join(whole[".csv"].splitlines(keepends=True)[:5]))
    out.chmod(0o400)
    with pytest.raises(BadInput, match="cannot be written"):
        evaluate(small, out=out, resume=True, workers=1)


@pytest.mark.parametrize(
    "words",
    [
        ("--resume",),
        ("--cluster", "tcp://127.0.0.1:1", "--workers", "2"),
    ],
    ids=" ".join,
)
def test_wrong_usage(small, words):
    result = hbtom_command("evaluate", small, *words)
    assert (result.exit_code, result.stdout) == (2, "")


def test_resuming_needs_a_file(small):
    with pytest.raises(BadInput, match="out"):
        hbtom.evaluate(small, resume=True)


# Ratings


def test_older_results_files_can_be_scored(small, whole, tmp_path):
    old = tmp_path / "old.jsonl"
    rows = [json.loads(line) for line in whole[".jsonl"].splitlines()]
    for row in rows:
        del row["score"], row["stamp"]
    old.write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "new.jsonl"
    out.write_bytes(whole[".jsonl"])
    assert read_ratings(old).values == read_ratings(out).values


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", "task,pair,member,rating,note\npreference,1,e,1,x\npreference,1,u,0"),
        (
            "r.jsonl",
            '{"task": "preference", "pair": "1", "member": "e", "rating": 1}\n'
            '{"task": "preference", "pair": "1", "member": "u", "rating": 0}',
        ),
    ],
)
def test_an_unfinished_last_line_of_other_ratings_counts(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert len(read_ratings(tmp_path / name).values) == 2


def test_a_broken_line_of_other_ratings_is_reported(tmp_path):
    (tmp_path / "r.jsonl").write_text('{"file": "preference/1e.json", "rating": 1}\n{"file": "pre')
    with pytest.raises(BadInput, match="cannot be read"):
        read_ratings(tmp_path / "r.jsonl")


# One run at a time


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (".csv", ["--resume"]),
        (".jsonl", ["--overwrite"]),
        (".parquet", ["--resume", "--overwrite"]),
    ],
)
def test_a_second_run_on_the_same_file_is_refused(small, whole, tmp_path, kind, settings):
    """The second one is started while the first is running."""
    out = tmp_path / f"out{kind}"
    ran = []

    def start_another(done: int, _: int) -> None:
        if done == 4:
            ran.append(hbtom_command("evaluate", small, "--workers", 1, "--out", out, *settings))

    evaluate(small, out=out, workers=1, progress=start_another)
    (second,) = ran
    assert (second.exit_code, second.stdout) == (1, "")
    assert second.stderr == (
        f"hbtom: {out}: another run is writing to this file. "
        "Hint: wait for it to end, or choose another name\n"
    )
    assert out.read_bytes() == whole[kind]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_the_lock_of_a_killed_run_is_no_obstacle(small, whole, tmp_path):
    """The run was a process of its own, whose workers inherited its open files."""
    out = tmp_path / "out.csv"
    program = (
        "import os, signal, sys\nfrom hbtom.bench.evaluation import evaluate\n"
        "def kill(done, _):\n    if done == 4: os.kill(os.getpid(), signal.SIGKILL)\n"
        "evaluate(sys.argv[1], out=sys.argv[2], workers=2, progress=kill)"
    )
    ended = subprocess.run([sys.executable, "-c", program, small, out], check=False, timeout=60)
    assert ended.returncode != 0
    evaluate(small, out=out, resume=True, workers=1)
    assert out.read_bytes() == whole[".csv"]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_a_pair_that_was_written_counts_when_interrupted(small, tmp_path, monkeypatch):
    """Ctrl-C may come just after a pair was written, and before it was counted."""
    out, written = tmp_path / "out.csv", journal.add_lines

    def interrupted(*given):
        written(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(journal, "add_lines", interrupted)
    with pytest.raises(Interrupted) as caught:
        evaluate(small, workers=1, out=out)
    assert caught.value.done == len(caught.value.so_far.rows) / 2 == 1
    assert len(decode(out.read_bytes(), ".csv")) == 2
