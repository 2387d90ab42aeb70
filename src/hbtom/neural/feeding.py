"""Training data: many episodes as compact arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

import numpy as np

from hbtom.bench.dataset import LeftOut
from hbtom.bench.workers import Progress
from hbtom.errors import BadInput
from hbtom.neural.batching import Source, batches, find_episodes
from hbtom.neural.drawing import draw
from hbtom.neural.inputs import see_steps, see_things
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array
from hbtom.neural.tensors import Pictures, Tensors

T = TypeVar("T")

AT_ONCE = 32  # episodes
HELD_OUT = 0.2  # share of the episodes that is kept for validation
_AS_BEFORE = "agent", "things", "standing"  # what stays as it is once a trial has ended


@dataclass(frozen=True)
class Episodes:
    """Episodes in random order, some at a time, and what was left out of them."""

    parts: tuple[Tensors, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(part.steps) for part in self.parts)

    def first(self, count: int) -> Episodes:
        """Return the first episodes only."""
        ends = np.cumsum([0, *(len(part.steps) for part in self.parts)]).tolist()
        parts = (
            Tensors._make(None if one is None else one[: count - end] for one in part)
            for part, end in zip(self.parts, ends, strict=False)
            if end < count
        )
        return replace(self, parts=tuple(parts))

    @property
    def held_out(self) -> int:
        """How many are kept for validation: the last ones."""
        return max(1, round(HELD_OUT * self.count))


def collect(
    source: Source, seed: int, workers: int | None = None, progress: Progress | None = None
) -> Episodes:
    """Read or make all episodes of a source, in processes. This must precede the use of JAX."""
    items = find_episodes(source)
    parts, left_out, done = list[Tensors](), list[LeftOut](), 0
    how = {"seed": seed, "pictures": False, "workers": workers, "tell": left_out.append}
    for part in batches(items, size=AT_ONCE, **how):  # type: ignore[arg-type]
        parts.append(part)
        done += len(part.steps)
        if progress is not None:
            progress(done + len(left_out), len(items))
    found = Episodes(tuple(parts), tuple(left_out))
    if found.count < 2:
        lost = f": {len(left_out)} were left out" if left_out else ""
        first = f" (the first: {left_out[0].file}: {left_out[0].why})" if left_out else ""
        hint = "give more episodes, each with nine trials"
        raise BadInput(f"there are too few episodes to learn from{lost}{first}", hint=hint)
    return found


def things_data(episodes: Episodes) -> Batch:
    """Return what the set transformer learns from."""
    return joined([see_things(part) for part in episodes.parts])


def steps_data(episodes: Episodes) -> Batch:
    """Return what all networks learn from."""
    return joined([see_steps(part) for part in episodes.parts])


@dataclass(frozen=True)
class Album:
    """All pictures of some episodes, one after the other."""

    pictures: Annotated[Pictures, "picture 84 84 3"]
    frames: Annotated[Array, "episode trial frame"]  # the number of the picture of each frame

    def followed(self) -> Annotated[Array, "picture"]:
        """Return the numbers of pictures that are followed by another one of their trial."""
        now, then = self.frames[..., :-1], self.frames[..., 1:]
        return np.unique(now[then > now]).astype(np.int32)


def draw_album(parts: Sequence[Tensors]) -> Album:
    """Draw all pictures of some episodes, in threads."""
    drawn = list(in_threads(flat_pictures, parts))
    steps = np.concatenate([part.steps for part in parts])
    ends = np.cumsum(steps.reshape(-1) + 1).reshape(steps.shape)
    number = np.minimum(np.arange(steps.max() + 1), steps[..., None])
    frames = (ends - steps - 1)[..., None] + number
    return Album(np.concatenate(drawn), frames.astype(np.int32))


def flat_pictures(part: Tensors) -> Annotated[Pictures, "picture 84 84 3"]:
    """Draw all frames that are there, one after the other."""
    drawn = []
    for things, places, steps in zip(part.things, part.places, part.steps, strict=True):
        number = np.arange(steps.max() + 1)
        drawn.append(draw(things, places[:, number])[number <= steps[:, None]])
    return np.concatenate(drawn)


def in_threads(work: Callable[[Tensors], T], parts: Sequence[Tensors]) -> Iterator[T]:
    """Yield the result of some work on each part, in order, and not far ahead."""
    many = os.cpu_count() or 1
    with ThreadPoolExecutor(many) as pool:
        for first in range(0, len(parts), 2 * many):
            yield from pool.map(work, parts[first : first + 2 * many])


def joined(batches: Sequence[Batch]) -> Batch:
    """Return all batches as one; what is short is filled up."""
    steps = max(batch["there"].shape[2] for batch in batches)
    return {
        name: np.concatenate([_filled(one, name, steps) for one in batches]) for name in batches[0]
    }


def _filled(batch: Batch, name: str, steps: int) -> Array:
    values, lacking = batch[name], steps - batch["there"].shape[2]
    if not lacking or name in ("boxes", "looks", "agent_look"):
        return values
    edges = [(0, 0)] * 2 + [(0, lacking)] + [(0, 0)] * (values.ndim - 3)
    return np.pad(values, edges, mode="edge" if name in _AS_BEFORE else "constant")
