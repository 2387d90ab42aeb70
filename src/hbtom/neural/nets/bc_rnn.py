"""BC-RNN: behaviour cloning, with a context of sequences.

The states and actions of a trial pass through two bidirectional layers of LSTM with 32 units. Their
last outputs, averaged over trials, are the agent's character.
"""

from __future__ import annotations

import numpy as np

from hbtom.neural.nets import cloning, encoder
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array, Backend, Weights, lstm, lstm_weights

LAYERS, UNITS = 2, 32


def init(seed: int) -> dict[str, Array]:
    """Return initial weights."""
    rng = np.random.default_rng(seed)
    weights = encoder.init(rng)
    for layer in range(LAYERS):
        wide = 2 * UNITS if layer else encoder.STATE + cloning.ACTION
        for way in ("forwards", "backwards"):
            weights |= lstm_weights(rng, f"context/{layer}/{way}", wide, UNITS)
    return weights | cloning.init(rng, 2 * UNITS)


def predict(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the action expected in each step of the last trial."""
    return cloning.act(ops, weights, batch["states"][:, -1], character(ops, weights, batch))


def character(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the agent's character according to the context: 64 numbers."""
    x = cloning.pairs(ops, batch)
    n, trials, steps, _ = x.shape
    x, there = x.reshape(n * trials, steps, -1), batch["there"][:, :-1].reshape(n * trials, steps)
    last: list[Array] = []
    for layer in range(LAYERS):
        both = [
            lstm(ops, weights, f"context/{layer}/{way}", x, there, way == "backwards")
            for way in ("forwards", "backwards")
        ]
        x = ops.xp.concatenate([outputs for outputs, _ in both], axis=-1)
        last = [end for _, end in both]
    return ops.xp.concatenate(last, axis=-1).reshape(n, trials, -1).mean(axis=1)
