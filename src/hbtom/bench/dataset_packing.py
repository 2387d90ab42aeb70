"""Packing a dataset: all its pairs in one archive, which is read like a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from hbtom.bench.evaluation import as_dataset
from hbtom.bench.pairs import Dataset, LeftOut, Member, Pair, Result, load_pairs
from hbtom.bench.table_files import spelt
from hbtom.bench.workers import Progress, counted, each
from hbtom.errors import BadInput, system_errors
from hbtom.files import replacing
from hbtom.observe.archive.columns import PAIRS, SUFFIX, about, arrow, schema
from hbtom.observe.archive.encoding import encoded
from hbtom.observe.episode import Loaded
from hbtom.scratch import scratch

# Snappy, because everything that reads Parquet can read it, twice as fast as zstd. Zstd saves
# little more: most of the compression comes from writing each value of a column only once.
_WRITING = {
    "compression": "snappy",
    "use_dictionary": True,
    "write_statistics": ["task", "pair"],
    "write_page_checksum": True,
    "store_schema": False,
}


@dataclass(frozen=True)
class Packed(Result):
    """The result of packing: the archive, and the files that were left out."""

    file: str
    pairs: int
    left_out: tuple[LeftOut, ...]


def pack(
    dataset: str | os.PathLike[str] | Dataset,
    out: str | os.PathLike[str],
    *,
    tasks: Sequence[str] | None = None,
    overwrite: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Packed:
    """Write all readable pairs of a dataset into an archive, which is written whole or not at all.

    The same dataset gives the same bytes for any number of ``workers``.
    """
    target = Path(out)
    with replacing(target, overwrite=overwrite, kinds=(SUFFIX,)) as check:
        found = as_dataset(dataset, tasks)
        left_out = list(found.left_out)

        def readable() -> Iterator[Any]:
            results = each(_encoded, found.pairs, workers)
            for rows, problems in counted(results, len(found.pairs), progress):
                left_out.extend(problems)
                if rows is not None:
                    yield rows

        problem = "the archive cannot be written"
        with system_errors(problem, target), scratch(target.parent) as folder:
            part = folder / target.name
            pairs = _write(readable(), part, source=spelt(Path(found.name).resolve().name))
            if pairs == 0:
                first = next(one for one in left_out if one.unreadable)
                why = f"{first.file}: {first.why}"
                raise BadInput(f"none of its pairs can be read: {why}", file=found.name)
            check()
            part.replace(target)
    return Packed(str(target), pairs, tuple(left_out))


def _write(pairs: Iterator[Any], path: Path, source: str) -> int:
    """Write the rows of pairs, a row group at a time, and return how many pairs there were."""
    pa, parquet = arrow()
    count = 0
    with parquet.ParquetWriter(path, schema(), **_WRITING) as writer:
        while group := list(islice(pairs, PAIRS)):
            writer.write_table(pa.Table.from_batches(group).combine_chunks())
            count += len(group)
        writer.add_key_value_metadata(about(source, episodes=2 * count))
    return count


def _encoded(pairs: Sequence[Pair]) -> Iterator[tuple[Any | None, list[LeftOut]]]:
    """Yield the rows of each pair, or None and the reasons why its members are left out."""
    for pair, expected, unexpected in load_pairs(pairs):
        if isinstance(expected, BadInput) or isinstance(unexpected, BadInput):
            yield None, [_why(pair.expected, expected), _why(pair.unexpected, unexpected)]
            continue
        try:
            yield encoded(pair.task, pair.name, expected, unexpected), []
        except UnicodeEncodeError:
            why = BadInput("its name is not Unicode", hint="rename the file")
            yield None, [_why(pair.expected, why), _why(pair.unexpected, why)]


def _why(member: Member, loaded: Loaded) -> LeftOut:
    if isinstance(loaded, BadInput):
        return LeftOut(member.file, loaded.said, unreadable=True)
    return LeftOut(member.file, "the other member of its pair cannot be read")
