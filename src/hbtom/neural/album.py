"""All pictures of many episodes, one after the other: drawn in threads, or by a GPU."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from hbtom.neural.drawing import draw
from hbtom.neural.drawing_anywhere import draw_anywhere
from hbtom.neural.operations import Array
from hbtom.neural.tensors import Pictures, Tensors

T = TypeVar("T")
AT_ONCE = {"cpu": 256}  # pictures per batch
MOST = 2048  # pictures per batch, on other devices


@dataclass(frozen=True)
class Album:
    """All pictures of these episodes, and blank ones at the end."""

    pictures: Annotated[Array, "picture 84 84 3"]  # on the device that drew them
    frames: Annotated[Array, "episode trial frame"]  # the number of the picture of each frame

    def followed(self) -> Annotated[Array, "picture"]:
        """Return the numbers of pictures that another picture of the same trial follows."""
        now, then = self.frames[..., :-1], self.frames[..., 1:]
        return np.unique(now[then > now]).astype(np.int32)


def draw_album(parts: Sequence[Tensors]) -> Album:
    """Draw all pictures of these episodes."""
    join = np.concatenate if jax.default_backend() == "cpu" else jnp.concatenate
    return Album(join(list(drawn(parts))), frame_numbers(parts))


def frame_numbers(parts: Sequence[Tensors]) -> Annotated[Array, "episode trial frame"]:
    """Return the number of each frame's picture; missing frames repeat the last one."""
    steps = np.concatenate([part.steps for part in parts])
    ends = np.cumsum(steps.reshape(-1) + 1).reshape(steps.shape)
    number = np.minimum(np.arange(steps.max() + 1), steps[..., None])
    return ((ends - steps - 1)[..., None] + number).astype(np.int32)


def drawn(parts: Sequence[Tensors]) -> Iterator[Annotated[Array, "picture 84 84 3"]]:
    """Yield all pictures in batches of equal size; the last is padded with blank ones."""
    device = jax.default_backend()
    many = AT_ONCE.get(device, MOST)
    if device == "cpu":
        pictures = ((one,) for one in _in_threads(flat_pictures, parts))
        yield from (one for (one,) in _chunks(pictures, many))
    else:
        work = partial(flat_frames, slots=max(part.things.shape[2] for part in parts))
        paint = jax.jit(lambda things, places: draw_anywhere(jnp, things, places)[:, 0])
        yield from (paint(*one) for one in _chunks(_in_threads(work, parts), many))


def flat_pictures(part: Tensors) -> Annotated[Pictures, "picture 84 84 3"]:
    """Draw all existing frames, one after the other."""
    drawn = []
    for things, places, steps in zip(part.things, part.places, part.steps, strict=True):
        number = np.arange(steps.max() + 1)
        drawn.append(draw(things, places[:, number])[number <= steps[:, None]])
    return np.concatenate(drawn)


def flat_frames(part: Tensors, slots: int) -> tuple[Array, Array]:
    """Return things and places of all existing frames, each as a separate trial."""
    lacking = [(0, 0)] * 2 + [(0, slots - part.things.shape[2]), (0, 0)]
    things, places = np.pad(part.things, lacking), np.pad(part.places, [(0, 0), *lacking])
    episode, trial, frame = np.nonzero(np.arange(places.shape[2]) <= part.steps[..., None])
    return things[episode, trial], places[episode, trial, frame][:, None]


def _in_threads(work: Callable[[Tensors], T], parts: Sequence[Tensors]) -> Iterator[T]:
    """Yield the result of work on each part, in order, without running far ahead."""
    many = os.cpu_count() or 1
    with ThreadPoolExecutor(many) as pool:
        for first in range(0, len(parts), 2 * many):
            yield from pool.map(work, parts[first : first + 2 * many])


def _chunks(given: Iterable[tuple[Array, ...]], size: int) -> Iterator[tuple[Array, ...]]:
    """Yield the same rows of arrays, ``size`` at a time; the last chunk is padded with zeros."""
    left: tuple[Array, ...] = ()
    for arrays in given:
        left = tuple(map(np.concatenate, zip(left, arrays, strict=True))) if left else arrays
        for _ in range(len(left[0]) // size):
            yield tuple(one[:size] for one in left)
            left = tuple(one[size:] for one in left)
    if left and len(left[0]):
        lacking = size - len(left[0])
        yield tuple(np.pad(one, [(0, lacking)] + [(0, 0)] * (one.ndim - 1)) for one in left)
