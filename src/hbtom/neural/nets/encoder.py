"""The encoder: four convolutions of 32 channels, then a linear map to 128 numbers."""

from __future__ import annotations

import numpy as np

from hbtom.neural.operations import (
    Array,
    Backend,
    Rng,
    Weights,
    conv,
    conv_weights,
    dense,
    dense_weights,
    relu,
)

STRIDES = 2, 2, 2, 1
CHANNELS = 32
PATCH = 7  # rows and columns that the convolutions leave of a picture of 84 x 84
STATE = 128


def init(rng: Rng) -> dict[str, Array]:
    """Return initial weights."""
    weights: dict[str, Array] = {}
    for i in range(len(STRIDES)):
        weights |= conv_weights(rng, f"encoder/{i}", CHANNELS if i else 3, CHANNELS)
    return weights | dense_weights(rng, "encoder/out", PATCH * PATCH * CHANNELS, STATE, gain=1.0)


def encode(ops: Backend, weights: Weights, pictures: Array) -> Array:
    """Return the state in each picture [n, 84, 84, 3], 128 numbers.

    Pictures are bytes, or numbers between 0 and 1.
    """
    x = unit(ops, pictures)
    for i, stride in enumerate(STRIDES):
        x = relu(ops, conv(ops, weights, f"encoder/{i}", x, stride))
    return dense(ops, weights, "encoder/out", x.reshape(len(x), -1))


def unit(ops: Backend, pictures: Array) -> Array:
    """Return pictures with values from 0 to 1."""
    scaled = pictures.astype(ops.dtype)
    return scaled / np.float32(255).astype(ops.dtype) if pictures.dtype == np.uint8 else scaled
