"""The networks by name. All predict what the agent does next, from eight trials and a ninth.

The input of a network is a batch of episodes (:mod:`batch`); the last trial of each is the target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hbtom.neural.nets import bc_mlp, bc_rnn, cloning, set_transformer, video_rnn
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array, Backend, Weights, masked_mean

Sight = Literal["states", "pictures", "things"]  # encoded pictures, pictures, or positions


@dataclass(frozen=True)
class Network:
    """A network without its weights."""

    name: str
    version: int  # of the architecture: weights fit only one
    sees: Sight
    init: Callable[[int], dict[str, Array]]  # from a seed to weights
    predict: Callable[[Backend, Weights, Batch], Array]  # an action, or a picture, for each step
    errors: Callable[[Backend, Weights, Batch], Array]  # for each step of the last trial
    loss: Callable[[Backend, Weights, Batch], Array]  # minimised by training


def _cloning(
    name: str,
    init: Callable[[int], dict[str, Array]],
    predict: Callable[[Backend, Weights, Batch], Array],
) -> Network:
    """Return a network that clones behaviour: its error is that of the action."""

    def errors(ops: Backend, weights: Weights, batch: Batch) -> Array:
        return cloning.squared_errors(ops, predict(ops, weights, batch), batch)

    def loss(ops: Backend, weights: Weights, batch: Batch) -> Array:
        return masked_mean(ops, errors(ops, weights, batch), batch["there"][:, -1], (0, 1))

    return Network(name, 1, "states", init, predict, errors, loss)


NETWORKS = {
    one.name: one
    for one in (
        _cloning("bc-mlp", bc_mlp.init, bc_mlp.predict),
        _cloning("bc-rnn", bc_rnn.init, bc_rnn.predict),
        Network(
            "video-rnn",
            1,
            "pictures",
            video_rnn.init,
            video_rnn.predict,
            video_rnn.errors,
            video_rnn.loss,
        ),
        Network(
            "set-transformer",
            2,
            "things",
            set_transformer.init,
            set_transformer.predict,
            set_transformer.errors,
            set_transformer.loss,
        ),
    )
}
