"""The layers of networks. Every layer is written once and runs on numpy or on JAX.

A backend (:mod:`operations_numpy`, :mod:`operations_jax`) provides an array library and the few
operations that the two libraries do differently. Weights are a flat mapping from names to arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

Array = Any  # an array of numpy or of JAX
Weights = Mapping[str, Array]
Rng = np.random.Generator
EPSILON = 1e-5  # keeps the normalisation of constant features finite


class Backend(Protocol):
    """What an array library must provide."""

    @property
    def xp(self) -> Any:
        """The library: numpy, or jax.numpy."""

    @property
    def dtype(self) -> Any:
        """The type of the numbers inside networks."""

    @property
    def training(self) -> bool:
        """Whether random numbers are used."""

    @property
    def precise(self) -> Backend:
        """The same backend with 32-bit numbers, for places."""

    def conv(self, x: Array, kernel: Array, stride: int) -> Array:
        """Return the convolution of [n, row, column, channel] without padding."""

    def scan(self, step: Callable[..., Any], state: Any, inputs: Any) -> tuple[Any, Array]:
        """Apply a step to each of the inputs in turn; return the last state and all outputs."""

    def uniform(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return random numbers between 0 and 1; only while training."""


# Layers


def dense(ops: Backend, weights: Weights, name: str, x: Array) -> Array:
    """Return W x + b."""
    matrix, bias = (weights[f"{name}/{part}"].astype(ops.dtype) for part in ("weight", "bias"))
    return x.astype(ops.dtype) @ matrix + bias


def mlp(ops: Backend, weights: Weights, name: str, x: Array, dropped: float = 0.0) -> Array:
    """Return the output of dense layers with ReLU between them."""
    layers = sum(f"{name}/{i}/weight" in weights for i in range(len(weights)))
    for i in range(layers - 1):
        x = relu(ops, dense(ops, weights, f"{name}/{i}", x))
        x = dropout(ops, x, dropped, f"{name}/{i}")
    return dense(ops, weights, f"{name}/{layers - 1}", x)


def conv(
    ops: Backend, weights: Weights, name: str, x: Array, stride: int = 1, pad: int = 0
) -> Array:
    """Return the convolution of pictures [n, row, column, channel], padded with zeros."""
    kernel, bias = (weights[f"{name}/{part}"].astype(ops.dtype) for part in ("weight", "bias"))
    edge = (0, 0), (pad, pad), (pad, pad), (0, 0)
    x = x.astype(ops.dtype)
    return ops.conv(ops.xp.pad(x, edge) if pad else x, kernel, stride) + bias


def upsample(ops: Backend, x: Array) -> Array:
    """Return pictures [n, row, column, channel] of twice the height and width."""
    return ops.xp.repeat(ops.xp.repeat(x, 2, axis=1), 2, axis=2)


def relu(ops: Backend, x: Array) -> Array:
    """Return max(x, 0)."""
    return ops.xp.maximum(x, 0)


def dropout(ops: Backend, x: Array, share: float, name: str) -> Array:
    """Return x; while training, with a share of its numbers set to zero and the rest scaled up."""
    if not ops.training or not share:
        return x
    return ops.xp.where(ops.uniform(name, x.shape) < share, 0, x / (1 - share)).astype(x.dtype)


def softmax(ops: Backend, x: Array) -> Array:
    """Return positive numbers that sum to 1 over the last axis."""
    powers = ops.xp.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def logsumexp(ops: Backend, x: Array) -> Array:
    """Return log sum exp x over the last axis."""
    most = x.max(axis=-1, keepdims=True)
    return ops.xp.log(ops.xp.exp(x - most).sum(axis=-1)) + most[..., 0]


def layernorm(ops: Backend, weights: Weights, name: str, x: Array) -> Array:
    """Return features with mean 0 and variance 1, scaled and shifted."""
    wide = x.astype(ops.xp.float32)
    centred = wide - wide.mean(axis=-1, keepdims=True)
    spread = ops.xp.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    scaled = centred / spread * weights[f"{name}/scale"] + weights[f"{name}/shift"]
    return scaled.astype(ops.dtype)


