"""Plans: what each option is worth to an agent, by backward induction over rounds and phases.

    own phase        Q(s, a) = R(s, a) + sum over s' of P(s' | s, a) V(s'),  V(s) = worth of Q(s, .)
    another's phase  V(s) = sum over a of pi(a | s) Q(s, a), with stake times the other's R in Q;
                     V(s) after it where the other has come to its end

V(s) = final(s) where all ends, and when time is up; V is discounted between rounds. Without a
horizon, rounds are repeated until V stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from weakref import ref

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.core.axes import HOPELESS, Axis, aligned, call, each, names, over, shaped
from hbtom.core.memo import fingerprint, plans
from hbtom.core.worlds import Phase, Step, World, as_step, over_states
from hbtom.errors import BadInput

if TYPE_CHECKING:
    from hbtom.core.agent import Agent

_SAME, _ROUNDS, _STILL = 1e-12, 20_000, 1e-6
_CHECKS = 20, 200, 2_000  # rounds after which states are sought from which no end can be reached
_LOST = HOPELESS / 1e6  # values below are of states from which an end may be out of reach

Rows = Mapping[tuple[int, int], Sequence[int]] | None  # by round and phase, which states to keep


@dataclass(frozen=True, eq=False)
class Plan:
    """Q {(round, phase): [*axes, row, action]}; V of the first phase, and ends [*axes, state]."""

    Q: dict[tuple[int, int], Floats]
    V: Floats
    end: Bools  # where nothing more happens, as far as the agent is concerned


def plan_of(agent: Agent, world: World, who: str, axes: Sequence[Axis], rows: Rows = None) -> Plan:
    """Return the plan of an agent, remembered by what it depends on.

    ``rows`` says what to keep of Q; None is everything. Axes that do not matter have length 1.
    """
    asked = {name for function in agent.planning for name in names(function)}
    some = tuple(axis for axis in axes if axis.name in asked)
    kept = None if rows is None else tuple((key, tuple(states)) for key, states in rows.items())
    labels = [(axis.name, axis.labels) for axis in some]
    key = "plan", ref(world), who, fingerprint(agent.planning), fingerprint(labels), kept
    plan = plans.get(key, lambda: _plan(agent, some, world, who, rows))
    own, every = [axis.name for axis in some], [axis.name for axis in axes]
    Q = {key: aligned(q, own, every) for key, q in plan.Q.items()}
    return Plan(Q, aligned(plan.V, own, every), aligned(plan.end, own, every))


def _plan(agent: Agent, axes: Sequence[Axis], world: World, who: str, rows: Rows) -> Plan:
    keep = _Keep(rows)
    mine = [phase.who in ("", who) for phase in world.phases]
    if not any(mine):
        there = ", ".join(phase.who for phase in world.phases)
        raise BadInput(f"'{who}' has no phase in this world", hint=f"phases are those of {there}")
    needless = "Q" not in names(agent.policy) and "V" not in names(agent.choose)
    if agent.values is not None or needless:
        return _own_planner(agent, axes, world, mine, keep)
    return _Induction(agent, axes, world, who, mine, keep).plan()


class _Keep(dict[tuple[int, int], Any]):
    """Q of the states that are asked for."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows

    def __setitem__(self, key: tuple[int, int], Q: Any) -> None:
        if self.rows is None or self.rows.get(key):
            super().__setitem__(key, Q if self.rows is None else Q[..., list(self.rows[key]), :])


def _own_planner(
    agent: Agent, axes: Sequence[Axis], world: World, mine: list[bool], keep: _Keep
) -> Plan:
    V = None
    for k, phase in enumerate(world.phases):
        if mine[k]:
            shape = (
                world.upto(0, k) if world.horizon is None else len(phase.step.legal),
                len(phase.actions),
            )
            values = 0.0 if agent.values is None else agent.values
            Q = over("values", values, axes, shape, world=world, phase=phase)
            Q = np.where(phase.step.legal[..., : shape[0], :], Q, -np.inf)
            for t in range(world.horizon or 1):
                keep[t, k] = Q[..., : world.upto(t, k), :]
            V = _worth(agent, axes, Q) if V is None else V
    assert V is not None
    return Plan(dict(keep), V, end_of(agent, axes, world))


