"""What an archive holds: one row a trial, one column for each thing that is seen.

===============  ==========================  ======================================================
``task``         text                        the task of the pair, such as ``preference``
``pair``         text                        the name of the pair, such as ``000001lo``
``members``      text                        whose trial it is: ``e`` the expected episode's, ``u``
                                             the unexpected one's, ``eu`` both episodes'
``trial``        integer                     its number in the episode, from 1; the last is the test
``content``      text                        a hash of both episodes of the pair
``width``        number                      of the world, like all lengths in pixels
``height``       number
``agent``        body                        the agent in the first frame
``path_x``       numbers, one a frame        the agent's centre
``path_y``       numbers, one a frame
``walls``        blocks
``barrier``      blocks                      the removable barrier in the first frame
``barrier_left`` numbers, one a frame        how much of its area stands; null without a barrier
``objects``      bodies
``key``          body                        null without a key, and so are the next two
``key_path_x``   numbers, one a frame        the key's centre; not a number where the key is gone
``key_path_y``   numbers, one a frame
``lock``         body                        null without a lock, and so is the next
``lock_there``   truth values, one a frame   whether the lock is there
``warnings``     texts                       what was odd about the trial
``others``       others                      what else is seen: other agents, boards
===============  ==========================  ======================================================

A body is ``{image, colour, x, y, radius}`` with its centre at x, y; a block is ``{x, y, width,
height}`` with its corner nearest the origin at x, y; an other is ``{kind, image, colour, width,
height, path_x, path_y, angle}`` with one value of the last three a frame, not a number where it is
not there. Numbers are doubles. Version 1 of the format had no others.

Rows follow each other by pair, then by member, then by trial. Trials with which both episodes of a
pair begin stand there once, as ``eu``. All rows of a pair lie in one row group, together with those
of other pairs, ``PAIRS`` in all.
"""

from __future__ import annotations

from typing import Any

from hbtom import __version__
from hbtom.errors import missing

SUFFIX = ".parquet"
FORMAT, VERSION = "hbtom episodes", 2
SINCE = {"others": 2}  # the versions that columns are new in
PAIRS = 64  # in a row group, which is read as a whole: as many as a worker is handed at once

_KEY = "hbtom."  # begins the names of what is said about a file as a whole


def arrow() -> tuple[Any, Any]:
    """Return the library that reads and writes Parquet, which only an extra brings along."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing("pyarrow", "tables") from None
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
        ]
    )


def about(source: str, episodes: int) -> dict[str, str]:
    """Return what an archive says about itself."""
    said = {
        "format": FORMAT,
        "format_version": str(VERSION),
        "version": __version__,
        "source": source,
        "episodes": str(episodes),
    }
    return {_KEY + name: value for name, value in said.items()}


def said(metadata: dict[bytes, bytes] | None, name: str) -> str:
    """Return one thing that a file says about itself, or nothing."""
    return (metadata or {}).get((_KEY + name).encode(), b"").decode(errors="replace")
