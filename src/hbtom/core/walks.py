"""What the steps of a walk through states were chosen from.

If all states were seen, these are options, phase by phase. If not, the probability of what was seen
is summed over everything that may have happened, exactly forward through the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.core.axes import HOPELESS, Axis, listed, names
from hbtom.core.plan import Plan, Rows
from hbtom.core.policy import Options, Policy
from hbtom.core.worlds import Phase, Replay, World
from hbtom.errors import BadInput

_UNSEEN = -2  # an act before, when it was not seen


class _Valued:
    """Choices whose goals are in reach if they are worth anything at first."""

    value: Annotated[Floats, "*axes"]

    @property
    def reachable(self) -> Annotated[Bools, "*axes"]:
        """Which goals lead anywhere from where the agent starts, or may have started."""
        return self.value > HOPELESS / 2


@dataclass(frozen=True, eq=False)
class Turns(_Valued):
    """What one agent's steps in a trial were chosen from: for each of its phases, options."""

    many: int  # steps of the trial
    value: Annotated[Floats, "*axes"]
    parts: tuple[tuple[Ints, Options], ...]  # the numbers of steps, and their options

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes), 0 where another agent acts."""
        if "previous" in names(policy) and any(
            part.context is not None and (part.context["previous"] == _UNSEEN).any()
            for _, part in self.parts
        ):
            raise _every_step()
        found = [(at, part.log_likelihood(policy, axes)) for at, part in self.parts]
        shape = np.broadcast_shapes(*(log.shape[:-1] for _, log in found), (1,) * len(axes))
        log = np.zeros((*shape, self.many))
        for at, some in found:
            log[..., at] = some
        return log

    def told(self, step: int) -> str:
        """Say what was done in a step, and what every option was worth."""
        for at, part in self.parts:
            if step in at:
                row = at.tolist().index(step)
                worth = part.q[..., row, :].reshape(-1, part.q.shape[-1])[0].round(2).tolist()
                called = [n if len(n) <= 16 else f"{n[:13]}..." for n in map(str, part.names)]
                values = listed((f"{n} {q}" for n, q in zip(called, worth, strict=True)), 4, 50)
                assert part.log_seen is not None
                seen = part.log_seen[..., row, :].reshape(-1, part.q.shape[-1]).max(axis=0)
                there = np.flatnonzero(seen > -np.inf)
                what = " or ".join(f"'{called[i]}'" for i in there[:2])
                what = what or "what was seen (it leads elsewhere)"
                assert part.context is not None
                return f"{what} in state {int(part.context['state'][row, 0])} (values: {values})"
        return "that"

    def stacked(self, parts: Sequence[Turns], place: int) -> Turns:
        """Return the choices of several believed worlds, along one axis."""
        from hbtom.core.policy import stacked

        some = tuple(
            (at, stacked([one.parts[i][1] for one in parts], place))
            for i, (at, _) in enumerate(self.parts)
        )
        shape = np.broadcast_shapes(*(one.value.shape for one in parts))
        value = np.concatenate([np.broadcast_to(one.value, shape) for one in parts], axis=place)
        return Turns(self.many, value, some)


@dataclass(frozen=True, eq=False)
class Hidden(_Valued):
    """Steps of one agent alone, some states of which were not seen, or seen badly.

    a_t(s') = P(seen_t | s') sum over s, a of a_t-1(s) pi(a | s) P(s' | s, a)
    """

    value: Annotated[Floats, "*axes"]
    replay: Replay
    plan: Plan

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes), given what was seen before."""
        total = self.forward(policy, axes)[0]
        before, after = total[..., :-1], total[..., 1:]
        ruled_out = before == -np.inf  # by an earlier step
        return np.where(ruled_out, 0.0, after - np.where(ruled_out, 0.0, before))

    def forward(self, policy: Policy, axes: Sequence[Axis]) -> tuple[Floats, Floats]:
        """Return log P(seen up to t) [*axes, 1 + step], and P(last state | seen) [*axes, state]."""
        world, steps = self.replay.world, self.replay
        if "previous" in names(policy):
            raise _every_step()
        changing = [axis.name for axis in axes if axis.anew]
        if changing:
            hint = "give all states, or let it last a trial (anew=0)"
            told = f"some state was not seen, and '{changing[0]}' is drawn anew within a trial"
            raise BadInput(told, hint=hint)
        now: Any = first_of(steps)
        total = [np.zeros([1] * len(axes))]
        pi: dict[tuple[int, int], Any] = {}
        for i, action in enumerate(steps.actions):
            key = world.key(i)
            phase = world.phases[key[1]]
            if key not in pi or "time" in names(policy):
                pi[key] = np.exp(acting(policy, self.plan.Q[key], world, key[1], axes, i))
            n = pi[key].shape[-2]
            still = now * self.plan.end
            flow = (now - still)[..., :n, None] * pi[key]
            if action is not None:
                flow = flow * (np.arange(flow.shape[-1]) == action)
                still = still * self._may_stay(phase, action)
            now = phase.step.push(flow, world.states) + still
            now = now * np.exp(steps.log_seen(i + 1))
            chance = now.sum(axis=-1, keepdims=True)
            with np.errstate(divide="ignore"):
                total.append(total[-1] + np.log(chance[..., 0]))
            now = now / np.where(chance > 0, chance, 1.0)
        shape = np.broadcast_shapes(*(one.shape for one in total))
        return np.stack([np.broadcast_to(one, shape) for one in total], axis=-1), now

    def _may_stay(self, phase: Phase, action: int) -> Annotated[Bools, "state"]:
        """Return where an action may change nothing."""
        if not self.plan.end.any():
            return np.zeros(self.replay.world.states, dtype=bool)
        may = np.zeros(self.replay.world.states, dtype=bool)
        for state in np.flatnonzero(self.plan.end.reshape(-1, len(may)).any(axis=0)).tolist():
            may[state] = np.any(phase.step.arrival(state, state)[..., action] > 0)
        return may

    def told(self, step: int) -> str:
        """Say what was seen in a step."""
        action = self.replay.actions[step]
        if action is None:
            return "anything that leads to what was seen"
        return f"'{self.replay.world.phases[self.replay.world.key(step)[1]].actions[action]}' then"

    def stacked(self, parts: Sequence[Hidden], place: int) -> Any:
        """Return the choices of several believed worlds, along one axis."""
        return _Stacked(joined([one.value for one in parts], place), tuple(parts), place)


def _every_step() -> BadInput:
    hint = "give all actions and states, or leave 'previous' out"
    return BadInput("a policy that asks for 'previous' needs to see every step", hint=hint)


@dataclass(frozen=True, eq=False)
class _Stacked(_Valued):
    """Choices whose evidence is made one by one for each belief."""

    value: Annotated[Floats, "*axes"]
    parts: tuple[Hidden, ...]
    place: int

    def log_likelihood(
        self, policy: Policy, axes: Sequence[Axis]
    ) -> Annotated[Floats, "*axes step"]:
        """Return log P(step | axes), given what was seen before."""
        alone = [*axes]
        logs = []
        for i, one in enumerate(self.parts):
            belief = axes[self.place]
            alone[self.place] = Axis(
                belief.name, belief.labels[i : i + 1], np.zeros(1), belief.anew
            )
            logs.append(one.log_likelihood(policy, alone))
        return joined(logs, self.place)


def joined(arrays: Sequence[Any], place: int) -> Any:
    """Return arrays of several beliefs as one, along the axis at this place."""
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    return np.concatenate([np.broadcast_to(one, shape) for one in arrays], axis=place)


def acting(
    policy: Policy, Q: Any, world: World, k: int, axes: Sequence[Axis], time: int | None = None,
    previous: int | None = None,
) -> Annotated[Any, "*axes state option"]:  # fmt: skip
    """Return log P(action) in every state before phase k, at this time and after this act."""
    for name, one in (("time", time), ("previous", previous)):
        if one is None and name in names(policy):
            hint = "sample walks, or watch them" + (", or give a horizon" * (name == "time"))
            raise BadInput(f"the policy asks for '{name}', which is not known here", hint=hint)
    states, phase = np.arange(Q.shape[-2])[:, None], world.phases[k]
    context: dict[str, Any] = {
        "state": states,
        "previous": np.full_like(states, -1 if previous is None else previous),
        "time": 0 * states + (time or 0),
    }
    context |= {"world": world, "phase": phase}
    return Options(Q, Q[..., 0, 0], names=phase.actions, context=context).log_policy(policy, axes)


def first_of(steps: Replay) -> Floats:
    """Return P(first state | what was seen of it); all are equally probable if it was not seen."""
    weight = np.exp(steps.log_seen(0))
    if not weight.sum() > 0:
        raise BadInput("no first state fits what was seen", hint="P(seen | state) is 0 everywhere")
    first: Floats = weight / weight.sum()
    return first


def rows_of(steps: Replay, who: str) -> Rows:
    """Return which states' Q a walk needs; None, which is all, in small worlds."""
    world = steps.world
    if world.known is None or steps.hidden:
        return None
    rows: dict[tuple[int, int], list[int]] = {}
    for i in range(len(steps)):
        key = world.key(i)
        if world.phases[key[1]].who in ("", who):
            rows.setdefault(key, [])
            if steps.states[i] not in rows[key]:
                rows[key].append(int(steps.states[i]))
    return rows


def choices_of(world: World, who: str, steps: Replay, plan: Plan) -> Turns | Hidden:
    """Return what an agent's steps were chosen from, given its plan in the world it believes in."""
    if steps.hidden:
        if any(phase.who not in ("", who) for phase in world.phases):
            hint = "give all states but the last, or actions whose outcomes are sure"
            raise BadInput("several agents act, and some state was not seen", hint=hint)
        first = first_of(steps)
        hope = first * (plan.V > HOPELESS / 2)  # where it may have started, and can get to the end
        chance = hope.sum(axis=-1)
        worth = (np.where(hope > 0, plan.V, 0.0) * hope).sum(axis=-1)
        value = np.where(chance > 0, worth / np.where(chance > 0, chance, 1.0), HOPELESS)
        return Hidden(value, steps, plan)
    rows = rows_of(steps, who)
    parts = []
    for k, phase in enumerate(world.phases):
        if phase.who in ("", who):
            at = np.arange(k, len(steps), len(world.phases))
            if len(at):
                parts.append((at, _options(steps, plan, k, at, rows)))
    state = steps.states[0]
    return Turns(len(steps), plan.V[..., state], tuple(parts))


def _options(steps: Replay, plan: Plan, k: int, at: Ints, rows: Rows) -> Options:
    """Return the options of the steps of one phase."""
    world = steps.world
    phase = world.phases[k]
    q, seen, previous = [], [], [-1]
    for i in at.tolist():
        key, state, to, action = (
            world.key(i),
            int(steps.states[i]),
            steps.states[i + 1],
            steps.actions[i],
        )
        row = state if rows is None else rows[key].index(state)
        q.append(plan.Q[key][..., row, :])
        log = np.zeros(len(phase.actions))
        with np.errstate(divide="ignore"):
            if to is not None:
                log = log + np.log(phase.step.arrival(state, int(to)))
            if action is not None:
                log = log + np.log(np.arange(len(phase.actions)) == action)
        seen.append(log)
        previous.append(_UNSEEN if action is None else action)
    context: dict[str, Any] = {
        "state": np.array([int(steps.states[i]) for i in at.tolist()])[:, None],
        "previous": np.array(previous[:-1])[:, None],
        "time": at[:, None],
        "world": world,
        "phase": phase,
    }
    here = [int(steps.states[i]) for i in at.tolist()]
    stayed = [_stayed(phase, steps, i) for i in at.tolist()]
    shape = np.broadcast_shapes(*(one.shape for one in q))
    q_all = np.stack([np.broadcast_to(one, shape) for one in q], axis=-2)
    return Options(
        q_all, q_all[..., 0, 0], log_seen=np.stack(np.broadcast_arrays(*seen), axis=-2),
        names=phase.actions, ended=plan.end[..., here], stayed=np.array(stayed), context=context,
    )  # fmt: skip


def _stayed(phase: Phase, steps: Replay, i: int) -> float:
    """Return log P(what was seen of a step | the agent had come to its end: nothing happens)."""
    state, to, action = int(steps.states[i]), steps.states[i + 1], steps.actions[i]
    same = to is None or int(to) == state
    possible = action is None or np.any(phase.step.arrival(state, state)[..., action] > 0)
    return 0.0 if same and possible else -np.inf


def log_state(steps: Replay, choices: Any, policy: Policy, axes: Sequence[Axis]) -> Floats:
    """Return P(last state | axes, what was seen) [*axes or 1, state]."""
    if isinstance(choices, Hidden):
        return choices.forward(policy, axes)[1]
    state, world = steps.states[-1], steps.world
    if state is not None or not len(steps):
        now = np.arange(world.states) == state
    else:
        before, action, now = steps.states[-2], steps.actions[-1], np.zeros(world.states)
        phase = world.phases[world.key(len(steps) - 1)[1]]
        after, P = (
            (np.zeros(0, int), np.zeros(0))
            if action is None
            else phase.step.after(int(before), action)
        )
        if action is None or P.ndim > 1:
            hint = "give it in the walk's states"
            raise BadInput("the last state was not seen, nor what led to it", hint=hint)
        np.add.at(now, after, P)
    return (now * 1.0).reshape(*[1] * len(axes), world.states)
