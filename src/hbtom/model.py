"""What is assumed: every number of the model, in one frozen value.

A :class:`Model` is configuration only. What is learnt lives in :class:`hbtom.mind.Beliefs`.
Presets: ``default`` is the best model we know, ``paper`` the settings of Zhi-Xuan et al. (2022).
"""

from __future__ import annotations

import hashlib
import math
import os
import tomllib
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import msgspec
from msgspec import Meta, Struct

from hbtom.errors import BadInput
from hbtom.files import WRITTEN, read_whole
from hbtom.toml_files import convert, to_toml, toml_errors

if TYPE_CHECKING:  # this module loads without numpy
    from hbtom.arrays import Floats

Positive = Annotated[float, Meta(gt=0, le=1e6)]
Temperature = Annotated[float, Meta(ge=1e-3, le=1e3)]
NotNegative = Annotated[float, Meta(ge=0, le=1e6)]
Chance = Annotated[float, Meta(ge=0, lt=1)]
Likely = Annotated[float, Meta(gt=0, le=1)]
MOST_FORESIGHT = 64  # steps, unless it is unbounded


def _says(text: str) -> Meta:
    return Meta(description=text)


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a model, or all of it."""


class Preference(_Part, frozen=True):
    """What an agent likes: theta ~ Dirichlet(concentration, ..., concentration)."""

    concentration: Annotated[
        float, Meta(ge=1e-6, le=1e6, description="alpha of the Dirichlet, for each item")
    ]
    keys: Annotated[bool, _says("a key is a goal like any other item")]
    feasible: Annotated[bool, _says("agents choose among what they can reach only")]
    nested: Annotated[
        bool, _says("choices from fewer goals count among these only, not among all goals")
    ] = True


class Efficiency(_Part, frozen=True, dict=True):
    """How well an agent plans: efficiency ~ Inv-Gamma(shape, scale), on a grid.

    The grid is given as temperatures, 1 / efficiency, and temperature ~ Gamma(shape, rate=scale):
    weight(T) ~ T^(shape - 1) exp(-scale T).
    """

    shape: Annotated[float, Meta(gt=0, le=1000, description="a of Inv-Gamma(a, b)")]
    scale: Annotated[float, Meta(ge=0, le=1000, description="b of Inv-Gamma(a, b)")]
    temperatures: Annotated[
        tuple[Temperature, ...],
        Meta(min_length=1, max_length=64, description="the grid: temperature = 1 / efficiency"),
    ]

    def __post_init__(self) -> None:
        if len({f"{1 / value:.9g}" for value in self.temperatures}) < len(self.temperatures):
            raise ValueError("the temperatures must differ from each other")

    @cached_property
    def values(self) -> Annotated[Floats, "efficiency"]:
        """The grid of efficiencies, beta = 1 / T."""
        from hbtom.arrays import frozen

        return frozen([1.0 / temperature for temperature in self.temperatures])

    @cached_property
    def log_prior(self) -> Annotated[Floats, "efficiency"]:
        """log P(beta), where P(beta = 1 / T) ~ T^(a - 1) exp(-b T)."""
        from hbtom.arrays import frozen

        log = [(self.shape - 1) * math.log(t) - self.scale * t for t in self.temperatures]
        top, total = max(log), 0.0
        for one in log:
            total += math.exp(one - top)
        return frozen([one - (top + math.log(total)) for one in log])


Depth = Annotated[float, Meta(ge=0)]


class Foresight(_Part, frozen=True):
    """How many steps agents plan ahead; from there on, they assume that nothing is used up."""

    depths: Annotated[
        tuple[Depth, ...],
        Meta(min_length=1, max_length=16, description="numbers of steps; inf: all that is to come"),
    ] = (math.inf,)
    prior: Annotated[
        tuple[Positive, ...], _says("how probable each depth is, in proportion; []: all the same")
    ] = ()

    def __post_init__(self) -> None:
        for depth in self.depths:
            if depth < math.inf and (depth > MOST_FORESIGHT or depth != int(depth)):
                raise ValueError(f"a depth is a whole number up to {MOST_FORESIGHT}, or inf")
        if any(one >= other for one, other in pairwise(self.depths)):
            raise ValueError("the depths must increase")
        if len(self.prior) not in (0, len(self.depths)):
            raise ValueError(f"there are {len(self.depths)} depths and {len(self.prior)} weights")

    @property
    def weights(self) -> tuple[float, ...]:
        """The probability of each depth."""
        given = self.prior or (1.0,) * len(self.depths)
        return tuple(one / math.fsum(given) for one in given)

    @property
    def bounded(self) -> bool:
        """Whether agents may fail to foresee anything."""
        return self.depths != (math.inf,)


def depth_names(depths: tuple[float, ...]) -> tuple[str, ...]:
    """Return depths of foresight as they are written."""
    return tuple("inf" if depth == math.inf else str(int(depth)) for depth in depths)


class Goals(_Part, frozen=True):
    """Whether agents change their minds about what they want."""

    switching: Annotated[
        NotNegative, _says("how often a goal is drawn anew in a plan of mean cost, on average")
    ] = 0.0


class Grid(_Part, frozen=True, tag_field="kind", tag="grid"):
    """The paper's dynamics: eight moves on square cells."""

    cell: Annotated[float, Meta(ge=4, le=100, description="side of a cell, in pixels")]
    slip: Annotated[Chance, _says("how probable it is that a move goes 45 degrees astray")] = 0.0


