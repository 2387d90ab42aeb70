"""The default model's weights are those that ``hbtom fit -o model.toml`` gives."""

import pytest
from msgspec import to_builtins

import hbtom
from hbtom.bench.calibration import calibrate
from hbtom.bench.synthetic import FITTING, REPORTING, fitting_dataset


def test_the_shipped_weights_can_be_fitted_again(tmp_path, monkeypatch):
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    dataset = fitting_dataset()
    assert len(dataset.pairs) == 110
    assert {pair.task for pair in dataset.pairs[:9]} == {pair.task for pair in dataset.pairs}
    fitted = calibrate(hbtom.evaluate(dataset))
    shipped = to_builtins(hbtom.Model.preset("default").classifier)
    for kind, curve in to_builtins(fitted.fit.classifier).items():
        assert curve == pytest.approx(shipped[kind], abs=2e-3)


def test_figures_are_reported_on_another_seed():
    assert FITTING[1] != REPORTING[1]
