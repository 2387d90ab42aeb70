"""Infants read value from cost: Liu, Ullman, Tenenbaum and Spelke (2017)."""

import sys

import numpy as np

import hbtom as hb

EFFORT = {"low": 2.0, "medium": 4.0, "high": 6.0}  # of getting over a barrier; a step costs 1
SHOWN = [("A", "low", True), ("A", "medium", False), ("B", "medium", True), ("B", "high", False)]
CHOICE = hb.maze("A.H.B", stay=True)  # in the test, A and B are there, and no barrier


def trial(who, barrier, jumps, effort):
    """Return a trial: the agent jumps over a barrier to reach A or B, or refuses and stays home."""
    world = hb.maze(f"H|{who}", terrain={"|": effort[barrier]}, stay=True)
    return hb.Walk("right right" if jumps else "stay stay", world=world)


def cost(world, phase, goal):
    """Return what actions cost; to want something and not to go there costs time."""
    return world["cost"] + (np.array(phase.actions) == "stay") * (goal != "H")


agent = hb.Agent(  # approaches whoever is there, A or B, or stays home, H, which is worth 0
    traits={name: np.arange(0, 10.5, 0.5).tolist() for name in "AB"} | {"efficiency": [2.0]},
    reward=lambda world, phase, goal: -cost(world, phase, goal),
    end=lambda world, goal: world[goal],
    final=lambda world, goal, A, B: world[goal] * {"A": A, "B": B, "H": 0}[goal],
    choose=lambda V: V,  # P(goal) ~ exp(value - cost)
)
counting = agent.but(choose=hb.dirichlet())  # learns how often each goal was chosen, nothing else


def watch(agent, effort=EFFORT, trials=4):
    """Return the posterior at the start of the test, after so many of the trials."""
    shown = [trial(*one, effort) for one in SHOWN[:trials]]
    return hb.watch(agent, [*shown, hb.Walk([], world=CHOICE, start=CHOICE.find(H=True))])


def prefers_b(p):
    """Return how much more probable it is that the agent goes to B than to A."""
    return p["goal"]["B"] / (p["goal"]["A"] + p["goal"]["B"])


if __name__ == "__main__":
    for number, p in enumerate(watch(agent, trials=number) for number in range(5)):
        worth = f"A is worth {p.mean('A'):.1f}, B {p.mean('B'):.1f}"
        print(f"after {number} trials: {worth}; P(to B, not to A) = {prefers_b(p):.2f}")
    print(f"counting what it chose: {prefers_b(watch(counting)):.2f}")
    print(f"all barriers alike: {prefers_b(watch(agent, dict.fromkeys(EFFORT, 4.0))):.2f}")
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt
        plt.figure(figsize=(5, 2.8), layout="constrained")
        for name in "AB":
            plt.plot([*p[name]], [*p[name].values()], label=f"the value of {name}")
        plt.gca().set(xlabel="value, in steps", ylabel="probability, after four trials")
        plt.legend()
        plt.savefig(sys.argv[-1], dpi=75)
