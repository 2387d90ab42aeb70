"""The size of a Parquet file in memory is estimated first: a long run takes few bytes on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from episodes import simple_episode, write
from hbtom import BadInput, files
from hbtom.bench.dataset import find_pairs
from hbtom.bench.dataset_packing import pack
from hbtom.bench.pairs import load_pairs
from hbtom.bench.ratings import read_ratings
from hbtom.observe import Episode
from hbtom.observe.archive.bounds import read_flat
from hbtom.observe.archive.reading import _episode
from hbtom.observe.checks import MOST_FRAMES

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "data" / "preference").mkdir(parents=True)
    for member in "eu":
        write(tmp_path / "data" / "preference" / f"1{member}.json", simple_episode())
    pack(tmp_path / "data", tmp_path / "a.parquet", workers=1)
    return tmp_path / "a.parquet"


def stretched(path: Path, frames: int) -> Path:
    """Make the agent stand still for this many frames at the start of the first trial."""
    file = parquet.ParquetFile(path)
    table = file.read()
    for name in ("path_x", "path_y"):
        (lists,) = table.column(name).chunks
        first = lists.values[0].as_py()
        values = pa.concat_arrays([pa.array(np.full(frames, first)), lists.values])
        offsets = np.array(lists.offsets) + frames
        offsets[0] = 0
        longer = pa.ListArray.from_arrays(pa.array(offsets), values, type=lists.type)
        index = table.column_names.index(name)
        table = table.set_column(index, table.schema.field(name), longer)
    long = path.with_name("long.parquet")
    with parquet.ParquetWriter(long, table.schema, compression="zstd", store_schema=False) as out:
        out.write_table(table)
        out.add_key_value_metadata(file.metadata.metadata)
    return long


def loaded(path: Path) -> tuple[Episode | BadInput, Episode | BadInput]:
    [(_, one, other)] = load_pairs(find_pairs(path).pairs)
    return one, other


def test_a_long_run_of_frames_is_refused_before_it_is_unpacked(archive: Path, monkeypatch) -> None:
    long = stretched(archive, 1_000_000)
    assert long.stat().st_size < 30_000
    monkeypatch.setattr(files, "LARGEST", 8_000_000)
    monkeypatch.setattr("hbtom.observe.archive.reading.trials", None)  # which would build them
    assert all("unpacks to more than 7 MB" in str(one) for one in loaded(long))


def test_a_trial_has_a_limited_number_of_frames(archive: Path) -> None:
    assert all(
        "frames. Hint: a trial may have at most 100000" in str(one)
        for one in loaded(stretched(archive, MOST_FRAMES))
    )
    assert all(isinstance(one, Episode) for one in loaded(stretched(archive, 1000)))


def test_an_episode_has_a_limited_number_of_trials(archive: Path) -> None:
    episode, _ = loaded(archive)
    assert isinstance(episode, Episode)
    trial = episode.test
    assert "a: the episode has 1001 trials" in str(_episode([trial] * 1001, "a"))
    assert isinstance(_episode([trial] * 1000, "a"), Episode)


def test_a_long_index_is_refused(archive: Path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 3 * 16)  # one row of three texts
    with pytest.raises(BadInput, match="unpacks to more than"):
        find_pairs(archive)


def test_ratings_are_bounded_as_well(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "ratings.parquet"
    parquet.write_table(pa.table({"rating": np.full(100_000, 0.5)}), path)
    assert len(read_flat(str(path))["rating"]) == 100_000
    monkeypatch.setattr(files, "LARGEST", 1_000_000)
    with pytest.raises(BadInput, match="unpacks to more than"):
        read_ratings(path)


def test_a_repeated_text_is_stored_once(tmp_path: Path) -> None:
    numbers = pa.array(np.zeros(100_000, np.int32))
    texts = pa.DictionaryArray.from_arrays(numbers, pa.array(["x" * 1_000_000]))
    parquet.write_table(pa.table({"file": texts}), tmp_path / "a.parquet", store_schema=False)
    found = read_flat(str(tmp_path / "a.parquet"))["file"]
    assert len(found) == 100_000
    assert len({id(one) for one in found}) == 1


def test_plain_values_are_read_and_others_ignored(tmp_path: Path) -> None:
    rows = [{"file": "a", "rating": 0.5, "many": [1]}, {"file": None, "rating": None, "many": []}]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    found = read_flat((tmp_path / "a.parquet").read_bytes())
    assert found == {"file": ["a", None], "rating": [0.5, None]}
