"""The audit accepts what the generator writes and refuses what was tampered with."""

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hbtom.bench.synth.audit import audit
from hbtom.bench.synth.ground import Ground
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.errors import BadInput

Corpus = dict[str, list[tuple[Path, Path]]]
Trials = list[list[dict[str, Any]]]
NAMES = [t.folder for t in EVALUATION_TASKS]


@pytest.mark.parametrize("task", NAMES)
def test_a_generated_pair_is_right(task: str, corpus: Corpus) -> None:
    """The other tests spoil this pair."""
    assert audit(*corpus[task][1], task) == []


@pytest.mark.parametrize("task", NAMES)
def test_exchanged_members_are_refused(task: str, corpus: Corpus) -> None:
    e, u = corpus[task][0]
    assert audit(u, e, task) != []


def frames_of(path: Path) -> Trials:
    trials: Trials = msgspec.json.decode(path.read_bytes())
    return trials


def refused(
    task: str, corpus: Corpus, tmp_path: Path, spoil: Callable[[Trials, Trials], None]
) -> list[str]:
    e_path, u_path = corpus[task][1]
    e, u = frames_of(e_path), frames_of(u_path)
    spoil(e, u)
    for name, trials in (("e", e), ("u", u)):
        (tmp_path / f"x{name}.json").write_bytes(msgspec.json.encode(trials))
    return audit(tmp_path / "xe.json", tmp_path / "xu.json", task)


def edit(frames: list[dict[str, Any]], **changes: Any) -> None:
    for frame in frames:
        frame.update(changes)


def border_only(frames: list[dict[str, Any]]) -> list[Any]:
    return [w for w in frames[0]["walls"] if not (0 < w[0][0] < 180 and 0 < w[0][1] < 180)]


def test_a_missing_enclosure_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        edit(e[8], walls=border_only(e[8]))

    assert any("enclosed" in p for p in refused("inaccessible_goal", corpus, tmp_path, spoil))


def test_walls_that_do_not_justify_a_detour_are_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        edit(u[0], walls=border_only(u[0]))

    problems = refused("efficiency_irrational", corpus, tmp_path, spoil)
    assert any("efficient walk" in p for p in problems)


def test_a_wrong_preference_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        for trials in (e, u):
            a, b = trials[3][0]["objects"]
            swapped = [[b[0], *a[1:]], [a[0], *b[1:]]]
            edit(trials[3], objects=swapped)

    assert any("preference" in p for p in refused("preference", corpus, tmp_path, spoil))


def test_the_wrong_agent_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        image, rgb = e[0][0]["agent"][2:]
        for trials in (e, u):
            for frame in trials[8]:
                frame["agent"] = [*frame["agent"][:2], image, rgb]

    assert any("agent" in p for p in refused("multi_agent", corpus, tmp_path, spoil))


def test_a_barrier_that_does_not_block_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        for frame in e[8]:
            frame["fuse_walls"] = frame["fuse_walls"][:1]

    problems = refused("instrumental_blocking_barrier", corpus, tmp_path, spoil)
    assert any("does not block" in p for p in problems)


def test_a_barrier_where_there_should_be_none_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        for trials in (e, u):
            edit(trials[8], fuse_walls=copy.deepcopy(trials[0][0]["fuse_walls"]))

    problems = refused("instrumental_no_barrier", corpus, tmp_path, spoil)
    assert problems


def test_walking_through_walls_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        for trials in (e, u):
            x, y = trials[2][40]["agent"][0]
            cell = [[x // 20 * 20, y // 20 * 20], [20, 20]]
            edit(trials[2], walls=[*trials[2][0]["walls"], cell])

    assert any("wall" in p for p in refused("preference", corpus, tmp_path, spoil))


def test_walking_through_an_object_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        x, y = e[8][45]["agent"][0]
        for trials in (e, u):
            end = trials[8][-1]["agent"][0]
            for thing in trials[8][0]["objects"]:
                if max(abs(thing[0][0] - end[0]), abs(thing[0][1] - end[1])) > 20:
                    thing[0] = [x, y]
            edit(trials[8], objects=trials[8][0]["objects"])

    problems = refused("multi_agent", corpus, tmp_path, spoil)
    assert any("walk around the other object" in p for p in problems)


def test_a_key_worth_fetching_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        (hx, hy), (gx, gy) = e[8][0]["home"][0], e[8][0]["objects"][0][0]
        for trials in (e, u):
            key = trials[8][0]["pin"][0]
            key[0] = [(hx + gx) // 2, (hy + gy) // 2]
            edit(trials[8], pin=[key], key=[], walls=border_only(trials[8]))

    problems = refused("instrumental_no_barrier", corpus, tmp_path, spoil)
    assert any("times the direct one" in p for p in problems)


def test_a_key_that_seals_the_path_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        x, y = e[8][0]["home"][0]
        for trials in (e, u):
            key = trials[8][0]["pin"][0]
            key[0] = [x + 8, y]
            for frame in trials[8]:
                frame["pin"] = [key]

    problems = refused("instrumental_blocking_barrier", corpus, tmp_path, spoil)
    assert any("seals" in p for p in problems)


def test_unequal_times_are_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        e[8][31:31] = [copy.deepcopy(e[8][31])] * 12

    problems = refused("efficiency_time", corpus, tmp_path, spoil)
    assert any("equally long" in p for p in problems)


def test_a_missing_trial_is_noticed(corpus: Corpus, tmp_path: Path) -> None:
    def spoil(e: Trials, u: Trials) -> None:
        del e[4]

    assert any("trials" in p for p in refused("preference", corpus, tmp_path, spoil))


def test_an_unknown_task_is_refused(corpus: Corpus) -> None:
    with pytest.raises(BadInput, match="no rule"):
        audit(*corpus["preference"][0], "nonsense")


@pytest.mark.parametrize("turned", range(4))
def test_paths_stay_within_the_lattice(turned: int) -> None:
    """A path leads around the end of a wall, unless that end is beyond the lattice."""

    def length(gap: float) -> float:
        wall, ends = (90.0, gap, 110.0, 201.0), [(50.0, 100.0), (150.0, 100.0)]
        for _ in range(turned):
            x0, y0, x1, y1 = wall
            wall, ends = (200 - y1, x0, 200 - y0, x1), [(200 - y, x) for x, y in ends]
        return Ground([wall], 2.0).length(*ends)

    assert 180 < length(22.0) < 220
    assert math.isinf(length(21.0))
