"""Worlds that others have made, taken as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hbtom.core.axes import listed
from hbtom.core.worlds import Phase, Sparse, World
from hbtom.errors import BadInput

_MOST = 1_000_000  # states
_METHODS = "after(state, action) -> {state: P}, actions(state), and states, or a start"


def adopt(
    source: Any, *, actions: Sequence[Any] | None = None, horizon: int | None = None
) -> World:
    """Return the world of an environment, with fields for an agent to refer to.

    ``source`` may be an environment of Gymnasium with tables (toy text), a tabular MDP of msdm, or
    any object that has ``after(state, action)``, which returns {state: P}, or None where an action
    is not possible; ``actions``, a list or a function of the state; and ``states`` or ``start``, a
    state from which all others are found. ``reward(state, action)`` and ``ends(state)`` are used if
    it has them.

    ``world["state"]`` are the states' own names, ``world["reward"]`` [S, A] is the expected reward,
    and ``world["end"]`` [S] says where it ends. ``actions`` gives actions other names.
    """
    if isinstance(source, type):
        raise BadInput(f"'{source.__name__}' is a class", hint=f"give {source.__name__}(...)")
    inner = getattr(source, "unwrapped", source)
    if isinstance(getattr(inner, "P", None), Mapping):
        states, names, rows, ends, start = _tables(inner)
    elif hasattr(source, "transition_matrix") and hasattr(source, "state_list"):
        states, names, rows, ends, start = _matrices(source)
    elif callable(getattr(source, "after", None)):
        states, names, rows, ends, start = _methods(source)
    else:
        hint = f"it needs a table P, a transition_matrix, or {_METHODS}"
        raise BadInput(f"'{type(source).__name__}' is no world that can be adopted", hint=hint)
    if actions is not None and len(actions) != len(names):
        raise BadInput(f"there are {len(names)} actions and {len(actions)} names for them")
    widest = max((len(row) for some in rows for row in some), default=1)
    targets = np.full((len(states), len(names), max(widest, 1)), 0)
    P, reward = np.zeros(targets.shape), np.zeros(targets.shape[:2])
    for s, some in enumerate(rows):
        for a, row in enumerate(some):
            for k, (to, chance, gain) in enumerate(row):
                targets[s, a, k], P[s, a, k] = to, chance
                reward[s, a] += chance * gain
    labels = np.empty(len(states), dtype=object)
    labels[:] = states
    fields = {"state": labels, "reward": reward, "end": np.array(ends, dtype=bool)}
    phase = Phase("", tuple(names if actions is None else actions), Sparse(targets, P))
    return World((phase,), horizon, start, fields)


_Row = list[tuple[int, float, float]]  # state after, probability, reward
_Parts = tuple[list[Any], list[Any], list[list[_Row]], list[bool], int]


def _tables(env: Any) -> _Parts:
    """Return states, actions, rows, ends and start of P {s: {a: [(P, s', reward, over)]}}."""
    states = sorted(env.P)
    number = {state: i for i, state in enumerate(states)}
    actions = sorted({action for some in env.P.values() for action in some})
    ends, rows = [False] * len(states), []
    for state in states:
        some = []
        for action in actions:
            row: dict[int, list[float]] = {}
            for chance, to, gain, over in env.P[state].get(action, ()):
                old = row.setdefault(number[to], [0.0, 0.0])
                old[0], old[1] = old[0] + chance, old[1] + chance * gain
                ends[number[to]] |= bool(over)
            some.append([(to, p, total / p if p else 0.0) for to, (p, total) in row.items()])
        rows.append(some)
    first = getattr(env, "initial_state_distrib", None)
    return states, actions, rows, ends, 0 if first is None else int(np.argmax(first))


def _matrices(mdp: Any) -> _Parts:
    """Return states, actions, rows, ends and start of a tabular MDP of msdm."""
    P, R = np.asarray(mdp.transition_matrix), np.asarray(mdp.reward_matrix)
    allowed = np.asarray(getattr(mdp, "action_matrix", np.ones(P.shape[:2]))) > 0
    ends = np.asarray(getattr(mdp, "absorbing_state_vec", np.zeros(len(P)))) > 0
    rows = []
    for s in range(len(P)):
        some: list[_Row] = []
        for a in range(P.shape[1]):
            there: Any = np.flatnonzero(P[s, a]) if allowed[s, a] or ends[s] else []
            some.append([(int(t), float(P[s, a, t]), float(R[s, a, t])) for t in there])
        rows.append(some if any(some) else [[(s, 1.0, 0.0)] for _ in some])
    first = int(np.argmax(np.asarray(getattr(mdp, "initial_state_vec", [1.0]))))
    return [*mdp.state_list], [*mdp.action_list], rows, ends.tolist(), first


def _methods(source: Any) -> _Parts:
    """Return states, actions, rows, ends and start of an object with methods."""
    given = getattr(source, "states", None)
    start = getattr(source, "start", None)
    if given is None and start is None:
        raise BadInput("this world has neither 'states' nor a 'start'", hint=f"it needs {_METHODS}")
    states = [start] if given is None else [*(given() if callable(given) else given)]
    number = {state: i for i, state in enumerate(states)}
    if start is not None and start not in number:
        raise BadInput(f"the start {start!r} is no state", hint=f"states are {listed(states, 5)}")
    offered = source.actions if hasattr(source, "actions") else ()
    actions: list[Any] = [] if callable(offered) else [*offered]
    found: list[dict[Any, _Row]] = []
    ends: list[bool] = []
    while len(found) < len(states):
        state, row = states[len(found)], dict[Any, _Row]()
        ends.append(bool(source.ends(state)) if hasattr(source, "ends") else False)
        for action in [] if ends[-1] else (offered(state) if callable(offered) else actions):
            if action not in actions:
                actions.append(action)
            outcome = source.after(state, action)
            gain = float(source.reward(state, action)) if hasattr(source, "reward") else 0.0
            for to in outcome or {}:
                if to not in number and given is not None:
                    hint = f"states are {listed(states, 5)}"
                    raise BadInput(f"{action!r} in {state!r} leads to {to!r}", hint=hint)
                if number.setdefault(to, len(states)) == len(states):
                    states.append(to)
            row[action] = [(number[to], float(p), gain) for to, p in (outcome or {}).items()]
        found.append(row)
        if len(states) > _MOST:
            raise BadInput(f"this world has more than {_MOST:,} states", hint="make it smaller")
    if not actions:
        raise BadInput("this world has no actions", hint=f"it needs {_METHODS}")
    rows = [
        [row.get(action, []) for action in actions] if any(row.values())
        else [[(s, 1.0, 0.0)] for _ in actions]
        for s, row in enumerate(found)
    ]  # fmt: skip
    return states, actions, rows, ends, number[start] if start is not None else 0
