"""How an agent acts: log P(option | Q, traits), and what its steps were chosen from.

A policy is a function of what it names. It returns log P(option), normalised over the last axis:

    Q           what each option is worth [*axes, step, option]; -inf where there is no such option
    legal       which options there are [*axes, step, option]
    options     the names of the options [option]
    state, previous, time
                the state, the act before (its number, -1 at first), and the number of the step
    world, phase
                the world, and the agent's part of a round in it
    traits, goal, belief
                arrays that broadcast with Q

This is the only place where the Boltzmann policy is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.core.axes import HOPELESS, Axis, brief, call, listed, log_sum, names, shaped, softmax
from hbtom.errors import BadInput
from hbtom.kernels import log_i0e

Policy = Callable[..., Any]
_HEADINGS = 72  # headings that stand for all headings, for policies that need options
_SUM = 1e-6  # by which the sum of probabilities may differ from 1


def boltzmann(Q: Any, efficiency: Any = 1.0) -> Any:
    """Return log P(option) for P(option) ~ exp(efficiency Q)."""
    there = Q > -np.inf
    with np.errstate(invalid="ignore"):  # NaN is told where policies are checked
        return softmax(np.where(there, efficiency * np.where(there, Q, 0.0), -np.inf))


boltzmann.needs = ("Q", "efficiency")  # type: ignore[attr-defined]


def heading_log_density(regret: Any, length: Any, efficiency: Any) -> Any:
    """Return the Boltzmann log-density of moves in any direction, relative to a random heading.

    A move of length l at an angle psi from the best heading wastes l (1 - cos psi), so Boltzmann
    over headings is von Mises with concentration beta l:

        log pi = -beta regret - log( I0(beta l) exp(-beta l) )
    """
    return -efficiency * regret - log_i0e(efficiency * length)


def act_log_odds(regret: Any, cost: float, efficiency: Any) -> Any:
    """Return the Boltzmann log-probability of doing an act, relative to a coin toss.

    Doing it wastes the regret, not doing it wastes the rest of its cost:

        log pi = log 2 - log( 1 + exp(-beta (cost - 2 regret)) )
    """
    return np.log(2.0) - np.logaddexp(0.0, -efficiency * (cost - 2.0 * regret))


def uniform(legal: Any) -> Any:
    """Return log P(option) if all options are equally probable; give it ``legal`` or Q."""
    there = legal if np.asarray(legal).dtype == bool else legal > -np.inf
    return softmax(np.where(there, 0.0, -np.inf))


def greedy(Q: Any, epsilon: Any) -> Any:
    """Return log P(option): one of the best, or any with probability epsilon."""
    best = Q >= Q.max(axis=-1, keepdims=True) - 1e-9
    return mix(uniform(best), uniform(Q), epsilon)


def only(option: Any, options: Sequence[Any]) -> Floats:
    """Return log P(option) if one option is sure [option]."""
    if option not in options:
        raise BadInput(f"there is no option {brief(option)}; there are {listed(options)}")
    return np.where([option == other for other in options], 0.0, -np.inf)


def mix(log: Any, other: Any, weight: Any) -> Any:
    """Return log( (1 - weight) P + weight P' )."""
    weights = np.ravel(weight)
    wrong = weights[~((weights >= 0) & (weights <= 1))]
    if len(wrong):
        raise BadInput(f"a mixture has the weight {wrong[0]}", hint="weights are from 0 to 1")
    with np.errstate(divide="ignore"):
        return np.logaddexp(np.log1p(-np.asarray(weight)) + log, np.log(weight) + other)


@dataclass(frozen=True, eq=False)
class Options:
    """Steps that were chosen from listed options.

    ``q`` is -inf where there is no such option, and HOPELESS where it never leads to the end.
    ``taken`` is the option that was seen; ``log_seen``, if given, is log P(what was seen | option)
    instead. Steps that are not ``known`` say nothing.
    """

    q: Annotated[Floats, "*axes step option"]
    value: Annotated[Floats, "*axes"]  # of the first state
    taken: Annotated[Ints, "step"] | None = None
    log_seen: Annotated[Floats, "*axes step option"] | None = None
    known: Annotated[Bools, "*axes step"] | None = None
    names: tuple[Any, ...] = ()
    in_reach: Annotated[Bools, "*axes"] | None = None
    ended: Annotated[Bools, "*axes step"] | None = None  # the agent had come to its end before
    stayed: Annotated[Floats, "step"] | None = None  # log P(what was seen | it did nothing)
    context: dict[str, Any] | None = None  # state, previous and time [step, 1]; world, phase

    @property
    def reachable(self) -> Annotated[Bools, "*axes"]:
        """Which goals have come into reach."""
        return self.value > HOPELESS / 2 if self.in_reach is None else self.in_reach

    def log_policy(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step option"]:
        """Return log P(option)."""
        known = {"Q": self.q, "options": np.array(self.names, dtype=object)}
        known |= shaped(policy, axes, 2) | (self.context or {})
        if "legal" in names(policy):
            known["legal"] = self.q > -np.inf
        return checked_policy(call(policy, known), self.q, policy)

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes)."""
        log = self.log_policy(policy, axes)
        if self.log_seen is not None:
            chosen = log_sum(log + self.log_seen)
        else:
            assert self.taken is not None
            chosen = log[..., np.arange(len(self.taken)), self.taken]
        if self.ended is not None:
            chosen = np.where(self.ended, self.stayed, chosen)
        return chosen if self.known is None else np.where(self.known, chosen, 0.0)


def checked_policy(log: Any, q: Any, policy: Policy) -> Any:
    """Return a policy's log P(option), if it sums to 1 over the last axis."""
    told = getattr(policy, "__name__", "the policy")
    told = "the policy" if told == "<lambda>" else f"'{told}'"
    if np.shape(log) == q.shape[-1:]:  # the same whatever the state, goal and traits
        log = np.broadcast_to(log, q.shape)
    if np.ndim(log) != np.ndim(q) or log.shape[-2:] != q.shape[-2:]:
        hint = "return log P(option) for Q [*axes, step, option], with the same last two axes"
        raise BadInput(f"{told} returns the shape {np.shape(log)} for Q {q.shape}", hint=hint)
    wrong = ~(abs(np.exp(log).sum(axis=-1) - 1) < _SUM)  # NaN, too
    if wrong.any():
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        total = np.exp(log[at]).sum()
        worth = np.broadcast_to(q, log.shape)[at].round(3).tolist()
        hint = "return log P over the last axis, normalised; hb.boltzmann and hb.mix are"
        raise BadInput(
            f"{told} sums to {total:.4g} in step {at[-1] + 1}, where Q is {listed(worth, 6)}",
            hint=hint,
        )
    missing = (q == -np.inf) & (log > -np.inf)
    if missing.any():
        at = tuple(int(i) for i in np.argwhere(missing)[0])
        hint = "hb.boltzmann leaves such options out; a function can ask for 'legal'"
        raise BadInput(
            f"{told} gives option {at[-1] + 1} a probability in step {at[-2] + 1}, where it is "
            "not possible",
            hint=hint,
        )
    return log


@dataclass(frozen=True, eq=False)
class Headings:
    """Steps that are moves in any direction, or acts that were done and might not have been.

    Regret lies between 0 and the most that could be wasted: 2 length for moves, the cost of an act
    for acts. Log-likelihoods are relative to a random heading or a coin toss.
    """

    regret: Annotated[Floats, "*axes step"]
    value: Annotated[Floats, "*axes"]  # of the first place
    reachable: Annotated[Bools, "*axes"]
    length: Annotated[Floats, "step"]  # in units of cost
    moves: Annotated[Bools, "step"]
    act_cost: float
    known: Annotated[Bools, "*axes step"]

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes), relative to chance."""
        if policy is not boltzmann:
            for name in {"options", "state", "previous", "world", "phase"} & {*names(policy)}:
                hint = "headings have no names; it may ask for Q, legal, traits and goal"
                raise BadInput(f"in the plane, a policy cannot ask for '{name}'", hint=hint)
            chance = np.log(np.where(self.moves, _HEADINGS, 2))
            return self.options.log_likelihood(policy, axes) + chance * self.known
        (efficiency,) = shaped(boltzmann, axes, 1).values()
        moves, regret = self.moves, self.regret
        if moves.all():
            log = heading_log_density(regret, self.length, efficiency)
        else:
            log = np.empty(np.broadcast_shapes(regret.shape, efficiency.shape))
            log[..., moves] = heading_log_density(
                regret[..., moves], self.length[moves], efficiency
            )
            log[..., ~moves] = act_log_odds(regret[..., ~moves], self.act_cost, efficiency)
        return log if self.known.all() else np.where(self.known, log, 0.0)

    @property
    def options(self) -> Options:
        """The same steps as evenly spaced headings, the nearest of which was taken.

        The goal decides which heading is best, and every option is rotated so that the one that was
        taken is option 0 for all goals.
        """
        turn = 2 * np.pi / _HEADINGS
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = 1.0 - self.regret / self.length
        off = np.rint(np.arccos(np.clip(np.nan_to_num(cosine), -1, 1)) / turn) * turn
        headings = off[..., None] + np.arange(_HEADINGS) * turn
        q = -self.length[:, None] * (1.0 - np.cos(headings))
        acts = np.full(q.shape, -np.inf)
        acts[..., 0], acts[..., 1] = -self.regret, self.regret - self.act_cost
        q = np.where(self.moves[:, None], q, acts)
        taken = np.zeros(len(self.length), dtype=int)
        time = {"time": np.arange(len(taken))[:, None]}
        every = tuple(range(_HEADINGS))
        return Options(q, self.value, taken, known=self.known, names=every, context=time)


def stacked(parts: Sequence[Any], place: int) -> Any:
    """Return choices of several worlds as one, along the axis at this place."""
    first = parts[0]
    if hasattr(first, "stacked"):
        return first.stacked(parts, place)
    changes: dict[str, Any] = {}
    for name, behind in _ALONG.items():
        if getattr(first, name, None) is None or isinstance(
            getattr(type(first), name, None), property
        ):
            continue
        arrays = [getattr(one, name) for one in parts]
        axes = max(array.ndim for array in arrays) - behind
        if not axes:  # what was seen, whatever is believed
            continue
        shape = [np.broadcast_shapes(*(a.shape[:axes] for a in arrays)), arrays[0].shape[axes:]]
        arrays = [np.broadcast_to(a, (*shape[0], *shape[1])) for a in arrays]
        changes[name] = np.concatenate(arrays, axis=place)
    return replace(first, **changes)


_ALONG = {
    "q": 2, "log_seen": 2, "regret": 1, "known": 1, "ended": 1,
    "value": 0, "reachable": 0, "in_reach": 0,
}  # fmt: skip
