"""Helping, hindering, and what would have happened: Wu, Sridhar and Gerstenberg (2023), experiment 1.

Red walks to a star in ten rounds; blue moves boxes. Did blue mean to help or to hinder red, and would
red have got there without blue?    python helping.py FOLDER --format json
"""

import argparse
import json
from pathlib import Path

import numpy as np

import hbtom as hb

WAYS = {"right": (1, 0), "left": (-1, 0), "down": (0, 1), "up": (0, -1), "stay": (0, 0)}
GRASPS = {f"grasp-{way}": way for way in list(WAYS)[:4]}
DETOUR, PRIZE, MISSING, PACE = 5.0, 10.0, 2.0, 2.0  # a box in the way, the star, each step short of it, a round
IDLE, NONE = 0.2, 0.1  # how often blue just waits; how probable it is that it has no stake


def read(path):
    """Return the world of a trial, what was done, where each way leads [cell, way], and the star's cell."""
    lines = path.read_text().splitlines()
    said = {line.split()[0]: line.split() for line in lines if line and line[0].isalpha()}
    at = {line.split()[1]: [int(n) for n in line.split()[3].split(",")] for line in lines if line.startswith("agent")}
    drawn = [line[2:] for line in lines[lines.index("map") + 1 : lines.index("plan")]]
    plans = {line.split()[0]: line.split()[1:] for line in lines[lines.index("plan") + 1 :] if line.strip()}
    width, height = max(map(len, drawn)) // 3, len(drawn)
    thing, floor, side = (np.array([list(row.ljust(3 * width)[i::3]) for row in drawn]).ravel() for i in range(3))
    cells, go = np.arange(width * height), np.zeros((width * height, len(WAYS)), int)
    for way, (right, down) in enumerate(WAYS.values()):
        x, y = cells % width + right, cells // width + down
        to = np.where((x >= 0) & (x < width) & (y >= 0) & (y < height), y * width + x, cells)
        wall = (side == "|")[np.minimum(cells, to)] & (right != 0) | (floor == "_")[np.minimum(cells, to)] & (down != 0)
        go[:, way] = np.where(wall, cells, to)
    turns, done = "+" not in said["order"], []  # in turns, a grasp takes blue's turn, or it rides on a step
    for red, blue in zip(plans["red"], plans["blue"], strict=True):
        done += [red, blue] if turns else [red, *[*blue.split("+"), "stay"][:2]]
    red, blue = (x + y * width for x, y in (at["red"], at["blue"]))
    start = {"red": red, "blue": blue, "boxes": tuple(np.flatnonzero(thing == "x")), "held": -1}
    world = hb.explore(start, rounds_of(go, turns), horizon=int(said["horizon"][1]))
    state, told = world.start, []
    for phase, action in zip(world.phases * len(done), done, strict=False):
        legal, (after, *_) = phase.step.legal[state], phase.step.after(state, phase.actions.index(action))[0]
        happened = legal[phase.actions.index(action)] and after != state
        told.append(action if happened else "stay")  # what is not possible comes to nothing
        state = int(after) if happened else state
    return world, told, go, int(np.argmax(thing == "*"))


def rounds_of(go, turns):
    """Return the phases of a round: red walks; blue walks with the box that it holds, or lets go; it may grasp."""
    ways = list(WAYS)

    def walk(action, red, boxes):
        to = go[red, ways.index(action)]
        return {"red": np.where((boxes == to[:, None]).any(axis=1), red, to)}

    def act(action, red, blue, boxes, held):
        if action in GRASPS:
            to = go[blue, ways.index(GRASPS[action])]
            here = boxes == to[:, None]
            return {"held": here.argmax(axis=1), "legal": (held < 0) & (to != blue) & here.any(axis=1)}
        if action == "release":
            return {"held": np.full_like(held, -1), "legal": held >= 0}
        way = ways.index(action)
        to, mine = go[blue, way], np.arange(boxes.shape[1]) == held[:, None]
        after, rest = np.where(mine, go[boxes, way], boxes), np.where(mine, -1, boxes)
        box = np.where(held >= 0, after[np.arange(len(held)), held], -2)
        stuck = (mine & (after == boxes)).any(axis=1) | (rest == box[:, None]).any(axis=1)
        stuck |= (to == blue) | (rest == to[:, None]).any(axis=1) | (box == to) | (to == red) | (box == red)
        return {"blue": to, "boxes": after, "legal": ~stuck | (action == "stay")}

    blue = [[*ways, "release", *GRASPS]] if turns else [[*ways, "release"], ["stay", *GRASPS]]
    return [("red", ways, walk), *(("blue", some, act) for some in blue)]


def minds_of(go, star):
    """Return red, who walks to the star, and blue, who has a stake in it and knows what kind of mind red is."""

    def way_left(world):  # of the shortest way to the star, on which a box is a detour [S]
        boxes, which = np.unique(world["boxes"], axis=0, return_inverse=True)
        cost = 1 + DETOUR * (boxes[:, :, None] == np.arange(len(go))).any(axis=1)  # to enter a cell [boxes, cell]
        left = np.where(np.arange(len(go)) == star, 0.0, 1e3) + 0 * cost
        for _ in range(2 * len(go)):
            left = np.where(np.arange(len(go)) == star, 0.0, np.minimum(left, (cost + left)[:, go[:, :4]].min(axis=2)))
        return left[which.ravel(), world["red"]]

    def walks(bodies):
        def values(world, phase):
            red, to = world["red"], phase.step.targets[..., 0]
            red_after = red[to]
            stays = (red_after == red[: len(to), None]) | bodies & (red_after == world["blue"][: len(to), None])
            return np.where(stays & (np.array(phase.actions) != "stay"), -np.inf, -1 - way_left(world)[to])

        return values

    def there(world):
        return world["red"] == star

    def effort(world, phase):  # a step costs 1, with a box 2
        return (1 + (world["held"] >= 0))[:, None] * np.isin(phase.actions, list(WAYS)[:4])

    red = hb.Agent(
        goals=["star"], traits={"efficiency": [1, 2, 4, 8]}, values=walks(True), end=there, reward=-PACE,
        final=lambda world: np.where(there(world), PRIZE, -MISSING * way_left(world)),
    )  # fmt: skip
    blue = hb.Agent(
        goals={"help": (1 - NONE) / 2, "none": NONE, "hinder": (1 - NONE) / 2}, traits={"efficiency": [0.25, 0.5, 1]},
        reward=lambda world, phase: -effort(world, phase), end=there, worth=hb.as_it_acts,
        policy=lambda Q, efficiency, options: hb.mix(hb.boltzmann(Q, efficiency), hb.only("stay", options), IDLE),
        others={"red": red.but(values=walks(False))}, stake={"red": lambda goal: {"help": 1, "none": 0, "hinder": -1}[goal]},
    )  # fmt: skip
    return {"red": red, "blue": blue}, there


def judge(path):
    """Return P(blue wants to help, has no stake, hinders), and P(red succeeds without blue)."""
    world, done, go, star = read(path)
    minds, there = minds_of(go, star)
    p = hb.watch(minds, hb.Walk(done, world=world, until=there))
    return p["blue.goal"] | {"counterfactual": p.would(there, without="blue")}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--format", choices=["json"])
    files = sorted(f for f in parser.parse_args().folder.glob("*.txt") if "\nplan" in f.read_text())
    print(json.dumps({file.name: judge(file) for file in files or parser.error("there are no trials there")}, indent=1))
