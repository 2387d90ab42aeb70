"""DeepLabCut's tables: one column for each individual, body part and coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.observe.tracks.points import Individual, Tracks
from hbtom.observe.tracks.text_table import Table

LEVELS = ("scorer", "individuals", "bodyparts", "coords")  # rows of the heading
PICTURES = (".png", ".jpg", ".jpeg", ".bmp")  # people label these to train the tracker


def read_deeplabcut(rows: Sequence[Sequence[str]], lines: Sequence[int]) -> Tracks:
    """Read a table whose heading has several rows."""
    levels = next((at for at, row in enumerate(rows) if _level(row) not in LEVELS), len(rows))
    heading = [[name.strip() for name in row] for row in rows[:levels]]
    names = [f"{at}: {' '.join(one[1:])}" for at, one in enumerate(zip(*heading, strict=True), 1)]
    return _by_heading(heading, Table(names, rows[levels:], lines[levels:]))


def begins_like_deeplabcut(row: Sequence[str]) -> bool:
    """Return whether this is the first row of such a table."""
    return _level(row) in LEVELS


def _level(row: Sequence[str]) -> str:
    return row[0].strip().casefold()


def _by_heading(heading: Sequence[Sequence[str]], table: Table) -> Tracks:
    levels = {row[0].casefold(): row[1:] for row in heading}
    if not {"bodyparts", "coords"} <= set(levels):
        hint = "it begins with the rows scorer, bodyparts and coords"
        raise BadInput("the heading of this DeepLabCut file is not complete", hint=hint)
    if table.rows and any(map(_is_picture, table.rows[0])):
        raise no_track()
    names = table.heading[1:]
    who = levels.get("individuals", ["agent"] * len(names))
    keys = list(zip(who, levels["bodyparts"], levels["coords"], strict=True))
    values = [table.numbers(name) for name in names]
    frames = table.numbers(table.heading[0])
    return by_individual(keys, np.array(values).T, frames, table.lines)


def _is_picture(cell: str) -> bool:
    return cell.strip().casefold().endswith(PICTURES)


def no_track() -> BadInput:
    """Return the error for files of pictures in which people have labelled body parts."""
    hint = "give the file that DeepLabCut writes when it analyses the video"
    return BadInput("these are labelled pictures, not the track of a video", hint=hint)


def by_individual(
    keys: Sequence[tuple[str, str, str]],
    values: Annotated[Floats, "row column"],
    number: Annotated[Floats, "row"],
    lines: Sequence[int] = (),
) -> Tracks:
    """Return DeepLabCut's tracks; ``keys`` are each column's individual, part and coordinate."""
    if not len(number):
        raise BadInput("there are no rows", hint="a track has one row per frame below the heading")
    for row in np.flatnonzero(~np.isfinite(number))[:1].tolist():
        place = Place(line=lines[row] if len(lines) else None, field="frame")
        raise BadInput("the row has no number", hint="number the frames", place=place)
    parts: dict[str, dict[str, Floats]] = {}
    found = dict(zip(keys, values.T, strict=True))
    for who, part, coordinate in keys:
        if coordinate == "x":
            if (who, part, "y") not in found:
                raise BadInput(f"'{part}' has x but no y", place=Place(field="coords"))
            sure = found.get((who, part, "likelihood"), np.ones(len(values)))
            parts.setdefault(who, {})[part] = np.stack(
                [found[who, part, "x"], found[who, part, "y"], sure], axis=1
            )
    if not parts:
        raise BadInput("there is no body part with x and y", place=Place(field="coords"))
    seen = {who: Individual(number, each, lines) for who, each in parts.items()}
    return Tracks("DeepLabCut", seen)
