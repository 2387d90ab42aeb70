"""Gridworlds drawn as text, as agents see them: where things may lie, and what is in sight.

Walls hide everything behind them. Each place has one thing or none, and an agent that sees a place
knows what lies there.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Ints
from hbtom.errors import BadInput, Place
from hbtom.world.possible_worlds import HAVE, STAY, PossibleWorld, Uncertain, Walk, views
from hbtom.world.sight_lines import cut_by_boxes
from hbtom.world.sight_map import EDGE
from hbtom.world.text_gridworld import START, TAKE, WAIT, Cell, Gridworld, centre_of

MOST_ARRANGEMENTS, MOST_CELLS, MOST_MOVES = 64, 10_000, 1000

Arrangement = tuple[str, ...]  # the mark at which each hidden thing lies; "" for nowhere


def named_paths(
    paths: Gridworld | Sequence[Gridworld] | Mapping[str, Gridworld],
) -> Mapping[str, Gridworld]:
    """Return gridworlds, each with an agent's path, by name; number them if they have no names."""
    some = [paths] if isinstance(paths, Gridworld) else paths
    if not some:
        raise BadInput("there are no paths", hint="give one gridworld or more")
    if isinstance(some, Mapping):
        return some
    return {f"path {number}": one for number, one in enumerate(some, start=1)}


def alike(world: Gridworld) -> Hashable:
    """Return everything that two gridworlds must have in common to be planned together.

    Agents may start in different cells, and hidden things may lie at different places.
    """
    rows = tuple(row.replace(START, ".") for row in world.rows)
    known = tuple((name, world.things[name]) for name in world.known)
    return rows, known, _hidden(world), frozenset(world.missing), world.diagonal


def possible_worlds(world: Gridworld) -> Uncertain:
    """Return the worlds that are possible to an agent: one for each arrangement of things."""
    hidden, some, spots = _hidden(world), _arrangements(world), _spots(world)
    things, moves = (*world.known, *hidden), _moves(world)
    sees, shown, offered = _sight(world, list(spots.values())), [], []
    for arrangement in some:
        marks = (*(world.things[name] for name in world.known), *arrangement)
        lying = {mark: thing for thing, mark in enumerate(marks) if mark}
        shown.append(sees * np.array([lying.get(mark, -1) + 2 for mark in spots], dtype=np.int64))
        offered.append(np.zeros((len(sees), len(things)), dtype=np.bool_))
        for mark, thing in lying.items():
            offered[-1][_number(world, world.marks[mark]), thing] = True
    worlds = (PossibleWorld(*moves, *one) for one in zip(views(shown), offered, strict=True))
    count = [sum(map(bool, one)) for one in some]
    names = tuple(_name(hidden, one) for one in some)
    lacking = tuple(one < max(count) for one in count)
    unknown = tuple(name in hidden for name in things)
    return Uncertain(things, names, tuple(worlds), lacking, unknown, _facts(world))


def walk_of(world: Gridworld, name: str) -> Walk:
    """Return the walk of an agent in a gridworld, with the possible world that is the true one."""
    acts = {WAIT: STAY, TAKE: HAVE} | {move: index for index, move in enumerate(world.compass)}
    some, lies = _arrangements(world), tuple(world.things.get(one, "") for one in _hidden(world))
    if lies not in some:
        hint = "give each thing its own mark; only things in 'missing' may have none"
        raise _bad("things cannot lie like this", "things", hint)
    if len(world.acts) > MOST_MOVES:
        raise _bad(f"there are more than {MOST_MOVES:,} moves", "moves", "give a shorter path")
    words = tuple(act if act in world.compass else act.lower() for act in world.acts)
    start, taken = _number(world, world.path[0]), tuple(acts[act] for act in world.acts)
    return Walk(name, some.index(lies), start, taken, words)


def _hidden(world: Gridworld) -> tuple[str, ...]:
    """Return the things whose place the agent does not know."""
    some = dict.fromkeys([*world.missing, *world.things])
    return tuple(name for name in some if name not in world.known)


def _spots(world: Gridworld) -> dict[str, Cell]:
    """Return the places where hidden things may lie; none if there are no such things."""
    taken = {START, *(world.things[name] for name in world.known)}
    if not _hidden(world):
        return {}
    return {mark: cell for mark, cell in world.marks.items() if mark not in taken}


