"""How judgements describe and show themselves in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hbtom
from domains import EXAMPLES, example
from hbtom.bench import as_rater
from hbtom.model import find_model

EPISODE = Path(__file__).parents[2] / "examples" / "preference_u.json.zst"


@pytest.fixture(scope="module")
def judgement() -> hbtom.Judgement:
    return hbtom.judge(EPISODE)


def test_the_explanation_is_in_the_values(judgement) -> None:
    assert "went to" in judgement.explanation
    assert json.loads(json.dumps(judgement.to_dict()))["explanation"] == judgement.explanation


def test_settings_can_replace_a_model(judgement) -> None:
    changed = hbtom.judge(judgement.episode, model={"efficiency.scale": 2})
    assert changed.model.efficiency.scale == 2
    assert changed.model.motion == judgement.model.motion
    paper = hbtom.judge(judgement.episode, model={"base": "paper", "acts.cost": 2})
    assert paper.model.motion == hbtom.Model.preset("paper").motion
    with pytest.raises(hbtom.BadInput, match="skale"):
        hbtom.judge(judgement.episode, model={"efficiency.skale": 2})


def test_settings_change_the_default_model() -> None:
    settings = {"efficiency.scale": 2}
    assert hbtom.Observer(hbtom.load(EPISODE)[0], settings).model.efficiency.scale == 2
    assert as_rater(settings).model == find_model(settings)
    world = hbtom.Gridworld("1..\n.@.", things={"cake": "1"}, known=("cake",), moves="W")
    attributed = hbtom.attribute(world, settings).model
    assert attributed.motion == hbtom.Model.preset("paper").motion
    assert attributed.efficiency.scale == 2


def test_a_tree_holds_every_trial_and_its_provenance(judgement) -> None:
    pytest.importorskip("xarray")
    tree = judgement.to_datatree()
    trials = [f"trial_{number}" for number in range(1, 10)]
    assert list(tree.children) == ["judgement", *trials]  # ArviZ does not open nested groups
    last = tree["trial_9"].to_dataset()
    assert last.posterior.sum(("goal", "efficiency")).values == pytest.approx(1.0)
    assert float(tree["judgement"].plausibility) == judgement.plausibility
    assert hbtom.Model.from_toml(tree.attrs["model_toml"]) == judgement.model
    assert tree.attrs["source"] == str(EPISODE)


def test_pages_are_made_from_python(judgement, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    one = judgement.show(browser=False)
    assert one.read_text().startswith("<!")
    assert hbtom.show(EPISODE, browser=False) == one


def test_pages_of_plans_are_made_from_python(judgement, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    world, folder = example("kitchen"), EXAMPLES / "kitchen"
    plan = hbtom.load_plan(world, min((folder / "plans").glob("*.plan")))
    judged = hbtom.infer_plans(hbtom.load_goals(world, folder / "goals.txt"), [plan])
    page = judged.show(browser=False)
    assert page.read_text().startswith("<!")
    assert hbtom.show(judged, browser=False) == page
    with pytest.raises(hbtom.BadInput, match="cannot share a page"):
        hbtom.show(judged, judgement, browser=False)


def test_notebooks_show_episodes_models_and_plans(judgement) -> None:
    maps = judgement.episode._repr_html_()
    assert maps.count("<svg") == 9
    assert judgement.model.fingerprint in judgement.model._repr_html_()
    world, folder = example("kitchen"), EXAMPLES / "kitchen"
    plan = hbtom.load_plan(world, min((folder / "plans").glob("*.plan")))
    plans = hbtom.infer_plans(hbtom.load_goals(world, folder / "goals.txt"), [plan])
    assert plans.explanation in plans._repr_html_()
    assert list(plans.to_datatree().children) == ["judgement", "trial_1"]


def test_the_old_name_of_infer_plans_warns() -> None:
    with pytest.warns(DeprecationWarning, match="infer_plans"):
        assert hbtom.judge_plans is hbtom.infer_plans
