"""Agents: a theory of one kind of mind is data and functions.

The names of a function's arguments say what it depends on; nothing else needs to be declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Annotated, Any

import numpy as np

from hbtom.core.axes import (
    GOAL,
    HOPELESS,
    Axis,
    Trait,
    aligned,
    axes_of,
    brief,
    call,
    listed,
    log_sum,
    log_weights,
    names,
    over,
    shaped,
    softmax,
    unknown,
)
from hbtom.core.goals import Counts, Offer, inverse_gamma
from hbtom.core.memo import fingerprint, plans
from hbtom.core.plan import Plan, Rows, best, plan_of
from hbtom.core.policy import Policy, boltzmann
from hbtom.core.worlds import World, as_step
from hbtom.errors import BadInput

_TRAITS: Mapping[str, Any] = {"efficiency": inverse_gamma()}
_MORE = {  # what a function may name besides the goal, traits and belief
    "policy": ("Q", "legal", "options", "state", "previous", "time", "world", "phase"),
    "choose": ("V", "counts", "offer"),
    "worth": ("Q",),
    "step": ("world", "phase"),
    "reward": ("world", "phase"),
    "values": ("world", "phase", "steps"),
}
_ROLES = "step", "reward", "end", "final", "discount", "depth", "values", "worth"


@dataclass(frozen=True, eq=False)
class Agent:
    """A theory of one kind of agent: values, or functions of what they name.

    Functions may name the goal, any trait, and ``world``; those marked (p) also ``phase``, which
    has ``who``, ``actions`` and ``step``. Those marked (a) are called once, with arrays that
    broadcast with Q or V. All others are called with single values, once for each combination
    that they name.

    - ``goals``: names, ``{name: weight}``, or a :class:`Trait`; one is drawn for each trial.
      Without them, whatever the world offers.
    - ``traits``: {name: values}, ``{value: weight}`` or a :class:`Trait`; they last unless that
      says otherwise.
    - ``step``: P(s' | s, a) as the agent believes it to be, if not as in the world (p). With
      ``actions`` and ``horizon`` it is also the world of trials that bring none.
    - ``reward``: of an action [S, A] (p).
    - ``end``: the states in which nothing more happens [S].
    - ``final``: what it is worth that all ends there, or that time is up [S].
    - ``discount``: of the next round. ``depth``: how many rounds an agent looks ahead.
    - ``values``: Q [S, A] from a planner of one's own, instead of all these (p).
    - ``worth``: ``V [*axes, S]`` from ``Q [*axes, S, A]``: ``best`` or ``as_it_acts`` (a).
    - ``policy``: log P(action), see ``hbtom.core.policy`` (a).
    - ``choose``: log P(goal) up to a constant, see ``hbtom.core.goals`` (a).
    - ``knows``: the worlds in which the agent may believe it is, a function of ``world`` that
      returns ``{label: (weight, world)}``; the belief is one more axis, ``belief``.
    - ``others``: {who: agent, or agent.known(...)}, other minds as this one sees them.
    - ``stake``: {who: weight} of the other's ``reward`` and ``final`` in one's own. What one
      does not know of the other is averaged over its prior.

    ``reward``, ``final`` and the weights of stakes may be {goal: value}.
    """

    goals: Any = None
    traits: Mapping[str, Any] = field(default_factory=lambda: _TRAITS)
    step: Any = None
    reward: Any = 0.0
    end: Any = None
    final: Any = 0.0
    discount: Any = 1.0
    horizon: int | None = None
    actions: Any = None
    depth: Any = None
    values: Any = None
    worth: Any = best
    policy: Policy = boltzmann
    choose: Any = 0.0
    knows: Any = None
    others: Mapping[str, Any] = field(default_factory=dict)
    stake: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("reward", "final"):
            object.__setattr__(self, name, _by_goal(name, getattr(self, name)))
        for name in ("traits", "others", "stake"):
            if not isinstance(getattr(self, name), Mapping):
                told = f"'{name}' is {brief(getattr(self, name))}"
                raise BadInput(told, hint=f"give {name}={{name: ...}}")
        for who, one in self.others.items():
            if not isinstance(one, Agent | Other):
                hint = "give an agent, or agent.known(...)"
                raise BadInput(f"'{who}' of others is {brief(one)}", hint=hint)
        seen = {
            who: one if isinstance(one, Other) else Other(one, {})
            for who, one in self.others.items()
        }
        object.__setattr__(self, "others", seen)
        stake = {who: _by_goal(f"stake, {who}", weight) for who, weight in self.stake.items()}
        object.__setattr__(self, "stake", stake)
        if not callable(self.policy):
            hint = "as in policy=hb.boltzmann, or a function that returns log P(action)"
            raise BadInput(f"the policy is {brief(self.policy)}, not a function", hint=hint)
        for name in _ROLES:
            if isinstance(getattr(self, name), np.ndarray):  # a copy that cannot change
                object.__setattr__(self, name, _frozen(getattr(self, name)))
        self._check_names()

    def _check_names(self) -> None:
        asked = set[str]()
        for name in self.traits:
            if name == GOAL or name in _RESERVED:
                raise BadInput(f"a trait cannot be called '{name}'", hint="the name has a meaning")
        functions = {role: getattr(self, role) for role in (*_ROLES, "policy", "choose")}
        functions |= {f"others, {who}": other for who, other in self.others.items()}
        functions |= {f"stake, {who}": weight for who, weight in self.stake.items()}
        for role, function in functions.items():
            more = _MORE.get(role, ("world",))
            goal = () if role == "choose" else (GOAL,)
            known = [*self.traits, *goal, *more, *(["belief"] if self.knows is not None else [])]
            for name in names(function):
                if name not in known:
                    hint = f"the traits are {listed(self.traits) or 'none'}; it may also ask for "
                    hint += listed([*goal, *more])
                    if function is boltzmann:  # the default of 'traits' was replaced
                        hint = "add the trait 'efficiency': hb.inverse_gamma(), or another policy"
                    raise BadInput(f"'{role}' asks for '{name}'", hint=hint)
            for name in _shadowing(function, [*self.traits, GOAL]):
                hint = "remove the default, or rename the argument or the trait"
                raise BadInput(f"'{role}' has a default for '{name}', which is a trait", hint=hint)
            asked |= {*names(function)}
        unknown("a stake needs the other mind, others={who: agent}, of", self.stake, self.others)
        for trait in (*self.traits.values(), self.goals):
            asked |= {*(names(trait.weight) if isinstance(trait, Trait) else ())}
        idle = [name for name in self.traits if name not in asked]
        if idle and self.traits is not _TRAITS:
            hint = "name it in the arguments of 'policy', 'reward', 'choose', or leave it out"
            raise BadInput(f"no function asks for the trait '{idle[0]}'", hint=hint)

    def but(self, **changes: Any) -> Agent:
        """Return the same theory with changes; what both have in common is planned once."""
        unknown("an agent has no part", changes, self.__dataclass_fields__)
        return replace(self, **changes)

    def axes(self, goals: Sequence[Any] = ("",), belief: Axis | None = None) -> tuple[Axis, ...]:
        """Return the axes of a trial: the traits, perhaps a belief, and its goals."""
        wanted = tuple(goals) if self.goals is None else self.goals
        if self._linked:
            *traits, goal = axes_of({**self.traits, GOAL: _of_a_trial(wanted)})
        else:
            traits, goal = self._trait_axes, _goal_axis(wanted)
        return (*traits, *(() if belief is None else (belief,)), goal)

    @cached_property
    def _trait_axes(self) -> list[Axis]:
        return [*axes_of(self.traits)]

    @cached_property
    def _linked(self) -> bool:
        """Whether the prior of a trait depends on the goal, or that of the goal on a trait."""
        every = (*self.traits.values(), self.goals)
        weights = [one.weight for one in every if isinstance(one, Trait) and one.weight]
        return any(GOAL in names(weight) for weight in weights) or (
            isinstance(self.goals, Trait) and self.goals.weight is not None
        )

    @property
    def home(self) -> World | None:
        """The world of an agent that has its own ``step``; None if trials bring their worlds."""
        if self.step is None:
            return None
        axes = self.axes()
        labels = [(axis.name, axis.labels) for axis in axes if axis.name in names(self.step)]
        key = "home", fingerprint(self.step, self.horizon, self.actions, labels)
        made: World = plans.get(
            key,
            lambda: World.of(as_step(self.step, axes), actions=self.actions, horizon=self.horizon),
        )
        return made

    @property
    def planning(self) -> tuple[Any, ...]:
        """Everything that a plan depends on."""
        own = (getattr(self, role) for role in _ROLES)
        return (*own, *self.others.values(), *self.stake.values())

    def plan(self, world: World | None = None, who: str = "", rows: Rows = None) -> Plan:
        """Return Q ``{(round, phase): [*axes, state, action]}`` and V ``[*axes, state]``."""
        world = self.world_of(world)
        return plan_of(self, world, who, self.axes(world.goals), rows)

    def world_of(self, world: World | None) -> World:
        """Return the world of a trial: its own, or the agent's."""
        world = self.home if world is None else world
        if world is None:
            raise BadInput(
                "in which world?", hint="give the agent a 'step', or the trial a 'world'"
            )
        return world

    def log_goal(
        self, value: Any, reachable: Any, counts: Counts, axes: Sequence[Axis]
    ) -> tuple[Annotated[Any, "history *axes"], Offer]:
        """Return log P(goal) and the offer, from V and which goals are in reach [*axes]."""
        *traits, goal = axes
        there = reachable.any(axis=tuple(range(reachable.ndim - 1)))
        place = [counts.goals.index(label) for label in goal.labels]
        table = counts.table.astype(float)
        prior = np.array(counts.weight)
        offer = Offer(goal.labels, there, counts.goals, counts.offers, table, prior)
        ones = [1] * len(traits)
        known = {
            "V": value,
            "offer": offer,
            "counts": table[:, place].reshape(len(table), *ones, -1),
        }
        said = call(self.choose, known | shaped(self.choose, axes, 0))
        log = aligned(goal.log_prior, [*goal.given, GOAL], [axis.name for axis in axes])
        if hasattr(self.choose, "counted") and not goal.given:  # the rule counts the weights
            log = np.zeros(1)
        try:
            log = log + np.asarray(said, dtype=float)
        except (TypeError, ValueError):
            hint = f"return one number for each of {len(goal)} goals, as hb.dirichlet() does"
            what = f"'choose' returns {np.shape(said) or brief(said)} for V {value.shape}"
            raise BadInput(what, hint=hint) from None
        if not hasattr(self.choose, "counted"):
            log = np.where(_in_reach(reachable, axes), log, -np.inf)
        if not (abs(log.max(axis=-1)) < np.inf).all():
            told = getattr(self.choose, "__name__", "choose")
            hint = "return log P(goal) up to a constant, over the last axis, finite for some goal"
            raise BadInput(f"'{told}' gives no goal a probability, or NaN", hint=hint)
        log = softmax(log)
        return log.reshape(*[1] * (len(axes) + 1 - log.ndim), *log.shape), offer

    def act(self, world: World | None = None, who: str = "", **given: Any) -> dict[Any, Any]:
        """Return P(action | state) {(round, phase): [S, A]}.

        The goal and traits that are not given are averaged over their prior.
        """
        return self.doing(world, who, **given)[0]

    def doing(
        self, world: World | None = None, who: str = "", stops: bool = False, **given: Any
    ) -> tuple[dict[Any, Any], Annotated[Any, "S"], dict[Any, Any]]:
        """Return P(action | state), P(it has come to its end | state), and what it then earns.

        If it ``stops`` at its end, P(action, it has not | state), and E[reward] by its own acts.
        """
        from hbtom.core.walks import acting

        world = self.world_of(world)
        axes = self.axes(world.goals)
        own = [axis.name for axis in axes]
        unknown("an agent has no", given, own)
        plan = plan_of(self, world, who, axes)
        first = plan.V[..., world.start]
        counts = Counts().knowing(axes[-1])
        log = self.log_goal(first, first > HOPELESS / 2, counts, axes)[0][0]
        log = log + log_prior(axes)
        for axis in (axis for axis in axes if axis.name in given):
            log = log + aligned(axis.only(given[axis.name]), [axis.name], own)
        weight = np.exp(log - log_sum(log, axis=None))[..., None, None]
        every, acts, earned = tuple(range(len(own))), {}, {}
        end = (plan.end & stops) * 1.0
        for (t, k), q in plan.Q.items():
            time = None if world.horizon is None else t * len(world.phases) + k
            log = acting(self.policy, q, world, k, axes, time)
            on, P = 1.0 - end[..., : q.shape[-2], None], np.exp(log)
            P = P / P.sum(axis=-1, keepdims=True)  # rounding would add up over rounds
            acts[t, k] = (weight * on * P).sum(axis=every)
            if stops:
                phase, shape = world.phases[k], (world.states, q.shape[-1])
                reward = over("reward", self.reward, axes, shape, world=world, phase=phase)
                gains = np.where(P > 0, reward[..., : q.shape[-2], :], 0.0)  # never done: nothing
                earned[t, k] = (weight * on * P * gains).sum(axis=(*every, -1))
        return acts, (weight[..., 0] * end).sum(axis=every), earned

    def known(self, **knows: str) -> Other:
        """Return this agent as seen by one who knows its goal or a trait, as in goal="wants"."""
        unknown("an agent has no", knows, [*self.traits, GOAL])
        return Other(self, knows)

    def __repr__(self) -> str:
        goals = "" if self.goals is None else f", goals {listed(_goal_axis(self.goals).labels)}"
        return f"<Agent: traits {listed(self.traits) or 'none'}{goals}>"


_RESERVED = {name for more in _MORE.values() for name in more}


def _shadowing(function: Any, known: Sequence[str]) -> list[str]:
    """Return the arguments of a function that have a default although they are known names."""
    code, defaults = getattr(function, "__code__", None), getattr(function, "__defaults__", None)
    if code is None or hasattr(function, "needs"):
        return []
    mine = code.co_varnames[code.co_argcount - len(defaults or ()) : code.co_argcount]
    return [name for name in (*mine, *(function.__kwdefaults__ or ())) if name in known]


def _by_goal(role: str, values: Any) -> Any:
    """Return a function of the goal instead of {goal: value}."""
    return _ByGoal(role, dict(values)) if isinstance(values, Mapping) else values


@dataclass(frozen=True, eq=False)
class _ByGoal:
    """A function of the goal, made of {goal: value}."""

    role: str
    values: Mapping[Any, Any]

    needs = (GOAL,)

    def __call__(self, goal: Any) -> Any:
        unknown(f"'{self.role}' has no value for the goal", [goal], self.values)
        return self.values[goal]


def _frozen(array: Any) -> Any:
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def _of_a_trial(goals: Any) -> Trait:
    """Return goals as a trait that is drawn for each trial."""
    trait = goals if isinstance(goals, Trait) else Trait(goals)
    return trait if trait.anew is not None else replace(trait, anew=0.0)


def _goal_axis(goals: Any) -> Axis:
    trait = _of_a_trial(goals)
    return Axis.of(GOAL, trait.values, trait.anew)


def _in_reach(reachable: Any, axes: Sequence[Axis]) -> Any:
    """Return which goals can be chosen [*axes]: those in reach, or all if none is.

    A goal that is in reach under any belief about the world can be chosen.
    """
    for i, axis in enumerate(axes):
        if axis.name == "belief":
            reachable = reachable.any(axis=i, keepdims=True)
    return reachable | ~reachable.any(axis=-1, keepdims=True)


def log_prior(axes: Sequence[Axis]) -> Any:
    """Return log P of all axes but the goal, [*axes]."""
    every = [axis.name for axis in axes]
    log: Any = np.zeros([1] * len(every))
    for axis in (axis for axis in axes if axis.name != GOAL):
        log = log + aligned(axis.log_prior, [*axis.given, axis.name], every)
    return log


@dataclass(frozen=True, eq=False)
class Other:
    """Another mind as an agent sees it; ``knows`` {its name: mine} says what of it is known."""

    agent: Agent
    knows: Mapping[str, str]

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of mine that what it does depends on."""
        return tuple(self.knows.values())

    def acts(self, who: str) -> Callable[..., Any]:
        """Return what the other does, as a function of my names and ``world``."""

        def acts(world: World, **mine: Any) -> Any:
            given = {its: mine[my] for its, my in self.knows.items()}
            return self.agent.doing(world, who, stops=True, **given)

        acts.needs = ("world", *self.needs)  # type: ignore[attr-defined]
        return acts

    def theirs(self, role: str, who: str) -> Any:
        """Return the other's reward or final as a function of my names.

        What is not known of it is averaged over its prior.
        """
        function = getattr(self.agent, role)
        if not callable(function):
            return function
        asked = names(function)
        hidden = [a for a in self.agent.axes() if a.name in asked and a.name not in self.knows]
        for axis in (axis for axis in hidden if axis.given):
            hint = f"say by Agent.known({axis.name}=...) that it is known"
            raise BadInput(
                f"a stake in '{who}' needs '{axis.name}', whose prior depends", hint=hint
            )
        gone = {axis.name for axis in hidden}

        def theirs(**mine: Any) -> Any:
            given = mine | {its: mine[my] for its, my in self.knows.items() if my in mine}
            total: Any = 0.0
            for at in product(*(range(len(axis)) for axis in hidden)):
                pairs = [*zip(hidden, at, strict=True)]
                some = given | {axis.name: axis.labels[i] for axis, i in pairs}
                weight = np.exp(sum(axis.log_prior[i] for axis, i in pairs))
                total = total + weight * np.asarray(
                    function(**{name: some[name] for name in asked})
                )
            return total

        theirs.needs = tuple(self.knows.get(name, name) for name in asked if name not in gone)  # type: ignore[attr-defined]
        return theirs


def belief_axis(believed: Mapping[Any, tuple[float, Any]]) -> Axis:
    """Return the axis of what an agent may believe about the world."""
    weights = log_weights("belief", [weight for weight, _ in believed.values()])
    return Axis("belief", tuple(believed), weights, 0.0)
