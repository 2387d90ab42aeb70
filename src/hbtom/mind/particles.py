"""A particle filter over the places where an agent decides, one for every goal and efficiency.

Places are proposed from what was seen, whatever the agent wants (:mod:`hbtom.mind.noisy_strides`),
and weighted by the policy of each goal and efficiency. The result is the likelihood,

    log P(o_t | o_<t, g, beta) - log P_0(o_t | o_<t),

where P_0 is for an agent that heads anywhere, which is computed exactly. Without noise, all
particles are where the agent was seen, and this is the likelihood of the exact model.

All strata (goal, efficiency) use the same random numbers, so that chance favours none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.mind.continuous import regret_at
from hbtom.mind.noisy_strides import Stride
from hbtom.mind.policy import all_log_i0e
from hbtom.mind.regret import Efficiencies, LogSteps
from hbtom.observe import Trial
from hbtom.plan import CostToGo
from hbtom.world import Trajectory
from hbtom.world.trajectory import NO_STEPS

_RESAMPLE = 0.5  # of the particles; they are resampled if fewer than these are effective


@dataclass(frozen=True, eq=False)
class ParticleFilter:
    """A filter that, called with efficiencies, returns the likelihood."""

    costs: CostToGo
    trajectory: Trajectory
    strides: Sequence[Stride | None]
    reachable: Annotated[Bools, "goal"]
    noise: float
    particles: int
    seed: tuple[int, ...]

    def __call__(self, efficiency: Efficiencies) -> LogSteps:
        """Return log P(o_t | o_<t, g, beta), relative to an agent that heads anywhere."""
        rng = np.random.default_rng(self.seed)
        cloud = _Cloud(self, efficiency, rng)
        log = np.empty((len(self.trajectory.act), len(self.reachable), len(efficiency)))
        for step, stride in enumerate(self.strides):
            log[step] = cloud.act(step) if stride is None else cloud.move(step, stride)
        return np.where(self.reachable[:, None], log, 0.0)


class _Cloud:
    """The particles of one run of the filter, ``[goal, efficiency, particle]``."""

    def __init__(self, model: ParticleFilter, efficiency: Floats, rng: np.random.Generator) -> None:
        self.model, self.rng = model, rng
        self.beta = efficiency[:, None]
        shape = len(model.reachable), len(efficiency), model.particles
        self.places = np.zeros((*shape, 2))
        self.log_weight = np.full(shape, -np.log(model.particles))
        self.recent: _Recent | None = None  # the last move, which rejuvenation may change
        self.neutral = _Neutral(np.zeros(2), 0.0)

    def move(self, step: int, stride: Stride) -> Annotated[Floats, "goal efficiency"]:
        """Propose where a stride ends, and weight that by what was seen and by the policy."""
        mode = int(self.model.trajectory.mode[step])
        if stride.begin is None:
            told = _told(stride, self.places - self.neutral.mean, self.neutral.mean)
            neutral, place = self.neutral.told(stride)
        else:  # its start is drawn given everything seen in the stride, which then adds no weight
            told, neutral = np.zeros(()), 0.0
            _, place = _Neutral(stride.begin, self.model.noise**2).told(stride)
            self._begin(place)
        before, recent = self.places, self.recent and replace(self.recent, before=None)
        self.places, self.neutral = _drawn(stride, before, self._normals()), place.moved(stride)
        likelihood = self._weigh(told + self._policy(before, self.places, mode)) - neutral
        self.recent = _Recent(stride, mode, before, recent)
        self._refresh()
        return likelihood

    def act(self, step: int) -> Annotated[Floats, "goal efficiency"]:
        """Weight by the choice of an act: log pi = log 2 - log(1 + exp(-beta (act - 2 regret)))."""
        steps, cost = self.model.trajectory, self.model.costs.world.costs.act
        if self.recent is None:  # an act before any move: it is done where the agent begins
            self._begin(_Neutral(steps.start[step], self.model.noise**2))
        taken, mode = int(steps.exit[step]), int(steps.mode[step])
        step_regret, _ = self._regret(self.places, self.places, mode, taken)
        likelihood = self._weigh(
            np.log(2.0) - np.logaddexp(0.0, -self.beta * (cost - 2.0 * step_regret))
        )
        self.recent = None  # after an act, a new leg begins
        return likelihood

    def _begin(self, place: _Neutral) -> None:
        """Begin a leg, where the agent is known to be."""
        drawn = place.mean + np.sqrt(place.variance) * self._normals()
        self.places = np.broadcast_to(drawn, self.places.shape)
        self.log_weight = np.full(self.log_weight.shape, -np.log(self.model.particles))
        self.recent = None

    def _normals(self) -> Annotated[Floats, "particle 2"]:
        return self.rng.standard_normal((self.model.particles, 2))

    def _policy(self, start: Floats, stop: Floats, mode: int) -> Floats:
        """Return log pi = -beta regret - log(I0(beta l) exp(-beta l)), the density of headings."""
        step_regret, length = self._regret(start, stop, mode, -1)
        return -self.beta * step_regret - all_log_i0e(self.beta * length)

    def _regret(
        self, start: Floats, stop: Floats, mode: int, exit: int
    ) -> tuple[Annotated[Floats, "goal efficiency particle"], Floats]:
        """Return the regret of one step from and to many places, and its lengths."""
        shape = start.shape[:-1]
        flat = (np.ascontiguousarray(one).reshape(shape[0], -1, 2) for one in (start, stop))
        many = shape[1] * shape[2]
        modes, exits = np.full(many, mode, dtype=np.int64), np.full(many, exit, dtype=np.int64)
        steps = NO_STEPS._replace(mode=modes, exit=exits)
        regret, length, _ = regret_at(self.model.costs, steps, *flat)
        return regret.reshape(shape), length.reshape(shape)

    def _weigh(self, log: Floats) -> Annotated[Floats, "goal efficiency"]:
        """Multiply weights, return the log of their sum, and make them sum to one again."""
        log = self.log_weight + log
        top = log.max(axis=-1, keepdims=True)
        total = top + np.log(np.exp(log - top).sum(axis=-1, keepdims=True))
        self.log_weight = log - total
        return total[..., 0]

    # Resampling and rejuvenation

    def _refresh(self) -> None:
        """Resample and rejuvenate the particles if a few of them have most of the weight.

        Only strata that need it are resampled. All strata are rejuvenated, which does not change
        their distributions.
        """
        weight = np.exp(self.log_weight)
        poor = 1.0 / (weight**2).sum(axis=-1) < _RESAMPLE * self.model.particles
        shift = self.rng.random()
        if not poor.any():
            return
        chosen = np.where(poor[..., None], _systematic(weight, shift), np.arange(weight.shape[-1]))
        self.log_weight = np.where(poor[..., None], -np.log(self.model.particles), self.log_weight)
        self.places = _taken(self.places, chosen)
        assert self.recent is not None
        self.recent = self.recent.taken(chosen)
        self._rejuvenate(self.recent)

    def _rejuvenate(self, recent: _Recent) -> None:
        """Propose the last two places anew from what was seen, and accept or reject (Metropolis).

        The proposal has all factors of the posterior but the policy, so the ratio of policies
        decides.
        """
        start, before = recent.start, recent.before
        if before is not None:
            start = _between(before.stride, before.start, recent.stride, self._normals())
        stop = _drawn(recent.stride, start, self._normals())
        new = self._policy(start, stop, recent.mode)
        old = self._policy(recent.start, self.places, recent.mode)
        if before is not None:
            new = new + self._policy(before.start, start, before.mode)
            old = old + self._policy(before.start, recent.start, before.mode)
        take = -self.rng.standard_exponential(self.model.particles) < new - old
        self.places = np.where(take[..., None], stop, self.places)
        start = np.where(take[..., None], start, recent.start)
        self.recent = _Recent(recent.stride, recent.mode, start, before)


@dataclass(frozen=True, eq=False)
class _Recent:
    """A move of the particles: where it started, and the move before it on the same leg."""

    stride: Stride
    mode: int
    start: Annotated[Floats, "goal efficiency particle 2"]
    before: _Recent | None

    def taken(self, chosen: np.ndarray) -> _Recent:
        """Return the history of the chosen particles, as far back as needed."""
        before = self.before
        if before is not None:
            start = _taken(before.start, chosen)
            before = _Recent(before.stride, before.mode, start, None)
        return _Recent(self.stride, self.mode, _taken(self.start, chosen), before)


@dataclass(frozen=True)
class _Neutral:
    """The position of an agent that heads anywhere: normal, from a Kalman filter."""

    mean: Annotated[Floats, "2"]
    variance: float

    def told(self, stride: Stride) -> tuple[float, _Neutral]:
        """Return log P_0(seen during a stride), and where the agent was when it began."""
        toward = stride.toward - stride.precision * self.mean  # relative to the mean
        shrunk = 1.0 + stride.precision * self.variance
        log = 0.5 * self.variance * (toward @ toward) / shrunk - np.log(shrunk)
        variance = self.variance / shrunk
        return float(log), _Neutral(self.mean + variance * toward, variance)

    def moved(self, stride: Stride) -> _Neutral:
        """Return where the agent is at the end of a stride."""
        mean = stride.base + stride.slope * self.mean
        return _Neutral(mean, stride.variance + stride.slope**2 * self.variance)


def _told(stride: Stride, off: Floats, mean: Annotated[Floats, "2"]) -> Floats:
    """Return log P(seen during a stride | it began at mean + off), minus that for the mean."""
    toward = stride.toward - stride.precision * mean
    return off @ toward - 0.5 * stride.precision * (off**2).sum(axis=-1)


def _drawn(stride: Stride, start: Floats, normals: Floats) -> Floats:
    """Draw where a stride ends, given where it began and what was seen."""
    return stride.base + stride.slope * start + np.sqrt(stride.variance) * normals


def _between(stride: Stride, start: Floats, then: Stride, normals: Floats) -> Floats:
    """Draw where a stride ends, given what was seen during it and during the next one."""
    shrunk = 1.0 + then.precision * stride.variance
    mean = (stride.base + stride.slope * start + stride.variance * then.toward) / shrunk
    return mean + np.sqrt(stride.variance / shrunk) * normals


def _systematic(weight: Annotated[Floats, "goal efficiency particle"], shift: float) -> np.ndarray:
    """Resample all particles by weight, at evenly spaced points of the cumulative weight."""
    count = weight.shape[-1]
    upto = weight.cumsum(axis=-1)
    at = (np.arange(count) + shift) / count * upto[..., -1:]
    flat = [
        np.searchsorted(one, marks)
        for one, marks in zip(upto.reshape(-1, count), at.reshape(-1, count), strict=True)
    ]
    return np.minimum(np.array(flat), count - 1).reshape(weight.shape)


def _taken(places: Floats, chosen: np.ndarray) -> Floats:
    return np.take_along_axis(places, chosen[..., None], axis=2)


def trial_hash(trial: Trial) -> int:
    """Return a hash of what was seen in a trial, and of its world.

    It seeds the random numbers, so these depend neither on the order of trials nor on the process.
    """
    parts: tuple[Floats, ...] = (trial.path, trial.places, trial.walls, trial.barrier)
    text = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
