"""How much memory a Parquet file would take, estimated before it is read.

A run of equal values takes only a few bytes of a file, however long it is. The limit for all files
is applied to what the file says about itself: how many values a column has, and how many bytes they
take uncompressed.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hbtom import files
from hbtom.observe.archive.columns import arrow

_NUMBER = 8  # bytes
_VALUE = 16  # bytes that a value of a flat table takes in Python, at least


def check_group(metadata: Any, group: int, columns: Iterable[str]) -> None:
    """Refuse a row group in which these columns, with everything nested in them, are too large."""
    wanted = set(columns)
    rows = metadata.row_group(group)
    chunks = (rows.column(number) for number in range(rows.num_columns))
    sizes = (_size(one) for one in chunks if one.path_in_schema.partition(".")[0] in wanted)
    if sum(sizes) > files.LARGEST:
        raise files.too_large("unpacks to")


def _size(chunk: Any) -> int:
    """Return an upper bound on a column's bytes; any single text may be as long as all together."""
    text = chunk.physical_type == "BYTE_ARRAY"
    return int(chunk.num_values * (chunk.total_uncompressed_size if text else _NUMBER))


def read_flat(
    source: str | bytes, columns: Sequence[str] | None = None, footer: Any = None
) -> dict[str, list[Any]]:
    """Return columns of plain values, by default all of them; nested columns are skipped.

    A text that occurs many times is a single object, so it takes no more memory than in the file.
    """
    pa, parquet = arrow()
    opened = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        footer = footer or parquet.read_metadata(opened)
        leaves = (footer.schema.column(number) for number in range(footer.num_columns))
        plain = (leaf for leaf in leaves if leaf.path == leaf.name)  # not nested
        wanted = [leaf for leaf in plain if columns is None or leaf.name in columns]
        if footer.num_rows * sum(_VALUE + (leaf.length or 0) for leaf in wanted) > files.LARGEST:
            raise files.too_large("unpacks to")
        texts = [leaf.name for leaf in wanted if leaf.physical_type == "BYTE_ARRAY"]
        read = {"metadata": footer, "read_dictionary": texts, "page_checksum_verification": True}
        with parquet.ParquetFile(opened, **read) as file:
            table = file.read([leaf.name for leaf in wanted], use_threads=False)
        return {name: list(_values(table.column(name))) for name in table.column_names}
    except pa.ArrowException as error:
        raise ValueError(str(error)) from None


def _values(column: Any) -> Iterator[Any]:
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):
            words = [*chunk.dictionary.to_pylist(), None]
            yield from (words[-1 if one is None else one] for one in chunk.indices.to_pylist())
        else:
            yield from chunk.to_pylist()
