"""How much of a Parquet file would come of reading it, told before it is read.

A run of equal values takes a few bytes of a file, however long it is. What is read keeps to the
limit for all files, with what the file says of itself: how many values a column has, and how many
bytes they take before they are packed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hbtom import files
from hbtom.observe.archive.layout import arrow

_NUMBER = 8  # bytes
_VALUE = 16  # bytes that a value of a flat table takes at least, once Python has it


def check_group(metadata: Any, group: int, columns: Iterable[str]) -> None:
    """Refuse a row group of which some columns, with all that lies in them, are too large."""
    wanted = set(columns)
    rows = metadata.row_group(group)
    chunks = (rows.column(number) for number in range(rows.num_columns))
    sizes = (_size(one) for one in chunks if one.path_in_schema.partition(".")[0] in wanted)
    if sum(sizes) > files.LARGEST:
        raise files.too_large("unpacks to")


def _size(chunk: Any) -> int:
    """Return how many bytes a column takes at most; each text may be all that it holds."""
    text = chunk.physical_type == "BYTE_ARRAY"
    return int(chunk.num_values * (chunk.total_uncompressed_size if text else _NUMBER))


def read_flat(
    source: str | bytes, columns: Sequence[str] | None = None, footer: Any = None
) -> dict[str, list[Any]]:
    """Return columns of plain values, by default all; columns of anything else are passed over.

    A text that comes many times is one object: only as many bytes are held as the file has.
    """
    pa, parquet = arrow()
    opened = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        footer = footer or parquet.read_metadata(opened)
        wanted = [leaf for leaf in _plain(footer) if columns is None or leaf.name in columns]
        if footer.num_rows * sum(_VALUE + (leaf.length or 0) for leaf in wanted) > files.LARGEST:
            raise files.too_large("unpacks to")
        texts = [leaf.name for leaf in wanted if leaf.physical_type == "BYTE_ARRAY"]
        read = {"metadata": footer, "read_dictionary": texts, "page_checksum_verification": True}
        with parquet.ParquetFile(opened, **read) as file:
            table = file.read([leaf.name for leaf in wanted], use_threads=False)
        return {name: list(_values(table.column(name))) for name in table.column_names}
    except pa.ArrowException as error:
        raise ValueError(str(error)) from None


def _plain(footer: Any) -> list[Any]:
    """Return the columns in which no others lie."""
    leaves = (footer.schema.column(number) for number in range(footer.num_columns))
    return [leaf for leaf in leaves if leaf.path == leaf.name]


def _values(column: Any) -> Iterator[Any]:
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            words = [*chunk.dictionary.to_pylist(), None]
            yield from (words[-1 if one is None else one] for one in chunk.indices.to_pylist())
        else:
            yield from chunk.to_pylist()
