"""Training the encoder without labels: augmented temporal contrast (Stooke et al. 2021).

Two pictures of a trial, one step apart, are shifted at random. The encoder learns which later
picture of the batch belongs to an earlier one. Later pictures are encoded with weights that follow
slowly.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hbtom.neural.nets import encoder
from hbtom.neural.operations import Array, Weights, mlp, mlp_weights, relu
from hbtom.neural.operations_jax import Jax
from hbtom.neural.optimise import Objective

SHIFT = 4  # pixels


def init(seed: int) -> dict[str, Array]:
    """Return initial weights: those of the encoder, and others that are used only here."""
    rng = np.random.default_rng((seed, 1))
    wide = encoder.STATE
    match = (np.eye(wide) / wide**0.5).astype(np.float32)
    return encoder.init(rng) | mlp_weights(rng, "anchor", (wide, 512, wide)) | {"match": match}


def objective(batch: int, dtype: Any) -> Objective:
    """Return the loss: minus the log probability of choosing the picture that follows."""
    ops = Jax(dtype)

    def loss(weights: Weights, slow: Weights, key: Array, data: Any) -> Array:
        chance = Jax(dtype, key)
        rows = chance.uniform("rows", (batch,)) * data["rows"]
        now = data["followed"][rows.astype(int)]
        shifts = chance.uniform("shifts", (2, batch, 2, 1)) * (2 * SHIFT + 1) - SHIFT
        first, second = (
            shifted(data["pictures"][index], jnp.floor(by).astype(int))
            for index, by in zip((now, now + 1), shifts, strict=True)
        )
        anchor = encoder.encode(ops, weights, first)
        anchor = anchor + mlp(ops, weights, "anchor", relu(ops, anchor))
        positive = jax.lax.stop_gradient(encoder.encode(ops, slow, second))
        scores = (anchor.astype(jnp.float32) @ weights["match"]) @ positive.astype(jnp.float32).T
        return -jax.nn.log_softmax(scores, axis=-1).diagonal().mean()

    return loss


def shifted(pictures: Array, by: Array) -> Array:
    """Return pictures shifted ``by`` pixels [n, 2, 1], with their edges repeated."""
    side = pictures.shape[1]
    places = jnp.clip(jnp.arange(side) + by, 0, side - 1)
    rows = jnp.take_along_axis(pictures, places[:, 0, :, None, None], axis=1)
    return jnp.take_along_axis(rows, places[:, 1, None, :, None], axis=2)
