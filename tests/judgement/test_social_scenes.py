"""Real scenes of five social tasks: unchanged, changed irrelevantly, and changed in a cause.

The scenes are not part of this repository: without them, these tests skip.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hbtom
import scenes
from hbtom import observe
from hbtom.observe import Body, Episode, Identity, Trial
from hbtom.observe.social_events import doors_moved, gestures, objects_moved

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "mcs-social"
LABELS = FOLDER.with_name("mcs-social-labels.json")
MARGIN = 0.05
ORDER = "expected", "no expectation", "unexpected"

pytestmark = pytest.mark.skipif(not LABELS.exists(), reason="no social scenes in ../shared/data")

PAIRS = (
    "passive_agent_agent_non_agent_0001",
    "eval_7_passive_agents_non_agent_0001",
    "eval_7_passive_agents_approach_0001",
    "passive_agent_social_approach_0002",
    "eval_7_passive_agents_imitation_0004",
    "passive_agent_social_imitation_0001",
    "eval_7_passive_agents_helper_hinderer_0001",
    "eval_7_passive_agents_true_false_belief_0001",
)


@cache
def pair(name: str) -> tuple[Episode, Episode]:
    """Return the members of a pair: first the one that must be more plausible."""
    labels = json.loads(LABELS.read_text())
    files = [file for file, told in labels.items() if told["pair"] == name]
    files.sort(key=lambda file: ORDER.index(labels[file]["label"]))
    one, other = (observe.load(FOLDER / file) for file in files)
    return one, other


def margin(one: Episode, other: Episode) -> float:
    return hbtom.judge(one).plausibility - hbtom.judge(other).plausibility


def each(episode: Episode, change: Callable[[Trial], Trial]) -> Episode:
    return replace(episode, trials=tuple(map(change, episode.trials)))


def test_all_pairs_are_named() -> None:
    told = json.loads(LABELS.read_text())
    assert {one["pair"] for one in told.values()} == {*PAIRS}


@pytest.mark.parametrize("name", PAIRS)
def test_real_pairs_are_right_by_a_margin(name: str) -> None:
    assert margin(*pair(name)) >= MARGIN


# Irrelevant changes


def mirrored(trial: Trial) -> Trial:
    """Return a trial with left and right swapped."""
    width, _ = trial.size

    def place(x: float, y: float) -> tuple[float, float]:
        return width - x, y

    def path(values):
        return None if values is None else np.stack([width - values[..., 0], values[..., 1]], -1)

    def body(one: Body) -> Body:
        return replace(one, centre=place(*one.centre))

    walls = trial.walls.copy()
    walls[:, 0] = width - walls[:, 0] - walls[:, 2]
    return replace(
        trial,
        walls=walls,
        objects=tuple(map(body, trial.objects)),
        agent=body(trial.agent),
        path=path(trial.path),
        object_paths=path(trial.object_paths),
        others=tuple(replace(x, path=path(x.path), angle=-x.angle) for x in trial.others),
        camera=None if trial.camera is None else place(*trial.camera),
    )


def shuffled(trial: Trial) -> Trial:
    """Return a trial with objects and others in another order."""
    paths = None if trial.object_paths is None else trial.object_paths[:, ::-1]
    return replace(
        trial, objects=trial.objects[::-1], object_paths=paths, others=trial.others[::-1]
    )


def recoloured(trial: Trial) -> Trial:
    """Return a trial in which everything looks different, and names sort in reverse."""

    def look(one: Identity) -> Identity:
        turned = "".join(chr(219 - ord(c)) if c.islower() else c for c in one.image)
        return Identity(turned, one.colour[::-1], one.twin)

    return replace(
        trial,
        objects=tuple(replace(one, look=look(one.look)) for one in trial.objects),
        agent=replace(trial.agent, look=look(trial.agent.look)),
        others=tuple(replace(one, look=look(one.look)) for one in trial.others),
    )


@pytest.mark.parametrize("change", [mirrored, shuffled, recoloured])
@pytest.mark.parametrize("name", PAIRS)
def test_irrelevant_changes_do_not_change_the_answer(name: str, change) -> None:
    one, other = (each(episode, change) for episode in pair(name))
    assert margin(one, other) >= MARGIN


def test_lists_and_highlights_do_not_matter() -> None:
    name = "eval_7_passive_agents_approach_0001"
    labels = json.loads(LABELS.read_text())
    found = {}
    for file, told in labels.items():
        if told["pair"] == name:
            scene = json.loads((FOLDER / file).read_text())
            random.Random(1).shuffle(scene["objects"])
            for thing in scene["objects"]:
                thing.pop("changeMaterials", None)
            found[told["more_plausible"]] = scenes.read(scene)
    assert margin(found[True], found[False]) >= MARGIN


# Changes in one cause


def test_the_helper_is_identified_by_its_deeds() -> None:
    right, wrong = pair("eval_7_passive_agents_helper_hinderer_0001")

    def exchanged(episode: Episode) -> Episode:
        """Swap the looks of helper and hinderer, but not in the test trial."""
        both = sorted({one.look for trial in episode for one in trial.actors[1:]})
        swap = dict(zip(both, both[::-1], strict=True))

        def change(trial: Trial) -> Trial:
            if trial is episode.test:
                return trial
            others = (replace(one, look=swap.get(one.look, one.look)) for one in trial.others)
            return replace(trial, others=tuple(others))

        return each(episode, change)

    assert any(doors_moved(trial) for trial in right)
    assert margin(exchanged(right), exchanged(wrong)) <= -MARGIN


def belief_pair() -> tuple[Episode, Episode]:
    return pair("eval_7_passive_agents_true_false_belief_0001")


def test_an_agent_that_was_away_cannot_know() -> None:
    """In the scene, the agent is there while the object is moved, and goes to its new place."""

    def away(episode: Episode) -> Episode:
        trial = episode.test
        (moved,) = objects_moved(trial)
        there = np.ones(len(trial.path), dtype=bool)
        there[: moved.last + 10] = False
        return replace(
            episode, trials=(*episode.familiarization, replace(trial, agent_there=there))
        )

    right, wrong = belief_pair()
    first, last = (abs(x.test.path[-1] - x.test.objects_at[-1, 0]).max() for x in (right, wrong))
    assert margin(right, wrong) >= MARGIN
    assert margin(away(right), away(wrong)) <= -MARGIN
    assert first < 20 < last  # in the right one, the agent does go where the object is


def test_a_thing_that_was_not_moved_is_where_it_was() -> None:
    def kept(episode: Episode) -> Episode:
        trial = episode.test
        others = tuple(one for one in trial.others if one.kind != "agent")
        test = replace(trial, object_paths=None, others=others)
        return replace(episode, trials=(*episode.familiarization, test))

    right, wrong = belief_pair()
    assert margin(kept(right), kept(wrong)) <= -MARGIN


def test_swapping_the_others_swaps_who_is_copied() -> None:
    """If the two others swap looks in the test trial, the answer is reversed."""

    def exchanged(episode: Episode) -> Episode:
        trial = episode.test
        both = [one.look for one in trial.others if one.kind == "agent"]
        swap = dict(zip(both, both[::-1], strict=True))
        others = tuple(replace(one, look=swap.get(one.look, one.look)) for one in trial.others)
        return replace(episode, trials=(*episode.familiarization, replace(trial, others=others)))

    right, wrong = pair("eval_7_passive_agents_approach_0001")
    assert len(gestures(right.test)) == 3
    assert margin(exchanged(right), exchanged(wrong)) <= -MARGIN


def test_a_thing_that_the_paddle_touches_first_is_not_an_agent() -> None:
    """If the paddle is far away, the thing seems to be an agent, and both trials are similar."""
    one, other = pair("passive_agent_agent_non_agent_0001")

    def untouched(trial: Trial) -> Trial:
        others = tuple(
            replace(x, path=x.path + np.array([0.0, 500.0])) if x.kind == "paddle" else x
            for x in trial.others
        )
        return replace(trial, others=others)

    assert margin(one, other) >= MARGIN
    assert abs(margin(one, each(other, untouched))) < MARGIN
