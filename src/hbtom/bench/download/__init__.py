"""Fetch the benchmark's public archives.

No checksums are published, so hbtom checks what it can: the length, that pieces belong to the same
file, and that the zip is whole. Bytes arrive in ``NAME.zip.part``, and only a whole archive gets
its final name. ``downloads.json`` next to the archives records what was fetched, with checksums
that later runs compare. It also distinguishes hbtom's files from the user's, which are never
changed.
"""

from hbtom.bench.download.folder import check_archive
from hbtom.bench.download.outcome import HOME_PAGE, Failure, FetchedArchive, Incomplete
from hbtom.bench.download.run import DEFAULT_BASE, download
from hbtom.bench.entries import LEDGER

__all__ = [
    "DEFAULT_BASE",
    "HOME_PAGE",
    "LEDGER",
    "Failure",
    "FetchedArchive",
    "Incomplete",
    "check_archive",
    "download",
]
