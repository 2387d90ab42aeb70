"""Everything that is computed both in plain Python and compiled, to be compared bit for bit.

    python tests/computed.py FILE       # start the compiler, compute everything, keep it in a file

Results are plain bytes and numbers, by name; see :func:`bits`.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import goldens
from floors import seeds_in
from hbtom import Episode, Judgement, Model, judge, load
from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import Kernel, kernel, start_compiler
from hbtom.mind.bayes import Choice, History, bayes, learn_counts
from hbtom.mind.grid import action_values
from hbtom.mind.policy import log_boltzmann, log_headings
from hbtom.mind.preference_tree import PreferenceTree
from hbtom.model import with_settings
from hbtom.plan import CONTINUOUS, GRID, Stencil, cost_to_go
from hbtom.plan.field import field
from hbtom.plan.flooding import Seeds
from hbtom.plan.interpolation import cost_at
from hbtom.world import Costs, Space
from hbtom.world.modes import world_at
from hbtom.world.occupancy import make_worlds
from hbtom.world.steps import Gait, find_steps, find_trajectories
from hbtom.world.trajectory import trajectory_at
from hbtom.world.trial_arrays import scenes_of
from worlds import odd_episode, odd_model, odd_trial

PRESETS = ("default", "paper")
ODD = 10  # odd worlds, half of them for each motion
SMALL = 16  # random arguments for one function


def bits(value: Any) -> Any:
    """Return a value in a form that compares equal only if it is the same to the last bit."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return tuple(map(bits, value))
    return float(value).hex() if isinstance(value, float) else value


def everything() -> dict[str, Any]:
    """Compute everything; names, and ideally bits, are the same in any process."""
    return {name: bits(value) for part in PARTS for name, value in part()}


Named = Iterator[tuple[str, Any]]


# Whole judgements


def generated() -> Named:
    """Yield judgements of a pair of every task, by both presets."""
    for preset in PRESETS:
        last = None
        for path in goldens.episodes("default"):
            if path.name.startswith("000000"):
                last = judge(load(path), Model.preset(preset), reuse=last)  # mates share trials
                yield f"{goldens.name(path)} {preset}", told(last)


def odd_worlds() -> Named:
    for seed in range(ODD):
        yield f"odd {seed}", judged(odd_episode(seed), odd_model(seed))
        yield f"odd {seed} by a preset", judged(odd_episode(seed), Model.preset(PRESETS[seed % 2]))
    slips = with_settings(Model.preset("paper"), {"motion.slip": 0.25})
    for seed in range(4):
        yield f"slips {seed}", judged(odd_episode(seed), slips)
        noisy = with_settings(Model.preset(PRESETS[seed % 2]), {"observation.noise": 1.5})
        yield f"noise {seed}", judged(odd_episode(seed), noisy)


def judged(episode: Episode, model: Model) -> list[Any]:
    return told(judge(episode, model))


def told(judgement: Judgement) -> list[Any]:
    numbers = judgement.plausibility, *judgement.surprise.to_dict().values()
    return [numbers, judgement.warnings, *map(believed, judgement.posteriors), learnt(judgement)]


def believed(posterior: Any) -> list[Any]:
    regret = posterior.likelihood.regret
    return [
        posterior.joint,
        posterior.preference,
        posterior.log_likelihood,
        posterior.frame,
        posterior.reachable,
        posterior.likelihood.log,
        regret.step_regret,
        regret.choice.action_regret,
    ]


def learnt(judgement: Judgement) -> list[Any]:
    last = judgement.beliefs[-1]
    return [last.openings, *((one.counts, one.log_weight) for one in last.agents.values())]


# Their parts


def trials() -> Named:
    """Yield observations, floors and steps in odd worlds."""
    for seed in range(2 * ODD):
        trial = odd_trial(10_000 + seed)
        cell = float(np.random.default_rng(seed).choice([4.5, 7.3, 10.0, 20.0]))
        scenes, final, opening = scenes_of([trial]), seed % 3 > 0, np.array([2.5])
        leg = np.array([0, len(trial.path) - 1, seed % 3, seed % 2 - 1, 0])
        yield f"marks {seed}", list(trial.marks)
        yield f"events {seed}", [astuple(event) for event in trial.events]
        worlds = make_worlds(scenes, Space(cell, in_cells=True), Costs(1.0, 0.7), opening)
        coarse = world_at(worlds, 0)
        steps = trajectory_at(find_trajectories(scenes, worlds, Gait(), final), 0)
        yield f"cells {seed}", find_steps(scenes, worlds, Gait(), final, leg[None])
        plans = cost_to_go(coarse, GRID)
        yield f"grid {seed}", [coarse, steps, plans.cost, action_values(plans, steps, GRID.table)]
        for berth in (0.0, 9.0):
            costs = Costs(cell / 10, 0.7, 20.0, 1.5, seed % 2 > 0)
            space, gait = Space(cell, float(seed % 8), berth), Gait(float(seed % 20))
            worlds = make_worlds(scenes, space, costs, opening)
            strides = trajectory_at(find_trajectories(scenes, worlds, gait, final), 0)
            fine = world_at(worlds, 0)
            column, row = fine.cell_of(*trial.whole_path[0].tolist())
            plans = cost_to_go(fine, CONTINUOUS, (row, column))
            yield f"continuous {seed} {berth}", [fine, strides, plans.cost]
            one = find_steps(scenes, worlds, gait, final, leg[None])
            yield f"leg {seed} {berth}", one
            modes = np.arange(30) % len(fine.blocked)
            places = np.random.default_rng(seed).uniform(0.0, 200.0, (1, 30, 2))
            yield f"between {seed} {berth}", cost_at(plans, places, modes)


