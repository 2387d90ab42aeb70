"""Public data of people as scenarios and ratings that hbtom reads.

    python benchmarks/people.py SOURCE FOLDER

``SOURCE`` has the block-words data of Alanqary et al. (2021), as they are published. ``FOLDER``
then has ``scenarios/``, for ``hbtom infer`` and ``hbtom fit --to``, and ``ratings.csv``, for
``hbtom correlate``. The data carry no licence: they are not part of this repository.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

CATEGORIES = {"1": "no mistake", "2": "in actions", "3": "in plans", "4": "in goals"}
COLUMNS = ("participant", "scenario", "category", "time", "goal", "rating")


def spelt(word: str) -> str:
    """Return the condition that a word is spelt by a tower of blocks, from top to bottom."""
    above = " ".join(f"(on {a} {b})" for a, b in pairwise(word))
    return f"(and (clear {word[0]}) {above} (ontable {word[-1]}))"


def answers(source: Path, name: str, goals: list[str], times: list[int]) -> Iterator[tuple]:
    """Yield one row per answer; a file has a line for each time and goal, below a heading."""
    file = source / "block-words-human-individual" / f"{name.replace('-', '_')}.csv"
    lines = list(csv.reader(file.read_text().splitlines()))[1:]
    asked = [(time, goal) for time in times for goal in goals]
    for (time, goal), line in zip(asked, lines, strict=True):
        for number, rating in enumerate(line, start=1):
            who, category = f"{name}.{number:02}", CATEGORIES[name[0]]
            yield who, name, category, time, goal, f"{float(rating):.6g}"


def convert(source: Path, folder: Path) -> None:
    """Write the scenarios and the ratings."""
    rows: list[tuple] = []
    plans = json.loads((source / "block-words-plans-and-goals.json").read_text())
    domain = (source / "block-words-domain.pddl").read_text()
    for name, known in plans.items():
        inside = folder / "scenarios" / name
        inside.mkdir(parents=True)
        problem = (source / "block-words-scenarios" / f"scenario-{name}.pddl").read_text()
        goals = "".join(f"{word}: {spelt(word)}\n" for word in known["goals"])
        plan = "\n".join(known["actions"]) + "\n"
        texts = {"problem.pddl": problem, "goals.txt": goals, f"{name}.plan": plan}
        for file, text in texts.items():
            (inside / file).write_text(text)
        rows += answers(source, name, known["goals"], known["judgement_after"])
    (folder / "scenarios" / "domain.pddl").write_text(domain)
    with (folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    convert(Path(sys.argv[1]), Path(sys.argv[2]))
