"""Vaults: chambers closed by walls and a removable green barrier that contains a lock."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hbtom.bench.synth.geometry import CELL, Box, Point, Rng, cell_box, overlap
from hbtom.bench.synth.layouts import Cells, ensure, found, interior, ring


@dataclass(frozen=True, slots=True)
class BarrierStyle:
    """How barriers look and open in one episode, the same in all its trials."""

    spacing: int | None  # pixels between overlapping blocks; None if no blocks overlap
    covered: bool  # whether a block also stands on the lock's cell
    wait: int  # frames until the barrier is gone
    jump: bool  # whether the agent is then moved to where the lock was
    jitter: int  # how far a carried key strays from the agent


@dataclass(frozen=True, slots=True)
class Vault:
    """A rectangle of cells, and the walls and barrier that close it."""

    inside: Cells
    walls: Cells  # the part of its ring made of walls
    green: Cells  # the part made of barrier, lock included, in ring order
    lock: Point  # a cell
    out: Point  # unit step from the lock away from the chamber

    @property
    def lock_centre(self) -> Point:
        """Centre of the lock in pixels."""
        return self.lock[0] * CELL + CELL // 2, self.lock[1] * CELL + CELL // 2

    def door(self, inward: bool = False) -> Point:
        """Where an agent stands in front of the lock: the centre of the cell before it."""
        sign = -1 if inward else 1
        x, y = self.lock_centre
        return x + sign * CELL * self.out[0], y + sign * CELL * self.out[1]

    @property
    def covers(self) -> set[Point]:
        """All cells of the vault: the chamber, its ring, and the cell in front of the lock."""
        before = (self.lock[0] + self.out[0], self.lock[1] + self.out[1])
        return {*self.inside, *self.walls, *self.green, before}


def draw_manner(rng: Rng) -> BarrierStyle:
    """The appearance and timing of an episode's barriers."""
    spacing = (None, 10, 5)[int(rng.choice(3, p=(0.5, 0.35, 0.15)))]
    return BarrierStyle(
        spacing=spacing,
        covered=bool(rng.random() < 0.5),
        wait=int(rng.integers(24, 91)),
        jump=bool(rng.random() < 0.7),
        jitter=int(rng.integers(1, 4)),
    )


def draw_vault(rng: Rng, least: int = 2, most: int = 3) -> Vault:
    """A vault anywhere in the arena, all green or partly walls."""
    inside = _strip(rng) if rng.random() < 0.15 else _room(rng, least, most)
    around = [c for c in ring(inside) if interior(c)]
    green = _green_part(rng, around)
    locks = [c for c in green if _outward(c, inside) is not None]
    ensure(len(locks) >= 3)  # the lock, and two more cells whose absence opens the chamber
    lock = locks[int(rng.integers(len(locks)))]
    out = found(_outward(lock, inside))
    ensure(interior((lock[0] + out[0], lock[1] + out[1])))
    walls = tuple(c for c in around if c not in green)
    return Vault(inside, walls, tuple(green), lock, out)


def barrier_blocks(vault: Vault, manner: BarrierStyle, gone: Cells = ()) -> tuple[Point, ...]:
    """Corners of the barrier's blocks, nearest to the lock first (they vanish in that order)."""
    cells = [c for c in vault.green if c not in gone and (manner.covered or c != vault.lock)]
    corners = [(x * CELL, y * CELL) for x, y in cells]
    if manner.spacing is not None:
        # Blocks in between lie within their neighbours.
        steps = range(manner.spacing, CELL, manner.spacing)
        for x, y in cells:
            corners += [(x * CELL + s, y * CELL) for s in steps if (x + 1, y) in cells]
            corners += [(x * CELL, y * CELL + s) for s in steps if (x, y + 1) in cells]
    lock = (vault.lock[0] * CELL, vault.lock[1] * CELL)
    return tuple(sorted(corners, key=lambda c: (abs(c[0] - lock[0]) + abs(c[1] - lock[1]), c)))


def gaps(rng: Rng, vault: Vault) -> Cells:
    """Cells whose absence from the barrier opens the chamber: one to three, never the lock."""
    sides = [c for c in vault.green if c != vault.lock and _outward(c, vault.inside) is not None]
    n = min(int(rng.integers(1, 4)), len(sides))
    first = int(rng.integers(len(sides)))
    return tuple(sides[(first + i) % len(sides)] for i in range(n))


def hits(vault: Vault, box: Box) -> bool:
    """Whether a box overlaps any cell of the vault."""
    return any(overlap(cell_box(c), box) for c in vault.covers)


def _room(rng: Rng, least: int, most: int) -> Cells:
    """A rectangle of cells anywhere."""
    w, h = (int(n) for n in rng.integers(least, most + 1, size=2))
    x, y = int(rng.integers(1, 10 - w)), int(rng.integers(1, 10 - h))
    return tuple((x + i, y + j) for i in range(w) for j in range(h))


def _strip(rng: Rng) -> Cells:
    """A strip along one side of the arena: the barrier then cuts the arena in two."""
    depth, near, upright = int(rng.integers(2, 4)), rng.random() < 0.5, rng.random() < 0.5
    first = 1 if near else 9 - depth
    cells = [(along, first + i) for along in range(1, 9) for i in range(depth)]
    return tuple((b, a) if upright else (a, b) for a, b in cells)


def relocked(rng: Rng, vault: Vault, walls: Cells) -> Vault:
    """The same vault with its lock elsewhere in the barrier, where an agent can reach it."""
    options = [
        (cell, out)
        for cell in vault.green
        if (out := _outward(cell, vault.inside)) is not None
        and interior(before := (cell[0] + out[0], cell[1] + out[1]))
        and before not in walls
    ]
    lock, out = options[int(rng.integers(len(options)))]
    return replace(vault, lock=lock, out=out)


def _green_part(rng: Rng, around: list[Point]) -> list[Point]:
    if rng.random() < 0.5 or len(around) < 6:
        return around
    n = int(rng.integers(5, len(around)))
    first = int(rng.integers(len(around)))
    return [around[(first + i) % len(around)] for i in range(n)]


def _outward(cell: Point, inside: Cells) -> Point | None:
    """The step away from the chamber, for ring cells that share a side with it."""
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        if (cell[0] - dx, cell[1] - dy) in inside:
            return dx, dy
    return None
