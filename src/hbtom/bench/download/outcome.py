"""The outcome of a download."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hbtom.errors import BadInput

HOME_PAGE = "https://www.kanishkgandhi.com/bib"


@dataclass(frozen=True, slots=True)
class FetchedArchive:
    """An archive that is whole and in its place."""

    task: str
    path: Path
    size: int
    sha256: str
    url: str | None = None  # None: the user put it there
    fetched: bool = False  # by this call; otherwise it existed already


@dataclass(frozen=True, slots=True)
class Failure:
    """An archive that is not in its place, and why."""

    name: str
    reason: str
    address: str | None = None  # to fetch by hand; None if that would not help


class Incomplete(BadInput):
    """Some archives could not be fetched; the others were."""

    _longest = sys.maxsize  # characters of a message: all addresses are needed

    def __init__(
        self, archives: Iterable[FetchedArchive], failures: Iterable[Failure], folder: Path
    ) -> None:
        self.archives = tuple(archives)
        self.failures = tuple(failures)
        self.folder = folder
        hint = " ".join(line.strip() for line in self.by_hand())
        super().__init__("; ".join(self.reasons()), hint=hint)

    def reasons(self) -> list[str]:
        """Return one line for each reason; archives that share a reason share its line."""
        names: dict[str, list[str]] = {}
        for failure in self.failures:
            names.setdefault(failure.reason, []).append(failure.name)
        missing, total = len(self.failures), len(self.archives) + len(self.failures)
        lines = [
            f"{who[0] if len(who) == 1 else f'{len(who)} archives'}: {reason}"
            for reason, who in names.items()
        ]
        return [*lines, f"{missing} of {total} archives could not be fetched"]

    def by_hand(self) -> list[str]:
        """Return lines that say what to fetch by hand and where to put it."""
        addresses = [f"  {one.address}" for one in self.failures if one.address]
        if not addresses:
            return []
        return [
            "to do it by hand, fetch with a browser or on another computer",
            *addresses,
            f"and put the archives, as they are, into {self.folder};",
            "the same command then checks them, and fetches only what is missing;",
            f"the benchmark's home page is {HOME_PAGE}",
        ]
