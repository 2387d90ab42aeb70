"""Positions seen with noise: filters match the exact model and dense algebra, and handle jitter."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

import hbtom
from episodes import BEHIND, HEART, SPOON, episode, key_trial, read, to_thing
from hbtom.assumptions import Continuous
from hbtom.judgement import watch
from hbtom.judgement.pipeline import plan_trials
from hbtom.mind import Regret, find_regrets, log_likelihood
from hbtom.mind.action_noise import noisy_values
from hbtom.mind.cell_filter import CellFilter, Stay, Stays, stays
from hbtom.mind.grid import action_values
from hbtom.mind.motion_regret import PlannedSteps, places_filter
from hbtom.mind.noisy_strides import WOBBLE, stride_of
from hbtom.mind.particles import ParticleFilter, trial_hash
from hbtom.mind.policy import all_log_i0e
from hbtom.mind.policy import log_i0e as log_i0e_of_one
from hbtom.mind.regret import FilteredChoice
from hbtom.model import Model, with_settings
from hbtom.observe import Episode, Trial
from hbtom.plan import GRID
from hbtom.plan.cost_to_go import plans_from
from hbtom.plan.planning import plan_in
from hbtom.world import Trajectory
from hbtom.world.denoising import smoothed, steadied
from hbtom.world.seeing import see, waits
from hbtom.world.trajectory import trajectories_from
from planes import BETA, plane, plane_regret, seen_walk, steps_on
from regrets import regret_of

SMOOTH = {
    "default": {},
    "paper": {},
    "grid": {"acts.final": True, "motion.cell": 8.0},
    "slippery": {"acts.final": True, "motion.slip": 0.3},
}
MODELS = {
    name: with_settings(Model.preset("default" if name == "default" else "paper"), settings)
    for name, settings in SMOOTH.items()
}
COLD = with_settings(Model.preset("paper"), {"efficiency.temperatures": (0.001, 1.0)})


def noisy(model: Model, noise: float, **more: float) -> Model:
    return with_settings(model, {"observation.noise": noise, **more})


def jittered(trial: Trial, noise: float, seed: int = 0, missing: float = 0.0) -> Trial:
    rng = np.random.default_rng(seed)
    path = np.clip(trial.path + rng.normal(0.0, noise, trial.path.shape), 0, trial.size)
    path[rng.random(len(path)) < missing] = np.nan
    first = path[~np.isnan(path[:, 0])][0]
    return replace(trial, path=path, agent=replace(trial.agent, centre=tuple(first.tolist())))


def trials() -> list[Trial]:
    """Walks straight and around, with key and lock, and a realistic one."""
    example = hbtom.load("examples/preference_u.json.zst")
    told = episode(
        key_trial(before=12, wait=12, after=20),
        key_trial(jump=False),
        to_thing(HEART.at(120, 60), others=[SPOON.at(60, 140)], before=20, after=20),
        key_trial(goal=BEHIND, jitter=2),
    )
    return [*read(told), example[0], example.test]


# Without noise


def filtered_regret(model: Model, trial: Trial) -> Regret:
    """Return the regret of a trial with a filter, though there is no noise."""
    seen = see(model, trial)
    costs = plan_in(model.motion, seen.world, seen.trajectory, True)
    exact, _ = find_regrets(model, trial, seen, costs)
    if isinstance(model.motion, Continuous):
        known = trajectories_from(seen.trajectory), plans_from(costs)
        planned = PlannedSteps(model, (trial,), (seen.steady,), *known)
        filter = places_filter(planned, 0, exact.reachable)
        return msgspec.structs.replace(exact, choice=FilteredChoice(filter, exact.choice))
    where = stays(seen.trajectory, seen.world, seen.steady.whole_path, trial.path, 0.0)
    filter = CellFilter(costs, seen.trajectory, where, model.motion.slip)
    return msgspec.structs.replace(exact, choice=FilteredChoice(filter, exact.choice))


@pytest.mark.parametrize("model", [*MODELS.values(), COLD], ids=[*MODELS, "cold"])
def test_without_noise_the_filters_match_the_exact_model(model: Model) -> None:
    beta = model.efficiency.values
    for trial in trials():
        exact = log_likelihood(regret_of(model, trial), beta)
        filtered = log_likelihood(filtered_regret(model, trial), beta)
        assert filtered.regret.choice is not exact.regret.choice
        assert np.allclose(filtered.log, exact.log, rtol=1e-12, atol=1e-12)
        assert np.array_equal(filtered.frame, exact.frame)
        assert np.array_equal(filtered.reachable, exact.reachable)
        assert np.allclose(filtered.regret.step_regret, exact.regret.step_regret, atol=1e-12)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_as_noise_vanishes_the_evidence_approaches_the_exact_model(model: Model) -> None:
    beta = model.efficiency.values
    # Not on the edge between two cells, where the smallest noise makes a difference
    (trial,) = read(episode(to_thing(HEART.at(125, 105), start=(45, 105))))
    exact = log_likelihood(regret_of(model, trial), beta).log
    off = [
        np.abs(log_likelihood(regret_of(noisy(model, noise), trial), beta).log - exact).max()
        for noise in (1e-2, 1e-3)
    ]
    assert off[1] < 0.02
    assert off[1] <= off[0]


def test_a_model_without_noise_does_not_filter() -> None:
    model = Model.preset("default")
    settings = {"observation.seed": 9, "observation.particles": 3}
    for trial in trials():
        one, other = (regret_of(each, trial) for each in (model, with_settings(model, settings)))
        assert type(one.choice).__name__ == "Headings"
        assert np.array_equal(one.step_regret, other.step_regret)


# Slips


@pytest.mark.parametrize("slip", [0.0, 0.3])
def test_probabilities_of_all_cells_after_a_move_add_up_to_one(slip: float) -> None:
    """If nothing is in reach, a move after which the agent may be anywhere says nothing."""
    model = noisy(MODELS["slippery"], 2.0, **{"motion.slip": slip})
    (trial,) = read(episode(to_thing(HEART.at(165, 165), start=(25, 25))))
    filter = regret_of(model, trial).choice.filter
    _, rows, columns = filter.costs.world.blocked.shape
    anywhere = Stay(np.arange(rows * columns), np.ones(rows * columns))
    begin = filter.stays[0].begin
    some = replace(filter, stays=(Stays(begin, anywhere), Stays(None, anywhere)))
    assert np.allclose(some(model.efficiency.values)[:2], 0, atol=1e-12)


def policy_of(filter: CellFilter, cell: int, goal: int, beta: float) -> dict[int, float]:
    """Return the probability of being seen next in each cell, by plain loops; acts are -1."""
    columns = filter.costs.world.blocked.shape[2]
    here, start = np.array([[cell % columns, cell // columns]], dtype=float), np.zeros(1, dtype=int)
    trajectory = Trajectory(start, start, start, start, here, here, here[0], start - 1)
    legal, q = action_values(filter.costs, trajectory, GRID.table)
    if filter.slip:
        q = noisy_values(q, filter.costs, trajectory, filter.slip)
    free = {move for move, can in zip(GRID.moves, legal[0], strict=False) if can}
    best = q[0, legal[0], goal].max()
    ends: dict[int, float] = {}
    for action in np.flatnonzero(legal[0]):
        weight = float(np.exp(beta * (q[0, action, goal] - best)))
        if action >= len(GRID.moves):
            ends[-1] = ends.get(-1, 0.0) + weight
            continue
        angle = np.arctan2(*GRID.moves[action])
        for turn, chance in ((0, 1 - filter.slip), (-1, filter.slip / 2), (1, filter.slip / 2)):
            side = angle + turn * np.pi / 4
            down, right = round(np.sin(side)), round(np.cos(side))
            if (down, right) in free:  # staying is not seen
                to = cell + down * columns + right
                ends[to] = ends.get(to, 0.0) + weight * chance
    whole = sum(ends.values())
    return {to: weight / whole for to, weight in ends.items()}


@pytest.mark.parametrize("slip", [0.0, 0.3])
def test_the_filter_over_cells_sums_over_all_paths(slip: float) -> None:
    model = noisy(Model.preset("paper"), 4.0, **{"motion.slip": slip})
    told = episode(to_thing(HEART.at(125, 55), start=(45, 75), others=[SPOON.at(45, 145)]))
    (trial,) = read(told)
    filter = regret_of(model, jittered(trial, 4.0)).choice.filter
    beta = model.efficiency.values[::2]
    log = filter(beta)[:4]
    blocked = filter.costs.world.blocked[0].ravel()
    for goal in range(2):
        for k, one in enumerate(beta):
            begin = filter.stays[0].begin
            paths = {
                cell: share
                for cell, share in zip(begin.cells.tolist(), begin.likely, strict=True)
                if not blocked[cell]
            }
            before = sum(paths.values())
            for step, (_, end) in enumerate(filter.stays[:4]):
                likely = dict(zip(end.cells.tolist(), end.likely, strict=True))
                longer: dict[int, float] = {}
                for cell, share in paths.items():
                    for to, chance in policy_of(filter, cell, goal, one).items():
                        longer[to] = longer.get(to, 0.0) + share * chance * likely.get(to, 0.0)
                paths, whole = longer, sum(longer.values())
                assert log[step, goal, k] == pytest.approx(np.log(whole / before), abs=1e-9)
                before = whole
            assert len(paths) > 5


def test_slips_count_with_noise() -> None:
    seen = Episode((jittered(trials()[2], 2.0),) * 2)
    sure, slips = (
        hbtom.judge(seen, noisy(MODELS["slippery"], 2.0, **{"motion.slip": slip}))
        for slip in (0.0, 0.3)
    )
    assert not np.allclose(sure.test.likelihood.log, slips.test.likelihood.log, atol=0.01)
    assert sure.predictive < slips.predictive  # an agent that may slip may waste more


# The algebra of a stride, and the filter's sums


def dense(walk, noise: float, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw all places between strides at once, from their joint normal density.

    There is one row of a least-squares problem for each frame. Return ``[draw, place, 2]``.
    """
    rows, seen, weight = [], [], []

    def add(place: dict[int, float], at: np.ndarray, sd: float) -> None:
        row = np.zeros(len(walk) + 1)
        for index, share in place.items():
            row[index] = share
        rows.append(row / sd)
        seen.append(at / sd)
        weight.append(sd)

    add({0: 1.0}, walk[0][3], noise)
    for index, (share, inner, last, _) in enumerate(walk):
        for s, at in zip(share, inner, strict=True):
            add({index: 1.0 - s, index + 1: s}, at, float(np.hypot(noise, WOBBLE)))
        add({index + 1: 1.0}, last, noise)
    design, told = np.array(rows), np.array(seen)
    precision = design.T @ design
    mean = np.linalg.solve(precision, design.T @ told)
    root = np.linalg.cholesky(np.linalg.inv(precision))
    return mean + np.einsum("ij,djk->dik", root, rng.standard_normal((draws, len(mean), 2)))


