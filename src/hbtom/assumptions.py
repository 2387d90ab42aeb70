"""The parts of a model, each with its parameters: assumptions about agents and observations."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

if TYPE_CHECKING:  # this module loads without numpy
    from hbtom.arrays import Floats

Positive = Annotated[float, Meta(gt=0, le=1e6)]
Temperature = Annotated[float, Meta(ge=1e-3, le=1e3)]
NotNegative = Annotated[float, Meta(ge=0, le=1e6)]
Chance = Annotated[float, Meta(ge=0, lt=1)]
Likely = Annotated[float, Meta(gt=0, le=1)]
MOST_FORESIGHT = 64  # steps, unless it is unbounded


def says(text: str) -> Meta:
    return Meta(description=text)


class Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a model, or the whole model."""


class Preference(Part, frozen=True):
    """What an agent likes: theta ~ Dirichlet(concentration, ..., concentration)."""

    concentration: Annotated[
        float, Meta(ge=1e-6, le=1e6, description="alpha of the Dirichlet, for each item")
    ]
    keys: Annotated[bool, says("a key is a goal like any other item")]
    feasible: Annotated[bool, says("agents choose only goals that they can reach")]
    nested: Annotated[
        bool, says("a choice from fewer goals counts only among these, not among all goals")
    ] = True


class Efficiency(Part, frozen=True, dict=True):
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


class Foresight(Part, frozen=True):
    """How many steps agents plan ahead; from there on, they assume that nothing is used up."""

    depths: Annotated[
        tuple[Depth, ...],
        Meta(min_length=1, max_length=16, description="numbers of steps; inf: without limit"),
    ] = (math.inf,)
    prior: Annotated[
        tuple[Positive, ...], says("relative probability of each depth; []: all equal")
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
    """Return the names of depths of foresight."""
    return tuple("inf" if depth == math.inf else str(int(depth)) for depth in depths)


class Goals(Part, frozen=True):
    """Whether agents change their minds about what they want."""

    switching: Annotated[
        NotNegative, says("mean number of times that a goal is drawn again in a plan of mean cost")
    ] = 0.0


class Grid(Part, frozen=True, tag_field="kind", tag="grid"):
    """The paper's dynamics: eight moves on square cells."""

    cell: Annotated[float, Meta(ge=4, le=100, description="side of a cell, in pixels")]
    slip: Annotated[Chance, says("probability that a move goes 45 degrees astray")] = 0.0


class Continuous(Part, frozen=True, tag_field="kind", tag="continuous"):
    """Any-angle motion: a heading for every stride, distances on a fine lattice."""

    cell: Annotated[float, Meta(ge=2, le=20, description="spacing of the lattice, in pixels")]
    clearance: Annotated[NotNegative, says("distance of agents' centres from walls, in pixels")]
    stride: Annotated[NotNegative, says("pixels walked per decision; 0: every frame is a decision")]
    berth: Annotated[
        NotNegative, says("distance of agents from things they pass, in pixels; 0: none")
    ] = 0.0
    push: Annotated[NotNegative, says("cost of passing through a thing that is in the way")] = 20.0
    contact: Annotated[
        bool, says("a key or lock is used from where it is touched, also next to walls")
    ] = False
    reluctance: Annotated[
        NotNegative, says("extra cost of using a tool, on top of the actions that it takes")
    ] = 0.0


class Acts(Part, frozen=True):
    """Acts other than moving. Costs are in units of 10 pixels of walking."""

    cost: Annotated[Positive, says("of picking something up, or of opening a lock")]
    final: Annotated[bool, says("the touch that ends a trial counts as an act")]
    learn_opening: Annotated[bool, says("opening costs the time that barriers were seen to take")]
    lapse: Annotated[Chance, says("probability that a step is made at random, by mistake")] = 0.0


class Observation(Part, frozen=True):
    """How well agents are seen: each place with normal noise, independently in x and y."""

    noise: Annotated[
        float,
        Meta(ge=0, le=20, description="its standard deviation, in pixels; 0: places are exact"),
    ] = 0.0
    pace: Annotated[
        float,
        Meta(ge=0.01, le=100, description="typical walk per frame, in pixels; used with noise"),
    ] = 2.0
    particles: Annotated[
        int, Meta(ge=1, le=10_000, description="for each goal and efficiency; used with noise")
    ] = 100
    seed: Annotated[
        int, Meta(ge=0, lt=1 << 32, description="of random numbers; used with noise")
    ] = 0


EXACT = Observation()


class Knowledge(Part, frozen=True):
    """What agents initially know about where things are, and whether they plan to look for them."""

    plan: Annotated[bool, says("agents may not know where things are, and look for them")] = False
    walls_hide: Annotated[
        bool, says("walls and doors hide what is behind them; otherwise only boards do")
    ] = False
    certain: Annotated[
        Chance, says("probability that an agent is sure of one place at first, right or wrong")
    ] = 0.0


class Desires(Part, frozen=True):
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
        says(
            "below 1, agents tend to expect that nothing is missing; "
            "1: all beliefs are equally probable"
        ),
    ] = 0.5
    temperatures: Annotated[
        tuple[Temperature, ...],
        Meta(
            min_length=1,
            max_length=64,
            description="1 / efficiency of agents with graded wants, all equally probable",
        ),
    ] = (0.25,)
    random: Annotated[Chance, says("probability that an agent acts at random on a path")] = 0.01

    def __post_init__(self) -> None:
        if list(self.utilities) != sorted(set(self.utilities)):
            raise ValueError("the utilities must increase")
        if len(set(self.temperatures)) < len(self.temperatures):
            raise ValueError("the temperatures must differ from each other")