def attention(
    ops: Backend, weights: Weights, name: str, x: Array, there: Array, heads: int
) -> Array:
    """Let each token [n, token, feature] attend to the tokens that exist [n, token]."""
    n, tokens, width = x.shape
    mixed = dense(ops, weights, f"{name}/in", x).reshape(n, tokens, 3, heads, width // heads)
    query, key, value = mixed.transpose(2, 0, 3, 1, 4)
    scores = (query @ key.swapaxes(-1, -2)).astype(ops.xp.float32)
    scores = scores / np.float32((width // heads) ** 0.5)
    shares = softmax(ops, ops.xp.where(there[:, None, None], scores, np.float32(-1e9)))
    seen = (shares.astype(ops.dtype) @ value).swapaxes(1, 2)
    return dense(ops, weights, f"{name}/out", seen.reshape(n, tokens, width))


def lstm(
    ops: Backend, weights: Weights, name: str, x: Array, there: Array, backwards: bool = False
) -> tuple[Array, Array]:
    """Run an LSTM over sequences [n, step, feature]; return its outputs and the last one.

    Missing steps, by ``there`` [n, step], leave the state as it is.
    """
    xp = ops.xp
    hidden = weights[f"{name}/hidden"].astype(ops.dtype)
    gates = dense(ops, weights, name, x).transpose(1, 0, 2)
    valid = there.T[..., None]
    if backwards:
        gates, valid = gates[::-1], valid[::-1]

    def step(state: Any, given: Any) -> Any:
        (output, memory), (drive, now) = state, given
        i, f, g, o = xp.split((drive + output @ hidden).astype(xp.float32), 4, axis=-1)
        kept = sigmoid(ops, f) * memory + sigmoid(ops, i) * xp.tanh(g)
        put = (sigmoid(ops, o) * xp.tanh(kept)).astype(ops.dtype)
        state = xp.where(now, put, output), xp.where(now, kept, memory)
        return state, state[0]

    empty = xp.zeros((x.shape[0], hidden.shape[0]))
    start = empty.astype(ops.dtype), empty.astype(xp.float32)
    (last, _), outputs = ops.scan(step, start, (gates, valid))
    outputs = outputs[::-1] if backwards else outputs
    return outputs.transpose(1, 0, 2), last


def sigmoid(ops: Backend, x: Array) -> Array:
    """Return 1 / (1 + exp -x)."""
    return 0.5 * (ops.xp.tanh(0.5 * x) + 1)


def masked_mean(ops: Backend, x: Array, there: Array, axes: tuple[int, ...]) -> Array:
    """Return the mean over axes of the values that exist; 0 if there are none."""
    there = there.astype(x.dtype)
    weights = there.reshape(there.shape + (1,) * (x.ndim - there.ndim))
    return (x * weights).sum(axis=axes) / ops.xp.maximum(weights.sum(axis=axes), 1)


# Initial weights


def dense_weights(rng: Rng, name: str, wide: int, out: int, gain: float = 2.0) -> dict[str, Array]:
    """Return weights of a dense layer, drawn after He et al. (2015)."""
    matrix = rng.normal(0, (gain / wide) ** 0.5, (wide, out))
    return {f"{name}/weight": _single(matrix), f"{name}/bias": _single(np.zeros(out))}


def mlp_weights(rng: Rng, name: str, widths: Sequence[int]) -> dict[str, Array]:
    """Return weights of dense layers from each width to the next."""
    found: dict[str, Array] = {}
    for i, (wide, out) in enumerate(pairwise(widths)):
        gain = 2.0 if i < len(widths) - 2 else 1.0
        found |= dense_weights(rng, f"{name}/{i}", wide, out, gain)
    return found


def conv_weights(rng: Rng, name: str, channels: int, out: int, side: int = 3) -> dict[str, Array]:
    """Return weights of a convolution, drawn after He et al. (2015)."""
    kernel = rng.normal(0, (2 / (side * side * channels)) ** 0.5, (side, side, channels, out))
    return {f"{name}/weight": _single(kernel), f"{name}/bias": _single(np.zeros(out))}


def lstm_weights(rng: Rng, name: str, wide: int, units: int) -> dict[str, Array]:
    """Return weights of an LSTM that initially remembers (forget gates have a bias of 1)."""
    bias = np.repeat([0.0, 1.0, 0.0, 0.0], units)
    inner = rng.normal(0, units**-0.5, (units, 4 * units))
    outer = dense_weights(rng, name, wide, 4 * units, gain=1.0)
    return {**outer, f"{name}/bias": _single(bias), f"{name}/hidden": _single(inner)}


def layernorm_weights(name: str, wide: int) -> dict[str, Array]:
    """Return weights that leave normalised features as they are."""
    return {f"{name}/scale": _single(np.ones(wide)), f"{name}/shift": _single(np.zeros(wide))}


def _single(x: Array) -> Array:
    return x.astype(np.float32)