def test_the_particle_filter_sums_over_all_paths_that_fit() -> None:
    rng, noise = np.random.default_rng(8), 3.0
    walk = seen_walk(rng, 0, 4.0, noise, strides=3)
    strides = [stride_of(*part[:3], noise, part[3]) for part in walk]
    everything = np.ones(3, dtype=bool)
    many = ParticleFilter(plane(), steps_on(3), strides, everything, noise, 4000, (1,))
    log = many(BETA).sum(axis=0)
    draws = dense(walk, noise, 100_000, rng)
    ways = np.broadcast_to(draws, (3, 1, *draws.shape))
    total = 0.0
    for step in range(3):
        step_regret, length = plane_regret(ways[..., step, :], ways[..., step + 1, :])
        total = total - BETA[:, None] * step_regret - all_log_i0e(BETA[:, None] * length)
    top = total.max(axis=-1)
    expected = top + np.log(np.exp(total - top[..., None]).mean(axis=-1))
    likely = expected > expected.max() - 8  # random draws are rare in the far tails
    assert np.allclose(log[likely], expected[likely], atol=0.05)


def test_the_bessel_function_of_arrays_matches_that_of_numbers() -> None:
    x = np.array([0.0, 1e-9, 0.3, 5.0, 29.9, 30.0, 30.1, 700.0, 1e5])
    assert np.allclose(all_log_i0e(x), [log_i0e_of_one(one) for one in x], rtol=1e-12, atol=1e-14)


