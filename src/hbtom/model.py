"""The model: all assumptions, with every number, in one frozen value.

A :class:`Model` is configuration only. State that is learnt is in :class:`hbtom.mind.Beliefs`.
Presets: ``default`` is the best model we know, ``paper`` has the settings of Zhi-Xuan et al.
(2022).
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union

import msgspec
from msgspec import Struct

from hbtom.assumptions import (
    EXACT,
    Acts,
    Classifier,
    Continuous,
    Desires,
    Efficiency,
    Foresight,
    Goals,
    Grid,
    HypothesisPrior,
    Knowledge,
    Observation,
    Part,
    Preference,
    Social,
    says,
)
from hbtom.errors import BadInput
from hbtom.files import WRITTEN, read_whole
from hbtom.toml_files import convert, parse_toml, to_toml, toml_errors

if TYPE_CHECKING:  # this module loads without numpy
    from hbtom.arrays import Floats


class Model(Part, frozen=True):
    """All assumptions of the observer.

    >>> Model.preset("paper").motion
    Grid(cell=10.0, slip=0.0)
    """

    name: Annotated[str, says("a name for people; the fingerprint ignores it")]
    preference: Preference
    efficiency: Efficiency
    motion: Grid | Continuous
    acts: Acts
    classifier: Classifier
    observation: Observation = EXACT
    knowledge: Knowledge = Knowledge()
    hypotheses: HypothesisPrior = HypothesisPrior()
    desires: Desires = Desires()
    social: Annotated[
        Social | None, says("assumptions about other minds; without them, others are ignored")
    ] = None
    foresight: Foresight = Foresight()
    goals: Goals = Goals()

    @property
    def log_character(self) -> Annotated[Floats, "character"]:
        """log P(foresight, efficiency), which are constant; foresight varies slowest.

        If there is only one depth of foresight, it is the prior of efficiency.
        """
        if len(self.foresight.depths) == 1:
            return self.efficiency.log_prior
        from hbtom.arrays import frozen

        both = product(self.foresight.weights, self.efficiency.log_prior)
        return frozen([math.log(weight) + log for weight, log in both])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change when any assumption changes.

        Parameters that were added later have a default, and count only if they differ from it. So
        a model's fingerprint stays the same when new parameters are added. If places are exact, the
        other parameters of observation do not count.
        """
        sight = self.observation if self.observation.noise > 0 else EXACT
        assumed = _without_defaults(msgspec.structs.replace(self, name="", observation=sight))
        return hashlib.sha256(msgspec.json.encode(assumed)).hexdigest()[:12]

    @property
    def fallible(self) -> bool:
        """Whether agents may fail to foresee something, make mistakes, or change their minds."""
        return self.foresight.bounded or self.acts.lapse > 0 or self.goals.switching > 0

    @property
    def minds(self) -> Social | None:
        """The assumptions about other minds, if agents move freely and are seen exactly.

        Fallible agents are watched as if they were alone.
        """
        able = isinstance(self.motion, Continuous) and self.observation.noise == 0
        able = able and not self.fallible
        return self.social if able else None

    @staticmethod
    def preset(name: str) -> Model:
        """Return a model shipped with hbtom; see :func:`presets`."""
        if name not in presets():
            raise BadInput(
                f"there is no preset '{name}'", hint=f"the presets are {', '.join(presets())}"
            )
        return Model.from_toml((_PRESETS / f"{name}.toml").read_text(encoding="utf-8"))

    @staticmethod
    def from_toml(text: str) -> Model:
        """Read a model from TOML text: a complete one, as :meth:`to_toml` writes it, or changes.

        A text with ``base = "default"`` only needs the parameters that differ from that preset.
        """
        with toml_errors("model", "'hbtom model show default' prints a model"):
            table = parse_toml(text)
            base = table.pop("base", None)
            if base is not None:
                if table:
                    table.setdefault("name", f"{base}, changed")
                table = _merged(msgspec.to_builtins(Model.preset(str(base))), table)
            return _converted(table)

    def _repr_html_(self) -> str | None:
        """Return the HTML that notebooks show."""
        from hbtom.plottable import html_of

        return html_of(self)

    def to_toml(self) -> str:
        """Write the model as TOML, every parameter with its meaning."""
        return to_toml(self)


