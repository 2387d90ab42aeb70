"""Video-RNN, which predicts the next picture.

A recurrent network over the pictures of each trial of the context, averaged over trials, gives the
agent's character (as in ToMnet, Rabinowitz et al. 2018). A U-Net (Ronneberger et al. 2015) adds the
expected change to a picture, given this character.
"""

from __future__ import annotations

import numpy as np

from hbtom.neural.drawing import SIDE
from hbtom.neural.nets.batch import Batch
from hbtom.neural.nets.encoder import unit
from hbtom.neural.operations import (
    Array,
    Backend,
    Weights,
    conv,
    conv_weights,
    dense,
    dense_weights,
    lstm,
    lstm_weights,
    masked_mean,
    relu,
    upsample,
)

LOOK = 16, 32, 32  # channels of the convolutions that look at the context, each with stride 2
PATCH = 11  # rows and columns that they leave
UNITS = 64  # of the LSTM, and numbers in a character
STEPS = 6  # steps of the target per training example
DOWN = 16, 32, 64  # channels of the U-Net on its way down, at 84, 42 and 21 rows


def init(seed: int) -> dict[str, Array]:
    """Return initial weights."""
    rng = np.random.default_rng(seed)
    weights: dict[str, Array] = {}
    for i, (channels, out) in enumerate(zip((3, *LOOK), LOOK, strict=False)):
        weights |= conv_weights(rng, f"look/{i}", channels, out)
    weights |= dense_weights(rng, "look/out", PATCH * PATCH * LOOK[-1], UNITS)
    weights |= lstm_weights(rng, "character", UNITS, UNITS)
    for i, (channels, out) in enumerate(zip((3, *DOWN), DOWN, strict=False)):
        weights |= conv_weights(rng, f"down/{i}/0", channels, out)
        weights |= conv_weights(rng, f"down/{i}/1", out, out)
    weights |= conv_weights(rng, "middle/0", DOWN[-1] + UNITS, DOWN[-1])
    weights |= conv_weights(rng, "middle/1", DOWN[-1], DOWN[-1])
    for i, (below, out) in enumerate(zip((DOWN[-1], *DOWN[:0:-1]), DOWN[::-1], strict=True)):
        weights |= conv_weights(rng, f"up/{i}/0", below + out, out)
        weights |= conv_weights(rng, f"up/{i}/1", out, out)
    last = conv_weights(rng, "out", DOWN[0], 3, side=1)
    return weights | {name: 0 * values for name, values in last.items()}  # nothing changes at first


def predict(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the picture expected after each step of the last trial, values from 0 to 1."""
    pictures = batch["pictures"][:, -1, :-1]
    n, steps = pictures.shape[:2]
    known = ops.xp.repeat(character(ops, weights, batch), steps, axis=0)
    now = unit(ops, pictures.reshape(n * steps, *pictures.shape[2:]))
    expected = now + unet(ops, weights, now, known)
    return expected.reshape(n, steps, *pictures.shape[2:])


def errors(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the mean squared error of each picture; 0 for missing steps."""
    after = unit(ops, batch["pictures"][:, -1, 1:])
    missed = (predict(ops, weights, batch) - after).astype(ops.xp.float32)
    return ops.xp.where(batch["there"][:, -1], (missed**2).mean(axis=(2, 3, 4)), 0)


def loss(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the mean error; in training, that of a few steps.

    Most trials are much shorter than the longest one, so all steps would mostly be padding.
    """
    there = batch["there"][:, -1]
    if not ops.training:
        return masked_mean(ops, errors(ops, weights, batch), there, (0, 1))
    luck = ops.uniform("steps", (len(there), STEPS)) * there.sum(axis=-1)[:, None]
    rows, steps = ops.xp.arange(len(there))[:, None], ops.xp.floor(luck).astype(int)
    pictures = ops.xp.asarray(batch["pictures"])
    # Small changes of bright pixels need 32 bits.
    now, after = (
        unit(ops.precise, pictures[rows, -1, steps + i].reshape(-1, SIDE, SIDE, 3)) for i in (0, 1)
    )
    known = ops.xp.repeat(character(ops, weights, batch), STEPS, axis=0)
    change = unet(ops, weights, now, known).astype(ops.xp.float32)
    return ((now + change - after) ** 2).mean()


def character(ops: Backend, weights: Weights, batch: Batch) -> Array:
    """Return the agent's character according to the context: 64 numbers."""
    pictures, there = batch["pictures"][:, :-1, :-1], batch["there"][:, :-1]
    n, trials, steps = pictures.shape[:3]
    x = unit(ops, pictures.reshape(n * trials * steps, *pictures.shape[3:]))
    for i in range(len(LOOK)):
        x = relu(ops, conv(ops, weights, f"look/{i}", x, stride=2, pad=1))
    x = relu(ops, dense(ops, weights, "look/out", x.reshape(len(x), -1)))
    x, there = x.reshape(n * trials, steps, -1), there.reshape(n * trials, steps)
    return lstm(ops, weights, "character", x, there)[1].reshape(n, trials, -1).mean(axis=1)


def unet(ops: Backend, weights: Weights, x: Array, known: Array) -> Array:
    """Return the change of pictures [n, 84, 84, 3], given characters [n, number]."""
    passed = []
    for i in range(len(DOWN)):
        x = _twice(ops, weights, f"down/{i}", x)
        passed.append(x)
        x = _halved(ops, x)
    known = ops.xp.broadcast_to(known[:, None, None], (*x.shape[:3], known.shape[-1]))
    x = _twice(ops, weights, "middle", ops.xp.concatenate([x, known], axis=-1))
    for i, beside in enumerate(reversed(passed)):
        x = upsample(ops, x)[:, : beside.shape[1], : beside.shape[2]]
        x = _twice(ops, weights, f"up/{i}", ops.xp.concatenate([x, beside], axis=-1))
    return conv(ops, weights, "out", x)


def _twice(ops: Backend, weights: Weights, name: str, x: Array) -> Array:
    for i in range(2):
        x = relu(ops, conv(ops, weights, f"{name}/{i}", x, pad=1))
    return x


def _halved(ops: Backend, x: Array) -> Array:
    """Return the largest of every two by two pixels; an odd edge is padded with zeros."""
    n, rows, columns, channels = x.shape
    x = ops.xp.pad(x, ((0, 0), (0, rows % 2), (0, columns % 2), (0, 0)))
    return x.reshape(n, -(-rows // 2), 2, -(-columns // 2), 2, channels).max(axis=(2, 4))
