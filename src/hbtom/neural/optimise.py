"""Training: Adam on the device, many steps at a time.

A step depends only on its number and the seed, so that training can stop anywhere and continue
later, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from time import monotonic
from typing import Any

import jax
import jax.numpy as jnp

from hbtom.neural.operations import Array, Weights
from hbtom.neural.recipes import Recipe

FIRST, SECOND = 0.9, 0.999  # how long Adam remembers gradients and their squares
TINY = 1e-8

Data = Any  # arrays on the device
Objective = Callable[[Weights, Weights, Array, Data], Array]  # weights, their mean, a key, data
Step = Callable[[Data, "State"], tuple["State", Array]]
Many = Callable[["State", Data], tuple["State", Array]]


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """The state of training."""

    step: Array  # number of steps done
    steps: Array  # number of steps to do
    weights: dict[str, Array]
    mean: dict[str, Array]  # of the weights
    first: dict[str, Array]  # mean gradient
    second: dict[str, Array]  # mean squared gradient


def start(weights: Weights, recipe: Recipe) -> State:
    """Return the state before the first step."""
    own = {name: jnp.asarray(values) for name, values in weights.items()}
    zeros = {name: jnp.zeros_like(values) for name, values in own.items()}
    done, wanted = jnp.asarray(0, jnp.int32), jnp.asarray(recipe.steps, jnp.int32)
    return State(done, wanted, own, own, zeros, zeros)


def optimise(
    objective: Objective, recipe: Recipe, seed: int, state: State, data: Data
) -> Iterator[tuple[State, float]]:
    """Train until all steps are done; yield the state and the mean loss from time to time."""
    key = jax.random.key(seed, impl="rbg")  # quick to compile, and quick on GPUs
    advance = _on_cpu if jax.default_backend() == "cpu" else _on_gpu
    many = advance(partial(_step, objective, recipe, key), recipe.stride)
    for strides in count():
        if state.step >= state.steps:
            return
        began = monotonic()
        state, loss = many(state, data)
        yield state, float(loss)
        if strides == 1 and recipe.seconds is not None:  # the first stride includes compiling
            left = int(recipe.seconds / (monotonic() - began)) * recipe.stride
            steps = jnp.minimum(state.steps, state.step + left)
            state = replace(state, steps=steps.astype(jnp.int32))


def _step(
    objective: Objective, recipe: Recipe, key: Array, data: Data, state: State
) -> tuple[State, Array]:
    luck = jax.random.fold_in(key, state.step)
    loss, gradient = jax.value_and_grad(objective)(state.weights, state.mean, luck, data)
    return adam(recipe, state, gradient), loss


def _on_gpu(step: Step, length: int) -> Many:
    """Return many steps as a loop on the device."""

    def many(state: State, data: Data) -> tuple[State, Array]:
        state, losses = jax.lax.scan(lambda at, _: step(data, at), state, length=length)
        return state, losses.mean()

    return jax.jit(many)


def _on_cpu(step: Step, length: int) -> Many:
    """Return many steps, one after the other: inside loops, the CPU lacks fast convolutions."""
    once = jax.jit(step)

    def many(state: State, data: Data) -> tuple[State, Array]:
        losses = []
        for _ in range(length):
            state, loss = once(data, state)
            losses.append(loss)
        return state, jnp.stack(losses).mean()

    return many


def adam(recipe: Recipe, state: State, gradient: Weights) -> State:
    """Return the state after one more step (Kingma and Ba 2015)."""
    norm = jnp.sqrt(sum((one**2).sum() for one in gradient.values()))
    scale = jnp.minimum(1, recipe.clip / jnp.maximum(norm, TINY))
    each = jax.tree.map
    first = each(lambda m, g: FIRST * m + (1 - FIRST) * scale * g, state.first, gradient)
    second = each(lambda v, g: SECOND * v + (1 - SECOND) * (scale * g) ** 2, state.second, gradient)
    done = state.step + 1
    rate = _rate(recipe, state) / (1 - FIRST**done)
    bias = 1 - SECOND**done
    weights = each(
        lambda w, m, v: w - rate * m / (jnp.sqrt(v / bias) + TINY), state.weights, first, second
    )
    share = _share(recipe, state)
    mean = each(lambda a, w: a + share * (w - a), state.mean, weights)
    return State(done, state.steps, weights, mean, first, second)


def _rate(recipe: Recipe, state: State) -> Array:
    """Return the learning rate: it rises at first, and may then fall to zero."""
    fall = 0.5 * (1 + jnp.cos(jnp.pi * state.step / state.steps)) if recipe.falls else 1.0
    return recipe.rate * jnp.minimum(1, (state.step + 1) / (0.02 * state.steps + 1)) * fall


def _share(recipe: Recipe, state: State) -> Array:
    """Return the share of the weights that goes into their mean."""
    if recipe.follow is not None:
        return jnp.asarray(recipe.follow)
    return 1 / jnp.maximum(1, state.step + 1 - (1 - recipe.averaged) * state.steps)
