"""Goals that change: Baker, Saxe and Tenenbaum (2009), Action understanding.

python baker-2009.py [--figure FILE.png]
"""

import sys

import hbtom as hb

GAP = """.............A.
...............
.......#.......
.......#.......
.......#......B
.@.............
.......#.....C.
"""
SOLID = GAP.replace(".@......", ".@.....#")
PATH = ["up-right"] * 4 + ["right"] * 4 + ["down-right"] * 4 + ["down"]  # as if to A, then to C
MODELS = {"M1, one goal": 0.0, "M2, goals change": 0.1, "H, the last move": 1.0}


def watch(drawing, change):
    """Return the posterior of an agent whose goal is drawn anew before a move at this rate."""
    agent = hb.Agent(
        goals=hb.Trait(["A", "B", "C"], anew=change),
        traits={"efficiency": [2.0]},
        reward=lambda world: -world["cost"],
        end=lambda world, goal: world[goal],
    )
    return hb.watch(agent, hb.Walk(PATH, world=hb.maze(drawing, diagonal=True)))


def draw(file):
    """Draw the path, and what the three models make of it."""
    import matplotlib.pyplot as plt
    figure, (maze, *panels) = plt.subplots(1, 4, figsize=(11, 2.4), layout="constrained")
    for panel, name in zip(panels, MODELS, strict=True):
        p = watch(GAP, MODELS[name])
        panel.plot(p.margin("goal"), label=["A", "B", "C"])
        panel.set(title=name, xlabel="moves", ylabel="P(goal)", ylim=(0, 1.03))
    panels[0].legend(loc=(0.25, 0.3))
    maze.imshow([[sign == "#" for sign in row] for row in GAP.split()], cmap="Greys", vmax=2)
    maze.plot(*([p.world[name][s] for s in p.steps.states] for name in ("column", "row")), ".-")
    for goal in "ABC":
        at = p.world.find(**{goal: True})
        maze.text(p.world["column"][at] + 0.7, p.world["row"][at], goal, va="center")
    maze.set(xticks=[], yticks=[], title="a wall with a gap", xlim=(-0.5, 15.6))
    figure.savefig(file, dpi=75)


if __name__ == "__main__":
    print("P(A), P(B), P(C) after 3, 8 and 13 moves; log P of the path")
    for drawing, told in (GAP, "a gap"), (SOLID, "no gap"):
        for name, p in ((name, watch(drawing, MODELS[name])) for name in MODELS):
            goals = p.margin("goal")[[3, 8, 13]].round(2).tolist()
            print(f"{told:7}{name:17}", *goals, f"{p.log_evidence[-1]:.1f}")
    back = watch(GAP, 0.1).margin("goal", smoothed=True)[3]
    print("looking back from the end with M2, after 3 moves:", back.round(2).tolist())
    draw(sys.argv[-1]) if "--figure" in sys.argv else None
