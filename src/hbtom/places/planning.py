"""Planning among places and modes: the cost-to-go of every goal, leg by leg.

All legs of a mode are planned at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.kernels import flood
from hbtom.places.maps import EIGHT
from hbtom.places.steps import HELD, OPEN, START, Steps

if TYPE_CHECKING:
    from hbtom.places.world import Places

_SAME = 1e-9  # costs that differ by less are equal


def cost_to_go(world: Places, steps: Steps) -> Annotated[Floats, "goal mode row column"]:
    """Return the cost-to-go C of every goal, at least as far as the steps need it.

    With A_g = act + distance to g, and leg(Z) the cheapest way to the end of a leg,

        C_open(g)  = leg(A_g)
        L_g        = leg(opening + distance to the lock + C_open(g))
        C_held(g)  = min( leg(A_g), L_g )
        C_start(g) = min( leg(A_g), leg(A_key + L_g) )

    A key is fetched only for the lock. If the key itself is the goal, it costs nothing more once it
    is held.
    """
    goals, modes, objects = len(world.goals), len(world.blocked), np.arange(world.objects)
    costs, wanted = world.costs, wanted_cells(world, steps)
    cost = np.zeros((goals, modes, *world.blocked.shape[1:]))
    walk = costs.walk * world.reach
    touch = costs.act + walk[:goals]
    cost[:, START] = legs(world, START, np.arange(goals), touch, wanted)
    if modes == 1:
        return cost
    lock = world.items
    cost[objects, OPEN] = legs(world, OPEN, objects, touch[objects], wanted)
    unlock = use_tool(world, costs.opening, walk[lock], cost[objects, OPEN])
    targets = np.append(objects, np.full(len(objects), lock))  # each object, and the lock for each
    held = legs(world, HELD, targets, np.concatenate([touch[objects], unlock]), wanted)
    directly, by_lock = np.split(held, 2)
    cost[objects, HELD] = np.minimum(directly, by_lock)
    if world.has_key and world.trial.lock is not None:
        fetch = use_tool(world, costs.reluctance + costs.act, walk[world.objects], by_lock)
        by_key = legs(world, START, np.full(len(objects), world.objects), fetch, wanted)
        cost[objects, START] = np.minimum(cost[objects, START], by_key)
    return cost


def use_tool(
    world: Places, price: float, walk: Annotated[Floats, "row column"], rest: Floats
) -> Annotated[Floats, "goal row column"]:
    """Return the cost of using a tool wherever it is in reach, and of the rest of the plan.

    ``walk`` is the distance to the tool, ``rest`` [goal, row, column]. With ``contact``, agents
    head for the middle of a tool wherever they go afterwards: the rest is counted from the cell
    nearest to the middle.
    """
    here = price + walk
    if not world.costs.contact:
        return here + rest
    possible = np.where(rest < np.inf, here, np.inf)
    nearest = possible.min(axis=(1, 2), keepdims=True)
    rest = np.where(here <= nearest + _SAME, walk + rest, np.inf).min(axis=(1, 2), keepdims=True)
    return here + rest


def legs(
    world: Places, mode: int, targets: Ints, seeds: Floats, wanted: Bools
) -> Annotated[Floats, "leg row column"]:
    """Return the cost of legs to targets [leg], given the costs at their ends [leg, row, column].

    Other items that lie there are boxes B, which agents walk around or, at a price, through:

        C = min( C around B, push + C through B )

    outside the boxes, and two cells deep into them. If a leg cannot begin anywhere without passing
    through a box, there are no boxes.
    """
    costs, wanted = world.costs, wanted[mode]
    blocked = np.broadcast_to(world.blocked[mode], seeds.shape)
    lying = world.boxes[: world.items if mode == START else world.objects]
    others = np.arange(len(lying)) != targets[:, None]  # [leg, item]
    boxes: Bools = np.einsum("li,irc->lrc", others, lying)
    solid: Any = boxes | blocked
    cost = flooded(world, solid, seeds, wanted)
    if len(lying):
        inside = boxes & ~blocked & wanted
        around = extended(world, cost, inside, solid)
        avoidable: Any = (around[:, world.begins(mode)] < np.inf).any(axis=1)
        highest = np.where(wanted & ~solid, cost, 0.0).max(axis=(1, 2))
        some: Bools = ~avoidable | (
            highest > costs.push + seeds.min(axis=(1, 2))
        )  # the others: no change
        if some.any():
            through = flooded(world, blocked[some], seeds[some], wanted)
            least = np.minimum(cost[some], costs.push + through)
            least = np.where(solid[some], np.inf, least)
            least = extended(world, least, inside[some], solid[some])
            around[some] = np.where(avoidable[some][:, None, None], least, through)
        cost, solid = around, np.where(avoidable[:, None, None], solid, blocked)
    if costs.contact:  # beside a wall, or in a box, an agent can use what is within reach
        cost = np.where(solid, np.minimum(cost, seeds), cost)
    return cost


def flooded(
    world: Places, solid: Bools, seeds: Floats, wanted: Bools
) -> Annotated[Floats, "map row column"]:
    """Return the cost of the cheapest path to a seed on each map."""
    cost = np.where(solid, -np.inf, seeds)
    moves = flat_moves(world.moves, cost.shape[-1], world.costs.walk)
    flood(cost.reshape(len(cost), -1), *moves, (wanted & ~solid).reshape(len(cost), -1))
    return np.where(solid, np.inf, cost)


def extended(world: Places, cost: Floats, inside: Bools, solid: Bools) -> Floats:
    """Return costs extended into cells ``inside`` boxes: agents come closer than they intend."""
    cost, cells = cost.copy(), np.flatnonzero(inside)
    cost.ravel()[cells] = escape_cost(cost, solid, cells, world.costs.walk)
    return cost


def escape_cost(cost: Floats, solid: Bools, cells: Ints, walk: float) -> Annotated[Floats, "cell"]:
    """Return the cost in cells, given as flat indices; in solid ones, that of leaving them.

    From a solid cell whose cost is infinite, an agent gets out by one step to the nearest cell with
    a cost, or else by two steps, the first of which leads to another solid cell.
    """
    around = np.array([i * cost.shape[-1] + j for i, j in EIGHT])
    length = walk * np.sqrt([i * i + j * j for i, j in EIGHT])
    flat, solid = cost.ravel(), solid.ravel()
    inner = np.flatnonzero((flat[cells] == np.inf) & solid[cells])
    here = cells[inner]
    out = (flat[here[:, None] + around] + length).min(axis=1)
    deep = np.flatnonzero(out == np.inf)
    middle = here[deep, None] + around  # [cell, step]
    leave = (flat[middle[..., None] + around] + length).min(axis=2) + length
    out[deep] = np.where(solid[middle], leave, np.inf).min(axis=1)
    found = flat[cells]
    found[inner] = out
    return found


def wanted_cells(world: Places, steps: Steps) -> Annotated[Bools, "mode row column"]:
    """Return the cells in which costs are read, generously."""
    wanted = np.zeros(world.blocked.shape, dtype=bool)
    places = np.concatenate([steps.first[None], steps.start, steps.stop]) / world.side
    modes = [START, *steps.mode.tolist(), *steps.after.tolist()]
    for mode, (column, row) in {*zip(modes, map(tuple, places.astype(int).tolist()), strict=True)}:
        wanted[mode, max(row - 3, 0) : row + 8, max(column - 3, 0) : column + 8] = True
    for number in range(len(wanted)):
        rows, columns = np.nonzero(world.begins(number))
        if len(rows):
            box = slice(rows.min() - 2, rows.max() + 3), slice(columns.min() - 2, columns.max() + 3)
            wanted[number, *box] = True
    return wanted


@lru_cache(maxsize=16)
def flat_moves(moves: Any, width: int, walk: float) -> tuple[Ints, Ints, Floats]:
    """Return moves on a flat map: offsets [move], cells passed [move, 2], and prices [move].

    A diagonal needs both orthogonal neighbours, a knight's move the two cells that it crosses.
    """
    down, right = np.array(moves).T
    past = np.zeros((len(moves), 2), dtype=np.int64)
    for index, (i, j) in enumerate(moves):
        if abs(i) == 2:
            past[index] = i // 2 * width, i // 2 * width + j
        elif abs(j) == 2:
            past[index] = j // 2, i * width + j // 2
        elif i and j:
            past[index] = i * width, j
    return down * width + right, past, walk * np.sqrt(down * down + right * right)
