"""Judged episodes to show, and a browser to show them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hbtom
from browsing import Browser, find_browser
from episodes import HEART, SPOON, Thing, episode, key_trial, read, to_thing, write
from hbtom.bench import Evaluation
from hbtom.bench.synth import generate
from hbtom.judgement import Judgement
from served import Served
from shelves import PAIRS, make_shelf

HEART_HERE, SPOON_HERE = HEART.at(120, 60), SPOON.at(120, 140)


def goes_to(thing: Thing, **more: Any) -> Any:
    """Return a trial of two objects, a heart and a spoon, and a walk to one of them."""
    other = HEART_HERE if thing == SPOON_HERE else SPOON_HERE
    return to_thing(thing, others=[other], **more)


@pytest.fixture(scope="session")
def to_heart() -> Judgement:
    """The agent goes to the heart eight times, and then again."""
    return hbtom.judge(read(episode(*[goes_to(HEART_HERE)] * 9)))


@pytest.fixture(scope="session")
def to_spoon(to_heart: Judgement) -> Judgement:
    """The agent goes to the heart eight times, and then to the spoon."""
    trials = [goes_to(HEART_HERE)] * 8
    return hbtom.judge(read(episode(*trials, goes_to(SPOON_HERE))), reuse=to_heart)


@pytest.fixture(scope="session")
def with_key() -> Judgement:
    """Two trials with key, lock and barrier; the frames of all events are known."""
    return hbtom.judge(read(episode(key_trial(), key_trial())))


@pytest.fixture(scope="session")
def every_task(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Judgement, Judgement]]:
    """A pair of every task, judged."""
    files = generate(tmp_path_factory.mktemp("every"), pairs=1, seed=7, workers=1)
    expected = [hbtom.judge(file) for file in files[::2]]
    mates = zip(files[1::2], expected, strict=True)
    return [(one, hbtom.judge(file, reuse=one)) for file, one in mates]


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks with a correct pair each; one also has a wrong pair and a tie."""
    folder = tmp_path_factory.mktemp("benchmark") / "data"
    expected = episode(*[goes_to(HEART_HERE)] * 5)
    unexpected = episode(*[goes_to(HEART_HERE)] * 4, goes_to(SPOON_HERE))
    pairs = {
        "preference/000001": (expected, unexpected),
        "preference/000002": (unexpected, expected),
        "preference/000003": (expected, expected),
        "multi_agent/000001": (expected, unexpected),
    }
    for name, (e, u) in pairs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write(folder / f"{name}e.json", e)
        write(folder / f"{name}u.json.gz", u)
    write(folder / "preference" / "000009e.json", expected)  # has no mate
    return folder


@pytest.fixture(scope="session")
def evaluation(benchmark: Path) -> Evaluation:
    """The evaluation of this benchmark by the default model."""
    return hbtom.evaluate(benchmark, workers=1)


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests in this folder; without one they are skipped."""
    found = find_browser(tmp_path_factory.mktemp("profile"))
    if isinstance(found, str):
        pytest.skip(found)
    yield found
    found.quit()


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Write a page to a file of its own."""
    folder = tmp_path_factory.mktemp("pages")

    def write(text: str) -> Path:
        file = folder / f"{len(list(folder.iterdir()))}.html"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of files and archives, with all possible results of a pair."""
    return make_shelf(tmp_path_factory.mktemp("place") / "shelf")


@pytest.fixture(scope="module")
def served(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of that dataset, which must never print errors."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    server = Served(shelf, "--no-open", "--workers", "2", cache=tmp_path_factory.mktemp("cache"))
    yield server
    status, complaints = server.stop()
    assert status == 0
    assert complaints.splitlines() == [f"hbtom: showing {PAIRS} pairs of {shelf}; Ctrl-C ends it"]
