"""The benchmark in PDDL: episodes as problems and steps as plans give the same beliefs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

import hbtom
from hbtom import BadInput
from hbtom.bench.synth import generate
from hbtom.mind import Beliefs, Posterior, find_likelihood, infer, infer_agent
from hbtom.mind.graph_regret import graph_regret
from hbtom.mind.regret import name_goals
from hbtom.observe import Trial
from hbtom.plan.graph import plan_on_graph
from hbtom.world import Act, Mode, Trajectory
from hbtom.world.pddl import explore, ground, make_goal, read_domain, read_plan, read_problem
from hbtom.world.pddl.gridworld import DOMAIN, cell_name, write_problem
from hbtom.world.seeing import see

PAPER = hbtom.Model.preset("paper")
FINAL = msgspec.structs.replace(PAPER, acts=msgspec.structs.replace(PAPER.acts, final=True))


def told(trial: Trial, trajectory: Trajectory, items: list[str]) -> list[str]:
    """Return the steps of a trajectory as actions of the gridworld's domain."""
    steps = []
    for step in range(len(trajectory.act)):
        (column, row), (to_column, to_row) = trajectory.start[step], trajectory.stop[step]
        here, there = (int(row), int(column)), (int(to_row), int(to_column))
        barrier = "gone" if trajectory.mode[step] == Mode.OPEN else "standing"
        if trajectory.act[step] == Act.MOVE:
            one, other = cell_name((here[0], there[1])), cell_name((there[0], here[1]))
            ends = f"{cell_name(here)} {cell_name(there)}"
            if here[0] == there[0]:
                steps.append(f"(move-across {ends} {barrier})")
            elif here[1] == there[1]:
                steps.append(f"(move-along {ends} {barrier})")
            else:
                steps.append(f"(move-diagonally {ends} {one} {other} {barrier})")
        elif trajectory.act[step] == Act.OPEN:
            steps.append(f"(unlock {items[-1]} {cell_name(here)})")
        else:
            item = trajectory.thing[step]
            verb = "pick-up" if item == len(trial.objects) else "touch"
            steps.append(f"({verb} {items[item]} {cell_name(here)})")
    return steps


def watched(model: hbtom.Model, beliefs: Beliefs, trial: Trial) -> tuple[Posterior, Beliefs]:
    """Do what ``infer`` does, with a PDDL problem and a plan."""
    seen = see(model, trial)
    cells, trajectory = seen.world, seen.trajectory
    items = [f"thing-{number}" for number in range(len(trial.items))]
    key = None if trial.key is None else len(trial.objects)
    column, row = cells.cell_of(*trial.path[0])
    problem = write_problem(cells, (row, column), items, key=key)
    world = ground(read_problem(problem, read_domain(DOMAIN.read_text(encoding="utf-8"))))
    goals = tuple(
        make_goal(world, str(number), f"({'held' if number == key else 'touched'} {item})")
        for number, item in enumerate(items)
    )
    plan = read_plan(world, "\n".join(told(trial, trajectory, items)))
    regret = graph_regret(plan_on_graph(explore(world), goals), plan)
    named = replace(regret, goals=name_goals(trial), frame=trajectory.frame)
    return infer_agent(model, beliefs, trial.agent.look, find_likelihood(model, named))


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """An episode of every task."""
    return generate(tmp_path_factory.mktemp("synthetic"), pairs=1, seed=5)[::2]


@pytest.mark.parametrize("model", [PAPER, FINAL], ids=["paper", "with the last touch"])
def test_beliefs_about_trials_are_the_same_in_pddl(episodes: list[Path], model) -> None:
    """Only trials that are plans are used: in others, an agent touches from afar, or jumps."""
    compared, keys = 0, 0
    for file in episodes:
        beliefs = Beliefs()
        for trial in hbtom.load(file).trials[::4]:
            direct, after = infer(model, beliefs, trial)
            with suppress(BadInput):
                by_pddl, learnt = watched(model, beliefs, trial)
                assert by_pddl.reachable.tolist() == direct.reachable.tolist()
                assert np.allclose(by_pddl.joint, direct.joint, atol=1e-12)
                assert np.allclose(by_pddl.log_likelihood, direct.log_likelihood, atol=1e-12)
                one, other = (all_of.agents[direct.agent] for all_of in (after, learnt))
                assert np.array_equal(one.counts, other.counts)
                assert np.allclose(one.log_weight, other.log_weight, atol=1e-10)
                compared, keys = compared + 1, keys + (trial.key is not None)
            beliefs = after
    assert compared >= 12
    assert keys >= 2
