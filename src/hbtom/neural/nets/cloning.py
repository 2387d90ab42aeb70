"""The part that BC-MLP and BC-RNN share: the policy, given a state and the agent's character."""

from __future__ import annotations

from hbtom.neural.nets.batch import Batch
from hbtom.neural.nets.encoder import STATE
from hbtom.neural.operations import Array, Backend, Rng, Weights, mlp, mlp_weights

ACTION = 2  # numbers: the mean displacement along x and y
HIDDEN = 256, 128, 256
DROPPED = 0.2


def init(rng: Rng, character: int) -> dict[str, Array]:
    """Return initial weights."""
    return mlp_weights(rng, "policy", (STATE + character, *HIDDEN, ACTION))


def act(ops: Backend, weights: Weights, states: Array, character: Array) -> Array:
    """Return the action expected in each state [n, step, 128], given a character [n, number]."""
    shape = (*states.shape[:2], character.shape[-1])
    known = ops.xp.broadcast_to(character[:, None], shape)
    given = ops.xp.concatenate([states.astype(ops.dtype), known.astype(ops.dtype)], axis=-1)
    return ops.xp.tanh(mlp(ops, weights, "policy", given, DROPPED)).astype(ops.xp.float32)


def pairs(ops: Backend, batch: Batch) -> Array:
    """Return all states of the context, together with the actions taken in them."""
    seen = [batch[name][:, :-1].astype(ops.dtype) for name in ("states", "actions")]
    return ops.xp.concatenate(seen, axis=-1)


def squared_errors(ops: Backend, expected: Array, batch: Batch) -> Array:
    """Return the squared error of each step of the last trial; 0 for missing steps."""
    errors = ((expected - batch["actions"][:, -1].astype(ops.xp.float32)) ** 2).mean(axis=-1)
    return ops.xp.where(batch["there"][:, -1], errors, 0)
