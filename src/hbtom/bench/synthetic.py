"""Synthetic datasets, which are generated once and kept packed in the user's cache folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hbtom import __version__
from hbtom.bench.dataset import find_pairs
from hbtom.bench.pairs import Dataset
from hbtom.bench.synth.generate import generate
from hbtom.bench.tasks import SUITES
from hbtom.bench.workers import Progress
from hbtom.cache import cache_folder
from hbtom.errors import system_errors
from hbtom.scratch import scratch

REPORTING = (40, 1)  # pairs of each task, and the seed; nothing is ever fitted to these
FITTING = (13, 2)  # 220 of these episodes are used, as many as for the paper's classifier
FITTING_EPISODES = 220


def default_dataset(progress: Progress | None = None, suite: str = "bib") -> Path:
    """Return the folder of a suite's default benchmark; generate it if it does not exist."""
    return _made(*REPORTING, progress, suite)


def fitting_dataset(progress: Progress | None = None) -> Dataset:
    """Return the pairs that classifiers are fitted to: tasks in turn, 220 episodes in all."""
    whole = find_pairs(_made(*FITTING, progress))
    in_turn = sorted(whole.pairs, key=lambda pair: pair.name[:6])
    return replace(whole, pairs=tuple(in_turn[: FITTING_EPISODES // 2]))


def _made(pairs: int, seed: int, progress: Progress | None, suite: str = "bib") -> Path:
    """Return a folder of the cache; generate its dataset if it does not exist."""
    home = cache_folder()
    kind = "synthetic" if suite == "bib" else f"synthetic-{suite}"
    folder = home / f"{kind}-{__version__}-{pairs}-pairs-seed-{seed}"
    if folder.is_dir():
        return folder
    hint = "set HBTOM_CACHE to a folder of yours"
    with system_errors("the cache folder cannot be written", home, hint):
        home.mkdir(parents=True, exist_ok=True)
        with scratch(home) as part:
            whole = part / "whole"
            tasks = [one.folder for one in SUITES[suite]]
            generate(whole, pairs=pairs, seed=seed, tasks=tasks, compress="zst", progress=progress)
            try:
                whole.rename(folder)
            except OSError:
                if not folder.is_dir():  # else another process was faster
                    raise
    return folder
