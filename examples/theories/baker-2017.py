"""Food trucks, wants and beliefs: Baker, Jara-Ettinger, Saxe and Tenenbaum (2017)."""

import sys
from functools import cache

import numpy as np

import hbtom as hb

LOT = "K........\n....@....\n..#######\n.........\n........P"  # a truck, a wall, a spot behind it
SPOT = ["nothing", "L", "M"]  # what the spot may hold: a Lebanese or a Mexican truck
BELIEFS = np.array([b for b in np.ndindex(5, 5, 5) if sum(b) == 4]) / 4 + 1e-9  # P of each [15, 3]
LOOK = "left " * 4 + "down " * 2  # around the wall, to where the spot can be seen
PATHS = {"turns back": LOOK + "up up up eat", "goes on": LOOK + "right " * 8 + "down eat",
         "never looks": "left " * 4 + "up eat"}

@cache
def lot(drawing):
    """Return the world (where I am, what I saw in the spot, -1 at first), and the theory of me."""
    maze = hb.maze(drawing, stay=True)
    ways, to = maze.phases[0].actions, maze.phases[0].step.targets[..., 0]
    cells = np.stack([maze["row"], maze["column"]], axis=-1)
    lines = np.linspace(cells, cells[maze["P"]], 99).round().astype(int)  # of sight, to the spot
    in_sight = (np.array([*map(list, drawing.split())])[(*lines.T,)] != "#").all(axis=1)
    def show(action, at, seen):
        return {"seen": np.where((seen < 0) & in_sight[at], SPOT.index(action), seen)}
    def move(action, at, seen):
        if action == "eat":
            return {"at": 0 * at - 1, "legal": maze["K"][at] | maze["P"][at] & (seen > 0)}
        return {"at": to[at, ways.index(action)]}
    def reward(world, K, L, M):
        meal = np.where(maze["K"][world["at"]], K, np.array([0, L, M, 0])[world["seen"]])
        return np.outer(meal, [0, 0, 0, 0, 0, 1]) - [1, 1, 1, 1, 0, 0]
    spot = hb.Agent(traits={"belief": range(15)}, values=0,
                    policy=lambda Q, belief: hb.boltzmann(0 * Q + np.log(BELIEFS[belief[..., 0]])))
    traits = {k: [-40, -20, 0, 20, 40] for k in "KLM"} | {"belief": range(15), "efficiency": [2.0]}
    me = hb.Agent(traits=traits, reward=reward, end=lambda world: world["at"] < 0,
                  others={"spot": spot.known(belief="belief")})  # what I think I shall see there
    rounds = [("spot", SPOT, show), ("me", [*ways, "eat"], move)]
    return hb.explore({"at": maze.start, "seen": -1}, rounds), me

def attribute(drawing, moves, spot):
    """Return how much K, L, M are liked, 0 to 1, and P(nothing, L, M) as believed at first."""
    world, me = lot(drawing)
    p = hb.watch({"me": me}, hb.Walk([x for m in moves.split() for x in (spot, m)], world=world))
    likes = [p.mean(f"me.{truck}") / 80 + 0.5 for truck in "KLM"]
    return np.array([*likes, *p.margin("me.belief")[-1] @ BELIEFS])

if __name__ == "__main__":
    found = {told: attribute(LOT, PATHS[told], "L").round(2) for told in PATHS}
    for told in found:
        print(f"{told:12}likes K, L, M {found[told][:3]}  believed nothing, L, M {found[told][3:]}")
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt
        for number, told in enumerate(found):
            plt.bar(np.arange(6) + number / 4, found[told], 0.25, label=told)
        plt.xticks(np.arange(6) + 0.25, ["likes K", "L", "M", "believed\nnothing", "L", "M"])
        plt.ylabel("liking, or probability")
        plt.legend(title="an agent that")
        plt.savefig(sys.argv[-1], dpi=70)
