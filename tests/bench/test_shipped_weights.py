"""The default model's weights are those of ``hbtom fit -o model.toml``."""

import json
import os
import subprocess
import sys

import pytest
from msgspec import to_builtins

import hbtom
from hbtom.bench.synthetic import FITTING, REPORTING

FIT = """
import json, sys
from pathlib import Path
from msgspec import to_builtins
import hbtom
from hbtom.bench import synthetic
from hbtom.bench.calibration import calibrate

synthetic.cache_folder = lambda: Path(sys.argv[1])  # pairs are made anew, kernels are not
dataset = synthetic.fitting_dataset()
fitted = calibrate(hbtom.evaluate(dataset))
print(json.dumps([[pair.task for pair in dataset.pairs], to_builtins(fitted.fit.classifier)]))
"""


@pytest.mark.usefixtures("kernels")
def test_the_shipped_weights_can_be_fitted_again(tmp_path):
    """This runs in a process with a compiler, which pays off for this many pairs."""
    compiled = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", FIT, str(tmp_path)]
    ran = subprocess.run(command, env=compiled, capture_output=True, text=True, check=True)
    tasks, fitted = json.loads(ran.stdout)
    assert len(tasks) == 110
    assert set(tasks[:9]) == set(tasks)
    shipped = to_builtins(hbtom.Model.preset("default").classifier)
    for kind, curve in fitted.items():
        assert curve == pytest.approx(shipped[kind], abs=2e-3)


def test_figures_are_reported_on_another_seed():
    assert FITTING[1] != REPORTING[1]
