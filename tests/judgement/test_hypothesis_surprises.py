"""Surprise depends on what agents may believe, and on whether they plan at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hbtom.judgement import Judgement, judge
from hbtom.judgement.prediction import predictive, tail
from hbtom.model import Model, with_settings
from hbtom.observe import Episode, Identity, Trial
from hbtom.observe.bodies import Body

FRAMES, MOVED = 61, 20  # objects move while the agent still waits
OLD, NEW, OTHER = (160.0, 160.0), (40.0, 180.0), (160.0, 40.0)


def walk_to(place: tuple[float, float], **moving: np.ndarray) -> Trial:
    """Return a trial in which an agent waits, then goes within reach of a place."""
    start = np.array([60.0, 100.0])
    way = np.array(place) - start
    end = start + way * (1 - 17.0 / np.hypot(*way))
    share = np.clip((np.arange(FRAMES) - 25) / (FRAMES - 26), 0.0, 1.0)[:, None]
    bear, ball = (
        Body(Identity(name), place, 10.0) for name, place in (("bear", OLD), ("ball", OTHER))
    )
    return Trial(
        size=(200.0, 200.0),
        walls=np.empty((0, 4)),
        barrier=np.empty((0, 4)),
        objects=(bear, ball),
        agent=Body(Identity("anna"), (60.0, 100.0), 8.0),
        path=start + share * (end - start),
        barrier_left=np.zeros(FRAMES),
        **moving,  # type: ignore[arg-type]
    )


def judged(test: Trial, preset: str = "default", **settings: float) -> Judgement:
    """Judge a trial after four trials in which the agent went to the bear."""
    named = {f"hypotheses.{name}": value for name, value in settings.items()}
    model = with_settings(Model.preset(preset), named)
    return judge(Episode((walk_to(OLD),) * 4 + (test,)), model)


def moved(bear: tuple[float, float], ball: tuple[float, float]) -> np.ndarray:
    paths = np.empty((FRAMES, 2, 2))
    paths[:MOVED], paths[MOVED:] = (OLD, OTHER), (bear, ball)
    return paths


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_going_where_a_thing_was_is_plausible_if_its_move_may_have_been_missed(
    preset: str,
) -> None:
    test = walk_to(OLD, object_paths=moved(NEW, OTHER))
    knows, may_not = judged(test, preset), judged(test, preset, outdated=0.5)
    assert knows.plausibility < 0.2 < 0.8 < may_not.plausibility
    assert may_not.test.belief[-1, 1] > 0.9
    assert may_not.test.goal[-1, 0] > 0.8


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_an_agent_mistakes_what_it_touches_for_what_lay_there(preset: str) -> None:
    """Bear and ball swap places; the agent goes where the bear was and touches the ball."""
    test = walk_to(OLD, object_paths=moved(OTHER, OLD))
    may_not = judged(test, preset, outdated=0.5)
    assert may_not.plausibility > 0.8
    assert may_not.test.belief[-1, 1] > 0.7
    assert may_not.test.goal[-1, 0] > 0.7  # the bear
    assert judged(test, preset).test.goal[-1, 1] > 0.9  # the ball, if agents see everything


def test_waste_is_averaged_over_all_hypotheses() -> None:
    test = walk_to(OLD, object_paths=moved(NEW, OTHER))
    found = judged(test, "paper", outdated=0.3, random=0.2).test
    total = 0.0
    for goal in range(2):
        for b, regret in enumerate(found.likelihood.believed):
            for k, efficiency in enumerate(found.efficiencies):
                for process, beta in enumerate((efficiency, 0.0)):
                    total += found.full[0, goal, b, process, k] * tail(regret, goal, beta)
    assert predictive(found) == pytest.approx(total, rel=1e-9)


def test_wandering_is_less_surprising_if_more_agents_wander() -> None:
    def wander(seed: int) -> Trial:
        rng = np.random.default_rng(seed)
        turns = np.repeat(rng.uniform(0, 2 * np.pi, 10), 6)
        steps = 3.0 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        path = np.clip(np.array([100.0, 100.0]) + np.cumsum(steps, axis=0), 15.0, 185.0)
        path = np.concatenate([[[100.0, 100.0]], path])
        agent = Body(Identity("anna"), (100.0, 100.0), 8.0)
        return replace(walk_to(OLD), agent=agent, path=path)

    episode = Episode(tuple(wander(seed) for seed in range(5)))
    waste = []
    for share in (0.0, 0.1, 0.5, 0.9):
        model = with_settings(Model.preset("default"), {"hypotheses.random": share})
        waste.append(judge(episode, model).surprise.waste)
    assert waste == sorted(waste, reverse=True)
    assert waste[-1] < waste[0] - 1.0


def test_walking_through_a_wall_is_reported() -> None:
    wall = np.array([[80.0, 0.0, 20.0, 200.0]])
    walls = replace(walk_to(OTHER), walls=wall)
    judgement = judge(Episode((walls,)), Model.preset("default"))
    x = walls.path[judgement.test.frame, 0]
    inside = int(((x > 80) & (x < 100)).sum())
    assert inside > 0
    told = f"trial 1: the agent is inside a wall after {inside} of {len(judgement.test)} steps"
    assert told in judgement.warnings
    gone = replace(walls, walls_there=np.zeros((FRAMES, 1), dtype=bool))
    assert not any(
        "wall" in one for one in judge(Episode((gone,)), Model.preset("default")).warnings
    )
