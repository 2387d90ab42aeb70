"""Worlds of states: rounds of phases, in each of which one agent acts; and walks through them.

Agents who move at once have phases in the order in which their moves are resolved; an agent alone
has one phase. ``protocols`` says what other worlds need to have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.core.axes import Axis, brief, call, each, listed, names, over, unknown
from hbtom.core.memo import fingerprint
from hbtom.errors import BadInput

_ROUNDS = 10_000  # in which all states of a world without horizon should have come about
_SUM = 1e-6  # by which the sum of probabilities may differ from 1


class _Frozen:
    """Arrays that never change, so that their fingerprint is made once."""

    @cached_property
    def digest(self) -> str:
        """The fingerprint of the arrays."""
        return fingerprint({name: one for name, one in vars(self).items() if name != "digest"})


class Dense(_Frozen):
    """P(s' | s, a) ``[S, A, S]``, or ``[*axes, S, A, S]``; a row of 0 is no available action."""

    def __init__(self, P: Any) -> None:
        self.P = _numbers(P)
        if self.P.ndim < 3 or self.P.shape[-3] != self.P.shape[-1]:
            hint = "give an array [state, action, state after], and leave rows 0 for no action"
            raise BadInput(f"P(s' | s, a) has the shape {self.P.shape}, not [S, A, S]", hint=hint)
        self.P.flags.writeable = False
        self.legal = _legal(self.P)

    def ahead(self, V: Any, n: int) -> Any:
        """Return sum over s' of P(s' | s, a) V(s') [..., n, A] in the first n states."""
        if self.P.ndim == 3:
            flat = self.P[:n].reshape(-1, self.P.shape[-1])
            return (V @ flat.T).reshape(*V.shape[:-1], n, -1)
        return np.einsum("...t,...sat->...sa", V, self.P[..., :n, :, :])

    def push(self, flow: Any, states: int) -> Any:
        """Return P(s') [..., S] from P(s, a) [..., n, A]."""
        return np.einsum("...sa,...sat->...t", flow, self.P[..., : flow.shape[-2], :, :])

    def after(self, s: int, a: int) -> tuple[Ints, Floats]:
        """Return the states that may come of an action, and their probabilities [..., state]."""
        return np.arange(self.P.shape[-1]), self.P[..., s, a, :]

    def arrival(self, s: int, to: int) -> Floats:
        """Return P(to | s, a) [..., A]."""
        return self.P[..., s, :, to]


class Sparse(_Frozen):
    """Targets [S, A, K] with probabilities [S, A, K]; or sure targets [S, A], -1 for no action.

    There are as many ``states`` as rows, unless it says otherwise.
    """

    def __init__(self, targets: Any, P: Any = None, states: int | None = None) -> None:
        places = _numbers(targets)
        if places.ndim != (2 if P is None else 3) or (places != np.rint(places)).any():
            hint = "give states [S, A], or states and probabilities [S, A, K]"
            raise BadInput(f"targets of the shape {places.shape} are not states", hint=hint)
        self.targets: Ints = places.astype(np.int64)[..., None] if P is None else places.astype(int)
        self.P: Any = (self.targets >= 0) * 1.0 if P is None else _numbers(P)
        if self.P.shape != self.targets.shape:
            raise BadInput(f"targets are {self.targets.shape}, their P {self.P.shape}")
        states = len(places) if states is None else states
        if self.targets.min(initial=0) < -1 or self.targets.max(initial=-1) >= states:
            wrong = (self.targets < -1) | (self.targets >= states)
            row = tuple(int(i) for i in np.argwhere(wrong)[0])
            told = f"action {row[1]} in state {row[0]} leads to state {self.targets[row]}"
            raise BadInput(told, hint=f"states are numbers from 0 to {states - 1}")
        self.legal = _legal(self.P)
        self.targets = np.maximum(self.targets, 0)
        self.targets.flags.writeable = self.P.flags.writeable = False

    def ahead(self, V: Any, n: int) -> Any:
        """Return sum over s' of P(s' | s, a) V(s') [..., n, A] in the first n states."""
        if self.P.shape[-1] == 1:
            return V[..., self.targets[:n, :, 0]]
        return (V[..., self.targets[:n]] * self.P[:n]).sum(axis=-1)

    def push(self, flow: Any, states: int) -> Any:
        """Return P(s') [..., S] from P(s, a) [..., n, A]."""
        n, rows = flow.shape[-2], int(np.prod(flow.shape[:-2], dtype=int))
        mass = (flow[..., None] * self.P[:n]).reshape(rows, -1)
        to = self.targets[:n].ravel() + states * np.arange(rows)[:, None]
        out = np.bincount(to.ravel(), mass.ravel(), minlength=rows * states)
        return out.reshape(*flow.shape[:-2], states)

    def after(self, s: int, a: int) -> tuple[Ints, Floats]:
        """Return the states that may come of an action, and their probabilities."""
        return self.targets[s, a], self.P[s, a]

    def arrival(self, s: int, to: int) -> Floats:
        """Return P(to | s, a) [A]."""
        chance: Floats = (self.P[s] * (self.targets[s] == to)).sum(axis=-1)
        return chance


Step = Dense | Sparse


def _fixed(values: Any) -> Any:
    """Return a copy of an array that cannot change, lest plans that were made before be wrong."""
    if not isinstance(values, np.ndarray) or not values.flags.writeable:
        return values
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _numbers(values: Any) -> Floats:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise BadInput(
            "this is not an array of numbers", hint="check that rows are alike"
        ) from None
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise BadInput(f"an array of a world is {array[at]} at {at}", hint="use finite numbers")
    return array


def _legal(P: Any) -> Bools:
    """Return which actions there are [..., S, A]."""
    total = P.sum(axis=-1)
    wrong = np.argwhere((abs(total - 1) > _SUM) & (total != 0) | (P.min(axis=-1) < 0))
    if len(wrong):
        *_, s, a = at = tuple(int(i) for i in wrong[0])
        more = f" ({len(wrong)} such rows)" if len(wrong) > 1 else ""
        least = f", and its least is {P[at].min():.3g}" if P[at].min() < 0 else ""
        hint = "it should sum to 1, or to 0 where there is no such action"
        raise BadInput(f"P(s' | s = {s}, a = {a}) sums to {total[at]:.4g}{least}{more}", hint=hint)
    if not total.any(axis=-1).all():
        state = int(np.argwhere(~total.any(axis=-1))[0][-1])
        hint = "let agents stay there, and let 'end' say where it ends"
        raise BadInput(f"state {state} has no action", hint=hint)
    return total > 0


def as_step(step: Any, axes: Sequence[Axis] = (), **known: Any) -> Step:
    """Return a step from an array, a function of the axes, or the step itself."""
    if isinstance(step, Dense | Sparse):
        return step
    if callable(step) and names(step):
        results = each(step, axes, **known)
        if results.size == 1 and isinstance(results.item(), Dense | Sparse):
            own: Step = results.item()
            return own
        dense = [one.P if isinstance(one, Dense) else _dense(one) for one in results.flat]
        return Dense(np.array(dense).reshape(*results.shape, *dense[0].shape))
    return as_step(step()) if callable(step) else Dense(step)


def _dense(step: Any) -> Floats:
    """Return P [S, A, S'] of a sparse step, or the array that was given."""
    if not isinstance(step, Sparse):
        return _numbers(step)
    states, actions, _ = step.P.shape
    P = np.zeros((states, actions, states))
    s, a = np.ogrid[:states, :actions]
    for k in range(step.P.shape[-1]):
        np.add.at(P, (s, a, step.targets[..., k]), step.P[..., k])
    return P


@dataclass(frozen=True, eq=False)
class Phase:
    """One agent's part of a round; ``who`` is '' if there is only one agent."""

    who: str
    actions: tuple[Any, ...]
    step: Step


@dataclass(frozen=True, eq=False)
class World(_Frozen):
    """Rounds of phases; with a ``horizon``, time is up after so many rounds.

    ``fields`` say what states are: ``world["red"]`` [S] is where red is. ``upto`` [round][phase]
    says how many states, the first, can have come about before a phase. ``remade`` returns the
    world without an agent.
    """

    phases: tuple[Phase, ...]
    horizon: int | None = None
    start: int = 0
    fields: Mapping[str, Any] = field(default_factory=dict)
    known: Sequence[Sequence[int]] | None = None
    remade: Callable[[str], World] | None = None
    things: tuple[Any, ...] = ("",)

    def __post_init__(self) -> None:
        fixed = {name: _fixed(values) for name, values in self.fields.items()}
        object.__setattr__(self, "fields", fixed)
        if not 0 <= self.start < self.states:
            hint = f"states are numbers from 0 to {self.states - 1}"
            raise BadInput(f"a world cannot start in state {self.start}", hint=hint)

    @staticmethod
    def of(
        step: Any, *, actions: Any = None, horizon: int | None = None, start: int = 0, **fields: Any
    ) -> World:
        """Return the world of one agent, from P(s' | s, a) [S, A, S'] or from a step."""
        step = as_step(step)
        many = step.legal.shape[-1]
        named = tuple(range(many) if actions is None else actions)
        if len(named) != many:
            raise BadInput(f"there are {many} actions and {len(named)} names for them")
        return World((Phase("", named, step),), horizon, start, fields)

    def __getitem__(self, name: str) -> Any:
        unknown("states have no field", [name], self.fields)
        return self.fields[name]

    @property
    def goals(self) -> tuple[Any, ...]:
        """The goals of agents whose theory names none."""
        return self.things

    @property
    def states(self) -> int:
        """The number of states."""
        return self.phases[0].step.legal.shape[-2] if self.known is None else self.known[-1][0]

    def ahead(self, values: Any, phase: int = 0) -> Annotated[Floats, "S A"]:
        """Return what values [S] are expected after each action; 0 when time is up."""
        step = self.phases[phase].step
        found = step.ahead(np.asarray(values, dtype=float), step.legal.shape[-2])
        padded = np.zeros((*found.shape[:-2], self.states, found.shape[-1]))
        padded[..., : found.shape[-2], :] = found
        return padded

    def to(self, phase: int = 0) -> Annotated[Ints, "S A"]:
        """Return the most probable state after each action, -1 where it is not possible."""
        step = self.phases[phase].step
        found = np.full((self.states, step.legal.shape[-1]), -1)
        for s, a in np.argwhere(step.legal):
            after, P = step.after(int(s), int(a))
            found[s, a] = after[P.argmax()]
        return found

    def but(self, **fields: Any) -> World:
        """Return the same world with more fields [S], for an agent's functions to refer to."""
        for name, values in fields.items():
            if np.shape(values)[:1] != (self.states,):
                hint = f"give one value for each of {self.states} states"
                raise BadInput(f"the field '{name}' has the shape {np.shape(values)}", hint=hint)
        return replace(self, fields={**self.fields, **fields})

    def find(self, **fields: Any) -> int:
        """Return the number of the first state with these fields."""
        unknown("states have no field", fields, self.fields)
        here = np.ones(self.states, dtype=bool)
        for name, value in fields.items():
            column = self.fields[name]
            same = (
                [one == value for one in column]
                if np.ndim(column) < 2
                else (column == value).all(axis=1)
            )
            here &= np.array(same, dtype=bool)
        if not here.any():
            told = ", ".join(f"{name} = {value!r}" for name, value in fields.items())
            raise BadInput(
                f"there is no state with {told}", hint="see world[name] for what there is"
            )
        return int(here.argmax())

    def upto(self, t: int, k: int) -> int:
        """Return how many states there may be before phase k of round t."""
        return self.states if self.known is None else self.known[t][k]

    def key(self, i: int) -> tuple[int, int]:
        """Return the round and the phase of a step, as plans distinguish them."""
        t, k = divmod(i, len(self.phases))
        return (0 if self.horizon is None else t), k

    def without(self, who: str) -> World:
        """Return the world in which an agent is nowhere and does nothing."""
        if self.remade is None:
            hint = "make the world without, and ask would(world=...)"
            raise BadInput(f"this world cannot leave out '{who}'", hint=hint)
        return self.remade(who)

    def replay(self, trial: Walk) -> Replay:
        """Return the states and actions of a walk through this world."""
        if not isinstance(trial, Walk):
            hint = "give hb.Walk(actions, states); frames of a scene need hb.judge"
            raise BadInput(f"this world has states, and {brief(trial)} has none", hint=hint)
        return trial.replayed(self)

    def plan(self, agent: Any, who: str, steps: Replay, axes: Sequence[Axis]) -> Any:
        """Return what every action is worth to an agent, as far as the steps need it."""
        from hbtom.core.plan import plan_of
        from hbtom.core.walks import rows_of

        return plan_of(agent, self, who, axes, rows_of(steps, who))

    def choices(self, who: str, steps: Replay, plan: Any) -> Any:
        """Return what the steps of an agent were chosen from."""
        from hbtom.core.walks import choices_of

        return choices_of(self, who, steps, plan)

    def __repr__(self) -> str:
        who = ", ".join(dict.fromkeys(phase.who for phase in self.phases if phase.who))
        return f"<World of {self.states} states{': ' if who else ''}{who}>"


@dataclass(frozen=True, eq=False)
class Cue:
    """Other evidence, after ``at`` steps: ``log`` P(cue), a function of the goal and traits.

    ``log`` may also name ``world``. ``of`` is the agent whose goal and traits these are, if several
    are watched.
    """

    at: int
    log: Any
    of: str = ""


@dataclass(frozen=True, eq=False)
class Walk:
    """A trial told as actions and states: one action for each phase, None for one not seen.

    Actions may be a string, "up up left" or, if their names are letters, "UUL". Without ``states``,
    they follow from the actions, as long as these have sure outcomes, from the state ``start``, or
    the world's own. With states alone, any action may have been taken. A state that was not seen is
    None; one seen badly is an array of P(what was seen | state) [S]. ``until`` are the states [S],
    or a function of the world, in which the record ends. ``truth`` holds the goal and traits of a
    simulated walk.
    """

    actions: Any = None
    states: Any = None
    world: Any = None
    cues: Sequence[Cue] = ()
    until: Any = None
    start: int | None = None
    truth: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.actions, World) or isinstance(self.states, World):
            hint = "hb.Walk(actions, world=world), or hb.Walk(actions, states, world)"
            raise BadInput("a world is given in place of actions or states", hint=hint)
        if self.states is not None and not len(self.states):
            raise BadInput("a walk has no state, not even the first", hint=_STATES)

    def replayed(self, world: World) -> Replay:
        """Return the states and the numbers of the actions in a world."""
        first = world.start if self.start is None else self.start
        states = [first] if self.states is None else [*self.states]
        done = _said(self.actions, world)
        many = len(states) - 1 if done is None else len(done)
        actions: list[int | None] = [None] * many
        if self.states is not None and done is not None and len(states) < many:
            raise BadInput(f"there are {many} actions and {len(states)} states", hint=_STATES)
        if len(states) > many + 1:
            raise BadInput(f"there are {many} actions and {len(states)} states", hint=_STATES)
        until = call(self.until, {"world": world})
        if until is not None and np.shape(until) != (world.states,):
            hint = f"give true or false for all {world.states} states"
            raise BadInput(f"'until' has the shape {np.shape(until)}", hint=hint)
        _check_states(states, world)
        for i in range(many):
            action = None if done is None else done[i]
            phase = world.phases[i % len(world.phases)]
            if until is not None and isinstance(states[i], int | np.integer) and until[states[i]]:
                return Replay(tuple(states[: i + 1]), tuple(actions[:i]), world)
            told = f"step {i + 1}: {phase.who or 'the agent'} has no action"
            unknown(told, [] if action is None else [action], phase.actions)
            actions[i] = None if action is None else phase.actions.index(action)
            if len(states) == i + 1:
                states.append(_outcome(phase, states[i], actions[i], i))
        if world.horizon is not None and many > world.horizon * len(world.phases):
            told = f"time is up after {world.horizon} rounds, and there are {many} steps"
            raise BadInput(told, hint="give the world a longer 'horizon'")
        return Replay(tuple(states), tuple(actions), world)

    def __len__(self) -> int:
        if self.actions is None:
            return len(self.states) - 1
        named = isinstance(self.world, World)
        done: Any = _said(self.actions, self.world) if named else self.actions
        return len(done.split() if isinstance(done, str) else done)

    def __repr__(self) -> str:
        done = self.actions.split() if isinstance(self.actions, str) else self.actions
        seen = f"{len(self.states or ())} states" if done is None else listed(done) or "no step"
        return f"<Walk: {seen}>"


