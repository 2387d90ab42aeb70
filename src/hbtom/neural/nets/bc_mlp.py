"""BC-MLP: behaviour cloning, with a context of single states and actions.

A state and the action taken in it pass through an MLP. The mean over the context is the agent's
character. The policy predicts an action, given a state and this character.
"""

from __future__ import annotations

import numpy as np

from hbtom.neural.nets import cloning, encoder
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array, Backend, Weights, masked_mean, mlp, mlp_weights

PAIRS = 30  # states and actions of the context that are used in training
CHARACTER = 32


def init(seed: int) -> dict[str, Array]:
    """Return initial weights."""
    rng = np.random.default_rng(seed)
    context = mlp_weights(rng, "context", (encoder.STATE + cloning.ACTION, 64, 64, CHARACTER))
    return encoder.init(rng) | context | cloning.init(rng, CHARACTER)


def predict(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the action expected in each step of the last trial."""
    each = mlp(ops, weights, "context", cloning.pairs(ops, batch))
    character = masked_mean(ops, each, _looked_at(ops, batch["there"][:, :-1]), (1, 2))
    return cloning.act(ops, weights, batch["states"][:, -1], character)


def _looked_at(ops: Backend, there: Array) -> Array:
    """Return which pairs are used: all of them, but only some at random in training."""
    if not ops.training:
        return there
    luck = ops.xp.where(there, ops.uniform("pairs", there.shape), -1)
    least = ops.xp.sort(luck.reshape(len(luck), -1), axis=-1)[:, -PAIRS]
    return there & (luck >= least[:, None, None])
