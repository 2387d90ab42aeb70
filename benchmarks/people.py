"""Convert public data from people into scenarios and ratings that hbtom reads.

    python benchmarks/people.py SOURCE FOLDER

``SOURCE`` has the block-words data of Alanqary et al. (2021): block-words-plans-and-goals.json,
block-words-domain.pddl, block-words-scenarios/ and block-words-human-individual/. ``FOLDER`` then
has ``scenarios/``, for ``hbtom infer`` and ``hbtom fit --to``, and ``ratings.csv``, for ``hbtom
correlate``. Or ``SOURCE`` has the food trucks of Baker et al. (2017): stimuli.mat and
human_data.mat. Then ``FOLDER`` has ``paths/``, for ``hbtom attribute``, ``ratings.csv``, and in
``means.csv`` means of beliefs as the authors scale them. The data carry no licence: they are not
part of this repository.
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


TRUCKS = ("Korean", "Lebanese", "Mexican")
SPOT = ("Lebanese at 2", "Mexican at 2", "nothing at 2")
ASKED = {"desire": ("des_inf", TRUCKS), "belief": ("bel_inf", SPOT)}


def convert_trucks(source: Path, folder: Path) -> None:
    """Write a file for each path, the ratings, and the means of beliefs."""
    from scipy.io import loadmat
    from trucks import ODD, gridworlds

    known = loadmat(source / "human_data.mat")
    (folder / "paths").mkdir(parents=True)
    rows: list[tuple] = []
    means: list[tuple] = []
    for number, world in enumerate(gridworlds(source)):
        if number in ODD:
            continue
        name = f"{number + 1:02}: path"
        (folder / "paths" / f"{number + 1:02}.toml").write_text(written(world))
        for variable, (field, goals) in ASKED.items():
            for goal, ratings in zip(goals, known[field][:, number].tolist(), strict=True):
                rated = [(f"{who:02}", one) for who, one in enumerate(ratings, start=1) if one]
                rows += [(who, name, variable, goal, one) for who, one in rated]
        beliefs = known["bel_inf_mean_norm"][:, number].tolist()
        pairs = zip(SPOT, beliefs, strict=True)
        means += [(name, "belief", goal, f"{one:.6g}") for goal, one in pairs]
    columns = ("scenario", "variable", "goal", "rating")
    for file, table in (
        ("ratings.csv", [("participant", *columns), *rows]),
        ("means.csv", [columns, *means]),
    ):
        with (folder / file).open("w", newline="") as stream:
            csv.writer(stream).writerows(table)


def written(world) -> str:
    """Return a gridworld with its path as TOML."""
    things = ", ".join(f"{name} = {json.dumps(place)}" for name, place in world.things.items())
    return (
        f"picture = {json.dumps(world.picture)}\nthings = {{ {things} }}\n"
        f"known = {json.dumps(world.known)}\nmissing = {json.dumps(world.missing)}\n"
        f'diagonal = false\n\n[[paths]]\nname = "path"\nmoves = {json.dumps(world.moves)}\n'
    )


if __name__ == "__main__":
    source, folder = map(Path, sys.argv[1:3])
    if (source / "human_data.mat").exists():
        convert_trucks(source, folder)
    elif (source / "block-words-plans-and-goals.json").exists():
        convert(source, folder)
    else:
        sys.exit(f"{source}: neither block words nor food trucks are here.\n\n{__doc__}")
