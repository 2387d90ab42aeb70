"""How well the model agrees with people about food trucks (Baker et al., 2017).

    python benchmarks/trucks.py FOLDER

FOLDER holds the authors' files stimuli.mat and human_data.mat, which are not part of hbtom. Prints
the correlations of desires and beliefs with the mean ratings of people, over the paths that the
authors analysed and over all of them. Needs the extra ``fit``.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import hbtom

WIDTH, HEIGHT = 15, 5  # cells
STEPS = {(0, 0): "wait", (1, 0): "S", (-1, 0): "N", (0, 1): "E", (0, -1): "W"}
ODD = [10, 11, 21, 70, 71]  # paths that the authors left out


def gridworlds(folder: Path) -> list[hbtom.Gridworld]:
    """Return the 78 paths."""
    from scipy.io import loadmat

    known = loadmat(folder / "stimuli.mat", squeeze_me=True, struct_as_record=False)
    return [_gridworld(one, known["worlds"]) for one in known["scenario"]]


def _gridworld(scenario, worlds) -> hbtom.Gridworld:
    layout, content, _ = scenario.condition
    wall, cells = worlds[layout - 1][0], [(int(one) - 1) for one in scenario.path]
    (left, top), (wide, high) = (map(int, one) for one in (wall.obst_pose, wall.obst_sz))
    rows = np.full((HEIGHT, WIDTH), ".")
    rows[top - 1 : top - 1 + high, left - 1 : left - 1 + wide] = "#"
    rows[0, 0], rows[-1, -1] = "1", "2"
    walked = [divmod(cell, WIDTH) for cell in cells if cell < WIDTH * HEIGHT]
    pairs = pairwise(walked)
    moves = [STEPS[two[0] - one[0], two[1] - one[1]] for one, two in pairs]
    rows[walked[0]] = "@"
    return hbtom.Gridworld(
        "\n".join(map("".join, rows)),
        {"Korean": "1", **({"Lebanese": "2"}, {"Mexican": "2"}, {})[content - 1]},
        " ".join([*moves, *(["take"] if len(walked) < len(cells) else [])]),
        known=("Korean",),
        missing=("Lebanese", "Mexican"),
        diagonal=False,
    )


def ratings(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return people's mean desires for trucks and mean beliefs about the spot, by path."""
    from scipy.io import loadmat

    known = loadmat(folder / "human_data.mat")
    return known["des_inf_mean"].T, known["bel_inf_mean_norm"].T


def agreement(folder: Path, model: str = "paper") -> dict[str, tuple[float, float, float]]:
    """Return r for desires, for beliefs, and for beliefs centred within each question."""
    found = hbtom.attribute(gridworlds(folder), model).posteriors
    people = ratings(folder)
    inferred = np.array([o.rating[-1] for o in found]), np.array([o.belief[-1] for o in found])
    figures = {}
    for name, left_out in (("as analysed", ODD), ("all", [])):
        kept = np.setdiff1d(np.arange(len(found)), left_out)
        desires, beliefs = ((a[kept], b[kept]) for a, b in zip(people, inferred, strict=True))
        centred = [one - one.mean(axis=0) for one in beliefs]
        pairs = desires, beliefs, centred
        r = (float(np.corrcoef(a.ravel(), b.ravel())[0, 1]) for a, b in pairs)
        figures[f"{name}, {len(kept)} paths"] = tuple(r)
    return figures


if __name__ == "__main__":
    began = time.process_time()
    print(f"{'r with people':24}  desires  beliefs  beliefs, centred")
    for name, (desire, belief, centred) in agreement(Path(sys.argv[1]), *sys.argv[2:3]).items():
        print(f"{name:24}  {desire:7.3f}  {belief:7.3f}  {centred:16.3f}")
    print(f"{time.process_time() - began:.1f} s CPU for 78 paths")
