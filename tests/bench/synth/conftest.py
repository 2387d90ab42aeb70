"""Data shared by the generator's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from hbtom.bench.synth import generate
from hbtom.bench.tasks import EVALUATION_TASKS

REAL = Path(__file__).parents[4] / "shared" / "data" / "bib" / "preference"
SEEDS = range(100, 102)


@pytest.fixture(scope="session")
def real_files() -> list[Path]:
    files = sorted(REAL.glob("*.json")) if REAL.is_dir() else []
    if not files:
        pytest.skip(f"no real BIB files in {REAL}")
    return files


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Path, Path]]]:
    """Two pairs of every task, each from a seed of its own."""
    pairs: dict[str, list[tuple[Path, Path]]] = {t.folder: [] for t in EVALUATION_TASKS}
    for seed in SEEDS:
        files = generate(tmp_path_factory.mktemp(f"seed{seed}"), pairs=1, seed=seed, workers=1)
        for e, u in zip(files[::2], files[1::2], strict=True):
            pairs[e.parent.name].append((e, u))
    return pairs