# Random numbers


def test_the_evidence_does_not_depend_on_earlier_trials() -> None:
    model = noisy(Model.preset("default"), 2.0)
    seen = tuple(jittered(trial, 2.0, seed) for seed, trial in enumerate(trials()[2:5]))
    alone = [log_likelihood(regret_of(model, one), model.efficiency.values).log for one in seen]
    turned = watch(model, Episode(seen[::-1]))[::-1]
    for log, posterior in zip(alone, turned, strict=True):
        assert np.array_equal(log, posterior.likelihood.log)
    other = noisy(Model.preset("default"), 2.0, **{"observation.seed": 1})
    log = log_likelihood(regret_of(other, seen[0]), other.efficiency.values).log
    assert not np.array_equal(log, alone[0])
    likely = alone[0] > -3  # chance matters most where hardly any particle fits
    assert np.allclose(log[likely], alone[0][likely], atol=0.5)
    assert trial_hash(seen[0]) != trial_hash(seen[1])


def test_models_with_the_same_observation_noise_share_plans() -> None:
    model = noisy(Model.preset("default"), 2.0)
    seen = Episode(tuple(jittered(trial, 2.0) for trial in trials()[:2]))
    planned = plan_trials(model, seen)
    one, other = hbtom.judge(seen, model), hbtom.judge(seen, model, planned=planned)
    assert one.plausibility == other.plausibility


