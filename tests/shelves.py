"""A dataset to browse: files and archives, with all possible results of a pair."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Any

from episodes import HEART, SPOON, episode, simple_episode, to_bytes, to_thing, write
from hbtom.bench.dataset_packing import pack

HEART_HERE, SPOON_HERE = HEART.at(120, 60), SPOON.at(120, 140)
ODD = "<img src=x onerror=alert(1)> &\"' ü"  # the name of a pair
FEW, MANY = 3, 55  # pairs of two tasks
NAMED = ("broken", "other", "same", "swapped", "usual", ODD)  # pairs of the third
PAIRS = FEW + MANY + len(NAMED)
SECRET = "nobody but me may read this"


def likes_heart(last: Any) -> Any:
    """Return an episode of an agent that goes to a heart three times, then elsewhere."""
    familiar = to_thing(HEART_HERE, others=[SPOON_HERE])
    return episode(familiar, familiar, familiar, last)


EXPECTED = likes_heart(to_thing(HEART_HERE, others=[SPOON_HERE]))
UNEXPECTED = likes_heart(to_thing(SPOON_HERE, others=[HEART_HERE]))


def make_shelf(folder: Path) -> Path:
    """Write the dataset into a folder, and a secret beside it."""
    task = folder / "preference"
    task.mkdir(parents=True)
    for name, (expected, unexpected) in {
        "usual": (EXPECTED, UNEXPECTED),
        "other": (EXPECTED, UNEXPECTED),
        "swapped": (UNEXPECTED, EXPECTED),
        "same": (EXPECTED, EXPECTED),
        "broken": (EXPECTED, UNEXPECTED),
    }.items():
        write(task / f"{name}e.json", expected)
        write(task / f"{name}u.json", unexpected)
    broken = task / "brokenu.json"
    broken.write_bytes(broken.read_bytes()[:5000])
    _zip(folder / "agents_evaluation_multiple_agents.zip")
    with zipfile.ZipFile(folder / "odd.zip", "w") as archive:  # files cannot have every name
        archive.writestr(f"preference/{ODD}e.json", to_bytes(EXPECTED))
        archive.writestr(f"preference/{ODD}u.json", to_bytes(UNEXPECTED))
    _archive(folder)
    (folder / "alonee.json").write_bytes(to_bytes(simple_episode()))
    (folder.parent / "secret.json").write_text(SECRET)
    if os.name == "posix":
        (folder / "secret.txt").symlink_to(folder.parent / "secret.json")
    return folder


def _zip(path: Path) -> None:
    """Write many pairs that are all ties and quick to judge."""
    with zipfile.ZipFile(path, "w") as archive:
        data = to_bytes(simple_episode())
        for number in range(MANY):
            for member in "eu":
                archive.writestr(f"multi_agent/{number:06}ma{member}.json", data)


def _archive(folder: Path) -> None:
    loose = folder.parent / "loose" / "efficiency_path"
    loose.mkdir(parents=True)
    for number in range(FEW):
        write(loose / f"{number:06}epe.json", EXPECTED)
        write(loose / f"{number:06}epu.json", UNEXPECTED)
    pack(loose.parent, folder / "packed.parquet", workers=1)