def _worth(agent: Agent, axes: Sequence[Axis], Q: Any) -> Any:
    V = call(agent.worth, {"Q": Q} | shaped(agent.worth, axes, 2))
    if np.shape(V)[-1:] != Q.shape[-2:-1] or np.isnan(V).any():
        hint = "return V [*axes, state] from Q [*axes, state, action], as hb.best does"
        raise BadInput(
            f"'worth' returns the shape {np.shape(V)} for Q {Q.shape}, or NaN", hint=hint
        )
    return V


class _Induction:
    """Backward induction for one agent: what its functions say, and the recursion."""

    def __init__(
        self,
        agent: Agent,
        axes: Sequence[Axis],
        world: World,
        who: str,
        mine: list[bool],
        keep: _Keep,
    ) -> None:
        self.agent, self.axes, self.world, self.who = agent, axes, world, who
        self.mine, self.keep = mine, keep
        states, phases = world.states, world.phases
        here = {phase.who for phase in phases}
        self.end = end_of(agent, axes, world)
        self.discount = over("discount", agent.discount, axes, (1,), world=world)
        if not ((self.discount >= 0) & (self.discount <= 1)).all():
            raise BadInput(f"a discount is {self.discount.max():.4g}", hint="give 0 to 1")
        acts = {name: other.acts(name) for name, other in agent.others.items() if name in here}
        self.acts = {name: each(act, axes, world=world) for name, act in acts.items()}
        stakes = {
            name: over("stake", weight, axes, (1,), world=world)
            for name, weight in agent.stake.items() if name in here
        }  # fmt: skip
        self.stakes = stakes
        self.final = over_states("final", agent.final, axes, world)
        for name, stake in stakes.items():
            theirs = agent.others[name].theirs("final", name)
            self.final = self.final + stake * over_states("final", theirs, axes, world)
        _check_finite("final", abs(self.final))
        self.steps = [believed(agent, axes, world, phase) for phase in phases]
        self.rewards: list[Floats] = [np.zeros((1, 1))] * len(phases)
        for k, phase in enumerate(phases):
            shape = states, len(phase.actions)
            if mine[k]:
                self.rewards[k] = over(
                    "reward", agent.reward, axes, shape, world=world, phase=phase
                )
            _check_finite("reward", self.rewards[k])

    def plan(self) -> Plan:
        world, agent = self.world, self.agent
        if agent.depth is not None:
            depth = over("depth", agent.depth, self.axes)
            if not ((depth >= 1) & (depth < 1e6) & (depth == np.rint(depth))).all():
                raise BadInput(f"a depth is {depth.min():.4g}", hint="give whole numbers from 1")
            return self._shortsighted(depth)
        if world.horizon is not None:
            V = self.final
            for t in reversed(range(world.horizon)):
                V = self._round(V, t)
            return Plan(dict(self.keep), V, self.end)
        V = self._fixed_point()
        return Plan(dict(self.keep), V, self.end)

    def _shortsighted(self, depth: Floats) -> Plan:
        """Return the plan of an agent that looks so many rounds ahead, then counts ``final``."""
        if (depth < 1).any():
            raise BadInput("'depth' is below 1", hint="an agent looks at least one round ahead")
        Q: dict[tuple[int, int], Any] = {}
        V: Any = None
        for rounds in np.unique(depth).astype(int).tolist():
            chosen = (depth == rounds)[..., None]
            for t in reversed(range(self.world.horizon or 1)):
                seen = self._ahead(t, rounds)
                for k in (k for k in range(len(self.mine)) if (t, k) in self.keep):
                    old = Q.get((t, k), self.keep[t, k])
                    Q[t, k] = np.where(chosen[..., None], self.keep[t, k], old)
            V = np.where(chosen, seen, seen if V is None else V)
        return Plan(Q, V, self.end)

    def _ahead(self, t: int, rounds: int) -> Any:
        """Return V before round t, for an agent that looks so many rounds ahead."""
        last = self.world.horizon
        when = [t] * rounds if last is None else range(t, min(t + rounds, last))
        V = self.final
        for r in reversed(when):
            V = self._round(V, r)
        return V

    def _round(self, V: Any, t: int) -> Any:
        """Return V before a round, given V after it."""
        V = self.discount * V
        for k in reversed(range(len(self.mine))):
            n, name = self.world.upto(t, k), self.world.phases[k].who
            Q = self.rewards[k][..., :n, :] + self.steps[k].ahead(V, n)
            if self.mine[k]:
                Q = np.where(self.steps[k].legal[..., :n, :], Q, -np.inf)
                Q = np.where((Q < _LOST) & (Q > -np.inf), HOPELESS, Q)
                self.keep[t, k] = Q
                V = _worth(self.agent, self.axes, Q)
            elif name in self.acts:
                shape = self.acts[name].shape
                pi = np.stack([act[t, k] for act, _, _ in self.acts[name].flat])
                still = np.stack([ended[:n] for _, ended, _ in self.acts[name].flat])
                earned = np.stack([gain[t, k] for *_, gain in self.acts[name].flat])
                pi = pi.reshape(*shape, *pi.shape[1:])
                on = (pi * np.where(pi > 0, Q, 0.0)).sum(axis=-1)
                V = on + still.reshape(*shape, n) * V[..., :n]
                if name in self.stakes:
                    V = V + self.stakes[name] * earned.reshape(*shape, n)
            else:
                hint = f"say it by others={{'{name}': agent}}, at random by an agent with "
                hint += "values=0, policy=hb.uniform, traits={}"
                raise BadInput(f"what does '{name}' do, in the eyes of '{self.who}'?", hint=hint)
            V = np.where(self.end[..., :n], self.final[..., :n], V)
        return V

    def _fixed_point(self) -> Any:
        """Return V when rounds are repeated until it stays.

        Where it keeps falling and no end can be reached, a goal is hopeless.
        """
        V: Any = np.where(self.end, self.final, 0.0)
        change, earlier = np.zeros(1), V
        for number in range(_ROUNDS):
            V, before = self._round(V, 0), V
            change = abs(V - before)
            if change.max() <= _SAME * max(1.0, abs(np.where(V > _LOST, V, 0.0)).max()):
                return V
            if number in _CHECKS:
                V = np.where(self._lost(V, earlier - V > _STILL), HOPELESS, V)
            if 2 * number in _CHECKS:
                earlier = V
        state = int(np.unravel_index(change.argmax(), V.shape)[-1])
        hint = "give a discount below 1, a horizon, or an 'end' there"
        raise BadInput(
            f"the value of state {state} still changes after {_ROUNDS} rounds: without bound?",
            hint=hint,
        )

    def _lost(self, V: Floats, falling: Bools) -> Bools:
        """Return the states from which neither an end nor a value that stays can be reached."""
        falling = falling & (self.discount >= 1)
        alive = self.end | ~falling & (V > _LOST)
        shape = alive.shape
        for _ in range(shape[-1]):
            reached = alive.astype(float)
            for k in reversed(range(len(self.mine))):
                step = self.steps[k]
                reached = np.where(step.legal, step.ahead(reached, shape[-1]), 0.0).max(axis=-1)
            wider = alive | (reached > 0)
            if (wider == alive).all():
                break
            alive = wider
        lost: Bools = ~alive & falling
        return lost