class HypothesisPrior(Part, frozen=True):
    """Explanations of a trial other than a plan to a goal in the world as it is."""

    random: Annotated[Chance, says("probability that an agent moves at random in a trial")] = 0.0
    outdated: Annotated[
        Chance, says("probability that an agent has missed a change of the world")
    ] = 0.0


class Social(Part, frozen=True):
    """Other minds: who moves by itself, who is liked, who helps, and who knows what."""

    others: Annotated[bool, says("other agents may be goals")] = True
    copying: Annotated[bool, says("agents may copy the gesture of an agent they like")] = True
    ways: Annotated[bool, says("agents may reach a thing by way of a gesture they saw")] = True
    moved: Annotated[Chance, says("probability that something moves only when it is pushed")] = 0.5
    touched: Annotated[
        Likely, says("probability that a thing that moves by itself starts while it is touched")
    ] = 0.05
    untouched: Annotated[
        Likely, says("probability that a thing that must be pushed starts without being touched")
    ] = 0.01
    touch: Annotated[NotNegative, says("largest gap between outlines that touch, in pixels")] = 2.0
    warmth: Annotated[
        Positive, says("factor by which agents like helpers more; 1: help makes no difference")
    ] = 3.0
    sight: Annotated[
        Literal["seen", "all", "memory"],
        says('what agents know: what they have "seen", "all", or what they remember ("memory")'),
    ] = "seen"
    fade: Annotated[
        Positive, says("pixels that a thing is believed to have moved since it was last seen")
    ] = 20.0


class Logistic(Part, frozen=True):
    """Plausibility of one surprise x: 1 / (1 + exp(-(weight x + bias)))."""

    weight: Annotated[float, Meta(ge=-1e6, le=1e6)]
    bias: Annotated[float, Meta(ge=-1e6, le=1e6)]


class Classifier(Part, frozen=True):
    """Plausibility of a trial: the product of a logistic function for each surprise."""

    goal: Annotated[Logistic, says("of the shift of the goal posterior")]
    efficiency: Annotated[Logistic, says("of the shift of the efficiency posterior")]
    observation: Annotated[Logistic, says("of the unlikeliest step")]
    waste: Annotated[
        Logistic | None, says("of the total waste; without it, waste does not count")
    ] = None
