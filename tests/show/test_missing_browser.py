"""Episodes that cannot be judged in a real browser: in a list, in a report, and on their pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hbtom
from browsing import Browser
from episodes import HEART, SPOON, episode, to_thing, trial, write
from hbtom.show.report import report
from served import Served

WHY = "the agent does nothing"
HERE = (HEART.at(120, 50), SPOON.at(120, 150))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return two pairs; the agent of an expected member rests."""
    task = tmp_path_factory.mktemp("data") / "preference"
    task.mkdir()
    heart, spoon = to_thing(HERE[0], others=HERE[1:]), to_thing(HERE[1], others=HERE[:1])
    write(task / "restse.json", episode(heart, heart, trial([(40, 100)], HERE)))
    write(task / "restsu.json", episode(heart, heart, spoon))
    write(task / "walkse.json", episode(heart, heart, heart))
    write(task / "walksu.json", episode(heart, heart, spoon))
    return task.parent


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    found = Served(folder, "--no-open", "--workers", "1", cache=tmp_path_factory.mktemp("cache"))
    yield found
    assert found.stop()[0] == 0


def test_a_list(browser: Browser, server: Served) -> None:
    seen = browser.visit(server.address)
    seen.wait("return document.querySelector('.outcome.unjudged b')?.textContent === '0'", 60)
    assert seen.text("tr.missing .word") == "missing"
    assert seen.text("tr.missing .told") == f"restse: not judged, {WHY}"
    assert seen.texts("tr.missing .value")[0] == "watch"
    assert "75.0 % of 2 pairs, missing ones counting half" in " ".join(seen.text(".score").split())
    seen.visit(f"{server.address.rstrip('/')}/watch?task=preference&pair=rests")
    assert f"Not judged: {WHY}." in seen.texts(".heading .note")
    assert f"The left one is not judged: {WHY}." in seen.text(".differences")
    assert seen.complaints() == []


def test_a_report(browser: Browser, folder: Path, written) -> None:
    seen = browser.open(written(report(hbtom.evaluate(folder, workers=1))))
    text = seen.text("main")
    assert "1 with a missing rating" in " ".join(text.split())
    assert "NaN" not in text
    assert "? missing" in seen.texts(".card .outcome")
    assert f"Not judged: e: {WHY}." in text
    assert "missing" in seen.texts(".card .rating .figure")
    assert "Missing" in seen.texts("table.scores th")
    assert seen.complaints() == []


def test_the_studio(
    browser: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    file = folder / "preference" / "restse.json"
    cache = tmp_path_factory.mktemp("cache")
    found = Served(file, "--no-open", "--workers", "1", cache=cache, verb="studio")
    seen = browser.visit(found.address)
    seen.wait("return document.querySelector('.one-member b')?.textContent === 'missing'", 60)
    assert f"Not judged: {WHY}." in seen.text(".told")
    assert seen.complaints() == []
    assert found.stop()[0] == 0
