"""Draw what people said and what examples/helping.py infers: docs/figures/theory-wu-2023.png.

python docs/figures/theory-wu-2023.py FOLDER    which has the trials, and human.csv
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).parents[2]


def main(folder: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/helping.py"), str(folder), "--format", "json"]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    people = list(csv.DictReader((folder / "human.csv").open(encoding="utf-8")))
    ours = [said[f"e1-{int(row['trial']):02d}.txt"] for row in people]
    panels = {
        "intention": [100 * (one["help"] + one["none"] / 2) for one in ours],
        "counterfactual": [100 * one["counterfactual"] for one in ours],
    }
    names = "did blue mean to help?", "would red have succeeded without blue?"
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.7), layout="constrained")
    for ax, name, (column, model) in zip(axes, names, panels.items(), strict=True):
        human = np.array([float(row[column]) for row in people])
        ax.plot([0, 100], [0, 100], color="0.8")
        ax.plot(model, human, "o", markersize=5)
        r = np.corrcoef(model, human)[0, 1]
        ax.set(title=f"{name}\nr = {r:.3f}", xlabel="hbtom", ylabel="people", aspect="equal")
    figure.savefig(ROOT / "docs/figures/theory-wu-2023.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
