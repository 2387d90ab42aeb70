"""Fitting theories to choices or ratings, recovery, and trials that tell theories apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.core.agent import Agent
from hbtom.core.axes import GOAL, listed, log_sum, names, unknown
from hbtom.core.posterior import Posterior
from hbtom.core.watch import watch
from hbtom.core.worlds import Cue, Walk
from hbtom.errors import BadInput, needed

if TYPE_CHECKING:
    import xarray

Make = Callable[..., Any]  # parameters -> agents
_GRID, _STEPS = 5, 200  # points per parameter to begin with, and evaluations after that


def log_evidence(agents: Any, people: Sequence[Any]) -> Annotated[Floats, "person"]:
    """Return log P(all trials of a person | a theory), for each person who was watched.

    A person is a series of trials, which depend on each other. So a person, not a trial, is the
    unit when theories are compared, as by ArviZ.
    """
    if isinstance(people, Walk | Agent):
        hint = "give the agent, then a list with one series of trials for each person"
        raise BadInput(f"people are {people!r}", hint=hint)
    return np.array([watch(agents, one).log_evidence[-1] for one in people])


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters that were fitted, and how well they fit."""

    values: Mapping[str, float]
    make: Make
    ranges: Mapping[str, Any]  # (least, largest), or a list of values
    pointwise: Annotated[Floats, "person"]  # log-evidence, or the squared error of ratings
    tried: Sequence[tuple[Mapping[str, float], float]] = ()  # parameters, and their loss
    predicted: Floats | None = None
    ratings: Floats | None = None
    _loss: Callable[[Mapping[str, float]], Floats] | None = None

    @property
    def agents(self) -> Any:
        """The fitted theory."""
        return self.make(**self.values)

    @property
    def log_likelihood(self) -> float:
        """log P(data | values); for ratings, under normal errors of the variance that fits best."""
        if self.ratings is None:
            return float(self.pointwise.sum())
        n, error = self.ratings.size, max(float(self.pointwise.sum()), 1e-300)
        return -0.5 * n * (np.log(2 * np.pi * error / n) + 1)

    @property
    def r(self) -> float:
        """The correlation of predictions and ratings."""
        if self.ratings is None or self.predicted is None:
            raise BadInput("choices have no correlation", hint="it needs ratings")
        return float(np.corrcoef(self.predicted.ravel(), self.ratings.ravel())[0, 1])

    def sample(self, number: int = 500, chains: int = 4, seed: int = 0) -> xarray.Dataset:
        """Return draws of the parameters by Metropolis steps, beginning where they fit best.

        A priori, parameters are uniform in their ranges, or on their grids. ``log_likelihood``
        [chain, draw, person] is what ArviZ compares theories by.
        """
        with needed("xarray", "tables"):
            import xarray as xr

        assert self._loss is not None
        if self.ratings is not None:
            raise BadInput("only fits to choices can be sampled", hint="ratings have no likelihood")
        rng, draws, points = np.random.default_rng(seed), [], []
        free = {name: span for name, span in self.ranges.items() if isinstance(span, tuple)}
        for _ in range(chains):
            now, log = dict(self.values), self.pointwise
            for _ in range(number):
                new = {name: self._proposed(name, now[name], rng) for name in now}
                if all(a <= new[name] <= b for name, (a, b) in free.items()):
                    found = -self._loss(new)
                    if np.log(rng.random()) < found.sum() - log.sum():
                        now, log = new, found
                draws.append([*now.values()])
                points.append(log)
        both = ("chain", "draw")
        values = np.array(draws).reshape(chains, number, -1)
        table: dict[str, Any] = {name: (both, values[..., i]) for i, name in enumerate(self.values)}
        table["log_likelihood"] = (
            (*both, "person"), np.array(points).reshape(chains, number, -1)
        )  # fmt: skip
        return xr.Dataset(table)

    def _proposed(self, name: str, now: float, rng: np.random.Generator) -> float:
        """Return a value near another, or any value of a grid."""
        span = self.ranges[name]
        if not isinstance(span, tuple):
            return float(rng.choice(span))
        low, high = span
        return now + float(rng.normal()) * 0.15 * (high - low)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value:.4g}" for name, value in self.values.items())
        score = (
            f"r {self.r:.3f}" if self.ratings is not None else f"log P {self.log_likelihood:.2f}"
        )
        return f"<Fit: {told}; {score}>"


