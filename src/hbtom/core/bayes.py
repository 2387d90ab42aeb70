"""Bayes' rule on named axes, exact within a trial and across trials.

Letters: c a table of counts for each agent that learns, k what lasts (traits of agents), x what is
drawn anew for a trial (the goals, beliefs, moods), o_t what was seen at time t.

    prior      P(c, k, x)         = W(c, k) P(goals | c, k) P(rest of x | k)
    posterior  P(k, x | o_0:t)    ~ sum over c of P(c, k, x) prod over s <= t of P(o_s | k, x)
    learning   W'(c + 1_goal, k)  ~ sum over the rest of x of P(c, k, x) prod of P(o_s | k, x)

An axis that is drawn anew before a step with probability r moves forward and back by

    a_t(x)   = P(o_t | x) [ (1 - r) a_t-1(x) + r P(x | rest) sum over x' of a_t-1(x') ]
    b_t-1(x) = (1 - r) v(x) + r sum over x' of P(x' | rest) v(x'),   v = P(o_t | x) b_t(x)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.core.axes import Axis, aligned, listed, log_sum
from hbtom.core.goals import Counts
from hbtom.errors import BadInput


@dataclass(frozen=True, eq=False)
class Learnt:
    """What is known about agents before a trial: P(tables of counts, lasting axes), jointly."""

    axes: tuple[Axis, ...] = ()
    log_weight: Annotated[Floats, "history *axes"] = field(default_factory=lambda: np.zeros(1))
    counts: Mapping[str, Counts] = field(default_factory=dict)

    def with_axes(self, axes: Sequence[Axis]) -> Learnt:
        """Return the same with axes added that were not needed so far; each has its prior."""
        old = [axis.name for axis in self.axes]
        labels = {axis.name: axis.labels for axis in axes}
        for axis in self.axes:
            if labels.get(axis.name, axis.labels) != axis.labels:
                hint = f"they were {listed(axis.labels)}"
                raise BadInput(f"'{axis.name}' had other values in earlier trials", hint=hint)
        new = [axis for axis in axes if axis.lasting and axis.name not in old]
        every = [*old, *(axis.name for axis in new)]
        log = self.log_weight.reshape(*self.log_weight.shape, *[1] * len(new))
        for axis in new:
            log = log + aligned(axis.log_prior, [*axis.given, axis.name], every)
        return Learnt((*self.axes, *new), log, self.counts)


@dataclass(frozen=True, eq=False)
class Update:
    """Bayes' rule for one trial.

    ``log_fresh`` {axis: [history or 1, *axes]} is log P(value | the rest) of what is drawn for the
    trial; ``log`` [1 + step, *axes] is what was seen before the first step and in each one.
    ``choosers`` {who: name of the axis of its goal} are those who learn from their choices, among
    the goals ``counted`` {who: set}.
    """

    axes: tuple[Axis, ...]
    learnt: Learnt
    log_fresh: Mapping[str, Floats]
    log: Annotated[Floats, "1+step *axes"]
    choosers: Mapping[str, str] = field(default_factory=dict)
    counted: Mapping[str, frozenset[Any]] = field(default_factory=dict)

    @cached_property
    def log_prior(self) -> Annotated[Floats, "history *axes"]:
        """log P(c, k, x)."""
        own = [axis.name for axis in self.learnt.axes]
        log = aligned(self.learnt.log_weight, own, self._names, lead=1)
        for one in self.log_fresh.values():
            log = log + one
        return log

    @cached_property
    def log_joint(self) -> Annotated[Floats, "1+step *axes"]:
        """log P(k, x, o_0:t)."""
        if not self._moving:
            return log_sum(self.log_prior, axis=0) + self.log.cumsum(axis=0)
        return np.array([log_sum(one, axis=0) for one in self._forward])

    @cached_property
    def _forward(self) -> list[Floats]:
        """log P(c, k, x_t, o_0:t) for each t."""
        now, found = self.log_prior + self.log[0], []
        found.append(now)
        for log in self.log[1:]:
            for i, rate, fresh in self._moving:
                now = _mixed(now, fresh + log_sum(now, axis=i + 1, keepdims=True), rate)
            now = now + log
            found.append(now)
        return found

    @cached_property
    def log_smoothed(self) -> Annotated[Floats, "1+step history *axes"]:
        """log P(c, k, x_t, o_0:T), of every time given the whole trial."""
        if not self._moving:
            whole = self.log_prior + self.log.sum(axis=0)
            return np.broadcast_to(whole, (len(self.log), *whole.shape))
        back: Any = np.zeros((1,) * self.log_prior.ndim)
        found = [self._forward[-1]]
        for t in reversed(range(len(self.log) - 1)):
            back = back + self.log[t + 1]
            for i, rate, fresh in reversed(self._moving):
                back = _mixed(back, log_sum(fresh + back, axis=i + 1, keepdims=True), rate)
            found.append(self._forward[t] + back)
        return np.array(found[::-1])

    @cached_property
    def after(self) -> Learnt:
        """What is believed after the trial.

        The trial counts for the goal that an agent had; if goals change, for that of a step chosen
        at random.
        """
        old, lasting = self.learnt, tuple(axis for axis in self.axes if axis.lasting)
        log = self._final
        kept = [i for i, axis in enumerate(self.axes) if axis.lasting]
        goals = {who: self._names.index(axis) for who, axis in self.choosers.items()}
        fleeting = tuple(i + 1 for i in range(len(self.axes)) if i not in (*kept, *goals.values()))
        log = log_sum(log, axis=fleeting, keepdims=True) if fleeting else log
        counts, weight = _counted(self, log, goals)
        weight = weight.reshape(len(weight), *(weight.shape[i + 1] for i in kept))
        full = (len(weight), *map(len, lasting))
        weight = np.broadcast_to(weight, full)
        return Learnt(lasting, weight - log_sum(weight, axis=None), {**old.counts, **counts})

    @property
    def _final(self) -> Floats:
        if not self._moving:
            return self.log_prior + self.log.sum(axis=0)
        steps = self.log_smoothed[1:] if len(self.log) > 1 else self.log_smoothed
        return log_sum(steps, axis=0) - np.log(len(steps))

    @cached_property
    def _names(self) -> list[str]:
        return [axis.name for axis in self.axes]

    @cached_property
    def _moving(self) -> list[tuple[int, float, Floats]]:
        """The axes that are drawn anew before steps: number, rate, and log P(value | the rest)."""
        fresh = self.log_fresh
        return [(i, a.anew, fresh[a.name]) for i, a in enumerate(self.axes) if a.anew]


def _mixed(stay: Any, drawn: Any, rate: float) -> Any:
    """Return log( (1 - rate) exp(stay) + rate exp(drawn) )."""
    if rate == 1.0:
        return drawn + 0.0 * np.where(stay > -np.inf, stay, 0.0)
    return np.logaddexp(np.log1p(-rate) + stay, np.log(rate) + drawn)


def _counted(
    update: Update, log: Floats, goals: Mapping[str, int]
) -> tuple[dict[str, Counts], Annotated[Floats, "history *axes"]]:
    """Add each agent's goal to its tables of counts, and merge tables that are equal.

    W'(c + 1_g, k) = sum over (c, g) of exp(log[c, g, k])
    """
    if not goals:
        return {}, log_sum(log, axis=0)[None]
    old = {who: update.learnt.counts[who] for who in goals}
    learners = {who: place for who, place in goals.items() if update.counted.get(who)}
    others = tuple(place + 1 for who, place in goals.items() if who not in learners)
    log = log_sum(log, axis=others, keepdims=True) if others else log
    tables, weights = [], []
    for chosen in product(*(range(len(update.axes[place])) for place in learners.values())):
        weight, table = log, {who: counts.table for who, counts in old.items()}
        for (who, place), goal in zip(learners.items(), chosen, strict=True):
            weight = weight.take([goal], axis=place + 1)
            table[who] = table[who].copy()
            table[who][:, old[who].goals.index(update.axes[place].labels[goal])] += 1
        tables.append(np.concatenate([*table.values()], axis=1))
        weights.append(weight)
    merged, weight = _merged(np.concatenate(tables), np.concatenate(weights))
    counts, column = {}, 0
    for who, known in old.items():
        offers = dict(known.offers)
        if who in learners:
            offers[update.counted[who]] = offers.get(update.counted[who], 0) + 1
        width = len(known.goals)
        some = merged[:, column : column + width]
        counts[who] = replace(known, table=some, offers=offers)
        column += width
    return counts, weight


def _merged(
    table: Annotated[Ints, "row column"], log_weight: Annotated[Floats, "row *axes"]
) -> tuple[Ints, Floats]:
    """Return the different rows in lexical order, each with the sum of its weights."""
    possible = log_weight.max(axis=tuple(range(1, log_weight.ndim))) > -np.inf
    table, log_weight = table[possible], log_weight[possible]
    order = np.lexsort(table.T[::-1])
    table, log_weight = table[order], log_weight[order]
    first = np.flatnonzero(np.append(True, (table[1:] != table[:-1]).any(axis=1)))
    top = np.maximum.reduceat(log_weight, first)
    top = np.where(top == -np.inf, 0.0, top)
    every = np.exp(log_weight - top.repeat(np.diff(first, append=len(table)), axis=0))
    with np.errstate(divide="ignore"):
        return table[first], np.log(np.add.reduceat(every, first)) + top