class Continuous(_Part, frozen=True, tag_field="kind", tag="continuous"):
    """Any-angle motion: a heading for every stride, distances on a fine lattice."""

    cell: Annotated[float, Meta(ge=2, le=20, description="spacing of the lattice, in pixels")]
    clearance: Annotated[NotNegative, _says("how far agents' centres keep from walls, in pixels")]
    stride: Annotated[
        NotNegative, _says("length of one decision, in pixels; 0: every frame is one")
    ]
    berth: Annotated[
        NotNegative, _says("how far agents keep from things they pass, in pixels; 0: not at all")
    ] = 0.0
    push: Annotated[NotNegative, _says("cost of passing through a thing that is in the way")] = 20.0
    contact: Annotated[
        bool, _says("a key or lock is used from where it is touched, beside walls, too")
    ] = False
    reluctance: Annotated[
        NotNegative, _says("cost of using a tool, beyond what it takes to do so")
    ] = 0.0


class Acts(_Part, frozen=True):
    """Acts other than moving. Costs are in units of 10 pixels of walking."""

    cost: Annotated[Positive, _says("of picking something up, or of opening a lock")]
    final: Annotated[bool, _says("the touch that ends a trial is an act of its own")]
    learn_opening: Annotated[bool, _says("opening costs the time that barriers were seen to need")]
    lapse: Annotated[Chance, _says("probability that a step is made at random, by mistake")] = 0.0


class Observation(_Part, frozen=True):
    """How well agents are seen: each place with normal noise, independently in x and y."""

    noise: Annotated[
        float,
        Meta(ge=0, le=20, description="its standard deviation, in pixels; 0: places are exact"),
    ] = 0.0
    pace: Annotated[
        float,
        Meta(ge=0.01, le=100, description="pixels that agents walk in a frame, about; if noisy"),
    ] = 2.0
    particles: Annotated[
        int, Meta(ge=1, le=10_000, description="for each goal and efficiency; if noisy")
    ] = 100
    seed: Annotated[int, Meta(ge=0, lt=1 << 32, description="of random numbers; if noisy")] = 0


EXACT = Observation()


class Knowledge(_Part, frozen=True):
    """What agents know at first about where things are, and whether they plan to look for them."""

    plan: Annotated[bool, _says("agents may not know where things are, and look for them")] = False
    walls_hide: Annotated[
        bool, _says("walls and doors hide what is behind them; otherwise only boards do")
    ] = False
    certain: Annotated[
        Chance, _says("probability that an agent is sure of one place at first, right or wrong")
    ] = 0.0


