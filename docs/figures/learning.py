"""Draws docs/figures/learning.png: how accuracy grows with the episodes that networks learn from.

python docs/figures/learning.py            draws what docs/figures/learning.csv holds
python docs/figures/learning.py OUT...     reads that anew, from what train_all.py --rate wrote
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hbtom.bench.ratings import read_ratings
from hbtom.bench.score import paired, scores, wilson
from hbtom.neural.weights_file import read_weights

HERE = Path(__file__).parent
TABLE = HERE / "learning.csv"
PANELS = {
    "path and time control": ("efficiency_path", "efficiency_time"),
    "preference and multi-agent": ("preference", "multi_agent"),
    "all nine tasks": (),
}
Row = dict[str, Any]


def points(folders: Iterable[Path]) -> Iterator[Row]:
    """Yield a row for each network, number of episodes, and task."""
    for file in sorted(one for folder in folders for one in folder.glob("*-*[0-9].csv")):
        card = read_weights(file.with_suffix(".safetensors"))[1]
        for score in scores(paired(read_ratings(file).values)):
            row = {name: card[name] for name in ("network", "steps", "episodes")}
            yield row | {
                "task": score.task,
                "pairs": score.pairs,
                "correct": score.correct + score.ties / 2,
            }


def curves(rows: Iterable[Row], tasks: tuple[str, ...]) -> dict[str, dict[int, tuple[float, int]]]:
    """Return correct pairs and all pairs by network and its steps, and by episodes."""
    found: dict[str, dict[int, tuple[float, int]]] = {}
    for row in rows:
        if row["task"] in tasks or not tasks:
            curve = found.setdefault(f"{row['network']}, {int(row['steps']):,} steps", {})
            correct, pairs = curve.get(int(row["episodes"]), (0.0, 0))
            more = correct + float(row["correct"]), pairs + int(row["pairs"])
            curve[int(row["episodes"])] = more
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def draw(rows: list[Row]) -> None:
    """Draw a panel for each group of tasks, with 95 % intervals."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(PANELS), figsize=(11, 3.6), sharey=True)
    for axis, (title, tasks) in zip(axes, PANELS.items(), strict=True):
        for number, (name, curve) in enumerate(curves(rows, tasks).items()):
            shares = [100 * correct / pairs for correct, pairs in curve.values()]
            bounds = [[100 * bound for bound in wilson(*one)] for one in curve.values()]
            off = [
                [max(0.0, mean - low) for mean, (low, _) in zip(shares, bounds, strict=True)],
                [max(0.0, high - mean) for mean, (_, high) in zip(shares, bounds, strict=True)],
            ]
            places = [episodes * 1.05 ** (number - 2) for episodes in curve]
            axis.errorbar(places, shares, off, label=name, marker="o", markersize=3, linewidth=1)
        axis.axhline(50, color="0.6", linewidth=0.8, linestyle=":")
        axis.set(title=title, xscale="log", xlabel="background episodes", ylim=(0, 102))
    axes[0].set_ylabel("accuracy, %")
    axes[0].legend(fontsize=7, loc="lower right")
    figure.tight_layout()
    figure.savefig(HERE / "learning.png", dpi=110)


def main() -> None:
    """Write the table if there is something new, and draw it."""
    if sys.argv[1:]:
        rows = list(points(map(Path, sys.argv[1:])))
        with TABLE.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    with TABLE.open(newline="", encoding="utf-8") as file:
        draw(list(csv.DictReader(file)))


if __name__ == "__main__":
    main()
