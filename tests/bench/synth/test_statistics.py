"""Generated preference and efficiency episodes compared with the real files and scenes."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from hbtom.bench.synth import Script, encode, episode_pair
from hbtom.bench.synth.audit import walk_ratio
from hbtom.bench.synth.ground import AuditTrial, read_trials


@dataclass
class Figures:
    frames: list[int]
    first: list[int]
    trailing: list[int]
    step: list[float]
    contact: list[float]
    to_goal: list[float]
    to_other: list[float]
    apart: list[float]
    walls: list[int]
    ratio: list[float]


def figures(files: list[Path]) -> Figures:
    out = Figures([], [], [], [], [], [], [], [], [], [])
    for path in files:
        for trial in read_trials(path):
            measure(trial, out)
    return out


def measure(trial: AuditTrial, out: Figures) -> None:
    track, goal = trial.track, trial.goal_reached
    moves = [i for i in range(1, len(track)) if track[i] != track[i - 1]]
    assert goal is not None
    at = trial.objects[goal]
    (other,) = (p for name, p in trial.objects.items() if name != goal)
    out.frames.append(len(track))
    out.first.append(moves[0])
    out.trailing.append(len(track) - 1 - moves[-1])
    out.step.extend(math.dist(track[i], track[i - 1]) for i in moves)
    out.contact.append(math.dist(track[-1], at))
    out.to_goal.append(math.dist(track[0], at))
    out.to_other.append(math.dist(track[0], other))
    out.apart.append(math.dist(at, other))
    out.walls.append(sum(0 < w[0] < 180 and 0 < w[1] < 180 for w in trial.walls))
    out.ratio.append(walk_ratio(trial, at, other=other))


@pytest.fixture(scope="module")
def real(real_files: list[Path]) -> Figures:
    return figures(real_files)


@pytest.fixture(scope="module")
def made(corpus: dict[str, list[tuple[Path, Path]]]) -> Figures:
    return figures([path for pair in corpus["preference"] for path in pair])


def test_timing_matches_real_files_exactly(real: Figures, made: Figures) -> None:
    assert set(real.first) == set(made.first) == {31}
    assert set(real.trailing) == set(made.trailing) == {83}
    assert 120 <= min(made.frames) <= min(real.frames)
    assert max(real.frames) - 10 <= max(made.frames) <= 185
    assert np.median(made.frames) == pytest.approx(np.median(real.frames), abs=14)


def test_steps_match_real_files(real: Figures, made: Figures) -> None:
    assert np.mean(made.step) == pytest.approx(np.mean(real.step), abs=0.12)
    assert min(made.step) == min(real.step) == 1.0
    assert max(made.step) <= 2 * math.sqrt(2) + 1e-9
    assert {round(s, 2) for s in real.step} <= {round(s, 2) for s in made.step}


def test_agents_stop_as_near_to_their_goal_as_in_real_files(real: Figures) -> None:
    contact = []
    for i in range(40):  # the distance depends on the shapes, which stay the same within an episode
        trial = episode_pair("preference", np.random.default_rng([9, i]))[0].trials[8]
        end = trial.moments[-1].agent
        contact.append(min(math.dist(end, thing.centre) for thing in trial.objects))
    assert min(contact) >= 6.5
    assert max(contact) <= 13
    assert np.mean(contact) == pytest.approx(np.mean(real.contact), abs=1.2)


def test_distances_match_real_files(real: Figures, made: Figures) -> None:
    for name in ("to_goal", "to_other", "apart"):
        theirs, ours = getattr(real, name), getattr(made, name)
        assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.3), name
        assert min(ours) >= 36, name
        assert max(ours) <= 150, name


def test_there_are_as_many_inner_walls_as_in_real_files(real: Figures, made: Figures) -> None:
    assert np.mean(made.walls) == pytest.approx(np.mean(real.walls), abs=2.5)


def test_walks_are_as_efficient_as_real_ones(real: Figures, made: Figures) -> None:
    assert np.mean(made.ratio) == pytest.approx(np.mean(real.ratio), abs=0.02)
    assert max(made.ratio) <= 1.08
    assert max(real.ratio) <= 1.08


def test_walls_are_the_same_and_test_places_swapped(
    real_files: list[Path], corpus: dict[str, list[tuple[Path, Path]]]
) -> None:
    for path in [*real_files[:1], *(e for e, _ in corpus["preference"])]:
        trials = read_trials(path)
        assert len({t.walls for t in trials}) == 1
        assert len({t.home for t in trials}) == 1
        a, b = trials[0].objects
        test = (trials[8].objects[b], trials[8].objects[a])
        assert test in [(t.objects[a], t.objects[b]) for t in trials[:8]]


def seen_test(episode: Script, folder: Path) -> AuditTrial:
    """Return the test trial alone, read back from a file."""
    path = folder / "test.json"
    path.write_bytes(encode(Script(episode.trials[8:])))
    return read_trials(path)[0]


def detours(name: str, n: int, folder: Path) -> list[float]:
    """Return the lengths of detours, in multiples of the shortest path."""
    ratios = []
    for i in range(n):
        _, u = episode_pair(name, np.random.default_rng([77, i]))
        trial = seen_test(u, folder)
        ratios.append(walk_ratio(trial, next(iter(trial.objects.values()))))
    return ratios


def test_detours_of_equal_time_are_detours(tmp_path: Path) -> None:
    ratios = detours("efficiency_time", 8, tmp_path)
    assert min(ratios) >= 1.14
    assert max(ratios) <= 2.75


@pytest.mark.parametrize("name", ["efficiency_path", "efficiency_irrational"])
def test_detours_cover_the_range_of_real_scenes(name: str, tmp_path: Path) -> None:
    ratios = detours(name, 30, tmp_path)
    assert 1.14 <= min(ratios) <= 1.3
    assert 2.1 <= max(ratios) <= 2.75
    assert np.mean(np.array(ratios) < 1.35) >= 0.2, "subtle detours are well represented"
    assert np.mean(np.array(ratios) > 1.6) >= 0.2, "glaring ones as well"


@pytest.mark.parametrize("name", ["multi_agent", "inaccessible_goal"])
def test_members_differ_only_in_the_cue_of_the_task(name: str) -> None:
    """Unless the task is about it, members do not differ in walls or the length of the test."""
    longer = []
    for i in range(20):
        e, u = (m.trials[8] for m in episode_pair(name, np.random.default_rng([5, i])))
        assert len(set(e.walls)) == len(set(u.walls))
        longer.append(np.sign(len(e.moments) - len(u.moments)))
    assert abs(np.mean(longer)) <= 0.4


def test_moved_barriers_do_not_change_the_number_of_walls() -> None:
    for i in range(15):
        rng = np.random.default_rng([6, i])
        e, u = (m.trials[8] for m in episode_pair("instrumental_blocking_barrier", rng))
        assert len(set(e.walls)) == len(set(u.walls))


def test_distance_and_order_do_not_reveal_preferred_objects() -> None:
    farther, first = [], []
    for i in range(40):
        e, u = (m.trials[8] for m in episode_pair("preference", np.random.default_rng([7, i])))
        farther.append(len(e.moments) > len(u.moments))
        ends = [math.dist(e.moments[-1].agent, thing.centre) for thing in e.objects]
        first.append(ends[0] < ends[1])
    assert 0.3 <= np.mean(farther) <= 0.7
    assert 0.3 <= np.mean(first) <= 0.7
