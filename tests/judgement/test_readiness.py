"""When compiling is worth it."""

import hbtom.judgement.warm_up as readiness
from hbtom import Model
from hbtom.judgement.warm_up import (
    WORTH_COMPILING,
    WORTH_LOADING,
    WORTH_SAYING,
    advice,
    warm_up,
    worth_compiling,
)

DEFAULT, PAPER = Model.preset("default"), Model.preset("paper")


def test_only_much_work_is_worth_compiling(monkeypatch):
    monkeypatch.setattr(readiness, "is_complete", lambda kind: False)
    assert worth_compiling([DEFAULT], WORTH_COMPILING)
    assert not worth_compiling([DEFAULT], WORTH_COMPILING - 1)


def test_some_work_is_worth_loading_kernels_for_these_motions(monkeypatch):
    monkeypatch.setattr(readiness, "is_complete", lambda kind: kind == "Grid")
    assert worth_compiling([PAPER], WORTH_LOADING)
    assert not worth_compiling([PAPER], WORTH_LOADING - 1)
    assert not worth_compiling([PAPER, DEFAULT], WORTH_LOADING)


def test_without_a_compiler_much_work_gets_advice(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert advice(WORTH_SAYING) == ""
    assert "extra 'fast'" in advice(WORTH_SAYING + 1)
    monkeypatch.setattr(readiness, "find_spec", lambda name: None)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert "a tenth of the time" in advice(WORTH_SAYING + 1)


def test_with_a_compiler_there_is_no_advice(monkeypatch):
    monkeypatch.setattr(readiness, "find_spec", lambda name: object())
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    assert advice(WORTH_SAYING + 1) == ""


def test_without_a_compiler_nothing_is_warmed_up(monkeypatch):
    monkeypatch.setattr(readiness, "start_compiler", lambda: False)
    assert not warm_up([DEFAULT], WORTH_COMPILING)


def test_complete_compilations_are_remembered_by_motion(monkeypatch):
    remembered = []
    monkeypatch.setattr(readiness, "start_compiler", lambda: True)
    monkeypatch.setattr(readiness, "remember_compiled", remembered.append)
    assert warm_up([DEFAULT, PAPER, DEFAULT], WORTH_COMPILING)
    assert sorted(remembered) == ["Continuous", "Grid"]
