"""Who is liked (Kiley Hamlin, Ullman, Tenenbaum, Goodman and Baker, 2013): who means to help."""

import math
import sys

import hbtom as hb

TOYS, STAKE = ["ball", "duck"], {"help": 1, "none": 0, "hinder": -1}
DO = {"wait": 0, "ball": 1, "duck": 2}


def lift(action, doors):  # opens one of two doors if both are shut (0)
    return {"doors": doors | DO[action], "legal": (doors > 0) == (action == "wait")}


def take(action, doors):  # a toy whose door is open, if there is one
    there = (doors & DO[action] > 0) | (doors + DO[action] == 0)
    return {"got": 0 * doors + DO[action], "legal": there}


def stage(doors):
    rounds = [("elephant", list(DO), lift), ("lion", list(DO), take)]
    return hb.explore({"doors": doors, "got": 0}, rounds, horizon=1)


anyone = hb.Agent(traits={}, values=0, policy=hb.uniform)
lion = hb.Agent(goals=["play"], traits={"efficiency": [2], "likes": TOYS},
                final=lambda world, likes: world["got"] == DO[likes],
                others={"elephant": anyone})  # fmt: skip
some_lion = lion.but(traits={"efficiency": [2]}, final=lambda world: (world["got"] > 0) / 2)
saw = hb.Agent(goals=list(STAKE), traits={"efficiency": [2], "liked": TOYS},
               others={"lion": lion.known(likes="liked")},
               stake={"lion": lambda goal: STAKE[goal]})  # fmt: skip
away = saw.but(traits={"efficiency": [2]}, others={"lion": some_lion})
CASES = {"choice, seen": (3, saw), "no choice": (1, saw), "choice, unseen": (3, away)}


def liking(doors, elephant, opens):
    """Return the stake that an elephant seems to have in what the lion likes."""
    walks = [hb.Walk("wait ball", world=stage(doors))] * 4 + [hb.Walk([opens] * 2, world=stage(0))]
    p = hb.watch({"lion": lion, "elephant": elephant}, walks)
    return sum(STAKE[goal] * P for goal, P in p["elephant.goal"].items())


if __name__ == "__main__":
    found = {case: [liking(*about, toy) for toy in TOYS] for case, about in CASES.items()}
    for case, (ball, duck) in found.items():
        prefers = 1 / (1 + math.exp(2 * (duck - ball)))
        print(f"{case:14} ball's {ball:+.2f}  duck's {duck:+.2f}  prefers ball's {prefers:.2f}")
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=(5, 2.8), layout="constrained")
        for i, toy in enumerate(TOYS):
            where = [case + 0.3 * i - 0.15 for case in range(3)]
            ax.bar(where, [pair[i] for pair in found.values()], 0.3, label=f"gave the {toy}")
        ax.set(ylabel="liking of an elephant", ylim=(-1, 1), xticks=range(3), xticklabels=found)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.legend(fontsize="small")
        figure.savefig(sys.argv[2], dpi=80)
