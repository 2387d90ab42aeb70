"""In a notebook, ``evaluate`` shows a bar: a real kernel runs a cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from episodes import simple_episode, write

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")


def test_a_bar_shows_how_many_pairs_are_rated(tmp_path: Path) -> None:
    (tmp_path / "preference").mkdir()
    for member in "eu":
        write(tmp_path / "preference" / f"1{member}.json", simple_episode())
    cell = nbformat.v4.new_code_cell(f"import hbtom; hbtom.evaluate({str(tmp_path)!r}, workers=1);")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [one["data"]["text/html"] for one in cell.outputs if "text/html" in one.get("data", {})]
    assert shown == ['<progress value="1" max="1"></progress> 1/1 pairs']
