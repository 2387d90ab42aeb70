"""Worlds that change: doors, things that move, other actors, and beliefs that lag behind."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import hbtom
from episodes import episode, key_trial, read
from hbtom import Beliefs, Episode, Model, Trial, infer
from hbtom.judgement.shared_work import judge_pair
from hbtom.mind.planned_trials import plan_each
from hbtom.model import with_settings
from hbtom.observe import Body, Identity, Other
from hbtom.observe.writing import write as write_bib
from hbtom.plan.planning import plan_trial
from hbtom.world import PlaceWorld, see
from hbtom.world.modes import HELD, OPEN
from hbtom.world.seeing import Earlier
from regrets import regret_of

HEART, SPOON, ANNA = Identity("heart"), Identity("spoon"), Identity("anna")
ACROSS = [[100.0, float(y), 20.0, 20.0] for y in range(0, 200, 20)]  # a wall, one block per row


def walk(*corners: tuple[float, float], step: float = 4.0) -> np.ndarray:
    places = [np.array([corners[0]], dtype=float)]
    for (x, y), (to_x, to_y) in pairwise(corners):
        many = max(int(np.hypot(to_x - x, to_y - y) / step), 1)
        share = np.arange(1, many + 1)[:, None] / many
        places.append(np.array([x, y]) + share * np.array([to_x - x, to_y - y]))
    return np.concatenate(places)


def trial(path: np.ndarray, goals: dict[Identity, tuple[float, float]], **more: object) -> Trial:
    return Trial(
        size=(200.0, 200.0),
        walls=more.pop("walls", np.empty((0, 4))),
        barrier=np.empty((0, 4)),
        objects=tuple(Body(look, place, 8.0) for look, place in goals.items()),
        agent=Body(ANNA, tuple(path[0]), 6.0),
        path=path,
        barrier_left=np.zeros(len(path)),
        **more,
    )


def doors(path: np.ndarray, closes: int) -> Trial:
    """Return a trial with a wall across that has two doors; the upper one closes at a frame."""
    walls = np.array(ACROSS)
    there = np.ones((len(path), len(walls)), dtype=bool)
    there[:, 8] = False  # the lower door is always open
    there[:closes, 1] = False
    return trial(path, {HEART: (170.0, 30.0)}, walls=walls, walls_there=there)


DETOUR = walk((40, 60), (84, 34), (84, 170), (130, 170), (164, 40))  # to the upper door, then on


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_door_that_closes_makes_a_stage(preset: str) -> None:
    model, seen = Model.preset(preset), see(Model.preset(preset), doors(DETOUR, closes=12))
    assert len(seen.stages) == 2
    opened, closed = (one.blocked[0] for one in seen.stages)
    assert (opened < closed).any()
    assert (opened <= closed).all()
    assert seen.world.blocked.shape[0] == 2
    ended = seen.trajectory.frame
    assert not seen.trajectory.mode[ended <= 12].any()
    assert seen.trajectory.mode[1:][ended[:-1] >= 12].all()
    costs = plan_trial(model, seen)
    column, row = seen.world.cell_of(40, 60)
    assert costs.cost[0, 1, row, column] > costs.cost[0, 0, row, column] + 5


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_an_agent_that_waits_for_a_door_plans_when_it_is_open(preset: str) -> None:
    """It plans in the world in which it sets off, not the one in which it waited."""
    path = walk((40, 30), (88, 30), (164, 30))
    path = np.concatenate([path[:13], np.repeat(path[12:13], 20, axis=0), path[13:]])
    waits = doors(path, closes=0)
    there = waits.walls_there.copy()
    there[20:, 1] = False  # the upper door opens while the agent waits
    waits = replace(waits, walls_there=there)
    steps = see(Model.preset(preset), waits).trajectory
    np.testing.assert_array_equal(steps.mode, steps.frame >= 33)
    regret = regret_of(Model.preset(preset), waits).step_regret
    assert regret[steps.mode == 1].sum() < 0.5


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_goal_is_on_offer_once_a_door_to_it_opens(preset: str) -> None:
    """Behind a closed wall nothing is in reach, and steps say nothing until the door opens."""
    path = walk((40, 100), (84, 100), (84, 150), (84, 40), (110, 30), (164, 30))
    walls, there = np.array(ACROSS), np.ones((len(path), len(ACROSS)), dtype=bool)
    there[24:, 1] = False
    goals = {HEART: (170.0, 30.0), SPOON: (60.0, 180.0)}
    seen = trial(path, goals, walls=walls, walls_there=there)
    posterior, _ = infer(Model.preset(preset), Beliefs(), seen)
    assert posterior.reachable.tolist() == [True, True]
    assert posterior.goal[-1][0] > 0.9
    steps = see(Model.preset(preset), seen).trajectory
    told = posterior.likelihood.log[:, 0]
    assert (np.ptp(told[steps.mode == 0], axis=1) < 1e-9).all()  # at any efficiency
    assert not (np.ptp(told[steps.mode == 1], axis=1) < 1e-9).all()


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_steps_say_nothing_about_a_goal_once_its_last_door_has_closed(preset: str) -> None:
    path = walk((40, 100), (84, 60), (84, 150), (60, 170))
    there = np.ones((len(path), len(ACROSS)), dtype=bool)
    there[:12, 1] = False
    goals = {HEART: (170.0, 30.0), SPOON: (60.0, 180.0)}
    seen = trial(path, goals, walls=np.array(ACROSS), walls_there=there)
    steps = see(Model.preset(preset), seen).trajectory
    assert regret_of(Model.preset(preset), seen).reachable.tolist() == [True, True]
    told = infer(Model.preset(preset), Beliefs(), seen)[0].likelihood.log[:, 0]
    np.testing.assert_array_equal(np.ptp(told, axis=1) < 1e-9, steps.mode == 1)
    if preset == "default":
        silent = regret_of(Model.preset(preset), seen).choice.silent
        np.testing.assert_array_equal(silent, np.stack([steps.mode == 1, steps.mode < 0], axis=1))


def test_a_key_stays_in_reach_once_it_is_picked_up() -> None:
    """This holds even if the world changes later; here a block far from everything vanishes."""
    (seen,) = read(episode(key_trial()))
    walls = np.vstack([seen.walls, [5.0, 190.0, 5.0, 5.0]])
    there = np.ones((len(seen.path), len(walls)), dtype=bool)
    there[seen.marks.picked + 8 :, -1] = False
    changing = replace(seen, walls=walls, walls_there=there)
    stages = see(Model.preset("default"), changing).stages
    assert len(stages) == 2
    regret = regret_of(Model.preset("default"), changing)
    assert regret.reachable.all()
    assert not regret.choice.silent.any()


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_goal_is_on_offer_once_a_barrier_is_gone(preset: str) -> None:
    """There is no key: the barrier vanishes by itself."""
    path = walk((40, 30), (84, 30), (164, 30))
    path = np.concatenate([path[:12], np.repeat(path[11:12], 6, axis=0), path[12:]])
    barrier = np.array(ACROSS)
    left = np.where(np.arange(len(path)) < 14, 1.0, 0.0)
    seen = replace(trial(path, {HEART: (170.0, 30.0)}), barrier=barrier, barrier_left=left)
    assert infer(Model.preset(preset), Beliefs(), seen)[0].reachable.tolist() == [True]


def test_diagonals_are_made_if_the_wall_is_gone() -> None:
    """Steps right and down make a diagonal only if both inner cells are free at the time."""
    corners = [(45, 45), (55, 45), (55, 55), (65, 55), (65, 65), (75, 65), (75, 75)]
    seen = trial(walk(*corners, step=10.0), {HEART: (170.0, 170.0)})
    paper = Model.preset("paper")
    assert len(see(paper, seen).trajectory.act) == 3
    stood = replace(seen, walls=np.array([[60.0, 70.0, 10.0, 10.0]]))  # inside the last corner
    assert len(see(paper, stood).trajectory.act) == 4
    frame = np.arange(len(seen.path))[:, None]
    for there, many in ((frame < 3, 3), (frame < 5, 4), (frame >= 3, 4), (frame >= 6, 3)):
        assert len(see(paper, replace(stood, walls_there=there)).trajectory.act) == many


def test_joined_stages_keep_exits_that_must_follow() -> None:
    """A key that must be used on a lock must be used on the lock of its own stage."""
    key = read(episode(key_trial())).trials[0]
    places = np.array([one.centre for one in key.objects])
    paths = np.repeat(places[None], len(key.path), axis=0)
    paths[10:] += 2.0
    seen = see(Model.preset("default"), replace(key, object_paths=paths))
    assert len(seen.stages) == 2
    exits, many = seen.world.exits, len(seen.stages[0].exits.then)
    first, second = exits.then[:many], exits.then[many:]
    assert (first >= 0).any()
    np.testing.assert_array_equal(second, np.where(first >= 0, first + many, first))
    follows = exits.then >= 0
    np.testing.assert_array_equal(exits.source[exits.then[follows]], exits.target[follows])
    assert len(seen.world.boxes) == sum(len(one.boxes) for one in seen.stages)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_changing_world_without_changes_is_a_plain_world(preset: str) -> None:
    """A world that is marked as changing, but does not change, is judged like a fixed one."""
    model = Model.preset(preset)
    still = trial(walk((40, 60), (164, 60)), {HEART: (170.0, 60.0), SPOON: (170.0, 160.0)})
    frames = len(still.path)
    said = replace(
        still,
        walls_there=np.ones((frames, 0), dtype=bool),
        object_paths=np.tile([one.centre for one in still.objects], (frames, 1, 1)),
    )
    one, other = infer(model, Beliefs(), still)[0], infer(model, Beliefs(), said)[0]
    np.testing.assert_allclose(one.joint, other.joint, rtol=1e-9)
    assert hbtom.judge(Episode((still,)), model).plausibility == pytest.approx(
        hbtom.judge(Episode((said,)), model).plausibility
    )


def test_an_agent_that_missed_the_change_explains_a_detour() -> None:
    """It heads for a door that closed before it set off: only an outdated belief explains it."""
    path = walk((40, 60), (84, 34))
    changed = replace(doors(path, closes=0), walls_there=None)
    there = np.ones((len(path), len(ACROSS)), dtype=bool)
    there[:, 8] = False
    there[0, 1] = False  # open only in the first frame
    changed = replace(changed, walls_there=there)
    model = with_settings(Model.preset("default"), {"hypotheses.outdated": 0.5})
    posterior, _ = infer(model, Beliefs(), changed)
    assert posterior.hypotheses.beliefs == ("true", "outdated")
    assert posterior.belief[0].tolist() == pytest.approx([0.5, 0.5])
    assert posterior.belief[-1][1] > 0.95
    way = walk((40, 60), (84, 168))
    stands = np.concatenate([there[:1], np.repeat(there[1:2], len(way) - 1, axis=0)])
    round_about = replace(changed, path=way, walls_there=stands, barrier_left=np.zeros(len(way)))
    round_about, _ = infer(model, Beliefs(), round_about)
    assert round_about.belief[-1][1] < 0.05


def test_models_that_share_plans_keep_their_hypotheses() -> None:
    """An outdated belief needs no plans of its own, so sharing plans must not lose it."""
    seen = Episode((doors(DETOUR, closes=12),))
    still = Model.preset("default")
    lags = with_settings(still, {"hypotheses.outdated": 0.3})
    for model, (one, _) in zip((still, lags), judge_pair((still, lags), seen, seen), strict=True):
        alone = hbtom.judge(seen, model)
        assert one.test.hypotheses.beliefs == alone.test.hypotheses.beliefs
        assert one.plausibility == alone.plausibility


def test_a_thing_that_moves_is_followed() -> None:
    """An agent that chases a moving thing wants it, even if it never heads for its first place."""
    path = walk((100, 100), (100, 30), (30, 30), step=3.0)
    frames = len(path)
    runs = np.clip(path + np.array([0, -20.0]), 12, 188)
    runs[len(path) // 2 :] = np.clip(path[len(path) // 2 :] + np.array([-20.0, 0]), 12, 188)
    stays = np.tile([170.0, 170.0], (frames, 1))
    seen = trial(
        path,
        {HEART: tuple(runs[0]), SPOON: (170.0, 170.0)},
        object_paths=np.stack([runs, stays], axis=1),
    )
    posterior, _ = infer(Model.preset("default"), Beliefs(), seen)
    assert posterior.goal[-1][0] > 0.9


def company(path: np.ndarray, other: np.ndarray) -> Trial:
    bob = Other("agent", Identity("bob"), (12.0, 12.0), other, np.zeros(len(other)))
    return trial(path, {SPOON: (170.0, 170.0)}, others=(bob,))


def test_actors_are_the_agent_and_the_others() -> None:
    path = walk((40, 40), (40, 160))
    other = path + np.array([100.0, 0.0])
    both = company(path, other)
    assert [str(one.look) for one in both.actors] == ["anna", "bob"]
    assert both.actors[1].radius == 6.0
    turned = both.judging(1)
    assert turned.agent.look == Identity("bob")
    np.testing.assert_array_equal(turned.path, other)
    assert [str(one.look) for one in turned.actors] == ["bob", "anna"]
    np.testing.assert_array_equal(turned.judging(1).path, path)
    assert both.judging(0) is both
    assert infer(Model.preset("default"), Beliefs(), turned)[0].agent == Identity("bob")


def test_an_actor_may_be_the_goal() -> None:
    """An agent that follows another wants it."""
    other = walk((60, 40), (180, 40), step=3.0)
    path = other - np.array([30.0, 0.0])
    chased, _ = infer(Model.preset("default"), Beliefs(), company(path, other).wanting_actors())
    assert [str(goal) for goal in chased.goals] == ["spoon", "bob"]
    assert chased.goal[-1][1] > 0.9
    both = Episode((company(path, other).wanting_actors(),))
    assert not any("not modelled" in warning for warning in hbtom.judge(both).warnings)


def test_an_actor_that_is_never_seen_is_neither_judged_nor_wanted() -> None:
    path = walk((40, 40), (40, 160))
    hidden = company(path, np.full_like(path, np.nan))
    for ask in (hidden.wanting_actors, lambda: hidden.judging(1)):
        with pytest.raises(hbtom.BadInput, match="the actor 'bob' is never seen"):
            ask()


def test_an_agent_may_stand_at_the_edge_of_a_world_that_changes() -> None:
    """The cell beyond the edge is the last one before it."""
    shown = Trial.from_arrays(
        [(20, 100), (60, 140), (100, 180), (150, 190), (200, 200)],
        {"corner": (199, 199, 3), "centre": (60, 60, 9)},
        radius=2,
        walls=[[100, 100, 20, 20]],
        walls_there=[[frame < 1] for frame in range(5)],
    )
    for preset in ("default", "paper"):
        model = with_settings(Model.preset(preset), {"hypotheses.outdated": 0.2})
        assert infer(model, Beliefs(), shown)[0].belief[-1].sum() == pytest.approx(1.0)


def test_files_cannot_hold_a_changing_world() -> None:
    with pytest.raises(hbtom.BadInput, match="as if they did not"):
        write_bib(Episode((doors(DETOUR, closes=12),)))


def locks(world: PlaceWorld) -> np.ndarray:
    """Return which exits open the lock."""
    return (world.exits.source == HELD) & (world.exits.target == OPEN)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_trials_seen_together_match_trials_seen_one_by_one(preset: str) -> None:
    """The cost of waiting in earlier trials counts in later ones, whether worlds change or not."""
    key = read(episode(key_trial())).trials[0]
    door = doors(DETOUR, closes=2)
    trials = doors(DETOUR, closes=12), key, door, door, key, replace(key, size=(190, 200))
    model, openings = Model.preset(preset), (3.0,)
    earlier = [Earlier(openings, range(number)) for number in range(len(trials))]
    together = [one.seen for one in plan_each(model, trials, earlier)]
    for seen, one in zip(together, trials, strict=True):
        alone = see(model, one, openings)
        assert repr(seen) == repr(alone)
        assert seen.world.costs == alone.world.costs
        for field in ("blocked", "reach", "lying"):
            np.testing.assert_array_equal(getattr(seen.world, field), getattr(alone.world, field))
        for mine, other in zip(seen.trajectory, alone.trajectory, strict=True):
            np.testing.assert_array_equal(mine, other)
        openings += alone.waited
    assert len(openings) == 4
    first, *_, last = (one.world for one in together if locks(one.world).any())
    prices = {float(one.exits.price[locks(one)][0]) for one in (first, last)}
    assert len(prices) == (2 if model.acts.learn_opening else 1)
    assert len(together[0].stages) > 1 == len(together[1].stages)