def test_keys_that_are_not_goals_are_left_out() -> None:
    model = noisy(with_settings(Model.preset("default"), {"preference.keys": False}), 2.0)
    posterior, _ = hbtom.infer(model, hbtom.Beliefs(), jittered(trials()[0], 2.0))
    assert len(posterior.goals) == 1
    assert posterior.likelihood.log.shape[1] == 1
    assert (
        hbtom.judge(Episode((trials()[2],) * 2), noisy(Model.preset("paper"), 1.0)).predictive > 0
    )


# Events with noise


@pytest.mark.parametrize("noise", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_events_are_found_in_noise(noise: float, missing: float) -> None:
    model = noisy(Model.preset("default"), noise)
    for number, trial in enumerate(trials()):
        seen = jittered(trial, noise, number, missing)
        steady = steadied(seen, model.observation)
        assert not np.isnan(steady.path).any()
        assert np.hypot(*(steady.path - trial.path).T).mean() < 1.5 * noise
        assert steady.marks.picked == trial.marks.picked
        assert steady.marks.gone == trial.marks.gone
        exact, filtered = (
            regret_of(Model.preset("default"), trial),
            regret_of(model, seen),
        )
        acts = [(~one.moves).sum() for one in (exact.choice, filtered.choice.nearest)]
        assert acts[0] == acts[1]
        assert abs(len(exact.frame) - len(filtered.frame)) <= 2 + len(exact.frame) // 4
        walked = see(Model.preset("default"), trial).walked
        assert see(model, seen).walked == pytest.approx(walked, rel=0.25, abs=12)


def test_rest_is_not_mistaken_for_wandering() -> None:
    model = noisy(Model.preset("default"), 3.0)
    still = replace(trials()[2], path=np.full((300, 2), 100.0), barrier_left=np.zeros(300))
    for seed in range(5):
        seen = jittered(still, 3.0, seed)
        regret = regret_of(model, seen)
        assert see(model, seen).walked < 10  # the jitter itself is about a thousand pixels long
        assert np.abs(log_likelihood(regret, model.efficiency.values).log).sum(axis=0).max() < 1.0


def test_waiting_costs_about_the_same_with_noise() -> None:
    model = noisy(Model.preset("default"), 2.0)
    trial = trials()[0]
    (cost,), (seen,) = waits(trial), see(model, jittered(trial, 2.0)).waited
    assert seen == pytest.approx(cost, rel=0.5)


@pytest.mark.parametrize("name", ["default", "paper"])
def test_expected_trials_stay_expected_with_noise(name: str) -> None:
    model = noisy(Model.preset(name), 2.0)
    pair = [hbtom.load(f"examples/preference_{member}.json.zst") for member in "eu"]
    expected, unexpected = (
        hbtom.judge(
            Episode(tuple(jittered(trial, 2.0, n, 0.1) for n, trial in enumerate(one))), model
        )
        for one in pair
    )
    assert expected.plausibility > 0.7 > 0.2 > unexpected.plausibility


@pytest.mark.parametrize("name", ["default", "paper"])
@pytest.mark.parametrize("noise", [1e-200, 20.0])
@pytest.mark.parametrize("pace", [0.01, 100.0])
def test_all_noise_that_a_model_allows_is_filtered(name: str, noise: float, pace: float) -> None:
    model = noisy(Model.preset(name), noise, **{"observation.pace": pace})
    for trial in trials()[:3]:
        assert np.isfinite(
            log_likelihood(regret_of(model, trial), model.efficiency.values).log
        ).all()


def test_smoothing_is_least_squares() -> None:
    rng = np.random.default_rng(2)
    path = rng.normal(0, 5, (12, 2)).cumsum(axis=0)
    path[[3, 4, 11]] = np.nan
    seen = ~np.isnan(path[:, 0])
    step = np.diff(np.eye(12), axis=0) / 1.5
    sight = np.eye(12)[seen] / 2.0
    design = np.concatenate([step, sight])
    told = np.concatenate([np.zeros((11, 2)), path[seen] / 2.0])
    expected = np.linalg.lstsq(design, told, rcond=None)[0]
    assert np.allclose(smoothed(path, 2.0, 1.5)[0], expected)
