"""Other recognisers, on a town where the answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from errands import FILES
from hbtom.bench.other_recognisers import PEERS, ask, cost_difference
from hbtom.world.pddl.recognition_problem import Posed, read_posed

pytest.importorskip("highspy")


def town(seen: str) -> Posed:
    goals = "(have bread)\n(have soap)\n(have flour)"
    return read_posed({**FILES, "hyps.dat": goals, "obs.dat": seen, "real_hyp.dat": "(have soap)"})


@pytest.mark.parametrize("name", PEERS)
def test_all_peers_find_a_goal_that_is_nearly_reached(name: str) -> None:
    posed = town("(go home mill)\n(go mill shop)\n(buy soap shop)")
    found = ask(name, posed)
    assert found is not None
    assert found["best"] == [1]


@pytest.mark.parametrize("name", PEERS)
def test_without_a_difference_goals_are_tied(name: str) -> None:
    """Sleeping leads to no goal."""
    found = ask(name, town("(sleep)\n(wake)"))
    assert found is not None
    assert found["best"] == [0, 1, 2]


def test_cost_difference_is_that_of_the_cheapest_plans() -> None:
    """Via the mill, bread costs 4 instead of 2. All paths to soap and flour lead there."""
    scores = cost_difference(town("(go home mill)"))
    assert scores.tolist() == [-2.0, np.inf, np.inf]
    assert cost_difference(town("(go mill home)\n(go home mill)")).tolist() == [-4.0, -2.0, -2.0]


def test_problems_that_a_peer_cannot_solve_are_left_out(monkeypatch) -> None:
    monkeypatch.setattr("hbtom.bench.other_recognisers.FEW_STATES", 3)
    assert ask("cost-difference", town("(go home mill)")) is None
