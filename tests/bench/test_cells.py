"""Text in CSV files: no cell is a formula, and all text is read back unchanged."""

import csv
import io
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from episodes import write_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.ratings import read_ratings
from hbtom.bench.results import decode, encode
from hbtom.bench.table_files import write_records
from hbtom.cli import main


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("small"), ["preference"], pairs=2)


@pytest.fixture(scope="module")
def rows(small):
    return evaluate(small, workers=1).rows


def hbtom_command(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def judged(data: Path, out: Path) -> list[int]:
    """Evaluate, or resume; return the numbers of pairs at which progress was reported."""
    told = []
    evaluate(data, out=out, resume=True, workers=1, progress=lambda n, _: told.append(n))
    return told


FORMULAS = [
    "=cmd|'/c calc'!A1",
    "+1",
    "-x",
    "@sum",
    "\t=1",
    "\r=1",
    "\n=1",
    "'=1",
    "''+",
    "'tis",
    "'",
]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_text_is_a_formula(rows, tmp_path, name):
    odd = [
        replace(
            row,
            task=name,
            pair=f"{name} {row.pair}",
            file=name,
            rating=-0.69,
            own={**row.own, "preferred": name},
        )
        for row in rows
    ]
    data = encode(odd, ".csv")
    assert decode(data, ".csv") == odd
    _heading, *cells = csv.reader(io.StringIO(data.decode(), newline=""))
    told = [cell for line in cells for cell in line]
    assert all(cell[:1] not in "=+@\t\r\n" for cell in told if cell)
    assert all(float(cell) < 0 for cell in told if cell.startswith("-"))
    assert "-0.69" in told
    file = tmp_path / "results.csv"
    file.write_bytes(data)
    assert set(read_ratings(file).values) == {(row.task, row.pair, row.member) for row in odd}


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of any characters")
def test_an_evaluation_with_formulas_for_names_is_resumed_and_scored(small, tmp_path):
    folder = tmp_path / "data" / "=task"
    shutil.copytree(small / "preference", folder)
    for file in list(folder.iterdir()):
        file.rename(folder / f"=cmd|' {file.name}")
    out = tmp_path / "out.csv"
    assert judged(folder.parent, out) == [0, 1, 2]
    assert b"\n'=task,'=cmd|' " in out.read_bytes()
    assert judged(folder.parent, out) == [2]
    assert hbtom_command("score", out, "--dataset", folder.parent).exit_code == 0
    assert hbtom_command("compare", out, out).exit_code == 0
    done = hbtom_command("report", out, "-o", tmp_path / "r.html", "--pages", "0")
    assert done.exit_code == 0, done.output


def test_no_cell_of_another_table_is_a_formula(tmp_path):
    records = [{"variation": "=1+1", "accuracy": -0.69, "pairs": 3}]
    write_records(records, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "variation,accuracy,pairs\n'=1+1,-0.69,3\n"
