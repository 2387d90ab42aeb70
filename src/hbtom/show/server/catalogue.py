"""The catalogue: the pairs of a dataset, by their names in addresses.

Nothing is ever looked up by a path: an address names an entry of the catalogue, or nothing.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from hbtom.bench.pairs import Dataset, LeftOut, Pair
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.show.words import distinct, plain

_KNOWN = {one.folder: one for one in EVALUATION_TASKS}


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A pair, with the names of its task and of itself."""

    place: int  # in the catalogue
    task: str
    name: str
    pair: Pair


@dataclass(frozen=True, slots=True)
class Section:
    """A task: its name in addresses, its label, and what its pairs are about."""

    name: str
    label: str
    group: str
    about: str
    pairs: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The requested pairs; empty fields do not matter."""

    task: str = ""
    search: str = ""  # a part of the name of the task or of the pair
    outcome: str = ""


@dataclass(frozen=True)
class Catalogue:
    """All pairs of a dataset, in its order."""

    title: str
    path: str
    entries: tuple[CatalogueEntry, ...]
    sections: Mapping[str, Section]  # by their names
    left_out: tuple[LeftOut, ...]
    index: Mapping[tuple[str, str], CatalogueEntry]  # by task and name

    def find(self, task: str, name: str) -> CatalogueEntry | None:
        return self.index.get((task, name))

    def within(self, selection: Selection) -> list[CatalogueEntry]:
        """Return the entries of the task that match the search, with any outcome."""
        sought = selection.search.casefold().split()
        return [
            entry
            for entry in self.entries
            if selection.task in ("", entry.task)
            and all(word in self._words(entry) for word in sought)
        ]

    def _words(self, entry: CatalogueEntry) -> str:
        label = self.sections[entry.task].label
        return f"{entry.task} {label} {entry.name}".casefold()


def catalogue(dataset: Dataset) -> Catalogue:
    """Return the catalogue of a dataset."""
    members: dict[str, list[str]] = {}
    for pair in dataset.pairs:
        members.setdefault(pair.task, []).append(pair.name)
    tasks = printable(members)
    names = {task: printable(inside) for task, inside in members.items()}
    entries = tuple(
        CatalogueEntry(place, tasks[pair.task], names[pair.task][pair.name], pair)
        for place, pair in enumerate(dataset.pairs)
    )
    return Catalogue(
        title=plain(PurePath(dataset.name).name or dataset.name),
        path=plain(dataset.name),
        entries=entries,
        sections={name: _section(task, name, len(members[task])) for task, name in tasks.items()},
        left_out=tuple(_shortened(one, dataset.name) for one in dataset.left_out),
        index={(entry.task, entry.name): entry for entry in entries},
    )


def printable(names: Collection[str]) -> dict[str, str]:
    """Return a distinct, printable name for each name."""
    return dict(zip(names, distinct(map(plain, names)), strict=True))


def _section(task: str, name: str, pairs: int) -> Section:
    known = _KNOWN.get(task)
    if known is None:
        return Section(name, name, "Other tasks", "", pairs)
    return Section(name, known.row, known.group, known.difference, pairs)


def _shortened(one: LeftOut, root: str) -> LeftOut:
    """Return a file left out, with paths that start from the dataset."""
    start = root.rstrip(os.sep) + os.sep
    file, why = (plain(text.replace(start, "")) for text in (one.file, one.why))
    return LeftOut(file, why, one.unreadable, one.count)
