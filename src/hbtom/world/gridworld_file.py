'''Gridworld files in TOML: a map, the things on it, and paths of agents through it.

picture = """
#######
#1.#.2#
#..@..#
#######
"""
things = { cafe = "1" }         # where things lie on every path
known = ["cafe"]                # the agent knows where these are
missing = ["bakery"]            # these may be absent
diagonal = false                # only four moves

[[paths]]
name = "looks"
things = { bakery = "2" }       # more things on this path
moves = "E N wait"
'''

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from hbtom.errors import BadInput, Place, located
from hbtom.toml_files import load_toml
from hbtom.world.text_gridworld import FLOOR, START, Gridworld, rows_of


class _Path(Struct, frozen=True, forbid_unknown_fields=True):
    moves: str
    name: str = ""
    agent: str = ""
    things: dict[str, str] = {}
    start: tuple[int, int] | None = None  # row and column on the map, from 1


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    picture: str
    paths: list[_Path]
    things: dict[str, str] = {}
    known: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    diagonal: bool = True


def load_gridworlds(file: str | os.PathLike[str]) -> dict[str, Gridworld]:
    """Read a map and the paths through it; return a gridworld for each path, by name."""
    known = load_toml(Path(file), _File, "gridworld", "see worlds/trucks.toml")
    with located(file=os.fspath(file)):
        if not known.paths:
            raise BadInput("there are no paths", hint="write [[paths]], and the moves below it")
        return _gridworlds(known)


def _gridworlds(known: _File) -> dict[str, Gridworld]:
    found = dict[str, Gridworld]()
    for number, path in enumerate(known.paths, start=1):
        name = path.name or f"path {number}"
        if name in found:
            raise BadInput(f"two paths are named '{name}'", hint="give each path its own name")
        with located(trial=number):
            found[name] = Gridworld(
                _started(known.picture, path.start),
                {**known.things, **path.things},
                path.moves,
                known=known.known,
                missing=known.missing,
                diagonal=known.diagonal,
                agent=path.agent,
            )
    return found


def _started(picture: str, start: tuple[int, int] | None) -> str:
    """Return a map on which the agent starts in the given cell, if one is given."""
    if start is None:
        return picture
    rows = [row.replace(START, ".") for row in rows_of(picture)]
    row, column = start
    if not (0 < row <= len(rows) and 0 < column <= len(rows[0])):
        hint = f"the map has {len(rows)} rows and {len(rows[0])} columns, counted from 1"
        raise BadInput(f"{list(start)} is not on the map", hint=hint, place=Place(field="start"))
    line = rows[row - 1]
    if line[column - 1] not in FLOOR:
        hint = "start the agent on the floor, not at a place where things may lie"
        problem = f"'{line[column - 1]}' is at {list(start)}"
        raise BadInput(problem, hint=hint, place=Place(field="start"))
    rows[row - 1] = f"{line[: column - 1]}{START}{line[column:]}"
    return "\n".join(rows)
