"""What is believed during a trial, and what follows: predictions, samples, counterfactuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.core.agent import Agent
from hbtom.core.axes import (
    GOAL,
    HOPELESS,
    Axis,
    aligned,
    brief,
    call,
    listed,
    log_sum,
    names,
    unknown,
)
from hbtom.core.bayes import Learnt, Update
from hbtom.core.goals import Counts
from hbtom.core.plan import end_of
from hbtom.core.walks import Hidden, acting, joined, log_state
from hbtom.core.worlds import Replay, Walk, World
from hbtom.errors import BadInput, count, needed

if TYPE_CHECKING:
    import pandas
    import xarray


class Shares(dict[Any, float]):
    """Probabilities by label; a label may also be asked for as it is printed."""

    def __missing__(self, key: Any) -> float:
        found = [P for label, P in self.items() if str(label) == key]
        if len(found) != 1:
            raise BadInput(f"there is no value {key!r}", hint=f"there are {listed(self)}")
        return found[0]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed at every step of a trial about goals and traits, jointly.

    Axes are called 'fear' if one agent is watched, 'blue.fear' if there are several.
    """

    agents: Mapping[str, Agent]
    own: Mapping[str, Mapping[str, str]]  # {agent: {its name: name of the axis}}
    axes: tuple[Axis, ...]
    theirs: Mapping[str, tuple[Axis, ...]]  # {agent: its axes, by its own names}
    world: Any
    trial: Any
    steps: Any
    update: Update
    choices: Mapping[str, Any]
    before: Posterior | None = None  # in the trial before
    caveats: tuple[str, ...] = ()

    # What is believed

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return tuple(axis.name for axis in self.axes)

    @property
    def series(self) -> list[Posterior]:
        """The posteriors of all trials so far, this one last."""
        found, now = [self], self.before
        while now is not None:
            found, now = [now, *found], now.before
        return found

    @cached_property
    def log_evidence(self) -> Annotated[Floats, "1+step"]:
        """log P(all that was seen until then, in this trial and those before it)."""
        log: Floats = log_sum(self.update.log_joint, axis=tuple(range(1, len(self.axes) + 1)))
        return log if self.before is None else log + self.before.log_evidence[-1]

    @property
    def log_likelihood(self) -> Annotated[Floats, "step"]:
        """log P(step | all that was seen before); what came before the first step is left out."""
        return np.diff(self.log_evidence)

    def joint(self, at: int = -1) -> Annotated[Floats, "*axes"]:
        """Return P(goals and traits) after ``at`` steps."""
        log = self.update.log_joint[at]
        joint: Floats = np.exp(log - log_sum(log, axis=None))
        return np.broadcast_to(joint, self._shape)

    @cached_property
    def smoothed(self) -> Annotated[Floats, "1+step *axes"]:
        """P(goals and traits at every time | the whole trial), looking back."""
        log = log_sum(self.update.log_smoothed, axis=1)
        log = log - log_sum(log, axis=tuple(range(1, log.ndim)), keepdims=True)
        return np.broadcast_to(np.exp(log), (len(log), *self._shape))

    def margin(self, *some: str, smoothed: bool = False) -> Annotated[Floats, "1+step *some"]:
        """Return P(these axes) at every time."""
        self._check(some)
        log = self.update.log_joint
        if smoothed:
            joint: Any = self.smoothed
        else:
            log = log - log_sum(log, axis=tuple(range(1, log.ndim)), keepdims=True)
            joint = np.exp(log)
        gone = tuple(i for i, name in enumerate(self.names, 1) if name not in some)
        joint = np.broadcast_to(joint, (len(joint), *self._shape)).sum(axis=gone)
        left = [name for name in self.names if name in some]
        return np.transpose(joint, (0, *(1 + left.index(name) for name in some)))

    def __getitem__(self, name: str) -> dict[Any, float]:
        """Return what is believed in the end about a goal or trait {label: P}."""
        self._check([name])
        return Shares(zip(self.axis(name).labels, self.margin(name)[-1].tolist(), strict=True))

    def axis(self, name: str) -> Axis:
        """Return the axis of a name."""
        self._check([name])
        return self.axes[self.names.index(name)]

    def mean(self, name: str, at: int = -1) -> Any:
        """Return the expected value of a trait whose values are numbers, or tuples of numbers."""
        labels = self.axis(name).labels
        try:
            values = np.array(labels, dtype=float)
        except (TypeError, ValueError):
            hint = f"its values are {listed(labels)}"
            raise BadInput(f"'{name}' has no mean", hint=hint) from None
        mean = self.margin(name)[at] @ values
        return float(mean) if np.ndim(mean) == 0 else mean

    @property
    def after(self) -> Learnt:
        """What is carried over to the next trial."""
        return self.update.after

    def preference(self, who: str = "") -> dict[Any, float]:
        """Return the expected probability of choosing each goal, all on offer, after the trial."""
        rule: Any = self.agents[who].choose if who in self.agents else None
        if not hasattr(rule, "expected"):
            raise BadInput(f"'{who}' learns no preferences", hint="give it choose=hb.dirichlet()")
        counts, log = self.after.counts[who], self.after.log_weight
        weight = log_sum(log.reshape(len(log), -1))
        return dict(zip(counts.goals, rule.expected(counts, weight).tolist(), strict=True))

    # What follows

    def next(self, at: int | None = None) -> dict[Any, float]:
        """Return P(action) of who acts next, or acted after ``at`` steps.

        Under None is the probability that it has come to its end, and nothing more happens.
        """
        at = len(self.steps) if at is None else at
        if not 0 <= at <= len(self.steps):
            raise BadInput(f"there is no step {at + 1} of {len(self.steps)}")
        world = self._walkable(self.world)
        if world.horizon is not None and at >= world.horizon * len(world.phases):
            raise BadInput(f"time is up after {at} steps", hint="ask for an earlier step")
        P = self._moved(self._state(at) * self.joint(at)[..., None])
        log, end, _ = self._acting(world, at, self._previous(at))
        n, every = log.shape[-2], tuple(range(len(self.axes) + 1))
        on = (P * (1.0 - end))[..., :n]
        chance = (on[..., None] * np.exp(log)).sum(axis=every)
        told = dict(zip(world.phases[world.key(at)[1]].actions, chance.tolist(), strict=True))
        over = float((P * end).sum())
        return told | ({None: over} if over > 0 else {})

    def would(
        self, of: Any = None, *, goal: Any = None, do: Mapping[str, Any] | None = None,
        without: str | None = None, world: World | None = None, keep: str | None = None,
        since: int = 0, rounds: int | None = None, **traits: Any,
    ) -> Any:  # fmt: skip
        """Return P(the last state is one ``of`` these), if the same minds had acted otherwise.

        Abduction: traits and goals are as inferred from the whole trial. Action: another ``goal``
        or other values of traits, as in fear=0, or in do={"cat.goal": "flee"}; a world ``without``
        an agent, or another ``world``. Prediction: exactly forward, from the start or from the
        state ``since`` so many steps; what chance did in the trial is not kept.

        In another world, goals are chosen again if they depend on what they are worth (the goal
        rule names V), unless keep="goal". ``of`` are states [S], or a function of the world;
        without it, P(last state) [S] is returned.
        """
        changes = dict(do or {}) | traits | ({} if goal is None else {GOAL: goal})
        self._check(changes)
        if keep not in (None, GOAL):
            raise BadInput(f"keep={brief(keep)} is not possible", hint="keep='goal', or nothing")
        if not 0 <= since <= len(self.steps):
            raise BadInput(f"there are no {since} steps, but {len(self.steps)}")
        changed = world is not None or without is not None
        if without is not None:
            unknown("there is no agent", [without], self.agents)
            world = self._walkable(self.world if world is None else world).without(without)
        here = self._walkable(self.world if world is None else world)
        start = self._state(since) if since or not changed else np.arange(here.states) == here.start
        if since and here.states != self.world.states:
            hint = "leave 'since' out, or change a world of the same states"
            raise BadInput("a state of the trial is no state of the other world", hint=hint)
        minds = self._minds(here, without, changes, changed and keep is None, since)
        P = minds[..., None] * start
        seen, K = len(self.steps), len(here.phases)
        if rounds is not None and not 0 <= rounds <= (here.horizon or rounds):
            hint = f"give 0 to {here.horizon or 'any number'}"
            raise BadInput(f"there are no {rounds} rounds in this world", hint=hint)
        whole = here.horizon or max(1, -(-seen // K))
        last = K * (whole if rounds is None else rounds)
        for i in range(since, last):
            P = self._moved(P, changes)
            log, end, step = self._acting(here, i)
            n = log.shape[-2]
            go = P[..., :n] * (1 - end[..., :n])
            rest = np.concatenate(
                [P[..., :n] - go, np.broadcast_to(P[..., n:], (*go.shape[:-1], P.shape[-1] - n))],
                axis=-1,
            )
            P = rest + step.push(go[..., None] * np.exp(log), here.states)
        found = P.sum(axis=tuple(range(len(self.axes))))
        if of is None:
            return found
        states = np.asarray(call(of, {"world": here}))
        if states.shape != (here.states,):
            hint = "give an array of true and false for all states, or a function of the world"
            raise BadInput(
                f"'of' has the shape {states.shape}, for {here.states} states", hint=hint
            )
        return float(found @ states)

    def sample(self, number: int = 1, rounds: int | None = None, seed: int = 0) -> list[Walk]:
        """Return ways in which the trial may go on from here, as walks with their ``truth``.

        Of a posterior of no step, these are simulated trials; ``rounds`` are at most so many.
        """
        rng, world, walks = np.random.default_rng(seed), self._walkable(self.world), []
        K, done = len(world.phases), len(self.steps)
        state_given = self._state(done)
        joint = self.joint()
        most = K * (rounds if rounds is not None else (world.horizon or 100))
        stop = done + most if world.horizon is None else min(done + most, K * world.horizon)
        timed, habits, made = self._asked("time"), self._asked("previous"), {}
        for at in rng.choice(joint.size, size=number, p=joint.ravel() / joint.sum()):
            place = np.unravel_index(at, joint.shape)
            states = [int(rng.choice(world.states, p=pick(state_given, place)))]
            moves: list[int] = []
            i = done
            truth = {a.name: a.labels[j] for a, j in zip(self.axes, place, strict=True)}
            while i < stop:
                place = self._drawn(place, rng)
                before = moves[-K] if len(moves) >= K else self._previous(i)
                when = world.key(i) if world.horizon is not None else (i * timed, i % K)
                key = *when, before if habits else -1
                if key not in made:
                    made[key] = self._acting(world, i, before)
                log, end, step = made[key]
                if pick(end, place)[states[-1]]:
                    break
                action = int(rng.choice(log.shape[-1], p=_sure(pick(log, place)[states[-1]])))
                after, chance = step.after(states[-1], action)
                chance = chance if chance.ndim == 1 else pick(chance, place)
                states.append(int(rng.choice(after, p=chance / chance.sum())))
                moves.append(action)
                i += 1
            actions = [world.phases[(done + n) % K].actions[a] for n, a in enumerate(moves)]
            walks.append(Walk(actions, states, world, truth=truth))
        return walks

    # How it looks

    def to_pandas(self, *some: str) -> pandas.DataFrame:
        """Return P(value) as a table with a row for each step and a column for each value."""
        with needed("pandas", "tables"):
            import pandas as pd

        columns = {
            (name, label): self.margin(name)[:, i]
            for name in some or self.names for i, label in enumerate(self.axis(name).labels)
        }  # fmt: skip
        table = pd.DataFrame({str(i): column for i, column in enumerate(columns.values())})
        table.columns = pd.MultiIndex.from_tuples(columns, names=["axis", "value"])
        return table.rename_axis(index="step")

    def to_xarray(self) -> xarray.DataArray:
        """Return P(goals and traits) at every step, with dimensions by name."""
        with needed("xarray", "tables"):
            import xarray as xr

        log = self.update.log_joint
        joint = np.exp(log - log_sum(log, axis=tuple(range(1, log.ndim)), keepdims=True))
        joint = np.broadcast_to(joint, (len(joint), *self._shape))
        coords = {"step": range(len(joint))} | {a.name: [*map(_plain, a.labels)] for a in self.axes}
        return xr.DataArray(joint, dims=["step", *self.names], coords=coords, name="P")

    def plot(self, *some: str, ax: Any = None) -> Any:
        """Draw what is believed at every step about each axis; return the matplotlib figure."""
        with needed("matplotlib", "plots"):
            import matplotlib.pyplot as plt

        shown = some or tuple(axis.name for axis in self.axes if len(axis) > 1) or self.names[-1:]
        if ax is None:
            many = len(shown)
            figure, rows = plt.subplots(
                1, many, figsize=(3.4 * many, 2.6), squeeze=False, layout="constrained"
            )
            panels = [*rows[0]]
        else:
            figure, panels = ax.figure, [ax] * len(shown)
        for panel, name in zip(panels, shown, strict=True):
            for label, line in zip(self.axis(name).labels, self.margin(name).T, strict=True):
                panel.plot(line, label=_told(label), marker="o", markersize=2.5)
            panel.set(title=name, xlabel="step", ylabel="probability", ylim=(-0.03, 1.03))
            panel.xaxis.get_major_locator().set_params(integer=True)
            panel.legend(fontsize="small")
        return figure

    def __repr__(self) -> str:
        told = [
            f"{axis.name} {{{listed(f'{_told(k)}: {v:.3f}' for k, v in self[axis.name].items())}}}"
            for axis in self.axes
        ]
        return f"<Posterior after {count(len(self.steps), 'step')}: {'; '.join(told)}>"

    # What these need

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.axes))

    def _check(self, some: Any) -> None:
        unknown("there is no goal or trait", some, self.names)

    def _asked(self, name: str) -> bool:
        """Whether a policy asks for this."""
        return any(name in names(agent.policy) for agent in self.agents.values())

    def _previous(self, at: int) -> int | None:
        """Return the act before, of who acts after ``at`` steps; -1 at first, None if not seen."""
        before = at - len(self.world.phases)
        found: int | None = -1 if before < 0 else self.steps.actions[before]
        return found

    def _walkable(self, world: Any) -> World:
        if not isinstance(world, World):
            hint = "predictions and counterfactuals need worlds of states"
            raise BadInput(f"one cannot go forward in {brief(world)}", hint=hint)
        return world

    def _state(self, at: int) -> Floats:
        """Return P(state after ``at`` steps | axes, what was seen) [*axes or 1, state]."""
        steps: Replay = self.steps
        hidden = steps.hidden
        if at < len(steps) or not hidden:
            steps = Replay(steps.states[: at + 1], steps.actions[:at], steps.world)
        who = next(iter(self.agents))
        mind, axes = self.agents[who], self.theirs[who]
        choices: Any = self.choices[who]
        if hidden:  # some state of the whole trial
            plan = self._believed_plan(mind, who, steps.world, axes)
            choices = Hidden(plan.V[..., 0], steps, plan)
        mine = [self.own[who][axis.name] for axis in axes]
        return aligned(log_state(steps, choices, mind.policy, axes), mine, self.names)

    def _acting(self, world: World, i: int, previous: int | None = None) -> tuple[Any, Any, Any]:
        """Return log P(a) [*axes, S, A], the end [*axes, S] and the step of who acts in step i."""
        t, k = world.key(i)
        phase = world.phases[k]
        who = next((who for who in self.agents if phase.who in ("", who)), None)
        if who is None:
            hint = f"watch it, too, or ask would(without='{phase.who}')"
            raise BadInput(f"'{phase.who}' acts here, but was not watched", hint=hint)
        agent, axes = self.agents[who], self.theirs[who]
        mine = [self.own[who][axis.name] for axis in axes]
        end = end_of(agent, axes, world)
        Q = self._believed_plan(agent, who, world, axes).Q[t, k]
        log = acting(agent.policy, Q, world, k, axes, i, previous)
        return aligned(log, mine, self.names), aligned(end, mine, self.names), phase.step

    def _believed_plan(self, agent: Agent, who: str, world: World, axes: Sequence[Axis]) -> Any:
        from hbtom.core.plan import Plan, plan_of

        if agent.knows is None:
            return plan_of(agent, world, who, axes)
        place = [axis.name for axis in axes].index("belief")
        asked = names(agent.knows)
        known = {
            "world": world,
            "trial": self.trial,
            "earlier": tuple(p.world for p in self.series[:-1]),
        }
        believed = agent.knows(**{name: known[name] for name in asked})
        parts = [plan_of(agent, one, who, axes) for _, one in believed.values()]
        Q = {key: joined([part.Q[key] for part in parts], place) for key in parts[0].Q}
        ends = joined([part.end for part in parts], place)
        return Plan(Q, joined([part.V for part in parts], place), ends)

    def _minds(
        self, world: World, without: str | None, changes: Mapping[str, Any], anew: bool,
        since: int,
    ) -> Floats:  # fmt: skip
        """Return P(axes) in the changed case [*axes]; axes that matter no more have length 1."""
        theirs = {name for who in self.agents if who != without for name in self.own[who].values()}
        P: Any = self.smoothed[since] if self._moving else self.joint()
        for i, axis in enumerate(self.axes):
            if axis.name in changes:
                P = P.sum(axis=i, keepdims=True)
                P = P * aligned(np.exp(axis.only(changes[axis.name])), [axis.name], self.names)
        for who, agent in self.agents.items():
            mine = self.own[who][GOAL]
            if anew and who != without and mine not in changes and "V" in names(agent.choose):
                P = P.sum(axis=self.names.index(mine), keepdims=True) * self._chosen(
                    agent, who, world
                )
        for i, axis in enumerate(self.axes):
            if axis.name not in theirs and axis.name not in changes:
                P = P.sum(axis=i, keepdims=True)
        return P

    def _chosen(self, agent: Agent, who: str, world: World) -> Floats:
        """Return P(goal | traits, what goals are worth in a world) [*axes]."""
        axes = self.theirs[who]
        mine = [self.own[who][axis.name] for axis in axes]
        value = self._believed_plan(agent, who, world, axes).V[..., world.start]
        counts = self.update.learnt.counts.get(who, Counts()).knowing(axes[-1])
        log, _ = agent.log_goal(value, value > HOPELESS / 2, counts, axes)
        weight = self.update.log_smoothed[-1].reshape(log.shape[0] if len(log) > 1 else 1, -1)
        share = np.exp(log_sum(weight) - log_sum(weight, axis=None))
        chosen = np.tensordot(share, np.exp(log), axes=1) if len(log) > 1 else np.exp(log[0])
        return aligned(chosen, mine, self.names)

    @cached_property
    def _moving(self) -> list[tuple[int, float, Floats]]:
        """What is drawn anew before steps: number of the axis, rate, P(value | the rest)."""
        log = self.update.log_smoothed[-1]
        flat = log.reshape(len(log), -1)
        share = np.exp(log_sum(flat) - log_sum(flat, axis=None))
        found = []
        for i, axis in enumerate(self.axes):
            if axis.anew:
                fresh = np.exp(self.update.log_fresh[axis.name])
                found.append(
                    (
                        i,
                        axis.anew,
                        np.tensordot(share, fresh, axes=1) if len(fresh) > 1 else fresh[0],
                    )
                )
        return found

    def _moved(self, P: Any, held: Any = ()) -> Any:
        """Return P [*axes, state] after what changes, and is not held, may have changed."""
        for i, rate, fresh in self._moving:
            if P.shape[i] > 1 and self.names[i] not in held:
                P = (1 - rate) * P + rate * fresh[..., None] * P.sum(axis=i, keepdims=True)
        return P

    def _drawn(self, place: Any, rng: Any) -> Any:
        now = list(place)
        for i, rate, fresh in self._moving:
            if rng.random() < rate:
                row = np.moveaxis(np.broadcast_to(fresh, self._shape), i, -1)
                chance = row[tuple(now[:i] + now[i + 1 :])]
                now[i] = int(rng.choice(len(chance), p=chance / chance.sum()))
        return tuple(now)


def pick(array: Any, at: Sequence[Any]) -> Any:
    """Return an array [*axes, ...] at one place of the axes."""
    return array[tuple(min(int(i), n - 1) for i, n in zip(at, array.shape, strict=False))]


def _sure(log: Floats) -> Floats:
    P: Floats = np.exp(log)
    return P / P.sum()


def _plain(label: Any) -> Any:
    return label if isinstance(label, str | int | float | bool) else str(label)


def _told(label: Any) -> str:
    return f"{label:.4g}" if isinstance(label, float) else str(label)