def fit(
    make: Make, people: Sequence[Any], ratings: Any = None,
    ask: Callable[[Posterior], Any] | None = None, **ranges: Any,
) -> Fit:  # fmt: skip
    """Fit the parameters of a theory to what people, or other agents, did; or to ratings of it.

    ``make`` returns agents from parameters, whose ranges are given, as in fear=(0, 20); a list is a
    grid of values. ``people`` are series of trials, one for each agent that was watched. Without
    ratings, the evidence of all trials is made as large as possible. With ``ratings`` [person,
    ...], ``ask(posterior)`` says what the theory predicts, and squared errors are made small.
    """
    if not callable(make):
        hint = "give a function of the parameters that returns agents"
        raise BadInput(f"there is nothing to vary in {make!r}", hint=hint)
    if isinstance(people, Walk):
        raise BadInput("one walk is given for people", hint="give a list: one series for each")
    people = [
        [one] if isinstance(one, Walk) or not isinstance(one, Iterable) else [*one]
        for one in people
    ]
    if not people:
        raise BadInput("there is nothing to fit to", hint="give a series of trials for each person")
    spans, grid = _ranges(make, ranges)
    wanted = None if ratings is None else np.asarray(ratings, dtype=float)
    if wanted is not None and ask is None:
        hint = "give ask=function of the posterior, as in ask=lambda p: p['goal']['red']"
        raise BadInput("what do the ratings rate?", hint=hint)
    if wanted is not None and len(wanted) != len(people):
        what = f"there are {len(people)} series of trials and {len(wanted)} ratings"
        raise BadInput(what, hint="give one row of ratings for each series of trials")

    def predicted(values: Mapping[str, float]) -> Floats:
        assert ask is not None
        agents = make(**values)
        said = [ask(watch(agents, one)) for one in people]
        try:
            return np.array(said, dtype=float)
        except (TypeError, ValueError):
            hint = "return a number, or a list of them, such as [*p['goal'].values()]"
            raise BadInput(f"'ask' returns {said[0]!r:.100}", hint=hint) from None

    def losses(values: Mapping[str, float]) -> Floats:
        if wanted is None:
            agents = make(**values)
            return -np.array([_evidence(agents, one) for one in people])
        found = predicted(values)
        if found.shape != wanted.shape:
            hint = "ask should return as many numbers as there are ratings of a person"
            raise BadInput(f"predictions are {found.shape}, ratings {wanted.shape}", hint=hint)
        error: Floats = ((found - wanted) ** 2).reshape(len(people), -1).sum(axis=1)
        return error

    best, tried = _minimised(losses, spans, grid)
    return Fit(
        best, make, grid | spans, losses(best) * (-1 if wanted is None else 1), tried,
        None if wanted is None else predicted(best), wanted, losses,
    )  # fmt: skip


