"""The default synthetic benchmark: made once, kept packed in the user's cache folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hbtom import __version__
from hbtom.bench.cache import cache_folder
from hbtom.bench.synth import generate
from hbtom.errors import BadInput

PAIRS = 40  # of each task
SEED = 1  # kept for reporting: nothing is fitted on it


def default_dataset(progress: Callable[[int, int], None] | None = None) -> Path:
    """Return the folder of the default benchmark, after making it if it is not there."""
    home = cache_folder()
    folder = home / f"synthetic-{__version__}-{PAIRS}-pairs-seed-{SEED}"
    if folder.is_dir():
        return folder
    try:
        home.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=folder.name + ".", dir=home))
    except OSError as error:
        raise BadInput(
            f"the cache folder cannot be written: {error.strerror or error}",
            hint="set HBTOM_CACHE to a folder of yours",
        ).at(file=str(home)) from None
    try:
        generate(part, pairs=PAIRS, seed=SEED, compress="zst", progress=progress)
        _settle(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _settle(part: Path, folder: Path) -> None:
    """Give a finished folder its name, unless another process was faster."""
    try:
        part.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
