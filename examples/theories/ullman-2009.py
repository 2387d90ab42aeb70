"""Help or hinder (Ullman, Baker, Macindoe, Evans, Goodman and Tenenbaum, 2009): social goals."""

import sys

import hbtom as hb

ROOM = hb.maze("##.##\n##.##\nF...T\n##.##\n##.##\n.....", stay=True)
WAYS, GO = list(ROOM.phases[0].actions), ROOM.phases[0].step.targets[..., 0]  # [cell, way]
AT = {"flower": ROOM["F"].argmax(), "tree": ROOM["T"].argmax()}
FILMS = {  # Small agent, Big agent, bOulder; what small and big do, in turns
    "clears": ("##.## ##.## ..... ##O## ##B## ..S..", "stay up up up stay left up stay stay stay"),
    "passes": ("##.## ##.## ..... ##O## ##B## ..S..", "stay up up up stay right up right up stay"),
    "bars": ("##B## ##O## ..... ##.## ##.## ..S..", "up down stay down" + 4 * " stay stay"),
    "pushes": ("##O## ##B## ..... ##S## ##.## .....", "up down stay down" + 4 * " stay stay"),
}


def walk(action, small, big, boulder):
    to = GO[small, WAYS.index(action)]
    return {"small": to, "legal": (to != big) & (to != boulder)}


def push(action, small, big, boulder):  # what is in the way, if there is room behind it
    to = GO[big, WAYS.index(action)]
    by = GO[to, WAYS.index(action)] - to
    small, boulder = small + by * (small == to), boulder + by * (boulder == to)
    room = (small != to) & (boulder != to) & (small != boulder)
    return {"big": to, "small": small, "boulder": boulder, "legal": room}


waits = hb.Agent(traits={}, policy=lambda Q: hb.greedy(Q, 0.0),
                 values=lambda phase: [way == "stay" for way in phase.actions])  # fmt: skip
small = hb.Agent(goals=list(AT), traits={"efficiency": [3]}, others={"big": waits}, reward=-1,
                 discount=0.95, end=lambda world, goal: world["small"] == AT[goal])  # fmt: skip
big = hb.Agent(
    goals=[*AT, "help", "hinder"], traits={"efficiency": [3], "aim": list(AT)}, discount=0.95,
    reward=lambda goal, phase: [-1 * (goal in AT) - 0.2 * (way != "stay") for way in phase.actions],
    end=lambda world, goal, aim: world["big" if goal in AT else "small"] == AT.get(goal, AT[aim]),
    others={"small": small.known(goal="aim")},
    stake={"small": lambda goal: {"help": 1, "hinder": -1}.get(goal, 0)})  # fmt: skip


def watch(drawn, done):
    room, signs = hb.maze(drawn.replace(" ", "\n")), {"small": "S", "big": "B", "boulder": "O"}
    start = {who: room[sign].argmax() for who, sign in signs.items()}
    world = hb.explore(start, [("small", WAYS, walk), ("big", WAYS, push)])
    return hb.watch({"small": small, "big": big}, hb.Walk(done, world=world))


if __name__ == "__main__":
    for film, seen in FILMS.items():
        print(f"{film:8}", *(f"{goal} {P:.2f}" for goal, P in watch(*seen)["big.goal"].items()))
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 4, figsize=(11, 2.8), sharey=True, layout="constrained")
        for ax, film in zip(axes, FILMS, strict=True):
            watch(*FILMS[film]).plot("big.goal", ax=ax)
            ax.set_title(film)
        figure.savefig(sys.argv[2], dpi=80)