def _said(actions: Any, world: World) -> Sequence[Any] | None:
    """Return actions one by one; a string is one of words, or of letters."""
    if not isinstance(actions, str):
        return None if actions is None else [*actions]
    known = {name for phase in world.phases for name in phase.actions}
    letters = set(actions) <= known or all(len(str(name)) == 1 for name in known)
    return [*actions.replace(" ", "")] if letters else actions.split()


_STATES = "give one state more than actions, the first one included"


def _outcome(phase: Phase, state: Any, action: int | None, i: int) -> int | None:
    """Return the state after an action if it is sure, else None."""
    if action is None or not isinstance(state, int | np.integer):
        return None
    after, P = phase.step.after(int(state), action)
    if not P.any():
        legal = phase.step.legal[int(state)]
        told = listed([name for name, may in zip(phase.actions, legal, strict=True) if may])
        what = f"step {i + 1}: '{phase.actions[action]}' is not possible in state {state}"
        raise BadInput(what, hint=f"possible are {told}")
    return int(after[P.argmax()]) if P.ndim == 1 and P.max() > 1 - 1e-9 else None


def _check_states(states: Sequence[Any], world: World) -> None:
    for i, state in enumerate(states):
        if isinstance(state, int | np.integer):
            if not 0 <= state < world.states:
                hint = f"states are numbers from 0 to {world.states - 1}"
                raise BadInput(f"there is no state {state} (after {i} steps)", hint=hint)
        elif state is not None and np.shape(state) != (world.states,):
            hint = f"give a number, None, or P(seen | state) for all {world.states} states"
            raise BadInput(f"the state after {i} steps is {brief(state)}", hint=hint)
        elif state is not None:
            look = _numbers(state)
            if look.min() < 0 or not look.any():
                hint = "give P(seen | state), at least one of them above 0"
                raise BadInput(f"what was seen after {i} steps is {brief(state)}", hint=hint)


