"""A small synthetic dataset, made once for all tests of the benchmark."""

import gzip
from pathlib import Path

import msgspec
import pytest

from hbtom.bench.synth import generate


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pairs of three tasks; with three trials instead of nine, for speed."""
    folder = tmp_path_factory.mktemp("small")
    tasks = ["preference", "efficiency_path", "inaccessible_goal"]
    for file in generate(folder, pairs=3, seed=11, tasks=tasks, compress="gz", workers=1):
        trials = msgspec.json.decode(gzip.decompress(file.read_bytes()), type=list[msgspec.Raw])
        short = msgspec.json.encode([*trials[:2], trials[-1]])
        file.write_bytes(gzip.compress(short))
    return folder
