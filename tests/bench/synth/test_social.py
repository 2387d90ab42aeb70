"""The social tasks: files of both formats, labels, variety, and an audit that finds errors."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hbtom import load
from hbtom.bench.dataset import find_pairs
from hbtom.bench.labels import ORDER, read_labels
from hbtom.bench.synth import generate, social_pair
from hbtom.bench.synth.layouts import Misfit
from hbtom.bench.synth.social import (
    belief,
    helping,
    self_moved,
    social_approach,
    social_imitation,
)
from hbtom.bench.synth.social.gestures import SHAPES
from hbtom.bench.synth.social.social_audit import level_of
from hbtom.bench.tasks import SOCIAL_TASKS
from hbtom.errors import BadInput
from hbtom.observe import Episode, Trial
from hbtom.observe.bodies import Other
from hbtom.observe.mcs.roles import original

TASKS = [task.folder for task in SOCIAL_TASKS]
SEED, PAIRS = 3, 2
EXPECTED, NEITHER, UNEXPECTED = reversed(ORDER)


@pytest.fixture(scope="module", params=["bib", "mcs"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pairs of every task, in one of the formats."""
    out = tmp_path_factory.mktemp(request.param)
    generate(out, pairs=PAIRS, seed=SEED, tasks=TASKS, form=request.param, workers=1)
    return out


def made(task: str, number: int) -> tuple[Episode, Episode]:
    """Return a pair of the folder, in memory."""
    from hbtom.bench.tasks import TASKS as EVERY
    from hbtom.bench.tasks import task as called

    key = SEED, EVERY.index(called(task)), number
    return social_pair(task, np.random.default_rng(np.random.SeedSequence(key)))


# Files


@pytest.mark.parametrize("task", TASKS)
def test_files_are_read_as_they_were_staged(task: str, folder: Path) -> None:
    files = sorted((folder / task).glob("000000*"))
    for staged, file in zip(made(task, 0), files, strict=True):
        assert len(staged) == 9
        for one, other in zip(staged, load(file), strict=True):
            assert_same(one, other)


def assert_same(one: Trial, other: Trial) -> None:
    """Fail unless two trials show the same things, in any order."""
    close = {"atol": 1e-5, "equal_nan": True}
    np.testing.assert_allclose(one.path, other.path, **close)
    assert set(map(tuple, one.walls.tolist())) == set(map(tuple, other.walls.tolist()))
    assert one.camera == other.camera
    assert np.array_equal(one.there(0), other.there(0))
    for first, second in zip(in_order(one), in_order(other), strict=True):
        assert key(first) == key(second)
        np.testing.assert_allclose(first.path, second.path, **close)
        np.testing.assert_allclose(first.angle, second.angle, **close)
    for (look, path), (its_look, its_path) in zip(things(one), things(other), strict=True):
        assert look == its_look
        np.testing.assert_allclose(path, its_path, **close)


def in_order(trial: Trial) -> list[Other]:
    return sorted(trial.others, key=lambda one: (*key(one), *np.nan_to_num(one.path[0])))


def key(other: Other) -> tuple[Any, ...]:
    return other.kind, original(other.look), other.size


def things(trial: Trial) -> list[tuple[Any, Any]]:
    looks = [original(one.look) for one in trial.objects]
    return sorted(zip(looks, trial.objects_at.transpose(1, 0, 2), strict=True), key=lambda p: p[0])


def test_the_audit_finds_what_the_labels_say(folder: Path) -> None:
    rows = json.loads((folder / "labels.json").read_text())
    assert len(rows) == 2 * PAIRS * len(TASKS)
    for file, row in rows.items():
        assert level_of(folder / file, row["task"]) == row["label"], (file, row["why"])
        assert " 1 times" not in row["why"]


def test_labels_and_names_describe_the_same_pairs(folder: Path) -> None:
    by_name, by_label = find_pairs(folder), find_pairs(folder, labels=folder / "labels.json")
    assert by_name.pairs == by_label.pairs
    assert by_name.left_out == by_label.left_out == ()
    assert by_name.levels == by_label.levels == read_labels(folder / "labels.json").levels
    for pair in by_name.pairs:
        levels = [by_name.levels[one.task, one.pair, one.member] for one in pair.members]
        assert ORDER.index(levels[0]) > ORDER.index(levels[1])


def test_the_same_seed_gives_the_same_files_and_nothing_is_replaced(tmp_path: Path) -> None:
    kept = {}
    for name in "ab":
        how = {"pairs": 1, "seed": 9, "tasks": ["helper_hinderer", "true_false_belief"]}
        files = generate(tmp_path / name, **how, workers=1)  # type: ignore[arg-type]
        kept[name] = [file.read_bytes() for file in files]
        assert files[-1] == tmp_path / name / "labels.json"
        with pytest.raises(BadInput, match="exists already"):
            generate(tmp_path / name, pairs=1, tasks=["social_approach"], workers=1)
        assert [file.read_bytes() for file in files] == kept[name]
    assert kept["a"] == kept["b"]


def test_social_tasks_cannot_have_noise(tmp_path: Path) -> None:
    from hbtom.bench.synth.jitter import Jitter

    with pytest.raises(BadInput, match="cannot have noise"):
        generate(tmp_path, pairs=1, tasks=["helper_hinderer"], jitter=Jitter(1.0))
    assert not any(tmp_path.iterdir())


def test_unknown_tasks_are_refused() -> None:
    with pytest.raises(BadInput, match="no social task"):
        social_pair("preference", np.random.default_rng(1))
    with pytest.raises(BadInput, match="no rule"):
        level_of(Path("nothing.json"), "preference")


