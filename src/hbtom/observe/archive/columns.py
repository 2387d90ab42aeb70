"""The columns of an archive, which has one row per trial.

===============  ==========================  ======================================================
``task``         text                        the task of the pair, such as ``preference``
``pair``         text                        the name of the pair, such as ``000001lo``
``members``      text                        which episodes contain the trial: ``e`` the expected
                                             one, ``u`` the unexpected one, ``eu`` both
``trial``        integer                     its number in the episode, from 1; the last is the test
``content``      text                        a hash of both episodes of the pair
``width``        number                      of the world; all lengths are in pixels
``height``       number
``agent``        body                        the agent in the first frame
``path_x``       numbers, one per frame      the agent's centre; NaN where it was not seen
``path_y``       numbers, one per frame
``walls``        blocks
``barrier``      blocks                      the removable barrier in the first frame
``barrier_left`` numbers, one per frame      the share of its area that is left; null without it
``objects``      bodies
``key``          body                        null without a key, and so are the next two
``key_path_x``   numbers, one per frame      the key's centre; NaN where the key is gone
``key_path_y``   numbers, one per frame
``lock``         body                        null without a lock, and so is the next
``lock_there``   truth values, one per frame whether the lock is there
``warnings``     texts                       what was unusual about the trial
``others``       others                      other agents, and boards
``changes``      changes                     motion, absence and the camera; null if there is none
===============  ==========================  ======================================================

A body is ``{image, colour, x, y, radius}`` with its centre at x, y. A block is ``{x, y, width,
height}`` with its corner nearest the origin at x, y. Each of the others is ``{kind, image, colour,
width, height, path_x, path_y, angle}``; the last three have one value per frame, NaN where it is
absent. Changes are ``{camera, object_paths, agent_there, walls_there}``, each a list or null: x and
y of the camera, x and y per frame and object, a truth value per frame, and one per frame and wall.
Numbers are doubles. Version 1 of the format had no others, versions 1 and 2 had no changes.

Rows are ordered by pair, then by member, then by trial. Trials at the beginning that both episodes
of a pair share are stored once, as ``eu``. A row group contains all rows of up to ``PAIRS`` pairs.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from hbtom import __version__
from hbtom.arrays import Bools, Ints
from hbtom.errors import needed

SUFFIX = ".parquet"
FORMAT, VERSION = "hbtom episodes", 3
SINCE = {"others": 2, "changes": 3}  # the version that introduced a column
PAIRS = 64  # in a row group, which is read as a whole: as many as a worker gets at once

_KEY = "hbtom."  # prefix of the names in a file's metadata


def arrow() -> tuple[Any, Any]:
    """Return the library that reads and writes Parquet, which comes with an extra."""
    with needed("pyarrow", "tables"):
        import pyarrow
        import pyarrow.parquet
    return pyarrow, pyarrow.parquet


def schema() -> Any:
    """Return the columns and their types."""
    pa, _ = arrow()
    number, text = pa.float64(), pa.string()

    def always(name: str, kind: Any) -> Any:
        return pa.field(name, kind, nullable=False)

    def many(kind: Any) -> Any:
        return pa.list_(always("element", kind))

    block = pa.struct([always(name, number) for name in ("x", "y", "width", "height")])
    place = [always(name, number) for name in ("x", "y", "radius")]
    body = pa.struct([always("image", text), always("colour", many(number)), *place])
    others = pa.struct(
        [
            *(always(name, text) for name in ("kind", "image")),
            always("colour", many(number)),
            *(always(name, number) for name in ("width", "height")),
            *(always(name, many(number)) for name in ("path_x", "path_y", "angle")),
        ]
    )
    changes = pa.struct(
        [
            *(pa.field(name, many(number)) for name in ("camera", "object_paths")),
            *(pa.field(name, many(pa.bool_())) for name in ("agent_there", "walls_there")),
        ]
    )
    return pa.schema(
        [
            always("task", text),
            always("pair", text),
            always("members", text),
            always("trial", pa.int32()),
            always("content", text),
            always("width", number),
            always("height", number),
            always("agent", body),
            always("path_x", many(number)),
            always("path_y", many(number)),
            always("walls", many(block)),
            always("barrier", many(block)),
            pa.field("barrier_left", many(number)),
            always("objects", many(body)),
            pa.field("key", body),
            pa.field("key_path_x", many(number)),
            pa.field("key_path_y", many(number)),
            pa.field("lock", body),
            pa.field("lock_there", many(pa.bool_())),
            always("warnings", many(text)),
            always("others", many(others)),
            pa.field("changes", changes),
        ]
    )


def about(source: str, episodes: int) -> dict[str, str]:
    """Return the metadata of an archive."""
    values = {
        "format": FORMAT,
        "format_version": str(VERSION),
        "version": __version__,
        "source": source,
        "episodes": str(episodes),
    }
    return {_KEY + name: value for name, value in values.items()}


def file_value(metadata: dict[bytes, bytes] | None, name: str) -> str:
    """Return one value of a file's metadata, or an empty text."""
    return (metadata or {}).get((_KEY + name).encode(), b"").decode(errors="replace")


def numbers(column: Any, kind: type = np.float64) -> Any:
    """Return the values of a column without nulls, without copying them.

    Arrow's own ``to_numpy`` would import pandas, which takes as much memory again.
    """
    _, values = column.buffers()
    if values is None:
        return np.empty(0, dtype=kind)
    return np.frombuffer(values, kind)[column.offset : column.offset + len(column)]


def truths(column: Any) -> Any:
    """Return the truth values of a column without nulls; Arrow stores them as bits."""
    _, values = column.buffers()
    bits = np.unpackbits(np.frombuffer(values or b"", np.uint8), bitorder="little")
    return bits[column.offset : column.offset + len(column)].astype(bool)


def starts(rows: Any, name: str) -> Annotated[Ints, "row + 1"]:
    """Return where the list of each row starts among the values of all lists."""
    return numbers(rows.column(name).offsets, np.int32)


def there(rows: Any, name: str) -> Annotated[Bools, "row"]:
    """Return which rows have a value in a column, which is not null."""
    column = rows.column(name)
    return truths(column.is_valid()) if column.null_count else np.ones(len(column), np.bool_)


def filled(rows: Any, name: str) -> bool:
    """Return whether any row has something in a column, which has nulls or lists.

    Archives of earlier versions may lack the column.
    """
    if name not in rows.schema.names:
        return False
    if rows.schema.field(name).nullable:
        return bool(rows.column(name).null_count < rows.num_rows)
    at = starts(rows, name)
    return bool(at[0] < at[-1])