@dataclass(frozen=True, eq=False)
class Replay:
    """A walk in a world: states [1 + step] and the numbers of actions [step], None if not seen."""

    states: tuple[Any, ...]
    actions: tuple[int | None, ...]
    world: World

    @property
    def hidden(self) -> bool:
        """Whether some state before the last was not seen for sure, or the last was seen badly."""
        sure = [isinstance(state, int | np.integer) for state in self.states]
        return not all(sure[:-1]) or not (sure[-1] or self.states[-1] is None)

    def log_seen(self, i: int) -> Annotated[Floats, "state"]:
        """Return log P(what was seen of the state after i steps | state)."""
        state = self.states[i]
        if state is None:
            return np.zeros(self.world.states)
        with np.errstate(divide="ignore"):
            if isinstance(state, int | np.integer):
                return np.log(np.arange(self.world.states) == state)
            return np.log(np.asarray(state, dtype=float))

    def __len__(self) -> int:
        return len(self.actions)


def explore(
    start: Mapping[str, Any], rounds: Sequence[tuple[str, Sequence[Any], Callable[..., Any]]],
    horizon: int | None = None,
) -> World:  # fmt: skip
    """Return the world of all states within reach, the nearest first.

    Without a ``horizon``, these are all states that can ever come about.

    ``start`` is {field: number or tuple of numbers}; an agent's field is its place, and -1 is
    nowhere. ``rounds`` has (who, actions, move) for each phase. ``move(action, ...)`` gets the
    fields that it names as arrays [n] or [n, B], and returns those that change, and ``legal`` [n]
    where an action is not always possible; or, where chance plays a part, a list of
    ``(probability, what changes)``. Where nothing is possible, nothing happens.
    """
    rounds = [*rounds]
    if not all(isinstance(one, tuple) and len(one) == 3 and callable(one[2]) for one in rounds):
        raise BadInput("a round is not made of phases", hint="give [(who, actions, move), ...]")
    reached = _Reached(start)
    for who, _, move in rounds:
        unknown(f"a move of '{who}' asks for", names(move), [*start, "action"])
    found: list[list[tuple[Ints, Floats]]] = [[] for _ in rounds]
    known: list[list[int]] = []
    while horizon is None or len(known) < horizon:
        known.append([])
        before = len(reached.rows)
        for (_, actions, move), done in zip(rounds, found, strict=True):
            known[-1].append(len(reached.rows))
            seen = sum(len(targets) for targets, _ in done)
            old = reached.rows[seen:]  # states that this phase has not seen
            if len(old):
                done.append(reached.moved(old, actions, move))
        if horizon is None and len(reached.rows) == before:
            break
        if horizon is None and len(known) == _ROUNDS:
            hint = "keep moves in bounds, or give a horizon"
            raise BadInput(f"new states still come about after {_ROUNDS} rounds", hint=hint)
    known.append([len(reached.rows)] * len(rounds))
    steps = [Sparse(*_stacked(parts), states=len(reached.rows)) for parts in found]
    phases = (
        Phase(who, tuple(some), step) for (who, some, _), step in zip(rounds, steps, strict=True)
    )

    def without(who: str) -> World:
        unknown("nothing is done here by", [who], [one for one, *_ in rounds])
        nowhere = {name: -1 if name == who else value for name, value in start.items()}
        return explore(nowhere, [phase for phase in rounds if phase[0] != who], horizon)

    upto = None if horizon is None else known
    return World(tuple(phases), horizon, 0, reached.fields(reached.rows), upto, without)


