"""Training a network: the encoder first, if it has one, and then the network itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hbtom.neural import contrast
from hbtom.neural.album import draw_album, drawn, frame_numbers
from hbtom.neural.nets import NETWORKS, Network
from hbtom.neural.nets.batch import Batch
from hbtom.neural.nets.encoder import encode
from hbtom.neural.operations import Array, Weights
from hbtom.neural.operations_jax import Jax
from hbtom.neural.optimise import Objective, State, optimise, start
from hbtom.neural.recipes import Recipe, TrainingPlan
from hbtom.neural.training_data import Episodes, steps_data, things_data

CHECKED = 32  # episodes per batch of validation


@dataclass(frozen=True)
class TrainingJob:
    """A network to train, and how."""

    name: str  # of the network
    plan: TrainingPlan
    seed: int = 0
    precision: str = "float32"  # or "bfloat16"

    @property
    def network(self) -> Network:
        """The network."""
        return NETWORKS[self.name]

    @property
    def dtype(self) -> Any:
        """The type of the numbers inside the network."""
        return jnp.dtype(self.precision)


@dataclass(frozen=True)
class TrainingState:
    """The state of training: everything needed to continue."""

    stage: str  # "encoder" or "network"
    state: State
    frozen: Weights  # finished weights
    loss: float = float("nan")  # recent mean
    validation: tuple[float, float] | None = None  # error before and after all training

    @property
    def step(self) -> int:
        """The number of steps of this stage that are done."""
        return int(self.state.step)

    def weights(self) -> dict[str, Array]:
        """Return the weights of the whole network, averaged."""
        return {**self.frozen, **{name: np.asarray(one) for name, one in self.state.mean.items()}}


def train(
    job: TrainingJob,
    episodes: Episodes,
    moment: TrainingState | None = None,
    data: Batch | None = None,
) -> Iterator[TrainingState]:
    """Train a network, starting from a moment if one is given; yield moments from time to time.

    The last moment has the weights of the finished network and its validation error. ``data`` is
    the result of :func:`device_data`, if it is available.
    """
    if job.plan.encoder is not None and (moment is None or moment.stage == "encoder"):
        for reached in train_encoder(job, episodes, moment):
            yield (moment := reached)
        moment = moment and with_encoder(job, moment)
    now = moment or TrainingState(
        "network", start(job.network.init(job.seed), job.plan.network), {}
    )
    data = device_data(job, episodes, now.frozen) if data is None else data
    given = {**data, "known": jnp.asarray(episodes.known, jnp.int32)}
    for reached in _advance(job.plan.network, job.seed, now, _objective(job), given):
        yield (now := reached)
    check = partial(validate, job, episodes, data)
    before = {**job.network.init(job.seed), **now.frozen}
    yield replace(now, validation=(check(before), check(now.weights())))


def train_encoder(
    job: TrainingJob, episodes: Episodes, moment: TrainingState | None = None
) -> Iterator[TrainingState]:
    """Train the encoder on the first episodes."""
    recipe = job.plan.encoder
    if recipe is None:
        raise ValueError(f"{job.name} has no encoder")
    album = draw_album(episodes.parts[: -(-job.plan.shown // len(episodes.parts[0].steps))])
    followed = album.followed()
    rows = np.searchsorted(followed, album.frames[: episodes.shown].max())
    data = jax.device_put({"pictures": album.pictures, "followed": followed, "rows": rows})
    moment = moment or TrainingState("encoder", start(contrast.init(job.seed), recipe), {})
    loss = contrast.objective(recipe.batch, job.dtype)
    yield from _advance(recipe, job.seed, moment, loss, data)


def with_encoder(job: TrainingJob, moment: TrainingState) -> TrainingState:
    """Return the moment at which training a network begins once its encoder is trained."""
    own = job.network.init(job.seed)
    shared = {name for name in own if name.startswith("encoder/")}
    frozen = {name: np.asarray(moment.state.weights[name]) for name in shared}
    rest = {name: one for name, one in own.items() if name not in shared}
    return TrainingState("network", start(rest, job.plan.network), frozen)


def _advance(
    recipe: Recipe, seed: int, moment: TrainingState, objective: Objective, data: Any
) -> Iterator[TrainingState]:
    yield moment
    for state, loss in optimise(objective, recipe, seed, moment.state, data):
        yield replace(moment, state=state, loss=loss)


def _objective(job: TrainingJob) -> Objective:
    """Return the loss of a network on a random batch, with a random trial as the target."""
    size = job.plan.network.batch

    def objective(weights: Weights, mean: Weights, key: Array, data: Batch) -> Array:
        ops, count = Jax(job.dtype, key), data["there"].shape[1]
        most = jnp.stack([data["known"], count])[:, None, None]
        luck = ops.uniform("episodes", (2, size, 1)) * most
        rows, last = jnp.floor(luck).astype(int)
        trials = (last + 1 + jnp.arange(count)) % count  # the order of the others does not matter
        return job.network.loss(ops, weights, take(data, rows, trials))

    return objective


def take(data: Batch, rows: Array, trials: Array) -> Batch:
    """Return these trials of these episodes, with their pictures if there are any."""
    given = data.keys() - {"album", "known"}
    picked = {name: data[name][rows, trials] for name in sorted(given)}
    if "album" in data:
        picked["pictures"] = data["album"][picked.pop("frames")]
    return picked


def device_data(job: TrainingJob, episodes: Episodes, frozen: Weights) -> Batch:
    """Return the training data of a network, on the device."""
    if job.network.sees == "things":
        return jax.device_put(things_data(episodes))
    data = dict(steps_data(episodes))
    if job.network.sees == "states":
        data["states"] = encoded(job, episodes, frozen)
    else:
        album = draw_album(episodes.parts)
        data |= {"frames": album.frames, "album": album.pictures}
    return jax.device_put(data)


def encoded(job: TrainingJob, episodes: Episodes, weights: Weights) -> Array:
    """Return the encoded states of all pictures, ``[episode, trial, step, 128]``."""
    work = jax.jit(lambda weights, x: encode(Jax(job.dtype), weights, x).astype(jnp.float16))
    weights = jax.device_put(dict(weights))
    states = jnp.concatenate([work(weights, some) for some in drawn(episodes.parts)])
    return states[frame_numbers(episodes.parts)[..., :-1]]


def validate(job: TrainingJob, episodes: Episodes, data: Batch, weights: Weights) -> float:
    """Return the mean error on the held-out episodes."""
    ops, trials = Jax(), jnp.arange(data["there"].shape[1])[None]

    @jax.jit
    def total(weights: Weights, rows: Array, data: Batch) -> tuple[Array, Array]:
        batch = take(data, rows[:, None], trials)
        there = batch["there"][:, -1] & (rows >= 0)[:, None]
        return jnp.where(there, job.network.errors(ops, weights, batch), 0).sum(), there.sum()

    rows = np.arange(episodes.count - episodes.held_out, episodes.count)
    size = min(CHECKED, len(rows))
    filled = np.pad(rows, (0, -len(rows) % size), constant_values=-1).reshape(-1, size)
    error, steps = np.sum([total(weights, one, data) for one in filled], axis=0)
    return float(error / steps)
