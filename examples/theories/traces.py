"""Crumbs on the floor (Lopez-Brau, Kwon and Jara-Ettinger, 2022): who came in where, for what."""

import sys

import numpy as np

import hbtom as hb

WALL, FREE, GOALS = "#########", "#.......#", ["A", "B", "C"]
TOP, LOW = ["###1#####", "#A.....B#", FREE, FREE], [FREE, "#C......#", WALL]
ROOMS = {  # somebody came in by door 1 or 2 to fetch A, B or C, and left crumbs at *
    "in the open": [*TOP, "#.....*.2", FREE, *LOW],
    "beside C": [*TOP, "#.......2", FREE, "#*......#", *LOW[1:]],
    "a passage": [*TOP, "#..*....#", "####.####", FREE, "#C......2", WALL],
}
walker = hb.Agent(goals=GOALS, traits={"efficiency": [3]}, reward=-1,
                  end=lambda world, goal: world[goal])  # fmt: skip


def crumbs(room, start):
    """Return log P(crumbs | goal): they may fall at any step of the way, all as probable."""
    before = hb.watch(walker, hb.Walk([], start=start, world=room))

    def log(goal):
        way = [before.would(goal=goal, rounds=t) for t in range(1, 31)]
        steps = 1 + sum(1 - P[room[goal]].sum() for P in way)
        return np.log(sum(P[room["*"]].sum() for P in way) / steps)

    return log


def trace(drawn):
    """Return P(door, goal | crumbs) [door, goal]."""
    room, found = hb.maze("\n".join(drawn)), []
    for door in "123":
        if door in room.fields:
            start = room[door].argmax()
            cue = hb.Cue(0, crumbs(room, start))
            p = hb.watch(walker, hb.Walk([], start=start, world=room, cues=[cue]))
            found.append(np.exp(p.log_evidence[0]) * p.margin("goal")[0])
    return np.array(found) / np.sum(found)


if __name__ == "__main__":
    found = {room: trace(drawn) for room, drawn in ROOMS.items()}
    for room, P in found.items():
        doors, goals = (np.round(P.sum(axis=axis), 2).tolist() for axis in (1, 0))
        print(f"{room:12} doors {doors}  goals {goals}  most probable together {P.max():.2f}")
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained")
        for ax, (name, P) in zip(axes, found.items(), strict=True):
            grid = np.array([[*row] for row in ROOMS[name]])
            ax.imshow(grid == "#", cmap="Greys", alpha=0.6)
            for (row, column), sign in np.ndenumerate(grid):
                ax.text(column, row, sign.strip("#."), ha="center", va="center")
            told = [f"{d + 1} to {GOALS[g]} {p:.2f}" for (d, g), p in np.ndenumerate(P) if p > 0.01]
            ax.set(title=f"{name}\n" + "   ".join(told), xticks=[], yticks=[])
        figure.savefig(sys.argv[2], dpi=80)
