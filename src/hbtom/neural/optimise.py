"""Training: Adam on the device, many steps at a time.

What happens in a step follows from its number and the seed, so that training may stop anywhere and
go on later, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from hbtom.neural.operations import Array, Weights
from hbtom.neural.recipes import Recipe

FIRST, SECOND = 0.9, 0.999  # how long Adam remembers gradients and their squares
TINY = 1e-8

Data = Any  # arrays on the device
Objective = Callable[[Weights, Weights, Array, Data], Array]  # weights, their mean, a key, data


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """Where training stands."""

    step: Array  # as many are done
    weights: dict[str, Array]
    mean: dict[str, Array]  # of the weights
    first: dict[str, Array]  # mean gradient
    second: dict[str, Array]  # mean squared gradient


def start(weights: Weights) -> State:
    """Return the state before the first step."""
    own = {name: jnp.asarray(values) for name, values in weights.items()}
    zeros = {name: jnp.zeros_like(values) for name, values in own.items()}
    return State(jnp.zeros((), jnp.int32), own, own, zeros, zeros)


def optimise(
    objective: Objective, recipe: Recipe, seed: int, state: State, data: Data
) -> Iterator[tuple[State, float]]:
    """Train until all steps are done; yield the state and the mean loss now and then."""
    key = jax.random.key(seed)
    advance = jax.jit(partial(_advance, objective, recipe))
    while int(state.step) < recipe.steps:
        state, losses = advance(state, key, data)
        yield state, float(losses.mean())


def _advance(
    objective: Objective, recipe: Recipe, state: State, key: Array, data: Data
) -> tuple[State, Array]:
    def step(state: State, _: None) -> tuple[State, Array]:
        luck = jax.random.fold_in(key, state.step)
        loss, gradient = jax.value_and_grad(objective)(state.weights, state.mean, luck, data)
        return adam(recipe, state, gradient), loss

    return jax.lax.scan(step, state, length=recipe.stride)


def adam(recipe: Recipe, state: State, gradient: Weights) -> State:
    """Return the state after one more step (Kingma and Ba 2015)."""
    norm = jnp.sqrt(sum((one**2).sum() for one in gradient.values()))
    scale = jnp.minimum(1, recipe.clip / jnp.maximum(norm, TINY))
    each = jax.tree.map
    first = each(lambda m, g: FIRST * m + (1 - FIRST) * scale * g, state.first, gradient)
    second = each(lambda v, g: SECOND * v + (1 - SECOND) * (scale * g) ** 2, state.second, gradient)
    count = state.step + 1
    rate = _rate(recipe, state.step) / (1 - FIRST**count)
    bias = 1 - SECOND**count
    weights = each(
        lambda w, m, v: w - rate * m / (jnp.sqrt(v / bias) + TINY), state.weights, first, second
    )
    share = _share(recipe, state.step)
    mean = each(lambda a, w: a + share * (w - a), state.mean, weights)
    return State(count, weights, mean, first, second)


def _rate(recipe: Recipe, step: Array) -> Array:
    """Return the learning rate: it rises at first, and may then fall to zero."""
    fall = 0.5 * (1 + jnp.cos(jnp.pi * step / recipe.steps)) if recipe.falls else 1.0
    return recipe.rate * jnp.minimum(1, (step + 1) / (0.02 * recipe.steps + 1)) * fall


def _share(recipe: Recipe, step: Array) -> Array:
    """Return the share of the weights that goes into their mean."""
    if recipe.follow is not None:
        return jnp.asarray(recipe.follow)
    return 1 / jnp.maximum(1, step + 1 - (1 - recipe.averaged) * recipe.steps)
