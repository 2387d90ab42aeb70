"""A small synthetic dataset, made once for all tests of the benchmark."""

from pathlib import Path

import pytest

from episodes import shorten
from hbtom.bench.synth import generate


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs of three tasks; with three trials instead of nine, for speed."""
    folder = tmp_path_factory.mktemp("small")
    tasks = ["preference", "efficiency_path", "inaccessible_goal"]
    shorten(generate(folder, pairs=3, seed=11, tasks=tasks, compress="gz", workers=1))
    return folder