class Desires(_Part, frozen=True):
    """Graded wants: what things are worth to agents, and what agents believe, each on a grid."""

    utilities: Annotated[
        tuple[Annotated[float, Meta(ge=-1e4, le=1e4)], ...],
        Meta(
            min_length=1,
            max_length=100,
            description="what a thing may be worth, in units of cost; doing nothing is worth 0",
        ),
    ] = (-60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0)
    fineness: Annotated[
        int, Meta(ge=1, le=100, description="beliefs are multiples of 1 / fineness")
    ] = 6
    lacking: Annotated[
        Positive,
        _says("how much agents are apt to expect that something is missing; 1: all beliefs alike"),
    ] = 0.5
    temperatures: Annotated[
        tuple[Temperature, ...],
        Meta(
            min_length=1,
            max_length=64,
            description="1 / efficiency of agents with graded wants, all alike",
        ),
    ] = (0.25,)
    random: Annotated[Chance, _says("probability that an agent acts at random on a path")] = 0.01

    def __post_init__(self) -> None:
        if list(self.utilities) != sorted(set(self.utilities)):
            raise ValueError("the utilities must increase")
        if len(set(self.temperatures)) < len(self.temperatures):
            raise ValueError("the temperatures must differ from each other")


class HypothesisPrior(_Part, frozen=True):
    """What may explain a trial other than a plan to a goal in the world as it is."""

    random: Annotated[Chance, _says("probability that an agent moves at random in a trial")] = 0.0
    outdated: Annotated[
        Chance, _says("probability that an agent has missed a change of the world")
    ] = 0.0


class Social(_Part, frozen=True):
    """Other minds: who moves by itself, who is liked, who helps, and who knows what."""

    others: Annotated[bool, _says("other agents may be goals")] = True
    copying: Annotated[bool, _says("agents may copy the gesture of an agent they like")] = True
    ways: Annotated[bool, _says("agents may reach a thing by way of a gesture they saw")] = True
    moved: Annotated[Chance, _says("probability that something moves only when it is pushed")] = 0.5
    touched: Annotated[
        Likely, _says("probability that what moves by itself starts while it is touched")
    ] = 0.05
    untouched: Annotated[
        Likely, _says("probability that what must be pushed starts without being touched")
    ] = 0.01
    touch: Annotated[NotNegative, _says("pixels between outlines that count as touching")] = 2.0
    warmth: Annotated[
        Positive, _says("how many times more agents like those that help; 1: help changes nothing")
    ] = 3.0
    sight: Annotated[
        Literal["seen", "all", "memory"],
        _says('what agents know: what they have "seen", "all", or what they remember ("memory")'),
    ] = "seen"
    fade: Annotated[
        Positive, _says("pixels that a thing is believed to have gone since it was last seen")
    ] = 20.0


class Logistic(_Part, frozen=True):
    """Plausibility of one surprise x: 1 / (1 + exp(-(weight x + bias)))."""

    weight: Annotated[float, Meta(ge=-1e6, le=1e6)]
    bias: Annotated[float, Meta(ge=-1e6, le=1e6)]


class Classifier(_Part, frozen=True):
    """Plausibility of a trial: the product of a logistic for each surprise."""

    goal: Annotated[Logistic, _says("of the shift of the goal posterior")]
    efficiency: Annotated[Logistic, _says("of the shift of the efficiency posterior")]
    observation: Annotated[Logistic, _says("of the unlikeliest step")]
    waste: Annotated[
        Logistic | None, _says("of all that is wasted; without it, it does not count")
    ] = None