def _ranges(make: Make, ranges: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the least and largest value of parameters that vary freely, and grids of all."""
    asked = names(make)
    if not ranges or {*asked} - {*ranges}:
        missing = listed([name for name in asked if name not in ranges]) or "none"
        raise BadInput(f"no range is given for {missing}", hint="as in fear=(0, 20), or a list")
    spans, grid = {}, {}
    for name, given in ranges.items():
        try:
            values = [float(one) for one in given]
        except (TypeError, ValueError):
            hint = f"give (least, largest), or a list of values, as in {name}=[0.1, 0.2]"
            raise BadInput(f"the range of '{name}' is {given!r}", hint=hint) from None
        if not values:
            raise BadInput(
                f"the range of '{name}' is empty", hint="give (least, largest), or a list"
            )
        free = isinstance(given, tuple) and len(values) == 2
        if free and not values[0] < values[1]:
            raise BadInput(f"the range of '{name}' is {given}", hint="give (least, largest)")
        if free:
            spans[name] = values[0], values[1]
        grid[name] = np.linspace(values[0], values[1], _GRID).tolist() if free else values
    return spans, grid


def _minimised(losses: Any, spans: Any, grid: Any) -> tuple[dict[str, float], list[Any]]:
    """Return the best point of a grid, improved by Nelder and Mead's method where it is free."""
    tried: list[tuple[dict[str, float], float]] = []

    def loss(values: Mapping[str, float]) -> float:
        found = float(np.sum(losses(values)))
        found = found if np.isfinite(found) else np.inf
        tried.append((dict(values), found))
        return found

    for point in product(*grid.values()):
        loss(dict(zip(grid, point, strict=True)))
    best, least = min(tried, key=lambda one: one[1])
    if least == np.inf:
        raise BadInput("no values of the parameters explain the data", hint="widen their ranges")
    if spans:
        with needed("scipy", "fit"):
            from scipy.optimize import minimize
        free = [*spans]
        bounds = [spans[name] for name in free]
        simplex = [[best[name] for name in free]]
        for i, (low, high) in enumerate(bounds):  # towards the middle, by half a step of the grid
            step = (
                (high - low) / (2 * (_GRID - 1)) * (1 if simplex[0][i] <= (low + high) / 2 else -1)
            )
            simplex.append([x + step * (i == j) for j, x in enumerate(simplex[0])])
        options = {
            "initial_simplex": simplex,
            "maxfev": _STEPS * len(free),
            "xatol": 1e-4,
            "fatol": 1e-6,
        }
        minimize(
            lambda x: loss({**best, **dict(zip(free, map(float, x), strict=True))}), simplex[0],
            method="Nelder-Mead", bounds=bounds, options=options,
        )  # fmt: skip
    return dict(min(tried, key=lambda one: one[1])[0]), tried


class Recovery(NamedTuple):
    """Values that agents were simulated with, and those that were fitted to what they did."""

    true: list[dict[str, float]]
    fitted: list[dict[str, float]]

    def r(self, name: str) -> float:
        """Return the correlation of true and fitted values."""
        unknown("there is no parameter", [name], self.true[0])
        pairs = [
            (one[name], other[name]) for one, other in zip(self.true, self.fitted, strict=True)
        ]
        return float(np.corrcoef(np.array(pairs).T)[0, 1])


def recover(
    make: Make, people: Sequence[Any], number: int = 10, seed: int = 0, **ranges: Any
) -> Recovery:
    """Find out whether parameters can be recovered from data like these.

    Values are drawn from their ranges, agents with these values are simulated in the same trials
    (as long, from where these began), and the values are fitted to what they do.
    """
    rng, true, fitted = np.random.default_rng(seed), [], []
    spans, grid = _ranges(make, ranges)
    for _ in range(number):
        values = {
            name: float(rng.uniform(*spans[name]) if name in spans else rng.choice(grid[name]))
            for name in grid
        }
        agents = make(**values)
        data = [_simulated(agents, one, int(rng.integers(1 << 31))) for one in people]
        true.append(values)
        fitted.append(dict(fit(make, data, **ranges).values))
    return Recovery(true, fitted)


def _simulated(agents: Any, trials: Any, seed: int) -> list[Walk]:
    """Return a series of trials like these, acted by agents whose traits and preferences last."""
    series = [trials] if isinstance(trials, Walk) else [*trials]
    done, rng = [], np.random.default_rng(seed)
    traits: dict[str, Any] = {}
    before: Posterior | None = None  # of agents that are known, as are their earlier goals
    for walk in series:
        world = walk.world if walk.world is not None else watch(agents, walk).world
        steps = walk.replayed(world)
        begin = Walk([], [int(steps.states[0])], world)
        p = watch(_knowing(agents, traits), begin, before)
        rounds = -(-len(steps) // len(world.phases))
        (found,) = p.sample(1, rounds=max(rounds, 1), seed=int(rng.integers(1 << 31)))
        traits = traits or {a.name: found.truth[a.name] for a in p.axes if a.lasting}
        told = replace(begin, cues=[_goal_of(p, who, found) for who in p.agents])
        before = watch(_knowing(agents, traits), told, before)
        done.append(Walk(found.actions, found.states, world))
    return done


def _goal_of(p: Posterior, who: str, walk: Walk) -> Cue:
    """Return what tells the goal that an agent had in a simulated walk."""
    wanted = walk.truth[p.own[who][GOAL]]
    return Cue(0, lambda goal: 0.0 if goal == wanted else -np.inf, who)


def _knowing(agents: Any, traits: Mapping[str, Any]) -> Any:
    """Return the same agents, whose lasting traits are known."""
    if isinstance(agents, Agent):
        known = {name: [value] for name, value in traits.items() if name in agents.traits}
        return agents.but(traits={**agents.traits, **known}) if known else agents
    changed = {}
    for who, agent in agents.items():
        own = {name.split(".", 1)[1]: v for name, v in traits.items() if name.startswith(f"{who}.")}
        changed[who] = _knowing(agent, own)
    return changed


# Which trial would tell most


@dataclass(frozen=True)
class Separation:
    """How well a trial would tell theories apart, in nats, with its standard error."""

    trial: Any = field(repr=False)
    number: int  # among the candidates
    gain: float
    error: float


def separate(
    *theories_and_trials: Any, number: int = 100, rounds: int | None = None, seed: int = 0
) -> list[Separation]:
    """Return how much each trial would tell about which theory is true, the best trial first.

    Give two or more theories, and then the trials: walks of no step that say where it begins. For
    each theory, ``number`` trials are simulated, of at most so many ``rounds``; the expected
    information gain is the mean of

        log P(walk | its theory) - log mean over theories of P(walk | theory)
    """
    *theories, trials = theories_and_trials
    if len(theories) < 2 or isinstance(trials, Agent):
        raise BadInput("two theories are needed", hint="as in separate(one, other, trials)")
    found = []
    for index, trial in enumerate([trials] if isinstance(trials, Walk) else trials):
        gains = []
        cues = getattr(trial, "cues", ())  # which are given, whatever the theory
        given = np.array([_evidence(one, trial) for one in theories])
        for i, theory in enumerate(theories):
            for walk in watch(theory, trial).sample(number, rounds, seed + i):
                seen = Walk(walk.actions, walk.states, walk.world, cues)
                logs = np.array([_evidence(one, seen) for one in theories]) - given
                gains.append(logs[i] - (log_sum(logs) - np.log(len(theories))))
        error = float(np.std(gains) / np.sqrt(len(gains)))
        found.append(Separation(trial, index, float(np.mean(gains)), error))
    return sorted(found, key=lambda one: -one.gain)


def _evidence(agents: Any, trials: Any) -> float:
    """Return log P(trials | theory), -inf where the theory rules them out."""
    try:
        return float(watch(agents, trials).log_evidence[-1])
    except BadInput as error:
        if "has probability 0" in error.problem or "no goal and traits are left" in error.problem:
            return -np.inf
        raise
