"""The naive utility calculus: Jara-Ettinger, Gweon, Schulz and Tenenbaum (2016)."""

import sys

import hbtom as hb

MUD = "B..~~.\nX@.~~R\n...~~."  # a red and a blue treat, an exit, and mud
DETOUR = "B......\nX@~~~~R\n......."  # there is a way around the mud
FREE = "R..~\nX@.~\nB..~"  # the mud is in nobody's way
STORIES = {
    "nothing seen": [(MUD, "")],
    "through the mud to red": [(MUD, "right right right right")],
    "to blue, which is near": [(MUD, "up left")],
    "leaves": [(MUD, "left")],
    "around the mud to red": [(DETOUR, "up right right right right right down")],
    "to red, where both are near": [(FREE, "up left")],
    "then to blue, red is in mud": [(FREE, "up left"), (MUD, "up left")],
    "to blue, where both are near": [(FREE, "down left")],
    "then again, red is in mud": [(FREE, "down left"), (MUD, "up left")],
}
agent = hb.Agent(  # the goals are what the map offers: B, R, or X, to leave
    traits={"red": [0, 4, 8, 12], "blue": [0, 4, 8, 12], "mud": [1, 2, 4, 8], "efficiency": [2.0]},
    reward=lambda world, mud: -1 - (mud - 1) * world.ahead(world["~"]),  # of a step
    end=lambda world, goal: world[goal],
    final=lambda world, goal, red, blue: world[goal] * {"R": red, "B": blue, "X": 0}[goal],
    choose=lambda V: V,  # P(goal) ~ exp(utility), the reward minus the costs of getting there
)


def place(drawing):
    """Return the world that is drawn, where only the agent says what a step through mud costs."""
    return hb.maze(drawing, terrain={"~": 1})


def watch(*trials):
    """Return what is believed after somebody made these walks, each (drawing, moves)."""
    return hb.watch(agent, [hb.Walk(moves, world=place(drawing)) for drawing, moves in trials])


def goes_for_red(p):
    """Return P(this agent goes for red if nothing is in the way)."""
    return p.would(lambda world: world["R"], world=place(FREE), rounds=9)


if __name__ == "__main__":
    seen = {told: watch(*trials) for told, trials in STORIES.items()}
    print(f"{'':29} red   blue  mud   P(red if free)")
    for told, p in seen.items():
        means = "  ".join(f"{p.mean(name):4.1f}" for name in ("red", "blue", "mud"))
        print(f"{told:29}{means}  {goes_for_red(p):.2f}")
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt
        figure, panels = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
        for ax, name, color in zip(panels, ("red", "blue", "mud"), ("C3", "C0", "C5"), strict=True):
            ax.barh([*seen], [p.mean(name) for p in seen.values()], color=color)
            ax.set(xlabel={"mud": "cost of a step in mud"}.get(name, f"reward of {name}"))
        panels[0].invert_yaxis()
        figure.savefig(sys.argv[-1], dpi=75)