def end_of(agent: Agent, axes: Sequence[Axis], world: World) -> Annotated[Bools, "*axes state"]:
    """Return the states in which all ends, in the eyes of an agent."""
    end = over_states("end", False if agent.end is None else agent.end, axes, world)
    if not ((end == 0) | (end == 1)).all():
        hint = "return true and false [S], as world[goal]; for one state, np.arange(S) == state"
        raise BadInput(f"'end' has the value {end[(end != 0) & (end != 1)][0]:.4g}", hint=hint)
    return end > 0


def _check_finite(role: str, values: Floats) -> None:
    if (values == np.inf).any():
        at = tuple(int(i) for i in np.argwhere(values == np.inf)[0])
        raise BadInput(f"'{role}' is infinite at {at}", hint="use large numbers, or 'end'")


def believed(agent: Agent, axes: Sequence[Axis], world: World, phase: Phase) -> Step:
    """Return the step of a phase as the agent believes it to be: as it is, if it does not say."""
    if agent.step is None or (not names(agent.step) and world is agent.home):
        return phase.step
    return as_step(agent.step, axes, world=world, phase=phase)


# Worth: V from Q, what an agent expects of its own future


def best(Q: Any) -> Any:
    """Return V = max over a of Q(a)."""
    return Q.max(axis=-1)


def as_it_acts(Q: Any, efficiency: Any) -> Annotated[Any, "*axes state"]:
    """Return V = sum over a of pi(a) Q(a): a Boltzmann agent knows how well it will act."""
    from hbtom.core.policy import boltzmann

    return (np.exp(boltzmann(Q, efficiency)) * np.where(Q > -np.inf, Q, 0.0)).sum(axis=-1)