def _stacked(parts: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """Return targets and probabilities [n, A, K] of several lots of states as one."""
    most = max(P.shape[-1] for _, P in parts)
    pads = [((0, 0), (0, 0), (0, most - P.shape[-1])) for _, P in parts]
    both = [(np.pad(t, pad), np.pad(P, pad)) for (t, P), pad in zip(parts, pads, strict=True)]
    return np.concatenate([t for t, _ in both]), np.concatenate([P for _, P in both])


class _Reached:
    """The states that were reached so far, as rows of numbers."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.start = start
        for name, value in start.items():
            if np.asarray(value).dtype.kind not in "iub":
                raise BadInput(f"'{name}' starts at {brief(value)}", hint="give whole numbers")
        self.widths = {name: np.size(value) for name, value in start.items()}
        self.ends = np.cumsum([*self.widths.values()])
        self.bits = 63 // int(self.ends[-1])
        self.rows: Ints = np.hstack([np.atleast_1d(v) for v in start.values()])[None].astype(int)
        self.codes = self._code(self.rows)

    def fields(self, rows: Ints) -> dict[str, Any]:
        parts = np.split(rows, self.ends[:-1], axis=1)
        pairs = zip(self.start.items(), parts, strict=True)
        return {name: part if np.ndim(value) else part[:, 0] for (name, value), part in pairs}

    def moved(
        self, old: Ints, actions: Sequence[Any], move: Callable[..., Any]
    ) -> tuple[Annotated[Ints, "n A K"], Annotated[Floats, "n A K"]]:
        """Return the states that may come of each action, and their probabilities."""
        every = [self._outcomes(old, action, move) for action in actions]
        most = max(map(len, every))
        rows = np.empty((len(old), len(actions), most, old.shape[1]), dtype=int)
        P = np.zeros(rows.shape[:3])
        rows[:] = old[:, None, None]
        for a, outcomes in enumerate(every):
            for k, (chance, after) in enumerate(outcomes):
                P[:, a, k] = chance
                rows[:, a, k] = np.where(P[:, a, k, None] > 0, after, old)
        P[..., 0] = np.where((P == 0).all(axis=(1, 2))[:, None], 1.0, P[..., 0])
        flat = rows.reshape(-1, old.shape[1])
        codes = self._code(flat)
        fresh, at = np.unique(codes, return_index=True)
        at = at[~np.isin(fresh, self.codes)]
        if len(at):
            self.rows = np.concatenate([self.rows, flat[at]])
            self.codes = np.concatenate([self.codes, codes[at]])
        order = np.argsort(self.codes)
        return order[np.searchsorted(self.codes, codes, sorter=order)].reshape(P.shape), P

    def _outcomes(self, old: Ints, action: Any, move: Callable[..., Any]) -> list[tuple[Any, Ints]]:
        """Return what may come of an action: probabilities [n], 0 where not possible, and rows."""
        result, found = call(move, {**self.fields(old), "action": action}), []
        for chance, new in result if isinstance(result, list) else [(1.0, result)]:
            if not isinstance(new, Mapping):
                hint = "return {field: values} of what changes, or a list of (P, {field: values})"
                raise BadInput(f"the move '{action}' returns {brief(new)}", hint=hint)
            unknown(f"after '{action}', a state has no", new, [*self.start, "legal"])
            fields = self.fields(old) | {name: one for name, one in new.items() if name != "legal"}
            rows = [_column(name, fields[name], len(old), w) for name, w in self.widths.items()]
            after = np.hstack(rows)
            found.append((chance * np.asarray(new.get("legal", True)), after))
        return found

    def _code(self, rows: Ints) -> Ints:
        if rows.max() + 1 >= 1 << self.bits or rows.min() < -1:
            off = np.argwhere((rows < -1) | (rows + 1 >= 1 << self.bits))[0]
            names = [name for name, width in self.widths.items() for _ in range(width)]
            hint = "keep moves within bounds, as by np.clip; -1 is nowhere"
            told = f"a move sets '{names[off[1]]}' to {rows[tuple(off)]}"
            raise BadInput(told, hint=hint)
        codes: Ints = (rows + 1) @ (1 << self.bits * np.arange(self.ends[-1]))
        return codes


def _column(name: str, values: Any, many: int, width: int) -> Any:
    if isinstance(values, int) and width == 1:
        return np.full((many, 1), values)
    if np.size(values) != many * width:
        hint = "return one for each state, an array like those that the move gets"
        raise BadInput(f"a move returns '{name}' of the shape {np.shape(values)}", hint=hint)
    return np.reshape(values, (many, width))


def over_states(
    role: str, function: Any, axes: Sequence[Axis], world: World, **known: Any
) -> Floats:
    """Return what a function says of every state, for each combination of axes [*axes, S]."""
    return over(role, function, axes, (world.states,), world=world, **known)
