"""Tables with many columns or rows: what is wrong is said at once, in one short line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hbtom import BadInput, load
from hbtom.bench.items import table_rows
from hbtom.bench.labels import read_labels
from hbtom.bench.model_values import read_model
from hbtom.bench.ratings import read_ratings
from hbtom.files import MOST_ROWS

NAMES = [f"c{at}" for at in range(100_000)]
READERS: dict[str, Callable[[Path], Any]] = {
    "track": load,
    "labels": read_labels,
    "ratings": read_ratings,
    "results": read_model,
    "any": lambda path: table_rows(path, "rows", "a row needs a name"),
}


def said(kind: str, path: Path, text: str) -> str:
    """Return why a table is refused."""
    (path / "scene.toml").write_text("size = [200, 100]\n")
    (path / "a.csv").write_text(text)
    with pytest.raises(BadInput) as caught:
        READERS[kind](path / "a.csv")
    message = str(caught.value).removeprefix(str(path))
    assert len(message) < 300
    return message


@pytest.mark.parametrize("kind", ["track", "labels", "results"])
def test_only_the_first_of_many_columns_are_listed(kind: str, tmp_path: Path) -> None:
    row = ",".join(["1"] * len(NAMES))
    assert "c0, c1, c2, c3, c4, c5, c6, c7, ..." in said(
        kind, tmp_path, f"{','.join(NAMES)}\n{row}\n"
    )


@pytest.mark.parametrize(("kind", "word"), [("track", "two columns"), ("labels", "twice")])
def test_the_one_name_that_occurs_twice_is_found(kind: str, word: str, tmp_path: Path) -> None:
    names = ",".join(["file", "pair", "label", *NAMES, "c0"])
    row = ",".join(["1"] * (len(NAMES) + 4))
    message = said(kind, tmp_path, f"{names}\n{row}\n")
    assert word in message
    assert "'c0'" in message


def test_tracks_of_many_individuals(tmp_path: Path) -> None:
    """Each column is found without a search."""
    names = [f"{name}_{axis}" for name in NAMES[:20_000] for axis in "xy"]
    row = ",".join(["1"] * len(names))
    assert "there are 20000 tracks: 'c0', 'c1'" in said(
        "track", tmp_path, f"{','.join(names)}\n{row}\n{row}\n"
    )


@pytest.mark.parametrize("kind", READERS)
def test_rows_are_counted_before_they_are_read(kind: str, tmp_path: Path) -> None:
    assert f"at most {MOST_ROWS:,} are read" in said(kind, tmp_path, "x,y\n" + "1,2\n" * MOST_ROWS)


@pytest.mark.parametrize("kind", READERS)
def test_short_rows_below_a_wide_heading_count_as_whole(kind: str, tmp_path: Path) -> None:
    assert "more than 16,777,216 cells" in said(kind, tmp_path, ",".join(NAMES) + "\n1" * 200)