# Variety


def cases(module: ModuleType, many: int = 400) -> Iterator[Any]:
    """Yield cases of a task, which are much cheaper than pairs."""
    return (module.draw(np.random.default_rng([seed, 1])) for seed in range(many))


@pytest.mark.parametrize("module", [self_moved, social_approach, social_imitation])
def test_tasks_with_three_levels_have_all_pairs_of_levels(module: ModuleType) -> None:
    pairs = {tuple(told.level for told in case.told) for case in cases(module)}
    assert pairs == {(EXPECTED, UNEXPECTED), (EXPECTED, NEITHER), (NEITHER, UNEXPECTED)}


def test_all_variants_are_drawn() -> None:
    beliefs = list(cases(belief))
    assert {name for case in beliefs for name in case.schedules} == set(belief.SCHEDULES)
    assert any(case.second for case in beliefs)
    assert any(case.short for case in beliefs)
    assert any(case.schedules[0] != case.schedules[1] for case in beliefs)
    helps = list(cases(helping))
    acts = [sum(one.mover == "B" for one in case.errands) for case in helps]
    assert {1, 2, 3} <= set(acts)
    assert any(case.passage for case in helps)
    assert {one.push for case in helps for one in case.errands if one.mover} == {True, False}
    orders = {case.order for case in cases(social_imitation)}
    assert {"BBBBCCCC", "CBCBCBCB"} < orders
    assert {sum(case.usual) for case in cases(self_moved)} == {6, 8}
    assert len(SHAPES) == 5


# The audit finds errors


def first(module: ModuleType, fits: Callable[[Any], bool]) -> tuple[Episode, Episode]:
    """Return the first pair of a task whose case meets a condition."""
    case = next(one for one in cases(module) if fits(one))
    for seed in range(20):
        try:
            return module.pair(case, np.random.default_rng(seed))  # type: ignore[no-any-return]
        except Misfit:  # a court without room for it
            continue
    raise AssertionError("no pair was made")


def changed(episode: Episode, test: Trial) -> Episode:
    return replace(episode, trials=(*episode.familiarization, test))


def exchanged(trial: Trial) -> Trial:
    """Return a trial in which the two other agents have swapped looks."""
    looks = [one.look for one in trial.others if one.kind == "agent"]
    other = dict(zip(looks, looks[::-1], strict=True))
    return replace(
        trial,
        others=tuple(replace(one, look=other.get(one.look, one.look)) for one in trial.others),
    )


@pytest.mark.parametrize(
    ("task", "module"),
    [
        ("social_approach", social_approach),
        ("social_imitation", social_imitation),
        ("helper_hinderer", helping),
    ],
)
def test_swapping_the_other_agents_swaps_the_levels(task: str, module: ModuleType) -> None:
    pair = first(module, lambda case: [one.level for one in case.told] == [EXPECTED, UNEXPECTED])
    for one, level in zip(pair, (EXPECTED, UNEXPECTED), strict=True):
        assert level_of(one, task) == level
        turned = UNEXPECTED if level == EXPECTED else EXPECTED
        assert level_of(changed(one, exchanged(one.test)), task) == turned


def test_without_the_paddle_an_inert_thing_seems_to_be_an_agent() -> None:
    inert = first(self_moved, lambda case: case.told[1].level == NEITHER)[1]
    assert level_of(inert, "agent_non_agent") == NEITHER
    assert level_of(without(inert, "paddle", range(8)), "agent_non_agent") == EXPECTED
    assert level_of(without(inert, "occluder", [8]), "agent_non_agent") == UNEXPECTED


def without(episode: Episode, kind: str, trials: range | list[int]) -> Episode:
    """Return the episode without things of a kind in the given trials."""
    kept = [
        replace(one, others=tuple(each for each in one.others if each.kind != kind))
        if number in trials
        else one
        for number, one in enumerate(episode)
    ]
    return replace(episode, trials=tuple(kept))


def test_the_level_depends_on_what_is_touched() -> None:
    social = first(social_approach, lambda case: case.told[0].level == EXPECTED)[0]
    thing, turn = social.test.objects[0], np.hypot(*(social.test.path - social.test.path[0]).T)
    x, y = social.test.path[turn.argmax()].tolist()
    touched = replace(social.test, objects=(replace(thing, centre=(x, y)),))
    assert level_of(changed(social, touched), "social_approach") == NEITHER


def test_a_door_that_bars_nothing_makes_no_difference() -> None:
    pair = first(helping, lambda case: not case.passage)
    trials = [replace(one, walls=one.walls[:36]) for one in pair[0]]  # no compartments
    with pytest.raises(BadInput, match="no difference"):
        level_of(replace(pair[0], trials=tuple(trials)), "helper_hinderer")


def test_the_level_depends_on_what_the_agent_has_seen() -> None:
    there = first(belief, lambda case: case.schedules == ("there", "there") and not case.second)
    for one, turned in zip(there, (UNEXPECTED, EXPECTED), strict=True):
        still = (np.diff(one.test.path, axis=0) == 0).all(axis=1)
        gone = np.arange(len(one.test.path)) > int(np.flatnonzero(still[:-40])[-1])
        away = changed(one, replace(one.test, agent_there=gone))
        assert level_of(away, "true_false_belief") == turned
        shown = without(away, "occluder", [8])
        seen = replace(shown.test, agent_there=None)
        assert level_of(changed(shown, seen), "true_false_belief") != turned