_PRESETS = Path(__file__).parent / "presets"


def presets() -> tuple[str, ...]:
    """Return the names of the models shipped with hbtom."""
    return tuple(sorted(path.stem for path in _PRESETS.glob("*.toml")))


AnyModel = Union[Model, str, "os.PathLike[str]", Mapping[str, Any]]  # see find_model


def find_model(model: AnyModel, base: AnyModel = "default") -> Model:
    """Return a model, given a model, the name of a preset, the path of a TOML file, or settings.

    Settings such as ``{"efficiency.scale": 2}`` change the model ``base``, or the one given by
    their key ``"base"``.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, Mapping):
        settings = {name: value for name, value in model.items() if name != "base"}
        return with_settings(find_model(model.get("base", base)), settings)
    name = os.fspath(model)
    if name in presets():
        return Model.preset(name)
    hint = f"name a preset ({', '.join(presets())}) or a TOML file"
    try:
        return Model.from_toml(read_whole(name, WRITTEN).decode())
    except FileNotFoundError:
        raise BadInput(f"there is no model '{name}'", hint=hint) from None
    except BadInput as error:
        raise error.at(file=name) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadInput(f"the model cannot be read: {why}", hint=hint).at(file=name) from None


def with_settings(model: Model, settings: Mapping[str, Any]) -> Model:
    """Return a model with other values of these parameters, given by their names in TOML files.

    >>> with_settings(Model.preset("paper"), {"efficiency.scale": 2}).efficiency.scale
    2.0
    """
    if not settings:
        return model
    table = msgspec.to_builtins(model)
    for name, value in settings.items():
        for part in reversed(name.split(".")):
            value = {part: value}
        table = _merged(table, value)
    changes = ", ".join(f"{name}={value}" for name, value in settings.items())
    return _converted({**table, "name": f"{model.name}, {changes}"})


def suited(model: Model, sight: tuple[float, float] | None) -> Model:
    """Return a model that expects this noise and pace, if known, unless it has its own noise."""
    if sight is None or sight[0] == 0 or model.observation.noise > 0:
        return model
    noise, pace = sight
    return with_settings(model, {"observation.noise": noise, "observation.pace": pace})


def _converted(table: dict[str, Any]) -> Model:
    curves = table.get("classifier")
    if isinstance(curves, dict) and curves.get("waste") is False:  # TOML has no None
        table = {**table, "classifier": {**curves, "waste": None}}
    if table.get("social") is False:
        table = {**table, "social": None}
    return convert(table, Model, "'hbtom model show default' prints a complete model")


def _merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``changes`` laid over it; another kind of motion replaces it whole."""
    if changes.get("kind", base.get("kind")) != base.get("kind"):
        return changes
    merged = dict(base)
    for name, value in changes.items():
        both = isinstance(value, dict) and isinstance(base.get(name), dict)
        merged[name] = _merged(base[name], value) if both else value
    return merged


def _without_defaults(value: Any) -> Any:
    """Return a part of a model as plain values, without those that have their defaults."""
    if not isinstance(value, Struct):
        return value
    kind, values = value.__struct_config__, dict[str, Any]()
    if kind.tag is not None:
        values[str(kind.tag_field)] = kind.tag
    elif not type(value).__module__.startswith("hbtom."):  # a motion that was added in Python
        values["type"] = f"{type(value).__module__}.{type(value).__qualname__}"
    names, defaults = value.__struct_fields__, value.__struct_defaults__
    required = (msgspec.NODEFAULT,) * (len(names) - len(defaults))
    for name, default in zip(names, required + defaults, strict=True):
        part = getattr(value, name)
        if part != default:
            values[name] = _without_defaults(part)
    return values
