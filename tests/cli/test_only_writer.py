"""Two runs that are to write the same file: one of them is refused, and no result is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from episodes import write_pairs
from hbtom import BadInput
from hbtom.bench.dataset_packing import pack
from hbtom.files import replacing
from hbtom.scratch import alone

WORDS = {
    "train": ("bc-mlp", "--quick", "--workers", "1", "--out", "a.safetensors"),
    "pack": ("data", "a.parquet"),
    "fit": ("data", "--workers", "1", "-o", "a.toml"),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_pairs(tmp_path / "data", ["preference", "efficiency_path"], pairs=4)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("overwrite", [(), ("--overwrite",)], ids=["new", "overwrite"])
@pytest.mark.parametrize("verb", WORDS)
def test_a_second_run_is_refused(run, here: Path, verb: str, overwrite: tuple[str, ...]) -> None:
    target = here / WORDS[verb][-1]
    with alone(target):
        ran = run(verb, *WORDS[verb], *overwrite)
    assert ran.status == 1
    assert ran.complaints == [
        f"hbtom: {target.name}: another run is writing to this file. "
        "Hint: wait for it to end, or choose another name"
    ]
    assert [path.name for path in here.iterdir()] == ["data"]


def test_of_two_runs_at_once_one_is_refused(here: Path) -> None:
    command = [sys.executable, "-m", "hbtom", "fit", *WORDS["fit"]]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = {one.communicate(timeout=300)[1]: one.returncode for one in runs}
    assert sorted(said.values()) == [0, 1]
    assert any("another run is" in one or "exists already" in one for one in said)
    assert sorted(path.name for path in here.iterdir()) == ["a.toml", "data"]


def test_a_model_that_was_written_meanwhile_is_kept(here: Path) -> None:
    command = [sys.executable, "-m", "hbtom", "fit", *WORDS["fit"]]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as fitting:
        while not list(here.glob(".*lock")) and fitting.poll() is None:
            time.sleep(0.001)
        Path("a.toml").write_text("mine")
        assert "a.toml: " in fitting.communicate(timeout=300)[1]
    assert fitting.returncode == 1
    assert Path("a.toml").read_text() == "mine"


@pytest.mark.parametrize("overwrite", [False, True])
def test_an_archive_that_was_written_meanwhile_is_kept(here: Path, overwrite: bool) -> None:
    target = here / "a.parquet"
    if overwrite:
        target.write_text("old")
    with pytest.raises(BadInput, match="something else has written this file"):
        pack("data", target, overwrite=overwrite, progress=lambda *_: target.write_text("mine"))
    assert target.read_text() == "mine"
    assert sorted(path.name for path in here.iterdir()) == ["a.parquet", "data"]


def test_a_file_that_was_removed_meanwhile_is_not_made_again(tmp_path: Path) -> None:
    target = tmp_path / "a.toml"
    target.write_text("old")
    with replacing(target, overwrite=True, kinds=(".toml",)) as check:
        check()
        target.unlink()
        with pytest.raises(BadInput, match="something else"):
            check()
