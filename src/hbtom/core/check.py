"""The test that every world must pass, a user's own included."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from hbtom.core.agent import Agent
from hbtom.core.axes import GOAL
from hbtom.core.policy import boltzmann
from hbtom.core.worlds import Phase, World
from hbtom.errors import BadInput

_PARTS = "goals", "replay", "plan", "choices"
_SAME = 1e-9


def check_world(world: Any, trial: Any = None, agent: Agent | None = None) -> None:
    """Refuse a world that does not keep the promises of ``hbtom.core.protocols``.

    With a ``trial``, it is also checked what its steps were chosen from, in the eyes of an
    ``agent``: by default one with Boltzmann policy.
    """
    _expect(not isinstance(world, type), "it is a class; give an object")
    _has(world, _PARTS, "it")
    goals = world.goals
    _expect(isinstance(goals, tuple) and len(goals) > 0, f"its goals are {goals!r}, not a tuple")
    _expect(all(isinstance(one, Hashable) for one in goals), "its goals cannot be labels")
    _expect(len(set(goals)) == len(goals), "a goal is there twice")
    if isinstance(world, World):
        for k, phase in enumerate(world.phases):
            _check_step(world, k, phase)
    if trial is not None:
        _check_trial(world, trial, Agent() if agent is None else agent)


def _has(one: Any, parts: tuple[str, ...], told: str) -> None:
    missing = [name for name in parts if not hasattr(one, name)]
    _expect(not missing, f"{told} has no '{missing and missing[0]}'")


def _expect(true: Any, problem: str) -> None:
    if not true:
        raise BadInput(f"this is not a world: {problem}", hint="see hbtom.core.protocols")


def _check_step(world: World, k: int, phase: Phase) -> None:
    """Check that all views of P(s' | s, a) agree."""
    step, told = phase.step, f"in phase {k + 1}"
    n, actions = step.legal.shape[-2:]
    states, rng = max(world.states, n), np.random.default_rng(0)
    _expect(
        actions == len(phase.actions),
        f"{told} there are {actions} actions by another number of names",
    )
    _expect(step.legal.any(axis=-1).all(), f"{told} a state has no action")
    V = rng.random(states)
    ahead = step.ahead(V, n)
    _expect(ahead.shape[-2:] == (n, actions), f"{told} 'ahead' returns {ahead.shape}")
    one = step.ahead(np.ones(states), n)
    _expect(np.allclose(one[step.legal], 1, atol=_SAME), f"{told} 'ahead' does not sum to 1")
    flow = np.where(step.legal, rng.random(step.legal.shape), 0.0)
    pushed = step.push(flow, states)
    _expect(np.allclose(pushed.sum(axis=-1), flow.sum(axis=(-2, -1))), f"{told} 'push' loses some")
    worth, there = (
        (pushed * V).sum(axis=-1),
        (flow * np.where(step.legal, ahead, 0)).sum(axis=(-2, -1)),
    )
    _expect(np.allclose(worth, there), f"{told} 'push' and 'ahead' disagree")
    for s in rng.permutation(n)[:20].tolist():
        for a in np.flatnonzero(step.legal.reshape(-1, n, actions)[0, s]).tolist():
            after, P = step.after(s, a)
            first = P.reshape(-1, P.shape[-1])[0]
            seen = [
                float(np.reshape(step.arrival(s, int(to)), (-1, actions))[0, a])
                for to in np.unique(after)
            ]
            whole = [float(first[after == to].sum()) for to in np.unique(after)]
            _expect(np.allclose(seen, whole), f"{told} 'after' and 'arrival' disagree in state {s}")
            mean = float((first * V[after]).sum())
            expected = float(np.reshape(ahead, (-1, n, actions))[0, s, a])
            _expect(np.isclose(mean, expected), f"{told} 'after' and 'ahead' disagree in state {s}")


def _check_trial(world: Any, trial: Any, agent: Agent) -> None:
    """Check what the steps of a trial were chosen from."""
    axes = agent.axes(world.goals)
    steps = world.replay(trial)
    many = len(steps)
    choices = world.choices("", steps, world.plan(agent, "", steps, axes))
    _has(choices, ("value", "reachable", "log_likelihood"), "what 'choices' returns")
    value, reachable = np.asarray(choices.value), np.asarray(choices.reachable)
    full = tuple(map(len, axes))
    log = np.asarray(choices.log_likelihood(agent.policy, axes))
    parts = {"value": (value, full), "reachable": (reachable, full), "log": (log, (*full, many))}
    told = ", ".join(axis.name for axis in axes)
    for name, (array, shape) in parts.items():
        pairs = zip(array.shape, shape, strict=False)
        fits = array.ndim == len(shape) and all(a in (1, b) for a, b in pairs)
        should = f"[{told}{', step' if name == 'log' else ''}] = {shape}, 1 where nothing changes"
        _expect(fits, f"'{name}' has the shape {array.shape}, and should be {should}")
    _expect(not np.isnan(value).any() and not (value == np.inf).any(), "a value is NaN or inf")
    _expect(not np.isnan(log).any() and not (log == np.inf).any(), "a log-likelihood is NaN or inf")
    _expect(reachable.dtype == bool, "'reachable' is not true or false")
    if agent.policy is boltzmann and many:
        again = world.choices("", world.replay(trial), world.plan(agent, "", steps, axes))
        same = np.array_equal(np.asarray(again.log_likelihood(agent.policy, axes)), log)
        _expect(same, "the same trial has another log-likelihood when it is asked again")
    _expect(axes[-1].name == GOAL, "the goal is not the last axis")
