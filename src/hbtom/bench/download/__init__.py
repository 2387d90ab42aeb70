"""Fetch the benchmark's public archives.

Nobody publishes checksums of them, so what can be known is checked: the length, that pieces belong
to the same file, and that the zip is whole. Bytes arrive in ``NAME.zip.part``, and only a whole
archive gets its final name. ``downloads.json`` beside the archives records what was fetched, with
checksums that later runs compare; it also tells hbtom's files from the user's, which are never
written to.
"""

from hbtom.bench.download.folder import check_archive
from hbtom.bench.download.outcome import HOME_PAGE, Archive, Failure, Incomplete
from hbtom.bench.download.run import DEFAULT_BASE, download
from hbtom.bench.entries import LEDGER

__all__ = [
    "DEFAULT_BASE",
    "HOME_PAGE",
    "LEDGER",
    "Archive",
    "Failure",
    "Incomplete",
    "check_archive",
    "download",
]
