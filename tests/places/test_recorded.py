"""Worlds of places surprise as version 0.3 did: in the golden episodes, and in generated pairs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import goldens
import hbtom
import recorded

HERE = Path(recorded.__file__).parent
SAME = 1e-9


@pytest.mark.parametrize("preset", goldens.PRESETS)
def test_golden_episodes_surprise_as_recorded(preset: str) -> None:
    found = recorded.on_the_core(preset, recorded.kept())
    assert goldens.difference(found, recorded.golden(preset)) < SAME


@pytest.mark.parametrize("preset", goldens.PRESETS)
def test_generated_pairs_surprise_as_recorded(preset: str) -> None:
    """Those that are 0, as of beliefs that do not shift, are ties, and stay exactly 0."""
    found, wanted = recorded.on_the_core(preset, recorded.generated()), recorded.recorded()[preset]
    assert len(found) == 4 * 9
    assert goldens.difference(found, wanted) < SAME
    unmoved = [[name for name, one in of.items() if one["goal"] == 0.0] for of in (found, wanted)]
    assert unmoved[0] == unmoved[1] != []


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
def test_compiled_kernels_give_the_recorded_surprises(tmp_path: Path) -> None:
    """This runs in a process of its own: the compiler is started once for all that comes after."""
    paths = os.pathsep.join([str(Path(hbtom.__file__).parents[1]), str(HERE)])
    environment = {"NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": paths}
    command = [sys.executable, "-W", "error", str(HERE / "recorded.py"), "--check", "--compiled"]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    differences = [float(line.split()[-1]) for line in done.stdout.splitlines()]
    assert len(differences) == 2 * len(goldens.PRESETS)
    assert max(differences) < SAME
    assert {"kernels._flood", "kernels._each_log_i0e"} <= {
        path.name.partition("-")[0] for path in tmp_path.rglob("*.nbi")
    }
