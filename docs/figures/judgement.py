"""Draws docs/figures/judgement.png: both members of the example pair, and what is believed.

python docs/figures/judgement.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

import hbtom
from hbtom.judgement import Judgement
from hbtom.show import explain

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
COLOURS = ("#E69F00", "#0072B2", "#009E73")  # tell apart for all eyes


def draw_world(axes: Axes, judgement: Judgement) -> None:
    """Draw the test trial: walls, items, and the agent's path with its home."""
    trial = judgement.episode.test
    for x, y, width, height in trial.walls:
        axes.add_patch(Rectangle((x, y), width, height, color="#444444", linewidth=0))
    for item, colour in zip(trial.items, COLOURS, strict=False):
        axes.add_patch(Circle(item.centre, item.radius, color=colour))
        x, y = item.centre
        label = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
        axes.annotate(str(item.look), (x, y + 13), ha="center", fontsize=8, bbox=label)
    axes.plot(*trial.path.T, color="black", linewidth=1.5)
    axes.plot(*trial.path[0], "s", color="#CC79A7", markersize=7, label="start")
    axes.plot(*trial.path[-1], "o", color="black", markersize=5, label="end")
    axes.legend(loc="lower center", ncols=2, fontsize=8, frameon=False, labelcolor="white")
    axes.set(xlim=(0, trial.size[0]), ylim=(0, trial.size[1]), aspect="equal")
    axes.set(xticks=[], yticks=[])


def draw_belief(axes: Axes, judgement: Judgement) -> None:
    """Draw P(goal) at every step of the test trial."""
    test = judgement.test
    steps = range(len(test.goal))
    for goal, belief, colour in zip(test.goals, test.goal.T, COLOURS, strict=False):
        axes.plot(steps, belief, "o-", color=colour, label=str(goal), markersize=4)
    axes.set(ylim=(-0.03, 1.03), ylabel="P(goal)", xlabel="step of the test trial")
    axes.legend(frameon=False, fontsize=8, loc="center right")


def main() -> None:
    """Draw both members, one a row."""
    figure, rows = plt.subplots(2, 2, figsize=(7.5, 6), width_ratios=[1, 1.5], layout="constrained")
    for row, member in zip(rows, "eu", strict=True):
        judgement = hbtom.judge(EXAMPLES / f"preference_{member}.json.zst")
        draw_world(row[0], judgement)
        draw_belief(row[1], judgement)
        row[0].set_title({"e": "expected", "u": "unexpected"}[member], fontsize=9)
        title = f"plausibility {judgement.plausibility:.2f}\n{explain(judgement)}"
        row[1].set_title(title, fontsize=9, loc="left")
    figure.savefig(HERE / "judgement.png", dpi=130)


if __name__ == "__main__":
    main()
