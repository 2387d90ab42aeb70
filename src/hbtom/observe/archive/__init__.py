"""Archives: all pairs of a dataset in one compact table, a Parquet file with one row per trial.

``columns`` describes the columns, ``encoding`` turns trials into rows, ``decoding`` turns rows into
the very same trials, ``reading`` finds and reads the episodes of a file, and ``bounds`` limits how
much memory reading takes.
"""

from hbtom.observe.archive.bounds import read_flat
from hbtom.observe.archive.columns import PAIRS, SUFFIX, about, arrow, schema
from hbtom.observe.archive.encoding import encoded
from hbtom.observe.archive.reading import NOT_OURS, Archive, Both, PairName, open_archive

__all__ = [
    "NOT_OURS",
    "PAIRS",
    "SUFFIX",
    "Archive",
    "Both",
    "PairName",
    "about",
    "arrow",
    "encoded",
    "open_archive",
    "read_flat",
    "schema",
]
