"""Theories of one's own in the benchmark's worlds."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from hbtom.places.watching import Watcher, agent_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PAIR = [EXAMPLES / f"preference_{member}.json.zst" for member in "eu"]
plain = hb.Agent(choose=hb.dirichlet())


def lapsing(Q, efficiency, lapse):
    return hb.mix(hb.boltzmann(Q, efficiency), hb.uniform(Q), lapse)


slipping = plain.but(
    traits={"efficiency": hb.inverse_gamma(), "lapse": [0.01, 0.1, 0.3]}, policy=lapsing
)


@pytest.mark.parametrize("file", PAIR, ids=["expected", "unexpected"])
def test_the_theory_of_the_paper_judges_as_its_preset(file: Path) -> None:
    judged, known = hb.Theory(plain, "paper").judge(file), hb.judge(file, "paper")
    assert judged.plausibility == pytest.approx(known.plausibility, abs=1e-12)
    told = known.surprise.to_dict()
    assert judged.surprise == pytest.approx({name: told[name] for name in judged.surprise})


@pytest.mark.parametrize("model", ["default", "paper"])
def test_another_policy_tells_the_pair_apart(model: str) -> None:
    expected, unexpected = map(hb.Theory(slipping, model).judge, PAIR)
    assert expected.plausibility > 0.2 > 0.1 > unexpected.plausibility
    assert "waste" not in expected.surprise


def test_a_theory_is_evaluated_like_a_model(tmp_path: Path, monkeypatch) -> None:
    for file in PAIR:
        (tmp_path / f"data{file.name}").symlink_to(file)
    found = hb.evaluate(EXAMPLES, hb.Theory(slipping), workers=1)
    assert found.overall.accuracy == 1.0


def test_the_fingerprint_is_that_of_code_and_numbers() -> None:
    theory = hb.Theory(slipping)
    assert theory.fingerprint == hb.Theory(slipping).fingerprint
    other = slipping.but(traits={**slipping.traits, "lapse": [0.01, 0.1, 0.4]})
    assert hb.Theory(other).fingerprint != theory.fingerprint
    assert hb.Theory(slipping, "paper").fingerprint != theory.fingerprint
    careless = slipping.but(policy=lambda Q, efficiency, lapse: lapsing(Q, efficiency, lapse / 2))
    assert hb.Theory(careless).fingerprint != theory.fingerprint


def test_a_theory_travels_to_other_processes() -> None:
    theory = hb.Theory(slipping)
    theory.judge(PAIR[0])
    same = pickle.loads(pickle.dumps(theory))
    assert same.fingerprint == theory.fingerprint
    assert same.judge(PAIR[1]).plausibility == theory.judge(PAIR[1]).plausibility


def test_an_own_planner_replaces_the_exact_one() -> None:
    from hbtom.places.planning import cost_to_go

    (trial, *_), space = hb.load(PAIR[0]).trials, hb.Plane()
    exact = hb.watch(plain, trial, space=space)
    same = hb.watch(plain.but(values=cost_to_go), trial, space=space)
    assert same.log_evidence == pytest.approx(exact.log_evidence)
    half = plain.but(values=lambda world, steps: 0.5 * cost_to_go(world, steps))
    assert hb.watch(half, trial, space=space).log_evidence[-1] != exact.log_evidence[-1]


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(hb.BadInput, match="goals are the things of each trial"):
        hb.Theory(hb.Agent(goals=["food"]))
    with pytest.raises(hb.BadInput, match="is no agent"):
        hb.Theory(lapsing)
    short = plain.but(values=lambda world: 0.0)
    with pytest.raises(hb.BadInput, match=r"'values' returns the shape \(\)"):
        hb.watch(short, hb.load(PAIR[0]).trials, space=hb.Plane())


@pytest.mark.parametrize(
    "change",
    [{"reward": lambda goal: -5.0}, {"discount": 0.5}, {"depth": 2}, {"end": lambda: [True]},
     {"reward": np.zeros((2, 2))}, {"others": {"it": plain}}, {"worth": hb.as_it_acts}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_what_a_world_of_places_would_ignore_is_refused(change: dict[str, Any]) -> None:
    (name,) = change
    with pytest.raises(hb.BadInput, match=f"'{name}' has no effect in worlds of places"):
        hb.Theory(plain.but(**change)).judge(PAIR[0])


@pytest.mark.parametrize(("preset", "space"), [("default", hb.Plane()), ("paper", hb.Grid())])
def test_worlds_by_default_are_those_of_the_presets(preset: str, space: Any) -> None:
    """Locks and barriers, too: what opening costs is learnt, or not, as in the preset."""
    model = hb.Model.preset(preset)
    golden = Path(__file__).parents[1] / "golden" / "episodes"
    files = sorted(golden.glob("instrumental_blocking_barrier/*.zst"))
    assert files
    for file in files[:2]:
        trials = hb.load(file).trials
        known = Watcher(model).watch(trials).posteriors[-1]
        p = hb.watch(agent_of(model), trials, space=space)
        assert p.log_evidence == pytest.approx(known.log_evidence, abs=1e-12)
        assert p.world.costs == known.world.costs
    assert (p.world.costs.opening != space.act) == space.learn_opening