@kernel
def solved(
    blocked: Annotated[Bools, "row column"],
    seeds: Seeds,
    moves: Annotated[Ints, "move 2"],
    cell: float,
    needed: Annotated[Ints, "needed 2"],
) -> Annotated[Floats, "row column"]:
    """Solve one field, as planning does."""
    return field(blocked, seeds, moves, cell, needed)


def fields() -> Named:
    for seed in range(2 * SMALL):
        blocked, seeds, stencil, cell, needed = some_field(seed)
        sown = map(seeds_in, seeds)
        some = [solved(blocked, one, stencil.table, cell, needed[:0]) for one in sown]
        yield f"field {seed}", some


def some_field(seed: int) -> tuple[np.ndarray, np.ndarray, Stencil, float, np.ndarray]:
    """Return a floor, seeds, moves, the cost of a cell's side, and a few cells that are needed."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 45, size=2))
    blocked = rng.random(shape) < rng.choice([0.0, 0.2, 0.4])
    sown = rng.random((2, *shape)) < rng.choice([0.003, 0.05])
    seeds = np.where(sown, rng.choice([0.0, 1.0, 30.0]) * rng.random((2, *shape)), np.inf)
    needed = rng.integers(0, shape, size=(rng.integers(1, 6), 2))
    cell = float(rng.choice([1.0, 0.4, 0.73, 1 / 3]))
    return blocked, seeds, (GRID, CONTINUOUS)[seed % 2], cell, needed


def policies() -> Named:
    for seed in range(SMALL):
        rng = np.random.default_rng(seed)
        steps, options, goals = rng.integers([0, 1, 1], [6, 9, 5])
        efficiency = np.sort(rng.choice([0.001, 0.3, 1.25, 5.0, 50.0, 1000.0], 3, replace=False))
        wasted = rng.exponential(3.0, size=(steps, options, goals))
        wasted[rng.random(wasted.shape) < 0.3] = np.inf
        wasted[:, 0] = 0.0
        taken = np.ascontiguousarray(wasted[:, -1])
        yield f"actions weighed {seed}", log_boltzmann(taken, wasted, efficiency)
        step_regret, length = rng.random((steps, goals)), rng.exponential(2.0, size=steps)
        log = log_headings(step_regret, length, rng.random(steps) < 0.7, 1.3, efficiency)
        yield f"headings weighed {seed}", log


def inference() -> Named:
    """Yield what is learnt in a few trials of strong evidence, with goals that come and go."""
    for seed in range(SMALL):
        rng = np.random.default_rng(seed)
        items, many = rng.integers([1, 1], [6, 5])
        ways = int(rng.integers(1, 4))
        log_prior = np.log(rng.dirichlet([1.0] * ways)) if ways > 1 else np.zeros(1)
        start = np.log(rng.dirichlet([1.0] * many))[None]
        history, tree = History(np.zeros((1, items), dtype=np.int64), start), PreferenceTree()
        for number in range(4):
            among = rng.permutation(items)[: rng.integers(1, items + 1)]
            reachable = rng.random(len(among)) < 0.7
            reachable[0] = True
            scale = rng.choice([0.0, 1.0, 300.0, 1e5])
            log = rng.normal(scale=scale, size=(rng.integers(0, 5), len(among) * ways, many))
            counts, alpha = bool(rng.random() < 0.7), rng.choice([0.2, 1.0, 3.0], size=items)
            choice = Choice(among, reachable, counts, alpha, log_prior)
            offer = frozenset(among[reachable].tolist())
            before = tree.within(offer, items)
            tree = tree.offered(offer) if counts else tree
            after = tree.within(frozenset(range(items)), items)
            found = bayes(history, choice, before, after, log)
            yield f"inference {seed} trial {number}", found
            history = History(*learn_counts(history, choice, before, log)[:2])
            yield f"learnt {seed} trial {number}", history


PARTS = (generated, odd_worlds, trials, fields, policies, inference)


def needed_only() -> list[np.ndarray]:
    """Solve all fields until the needed cells are known; plain Python knows them all."""
    found = []
    for seed in range(2 * SMALL):
        blocked, seeds, stencil, cell, needed = some_field(seed)
        sown = map(seeds_in, seeds)
        found.append(np.array([solved(blocked, one, stencil.table, cell, needed) for one in sown]))
    return found


if __name__ == "__main__":
    assert start_compiler()
    results = {
        "everything": everything(),
        "needed only": needed_only(),
        "golden": goldens.synthetic(),
    }
    unused = [each.__qualname__ for each in Kernel.all if each._typed and each._dispatcher is None]
    assert not Kernel.standard
    Path(sys.argv[1]).write_bytes(pickle.dumps(results | {"never called": unused}))
