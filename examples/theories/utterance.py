"""A word and an act: a rational speaker (Frank and Goodman, 2012) walks to what she wants."""

import sys

import numpy as np

import hbtom as hb

THINGS = {"s": "blue square", "c": "blue circle", "g": "green square"}
WORDS = ["blue", "green", "square", "circle"]
TRUE = np.array([[word in thing for thing in THINGS.values()] for word in WORDS])  # [word, thing]
ROOM = hb.maze("s.....c\n.......\n...@...\n.......\n......g")
CASES = {  # steps, a word, steps
    "a word": ("", "blue", ""),
    "an act": ("right right", "", ""),
    "word, act": ("", "blue", "right right"),
    "up, then blue": ("up up", "blue", ""),
    "blue, then up": ("", "blue", "up up"),
    "right, then square": ("right right", "square", ""),
}
walker = hb.Agent(goals=list(THINGS), traits={"efficiency": [1]}, reward=-1,
                  end=lambda world, goal: world[goal])  # fmt: skip


def speaker(word, known):
    """Return log P(word | goal), of one who knows what her listener knows by now, P(thing)."""
    literal = TRUE * known / (TRUE @ known)[:, None]  # P(thing | word), if words are just true
    with np.errstate(divide="ignore"):
        log = np.log(literal / literal.sum(axis=0))[WORDS.index(word)]
    return lambda goal: log[list(THINGS).index(goal)]


def listen(before, word, after):
    """Return what a listener believes after every step, and after the word."""
    known = hb.watch(walker, hb.Walk(before, world=ROOM)).margin("goal")[-1]
    cues = [hb.Cue(len(before.split()), speaker(word, known))] if word else []
    return hb.watch(walker, hb.Walk(f"{before} {after}", world=ROOM, cues=cues))


if __name__ == "__main__":
    found = {case: listen(*about)["goal"] for case, about in CASES.items()}
    for case, p in found.items():
        print(f"{case:18}", ", ".join(f"{THINGS[thing]} {P:.2f}" for thing, P in p.items()))
    if "--figure" in sys.argv:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
        for i, thing in enumerate(THINGS):
            places = [case + 0.25 * (i - 1) for case in range(len(CASES))]
            color, hatch = THINGS[thing].split()[0], "oo" if "circle" in THINGS[thing] else ""
            heights = [p[thing] for p in found.values()]
            ax.bar(places, heights, 0.25, color=color, hatch=hatch, alpha=0.6, label=THINGS[thing])
        ax.set(ylabel="P(she wants it)", xticks=range(len(CASES)), ylim=(0, 1.3))
        ax.set_xticklabels([case.replace(", ", ",\n") for case in CASES])
        ax.legend(ncols=3, fontsize="small")
        figure.savefig(sys.argv[2], dpi=80)