class Model(_Part, frozen=True):
    """All assumptions of the observer.

    >>> Model.preset("paper").motion
    Grid(cell=10.0, slip=0.0)
    """

    name: Annotated[str, _says("a name for people; the fingerprint ignores it")]
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
        Social | None, _says("what is assumed of other minds; without it, they are ignored")
    ] = None
    foresight: Foresight = Foresight()
    goals: Goals = Goals()

    @property
    def log_character(self) -> Annotated[Floats, "character"]:
        """log P(foresight, efficiency), which stay the same throughout; foresight varies slowest.

        If all agents foresee equally much, it is the prior of efficiency.
        """
        if len(self.foresight.depths) == 1:
            return self.efficiency.log_prior
        from hbtom.arrays import frozen

        both = product(self.foresight.weights, self.efficiency.log_prior)
        return frozen([math.log(weight) + log for weight, log in both])

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change when any assumption changes.

        Parameters that not all models had have a default, and do not count as long as they keep to
        it: a model's fingerprint stays the same when others learn to assume more. Where places are
        exact, nothing else about observation is an assumption.
        """
        sight = self.observation if self.observation.noise > 0 else EXACT
        assumed = _told(msgspec.structs.replace(self, name="", observation=sight))
        return hashlib.sha256(msgspec.json.encode(assumed)).hexdigest()[:12]

    @property
    def fallible(self) -> bool:
        """Whether agents may fail to foresee something, make mistakes, or change their minds."""
        return self.foresight.bounded or self.acts.lapse > 0 or self.goals.switching > 0

    @property
    def minds(self) -> Social | None:
        """What is assumed of other minds, if agents move freely and are seen exactly.

        Agents with bounded foresight, or whose goals change, are watched as if they were alone.
        """
        able = isinstance(self.motion, Continuous) and self.observation.noise == 0
        able = able and not self.fallible
        return self.social if able else None

    @staticmethod
    def preset(name: str) -> Model:
        """Return a model that is shipped with hbtom; see :func:`presets`."""
        if name not in presets():
            raise BadInput(
                f"there is no preset '{name}'", hint=f"the presets are {', '.join(presets())}"
            )
        return Model.from_toml((_PRESETS / f"{name}.toml").read_text(encoding="utf-8"))

    @staticmethod
    def from_toml(text: str) -> Model:
        """Read a model from TOML text: a whole one, as :meth:`to_toml` writes it, or changes.

        A text that says ``base = "default"`` needs to hold only what differs from that preset.
        """
        with toml_errors("model", "'hbtom model show default' prints a model"):
            table = tomllib.loads(text)
            base = table.pop("base", None)
            if base is not None:
                if table:
                    table.setdefault("name", f"{base}, changed")
                table = _merged(msgspec.to_builtins(Model.preset(str(base))), table)
            return _converted(table)

    def _repr_html_(self) -> str | None:
        """Return what notebooks show."""
        from hbtom.plottable import html_of

        return html_of(self)

    def to_toml(self) -> str:
        """Write the model as TOML, every parameter with its meaning."""
        return to_toml(self)


_PRESETS = Path(__file__).parent / "presets"


def presets() -> tuple[str, ...]:
    """Return the names of the models shipped with hbtom."""
    return tuple(sorted(path.stem for path in _PRESETS.glob("*.toml")))


AnyModel = Union[Model, str, "os.PathLike[str]", Mapping[str, Any]]  # what stands for a model


def find_model(model: AnyModel, base: AnyModel = "default") -> Model:
    """Return a model given itself, the name of a preset, the path of a TOML file, or settings.

    Settings such as ``{"efficiency.scale": 2}`` change the model ``base``, or the one that they
    name as ``"base"``.
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
    """Return a model with some parameters changed, each given by its name in the TOML file.

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
    told = ", ".join(f"{name}={value}" for name, value in settings.items())
    return _converted({**table, "name": f"{model.name}, {told}"})


def suited(model: Model, sight: tuple[float, float] | None) -> Model:
    """Return a model that expects noise and pace, if they are known, unless it expects noise."""
    if sight is None or sight[0] == 0 or model.observation.noise > 0:
        return model
    noise, pace = sight
    return with_settings(model, {"observation.noise": noise, "observation.pace": pace})


def _converted(table: dict[str, Any]) -> Model:
    curves = table.get("classifier")
    if isinstance(curves, dict) and curves.get("waste") is False:  # TOML has no word for None
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


def _told(value: Any) -> Any:
    """Return a part of a model as plain values, without what keeps to its default."""
    if not isinstance(value, Struct):
        return value
    kind = value.__struct_config__
    told = {} if kind.tag is None else {str(kind.tag_field): kind.tag}
    names, defaults = value.__struct_fields__, value.__struct_defaults__
    required = (msgspec.NODEFAULT,) * (len(names) - len(defaults))
    for name, default in zip(names, required + defaults, strict=True):
        part = getattr(value, name)
        if part != default:
            told[name] = _told(part)
    return told