def _arrangements(world: Gridworld) -> list[Arrangement]:
    """Return all arrangements of hidden things, with no two things at one place."""
    if world.beliefs:
        hint = "leave them out, or use hbtom.infer"
        raise _bad("beliefs are inferred here and cannot be given", "beliefs", hint)
    if len(world.rows) * len(world.rows[0]) > MOST_CELLS:
        raise _bad(f"the map has more than {MOST_CELLS:,} cells", "picture", "draw a smaller one")
    at = [world.things[name] for name in world.known]
    if START in world.things.values() or len(set(at)) < len(at):
        hint = f"give each thing its own mark, other than '{START}'"
        raise _bad("known things lie at the same place, or where the agent starts", "things", hint)
    for name in {*world.known} & {*world.missing}:
        hint = "remove it from 'known' or from 'missing'"
        raise _bad(f"'{name}' is both known and possibly missing", "missing", hint)
    hidden, spots = _hidden(world), list(_spots(world))
    found = list[Arrangement]([()])
    for name in hidden:
        marks = [*spots, *([""] if name in world.missing else [])]
        found = [(*one, mark) for one in found for mark in marks if not mark or mark not in one]
        if len(found) > MOST_ARRANGEMENTS:
            problem = f"{len(hidden)} hidden things may lie at {len(spots)} places in too many ways"
            hint = f"at most {MOST_ARRANGEMENTS}; mark fewer places, or let the agent know more"
            raise _bad(problem, "things", hint)
    if not found:
        hint = "mark more places, or list things in 'missing' that may be absent"
        raise _bad(f"there is no room for {len(hidden)} hidden things", "picture", hint)
    return found


def _name(hidden: tuple[str, ...], arrangement: Arrangement) -> str:
    if not hidden:
        return "as it is"
    lying = zip(hidden, arrangement, strict=True)
    return ", ".join(f"{name} at {mark}" for name, mark in lying if mark) or "nothing"


def _facts(world: Gridworld) -> dict[str, tuple[bool, ...]]:
    """Return what may lie at each place (last: nothing), and in which arrangements it does."""
    hidden, some, found = _hidden(world), _arrangements(world), dict[str, tuple[bool, ...]]()
    for mark in _spots(world):
        for thing, name in enumerate(hidden):
            found[f"{name} at {mark}"] = tuple(one[thing] == mark for one in some)
        found[f"nothing at {mark}"] = tuple(mark not in one for one in some)
    return {name: holds for name, holds in found.items() if any(holds)}


def _number(world: Gridworld, cell: Cell) -> int:
    return cell[0] * len(world.rows[0]) + cell[1]


def _cells(world: Gridworld) -> list[Cell]:
    return list(product(range(len(world.rows)), range(len(world.rows[0]))))


def _moves(world: Gridworld) -> tuple[Ints, Ints, Annotated[np.ndarray, "choice"], Ints]:
    """Return the moves in each cell: where each cell's begin, and their numbers, costs, targets."""
    choices, found = [0], list[tuple[int, float, int]]()
    for row, column in _cells(world):
        for number, (down, right) in enumerate(world.compass.values()):
            around = [(row + down, column), (row, column + right), (row + down, column + right)]
            if all(map(world.is_free, [(row, column), *around])):
                found.append((number, float(np.hypot(down, right)), _number(world, around[-1])))
        choices.append(len(found))
    action, cost, target = np.array(found, dtype=np.float64).reshape(-1, 3).T
    return np.array(choices), action.astype(np.int64), cost, target.astype(np.int64)


def _sight(world: Gridworld, spots: list[Cell]) -> Annotated[Bools, "state spot"]:
    """Return from which cells each place is seen, from centre to centre."""
    walls = world.walls + np.array([-EDGE, -EDGE, 2 * EDGE, 2 * EDGE])
    start = np.array([centre_of(cell) for cell in _cells(world)])
    cut = [cut_by_boxes(start, np.array([centre_of(spot)]), walls) for spot in spots]
    return ~np.array(cut, dtype=np.bool_).reshape(len(spots), len(start)).T


def _bad(problem: str, where: str, hint: str) -> BadInput:
    return BadInput(problem, hint=hint, place=Place(field=where))
