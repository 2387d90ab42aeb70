"""Graded desires and beliefs, compared with independent value iteration and enumeration."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import hbtom
from hbtom.judgement.attributing import attribute
from hbtom.mind.desires import infer_desires
from hbtom.model import with_settings
from hbtom.plan.situation_values import plan_walks, value
from hbtom.world.possible_worlds import HAVE, STAY, follow, situations, start_of
from hbtom.world.text_gridworld import Gridworld
from hbtom.world.text_worlds import possible_worlds, walk_of

PAPER = hbtom.Model.preset("paper")
CORNER = """
    1.@.
    .##.
    .#2.
"""
TWO = """
    2#@#3
    .#.#.
    .....
    ..1..
"""
COARSE = with_settings(
    PAPER,
    {
        "desires.utilities": [-5.0, 4.0, 9.0],
        "desires.fineness": 3,
        "desires.temperatures": [0.5, 2.0],
        "desires.random": 0.05,
    },
)

TINY = with_settings(COARSE, {"desires.utilities": [-5.0, 9.0], "desires.fineness": 2})


def corner(moves: str, lies: dict[str, str], **more: object) -> Gridworld:
    given = {"known": ("K",), "missing": ("L", "M"), "diagonal": False, **more}
    return Gridworld(CORNER, {"K": "1", **lies}, moves, **given)


def two(moves: str, lies: dict[str, str], **more: object) -> Gridworld:
    given = {"known": ("K",), "missing": ("L",), "diagonal": True, **more}
    return Gridworld(TWO, {"K": "1", **lies}, moves, **given)


# Brute force: it uses nothing from hbtom but the picture


class Brute:
    """A gridworld as a belief MDP: a state is a cell and a set of arrangements."""

    def __init__(self, world: Gridworld, arrangements: list[dict[str, str]]) -> None:
        rows = world.rows
        self.free = {(r, c) for r, row in enumerate(rows) for c, m in enumerate(row) if m != "#"}
        walls = {(r, c) for r, row in enumerate(rows) for c, m in enumerate(row) if m == "#"}
        self.spots = {m: (r, c) for r, row in enumerate(rows) for c, m in enumerate(row)}
        self.lies = arrangements
        self.steps = [s for s in product((-1, 0, 1), repeat=2) if s != (0, 0)]
        if not world.diagonal:
            self.steps = [s for s in self.steps if 0 in s]
        self.sees = {
            cell: [m for m in "123" if m in self.spots and not self.cut(cell, self.spots[m], walls)]
            for cell in self.free
        }

    @staticmethod
    def cut(one: tuple[int, int], other: tuple[int, int], walls: set[tuple[int, int]]) -> bool:
        """Walk along the line in many small steps; a wall that is touched cuts it."""
        for share in np.linspace(0, 1, 2521):
            row, column = (a + share * (b - a) for a, b in zip(one, other, strict=True))
            if any(abs(row - r) < 0.5 + 1e-5 and abs(column - c) < 0.5 + 1e-5 for r, c in walls):
                return True
        return False

    def looked(self, cell: tuple[int, int], known: frozenset[int]) -> list[frozenset[int]]:
        parts: dict[tuple, set[int]] = {}
        for one in known:
            at = {mark: thing for thing, mark in self.lies[one].items()}
            parts.setdefault(tuple(at.get(m) for m in self.sees[cell]), set()).add(one)
        return [frozenset(part) for part in parts.values()]

    def moves(self, cell: tuple[int, int]) -> dict[tuple[int, int], float]:
        found = {}
        for down, right in self.steps:
            to = cell[0] + down, cell[1] + right
            if {to, (to[0], cell[1]), (cell[0], to[1])} <= self.free:
                found[to] = math.hypot(down, right)
        return found

    def here(self, cell: tuple[int, int], known: frozenset[int]) -> str | None:
        """Return the thing that is known to lie in a cell."""
        (one,) = {
            next((t for t, m in self.lies[w].items() if self.spots[m] == cell), None) for w in known
        }
        return one

    def solve(self, utility: dict[str, float], belief: list[float]) -> dict[tuple, float]:
        """Return V by value iteration from below."""
        every = frozenset(range(len(self.lies)))
        nodes = {(c, part) for c in self.free for part in self.looked(c, every)}
        while True:
            more = {
                (to, part)
                for cell, known in nodes
                for to in self.moves(cell)
                for part in self.looked(to, known)
            }
            if more <= nodes:
                break
            nodes |= more
        self.belief, values = belief, dict.fromkeys(nodes, 0.0)
        while True:
            new = {node: max([0.0, *self.q(node, utility, values).values()]) for node in nodes}
            if all(abs(new[node] - values[node]) < 1e-12 for node in nodes):
                return new
            values = new

    def q(self, node: tuple, utility: dict[str, float], values: dict[tuple, float]) -> dict:
        """Return Q of moves, by the cell that they lead to, and of taking."""
        cell, known = node
        found: dict = {}
        for to, cost in self.moves(cell).items():
            weight = {w: self.belief[w] for w in known}
            if sum(weight.values()) == 0:
                weight = dict.fromkeys(known, 1.0)
            total = sum(weight.values())
            later = (
                sum(weight[w] for w in part) / total * values[to, part]
                for part in self.looked(to, known)
            )
            found[to] = sum(later) - cost
        thing = self.here(cell, known)
        if thing is not None:
            found["take"] = utility[thing]
        return found


CASES = {
    "corner": (corner("", {}), [{"K": "1", "L": "2"}, {"K": "1", "M": "2"}, {"K": "1"}]),
    "two": (two("", {}), [{"K": "1", "L": "2"}, {"K": "1", "L": "3"}, {"K": "1"}]),
    "two, there": (
        two("", {"L": "2", "M": "3"}, missing=()),
        [{"K": "1", "L": "2", "M": "3"}, {"K": "1", "L": "3", "M": "2"}],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_values_match_value_iteration(case: str) -> None:
    world, lies = CASES[case]
    brute, posed = Brute(world, lies), possible_worlds(world)
    width = len(world.rows[0])
    random = np.random.default_rng(3)
    utilities = random.uniform(-4, 12, (4, len(posed.things)))
    beliefs = np.vstack([random.dirichlet(np.ones(len(lies)), 2), np.eye(len(lies))[:2]])
    every = range(len(lies))
    starts = [tuple((w, r * width + c) for w in every) for r, c in brute.free]
    valued = value(situations(posed.worlds, starts), utilities, beliefs)
    for (one, utility), (other, belief) in product(enumerate(utilities), enumerate(beliefs)):
        named = dict(zip(posed.things, utility, strict=True))
        right = brute.solve(named, belief.tolist())
        assert len(right) == len(valued.situations.number)
        for situation, number in valued.situations.number.items():
            node = divmod(situation[0][1], width), frozenset(w for w, _ in situation)
            worth = np.broadcast_to(valued.worth(number), (len(utilities), len(beliefs)))
            assert worth[one, other] == pytest.approx(right[node], abs=1e-9)


PATHS = [
    ("corner", "E S S W wait take", 0),
    ("corner", "E S N W wait", 1),
    ("corner", "W W take", 2),
    ("two", "S S SW N W E", 1),
]


@pytest.mark.parametrize(("case", "moves", "truth"), PATHS)
def test_the_posterior_matches_enumeration(case: str, moves: str, truth: int) -> None:
    _, lies = CASES[case]
    draw = corner if case == "corner" else two
    world = draw(moves, {k: v for k, v in lies[truth].items() if k != "K"})
    found = attribute(world, TINY).posteriors[0]
    brute, parts = Brute(world, lies), TINY.desires.fineness
    joint = np.zeros_like(found.joint)
    for one, belief in enumerate(found.minds.beliefs.tolist()):
        prior = (belief[-1] + 0.5 / parts) ** (TINY.desires.lacking - 1)
        for other, row in enumerate(found.minds.utilities.tolist()):
            utility = dict(zip(found.things, row, strict=True))
            values = brute.solve(utility, belief)
            for index, beta in enumerate((2.0, 0.5)):
                plan, wild = _path_chance(brute, world, truth, utility, values, beta)
                joint[other, one, index] = prior * (0.95 * plan + 0.05 * wild)
    total = joint.sum()
    np.testing.assert_allclose(found.joint, joint / total, atol=1e-12)
    wants, beliefs = joint.sum(axis=(1, 2)) / total, joint.sum(axis=(0, 2)) / total
    np.testing.assert_allclose(found.desire[-1], wants @ found.minds.utilities)
    np.testing.assert_allclose(found.belief[-1], beliefs @ found.minds.beliefs)


def _path_chance(
    brute: Brute, world: Gridworld, truth: int, utility: dict, values: dict, beta: float
) -> tuple[float, float]:
    cell, acts = world.path[0], world.moves.split()
    (known,) = (
        part for part in brute.looked(cell, frozenset(range(len(brute.lies)))) if truth in part
    )
    plan = wild = 1.0
    for step, act in enumerate(acts):
        q = brute.q((cell, known), utility, values)
        q["wait"] = values[cell, known]
        done = act if act in ("wait", "take") else world.path[step + 1]
        plan *= math.exp(beta * q[done]) / sum(math.exp(beta * one) for one in q.values())
        wild /= len(q)
        if done not in ("wait", "take"):
            cell = done
            (known,) = (part for part in brute.looked(cell, known) if truth in part)
    return plan, wild


# Limits


def test_an_agent_that_does_not_care_gives_no_evidence() -> None:
    lazy = with_settings(COARSE, {"desires.temperatures": [1000.0]})
    found = attribute(corner("E S S W take", {"L": "2"}), lazy).posteriors[0]
    np.testing.assert_allclose(found.belief[-1], found.belief[0], atol=2e-3)
    np.testing.assert_allclose(found.utility[-1], 1 / 3, atol=0.02)


def test_without_hidden_places_beliefs_do_not_matter() -> None:
    plain = "1.@..2"
    given = {"moves": "W W take", "diagonal": False}
    known = Gridworld(plain, {"K": "1", "L": "2"}, known=("K", "L"), **given)
    seen = Gridworld(plain, {"K": "1", "L": "2"}, known=("K",), missing=("L",), **given)
    one, other = (attribute(world, COARSE).posteriors[0] for world in (known, seen))
    np.testing.assert_allclose(one.utility, other.utility)
    assert one.worlds == ("as it is",)
    np.testing.assert_allclose(other.belief, other.belief[:1].repeat(len(other.belief), axis=0))


def test_a_single_thing_is_wanted_if_and_only_if_it_is_taken() -> None:
    given = {"things": {"K": "1"}, "known": ("K",)}
    took, left = (
        attribute(Gridworld("1.@....", moves=moves, **given), COARSE).posteriors[0]
        for moves in ("W W take", "wait wait wait")
    )
    assert took.desire[-1, 0] > took.desire[0, 0] > left.desire[-1, 0]
    assert took.best[-1].argmax() == 0
    assert left.best[-1].argmax() == 1  # nothing


def test_the_order_of_things_does_not_matter() -> None:
    one = attribute(corner("E S N W", {"L": "2"}), COARSE).posteriors[0]
    other = attribute(corner("E S N W", {"L": "2"}, missing=("M", "L")), COARSE).posteriors[0]
    order = [other.things.index(name) for name in one.things]
    np.testing.assert_allclose(one.desire, other.desire[:, order])
    order = [other.worlds.index(name) for name in one.worlds]
    np.testing.assert_allclose(one.belief, other.belief[:, order])


def test_an_agent_seen_twice_wants_the_same_both_times() -> None:
    worlds = corner("E S N", {"L": "2"}, agent="ann"), corner("W W take", {}, agent="ann")
    found = attribute(worlds, COARSE).posteriors
    alone = [attribute(world, COARSE).posteriors[0] for world in worlds]
    wants = alone[0].joint.sum(axis=1) * alone[1].joint.sum(axis=1)
    np.testing.assert_allclose(found[1].joint.sum(axis=1), wants / wants.sum())
    np.testing.assert_allclose(found[0].joint, alone[0].joint)


def test_numbers_at_their_limits() -> None:
    far = {"desires.lacking": 1e6, "desires.random": 0.0, "desires.temperatures": [0.001, 1000.0]}
    found = attribute(corner("E S S N N W W W take", {}), with_settings(COARSE, far)).posteriors[0]
    assert np.isfinite(found.joint).all()
    np.testing.assert_allclose(found.belief, np.eye(3)[[2] * len(found.belief)], atol=1e-6)
    same = attribute(corner("W", {}), with_settings(COARSE, {"desires.utilities": [3.0]}))
    np.testing.assert_allclose(same.posteriors[0].best, [[1 / 3, 1 / 3, 1 / 3, 0]] * 2)


def test_grids_that_are_too_fine_for_a_world_are_refused() -> None:
    posed = possible_worlds(corner("", {}))
    some = situations(posed.worlds, [start_of(posed.worlds, walk_of(corner("", {}), ""))])
    with pytest.raises(hbtom.BadInput, match="16,384 utilities and 8,192 beliefs are too many"):
        value(some, np.zeros((1 << 14, 3)), np.zeros((1 << 13, 3)))


# Calibration


def test_desires_and_beliefs_are_calibrated() -> None:
    """If agents are drawn from the prior and act by the policy, ranks of desires are uniform."""
    random, model = np.random.default_rng(5), with_settings(COARSE, {"desires.random": 0.2})
    world = corner("", {})
    posed = possible_worlds(world)
    walk = walk_of(world, "")
    planned = plan_walks(model.desires, posed, [walk])
    _, minds, valued = planned
    some = valued.situations
    shape = len(minds.utilities), len(minds.beliefs)
    ranks = []
    for _ in range(300):
        mind = random.integers(len(minds.utilities)), random.choice(len(minds.prior), p=minds.prior)
        beta = random.choice([2.0, 0.5]) * (random.random() >= 0.2)
        drawn = walk._replace(truth=int(random.integers(3)))
        while len(drawn.acts) < 4 and HAVE not in drawn.acts:
            here = int(follow(posed.worlds, some, drawn).situation[-1])
            worth = np.array([np.broadcast_to(one, shape) for one in valued.options(here)])
            chance = np.exp(beta * (worth[:, *mind] - worth[:, *mind].max()))
            option = int(random.choice(len(chance), p=chance / chance.sum()))
            acts = [*some.action[slice(*some.choices[here : here + 2])].tolist(), STAY, HAVE]
            drawn = drawn._replace(acts=(*drawn.acts, acts[option]), words=(*drawn.words, ""))
        joint = infer_desires(model, planned, drawn, follow(posed.worlds, some, drawn)).joint
        wants = _rank(random, minds.utilities[:, 1], joint.sum(axis=(1, 2)), mind[0])
        ranks.append([wants, _rank(random, minds.beliefs[:, 2], joint.sum(axis=(0, 2)), mind[1])])
    for one in np.array(ranks).T:
        counts = np.histogram(one, bins=10, range=(0, 1))[0]
        assert ((counts - 30) ** 2 / 30).sum() < 27.9  # chi square with 9 degrees, p = .001


def _rank(random, values, chances, true) -> float:
    """Return P(less than the true value), with ties broken at random."""
    less = chances[values < values[true] - 1e-9].sum()
    same = chances[np.abs(values - values[true]) < 1e-9].sum()
    return float(less + random.random() * same)
