"""Models: presets, TOML files, fingerprints."""

from __future__ import annotations

import hashlib
import math
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hbtom
from episodes import episode, key_trial, read, simple_episode
from hbtom import BadInput, Model
from hbtom.assumptions import Continuous, Grid, Logistic, Social
from hbtom.model import find_model, presets, with_settings

CHOICES = {  # the values of parameters that are not numbers
    "sight": [("", "all"), ("", "memory")],
    "depths": [("", (3.0, 5.0, 7.0, 9.0, 11.0, math.inf))],
}


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every change of one parameter: its path, and the whole value with it changed."""
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            if field == "social" and getattr(value, field) is None:
                yield field, msgspec.structs.replace(value, social=Social())
                continue
            if field == "prior":
                yield field, msgspec.structs.replace(value, prior=(2.0,) * len(value.depths))
                continue
            parts = CHOICES.get(field) or changes(getattr(value, field))
            for path, part in parts:
                yield f"{field}.{path}".strip("."), msgspec.structs.replace(value, **{field: part})
    elif isinstance(value, bool):
        yield "", not value
    elif isinstance(value, int):
        yield "", value + 1
    elif isinstance(value, float):
        yield "", value + 0.0625
    elif isinstance(value, tuple):
        yield "", value[:-1] or (*value, value[-1] + 0.125)
        yield "", (*value[:-1], value[-1] + 0.0625)
    elif isinstance(value, str):
        yield "", value + "!"
    elif value is None:  # a curve that the classifier leaves out
        yield "", Logistic(weight=-1.0, bias=1.0)
    else:
        raise TypeError(f"what is {value!r}?")


NOISY = with_settings(Model.preset("default"), {"observation.noise": 2.0})
MODELS = {"noisy": NOISY, **{name: Model.preset(name) for name in presets()}}
CHANGED = [
    pytest.param(model, changed, id=f"{name} {path}")
    for name, model in MODELS.items()
    for path, changed in changes(model)
]


# Presets


def test_the_presets_are_default_and_paper() -> None:
    assert {"default", "default-0.1", "paper"} <= set(presets())
    assert isinstance(Model.preset("default").motion, Continuous)
    assert isinstance(Model.preset("paper").motion, Grid)


@pytest.mark.parametrize("name", presets())
def test_a_preset_has_its_name(name: str) -> None:
    assert Model.preset(name).name == name


@pytest.mark.parametrize("name", ["best", "", "../presets/default", "default.toml", "a\0b"])
def test_an_unknown_preset_gets_the_others_as_a_hint(name: str) -> None:
    with pytest.raises(BadInput, match="no preset") as caught:
        Model.preset(name)
    for other in presets():
        assert other in caught.value.hint


def test_the_default_of_version_0_1_still_exists() -> None:
    assert Model.preset("default-0.1").fingerprint == "0e62c137f649"


def test_a_model_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Model.preset("default").name = "mine"
    with pytest.raises(AttributeError):
        Model.preset("default").acts.cost = 2.0


# Fingerprints


@pytest.mark.parametrize(("model", "changed"), CHANGED)
def test_a_fingerprint_changes_with_every_parameter_but_the_name(model, changed) -> None:
    renamed = changed.name != model.name
    exact = model.observation.noise == changed.observation.noise == 0
    idle = exact and changed.observation != model.observation  # without noise these do not matter
    assert (changed.fingerprint == model.fingerprint) is (renamed or idle)


@pytest.mark.parametrize("name", [name for name in presets() if name != "people"])
def test_a_model_without_new_settings_keeps_its_fingerprint(name: str) -> None:
    model = Model.preset(name)
    old = msgspec.to_builtins(msgspec.structs.replace(model, name=""))
    del old["observation"], old["hypotheses"], old["knowledge"], old["preference"]["nested"]
    del old["foresight"], old["goals"], old["acts"]["lapse"], old["desires"]
    old.pop("social") if model.social is None else old.update(social={})  # it has the defaults
    new = {"slip": 0.0, "berth": 0.0, "push": 20.0, "contact": False, "reluctance": 0.0}
    old["motion"] = {k: v for k, v in old["motion"].items() if k not in new or v != new[k]}
    old["classifier"] = {k: v for k, v in old["classifier"].items() if v is not None}
    digest = hashlib.sha256(msgspec.json.encode(old)).hexdigest()
    assert model.fingerprint == digest[:12]
    kept = msgspec.structs.replace(model, social=None)
    assert Model.from_toml(kept.to_toml().partition("[observation]")[0]) == kept


def test_fingerprints_of_different_models_differ() -> None:
    models = [changed for model in MODELS.values() for _, changed in changes(model)]
    exact = {"name": "", "observation": msgspec.structs.replace(NOISY.observation, noise=0.0)}
    different = {
        msgspec.structs.replace(model, **({"name": ""} if model.observation.noise else exact))
        for model in models
    }
    assert len({model.fingerprint for model in different}) == len(different)


def test_a_fingerprint_is_twelve_hexadecimal_digits() -> None:
    fingerprint = Model.preset("default").fingerprint
    assert len(fingerprint) == 12
    assert set(fingerprint) <= set(string.hexdigits.lower())


def test_a_whole_number_is_the_same_parameter_as_a_fraction() -> None:
    whole = Model.from_toml('base = "default"\n[preference]\nconcentration = 1\n')
    assert whole.fingerprint == Model.preset("default").fingerprint


# TOML


@pytest.mark.parametrize(("model", "changed"), CHANGED)
def test_a_model_is_read_back_from_toml_unchanged(model, changed) -> None:
    back = Model.from_toml(changed.to_toml())
    assert back == changed
    assert back != model


@given(st.text())
def test_any_name_is_read_back_from_toml(name: str) -> None:
    model = msgspec.structs.replace(Model.preset("default"), name=name)
    assert Model.from_toml(model.to_toml()).name == name


positive = st.floats(0, 1e6, exclude_min=True)


@given(positive, st.floats(-1e6, 1e6), st.lists(st.floats(0.001, 1000), min_size=1, max_size=5))
def test_any_numbers_are_read_back_from_toml(cost: float, weight: float, grid: list[float]) -> None:
    model = Model.preset("default")
    replaced = msgspec.structs.replace
    model = replaced(model, acts=replaced(model.acts, cost=cost))
    goal = replaced(model.classifier.goal, weight=weight)
    model = replaced(model, classifier=replaced(model.classifier, goal=goal))
    distinct = tuple(sorted({round(value, 3) for value in grid}))
    model = replaced(model, efficiency=replaced(model.efficiency, temperatures=distinct))
    assert Model.from_toml(model.to_toml()) == model


def test_toml_explains_every_parameter() -> None:
    for line in Model.preset("default").to_toml().splitlines():
        name, _, rest = line.partition(" = ")
        if rest and name not in ("kind", "weight", "bias"):
            assert "  # " in rest


@pytest.mark.parametrize("name", presets())
def test_the_preset_file_is_complete(name: str) -> None:
    """The shipped file holds every parameter, and depends on no other preset."""
    import hbtom.model

    text = (Path(hbtom.model.__file__).parent / "presets" / f"{name}.toml").read_text()
    assert Model.from_toml(text) == Model.preset(name)
    assert "base" not in text


# Changes to a base


def test_a_base_alone_is_that_preset() -> None:
    for name in presets():
        assert Model.from_toml(f'base = "{name}"') == Model.preset(name)


def test_changes_are_applied_to_the_base() -> None:
    text = """
        base = "default"
        name = "mine"
        [efficiency]
        temperatures = [0.5, 1.0]
        [classifier.goal]
        weight = -3.0
    """
    base, mine = Model.preset("default"), Model.from_toml(text)
    assert mine.name == "mine"
    assert mine.efficiency.temperatures == (0.5, 1.0)
    assert mine.efficiency.shape == base.efficiency.shape
    assert mine.classifier.goal.weight == -3
    assert mine.classifier.goal.bias == base.classifier.goal.bias
    assert mine.classifier.efficiency == base.classifier.efficiency
    assert (mine.preference, mine.motion, mine.acts) == (base.preference, base.motion, base.acts)


def test_another_kind_of_motion_replaces_the_base_motion() -> None:
    mine = Model.from_toml('base = "default"\n[motion]\nkind = "grid"\ncell = 20.0\n')
    assert mine.motion == Grid(cell=20)
    with pytest.raises(BadInput, match="cell"):
        Model.from_toml('base = "default"\n[motion]\nkind = "grid"\n')


def test_the_same_kind_of_motion_may_be_named_again() -> None:
    mine = Model.from_toml('base = "paper"\n[motion]\nkind = "grid"\ncell = 20.0\n')
    assert mine.motion == Grid(cell=20)


# Refused models

WRONG = {
    "[preference]\nconcentration = 0.0": "preference.concentration",
    "[preference]\nconcentration = -1.0": "preference.concentration",
    "[preference]\nconcentration = nan": "preference.concentration",
    "[preference]\nconcentration = inf": "preference.concentration",
    "[preference]\nconcentration = true": "preference.concentration",
    '[preference]\nconcentration = "one"': "preference.concentration",
    "[preference]\nkeys = 1": "preference.keys",
    "[preference]\nfeasible = 'yes'": "preference.feasible",
    "[efficiency]\nshape = 0.0": "efficiency.shape",
    "[efficiency]\nscale = -1.0": "efficiency.scale",
    "[efficiency]\ntemperatures = []": "efficiency.temperatures",
    "[efficiency]\ntemperatures = 0.2": "efficiency.temperatures",
    "[efficiency]\ntemperatures = [0.2, 0.0]": "efficiency.temperatures",
    "[efficiency]\ntemperatures = [0.2, nan]": "efficiency.temperatures",
    "[efficiency]\ntemperatures = [1e-300]": "efficiency.temperatures",
    "[efficiency]\ntemperatures = [0.2, 0.4, 0.2]": "temperatures",
    "[motion]\ncell = 0.0": "motion.cell",
    "[motion]\ncell = 1e9": "motion.cell",
    "[motion]\nclearance = -1.0": "motion.clearance",
    "[motion]\nstride = -1.0": "motion.stride",
    "[motion]\nkind = 'flying'": "motion.kind",
    "[acts]\ncost = 0.0": "acts.cost",
    "[acts]\nfinal = 'no'": "acts.final",
    "[classifier.goal]\nweight = nan": "classifier.goal.weight",
    "[classifier.goal]\nbias = 1e300": "classifier.goal.bias",
    "name = 7": "name",
    "motion = 'continuous'": "motion",
    "[motion]\nspeed = 2.0": "speed",
    "[motion]\nkind = 'grid'\ncell = 10.0\nstride = 1.0": "stride",
    "[preference]\nspeed = 2.0": "speed",
    "[efficiency]\nspeed = 2.0": "speed",
    "[acts]\nspeed = 2.0": "speed",
    "[classifier.goal]\nspeed = 2.0": "speed",
    "[weather]\nwind = 2.0": "weather",
    "speed = 2.0": "speed",
    "[classifier.weather]\nweight = 1.0\nbias = 1.0": "weather",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_value_or_an_unknown_field_is_named(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        Model.from_toml(f'base = "default"\n{text}\n')
    assert WRONG[text] in caught.value.problem
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", ["name", "preference", "efficiency", "motion", "acts"])
def test_a_whole_model_needs_every_part(missing: str) -> None:
    table = msgspec.to_builtins(Model.preset("default"))
    del table[missing]
    with pytest.raises(BadInput, match=missing):
        Model.from_toml(_toml(table))


def _toml(table: dict[str, Any]) -> str:
    """Write a table as TOML, with a dotted name for each value."""

    def lines(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, dict):
            for name, part in value.items():
                yield from lines(part, f"{path}.{name}".strip("."))
        else:
            yield f"{path} = {msgspec.json.encode(value).decode().replace('null', 'inf')}"

    return "\n".join(lines(table, ""))


def test_the_toml_writer_of_these_tests_works() -> None:
    model = Model.preset("default")
    assert Model.from_toml(_toml(msgspec.to_builtins(model))) == model


@pytest.mark.parametrize(
    "text", ["[", "name", "a = [" * 3000, "a = " + "[" * 3000 + "]" * 3000, "name = '\x00'"]
)
def test_files_that_are_not_toml_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Model.from_toml(text)


@pytest.mark.parametrize("base", ['"best"', "3", '["default"]', '"a\\u0000b"', "{}"])
def test_a_base_that_is_not_a_preset_is_refused(base: str) -> None:
    with pytest.raises(BadInput, match="no preset"):
        Model.from_toml(f"base = {base}")


# Finding a model


def test_a_model_is_found_by_itself_by_name_and_by_file(tmp_path: Path) -> None:
    model = msgspec.structs.replace(Model.preset("paper"), name="mine")
    file = tmp_path / "mine.toml"
    file.write_text(model.to_toml(), encoding="utf-8")
    assert find_model(model) is model
    assert find_model("paper") == Model.preset("paper")
    assert find_model(file) == find_model(str(file)) == model


@pytest.mark.parametrize("name", ["nowhere.toml", "", "a\0b", "a" * 5000, "."])
def test_a_model_that_cannot_be_found_is_refused(name: str) -> None:
    with pytest.raises(BadInput):
        find_model(name)


def test_a_bad_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "default"\nspeed = 1')
    with pytest.raises(BadInput, match="speed") as caught:
        find_model(file)
    assert caught.value.place.file == str(file)


# Every accepted model can be used

EXTREMES = [
    "[preference]\nconcentration = 1e-6",
    "[preference]\nconcentration = 1e6",
    "[preference]\nkeys = false",
    "[preference]\nfeasible = false",
    "[efficiency]\nshape = 1000.0",
    "[efficiency]\nscale = 0.0",
    "[efficiency]\nscale = 1000.0",
    "[efficiency]\ntemperatures = [0.001]",
    "[efficiency]\ntemperatures = [1000.0, 0.001]",
    "[motion]\ncell = 20.0",
    "[acts]\ncost = 1e-300",
    "[acts]\ncost = 1e6",
    "[classifier.goal]\nweight = -1e6\nbias = -1e6",
    "[classifier.goal]\nweight = 1e6\nbias = 1e6",
]
MISSING = {  # what makes a simple episode one that cannot be judged
    ("paper", "[motion]\ncell = 20.0"): "the agent does nothing",
    ("default", "[motion]\nclearance = 1e6"): "no goal can be reached",
}
CONTINUOUS_ONLY = ["[motion]\nclearance = 1e6", "[motion]\nstride = 0.0", "[motion]\nstride = 1e6"]


@pytest.mark.parametrize(
    ("base", "text"),
    [(base, text) for base in ("default", "paper") for text in EXTREMES]
    + [("default", text) for text in CONTINUOUS_ONLY],
)
def test_an_extreme_model_still_judges(base: str, text: str) -> None:
    model = Model.from_toml(f'base = "{base}"\n{text}\n')
    simple, with_key = simple_episode(), episode(key_trial(), key_trial(jump=False))
    for trials, why in ((simple, MISSING.get((base, text), "")), (with_key, "")):
        judgement = hbtom.judge(read(trials), model)
        assert judgement.missing == why
        assert why or 0 <= judgement.plausibility <= 1
        assert judgement.test.goal.sum(axis=1) == pytest.approx(1)
