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


def test_much_work_is_worth_compiling_and_little_is_not(monkeypatch):
    monkeypatch.setattr(readiness, "is_complete", lambda kind: False)
    assert worth_compiling([DEFAULT], WORTH_COMPILING)
    assert not worth_compiling([DEFAULT], WORTH_COMPILING - 1)


def test_some_work_is_worth_loading_what_was_compiled_for_just_these_motions(monkeypatch):
    monkeypatch.setattr(readiness, "is_complete", lambda kind: kind == "Grid")
    assert worth_compiling([PAPER], WORTH_LOADING)
    assert not worth_compiling([PAPER], WORTH_LOADING - 1)
    assert not worth_compiling([PAPER, DEFAULT], WORTH_LOADING)


def test_without_a_compiler_much_work_is_worth_a_word(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert advice(WORTH_SAYING) == ""
    assert "extra 'fast'" in advice(WORTH_SAYING + 1)
    monkeypatch.setattr(readiness, "find_spec", lambda name: None)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert "a tenth of the time" in advice(WORTH_SAYING + 1)


def test_with_a_compiler_there_is_nothing_to_say(monkeypatch):
    monkeypatch.setattr(readiness, "find_spec", lambda name: object())
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    assert advice(WORTH_SAYING + 1) == ""


def test_without_a_compiler_nothing_gets_ready(monkeypatch):
    monkeypatch.setattr(readiness, "start_compiler", lambda: False)
    assert not warm_up([DEFAULT], WORTH_COMPILING)


def test_what_is_compiled_to_the_end_is_remembered_by_motion(monkeypatch):
    remembered = []
    monkeypatch.setattr(readiness, "start_compiler", lambda: True)
    monkeypatch.setattr(readiness, "remember_compiled", remembered.append)
    assert warm_up([DEFAULT, PAPER, DEFAULT], WORTH_COMPILING)
    assert sorted(remembered) == ["Continuous", "Grid"]
