"""Training data: many episodes as compact arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b

import numpy as np

from hbtom.bench.pairs import LeftOut
from hbtom.bench.workers import Progress
from hbtom.errors import BadInput
from hbtom.neural.batching import Source, batches, find_episodes
from hbtom.neural.inputs import see_steps, see_things
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array
from hbtom.neural.tensors import Tensors

AT_ONCE = 32  # episodes per part
HELD_OUT = 0.2  # share of the episodes that are kept for validation
_AS_BEFORE = "agent", "things", "standing"  # these keep their values once a trial has ended


@dataclass(frozen=True)
class Episodes:
    """Episodes in random order, in parts, and the episodes that were left out."""

    parts: tuple[Tensors, ...]
    left_out: tuple[LeftOut, ...]
    limit: int | None = None  # learn only from this many, the first ones; by default from all

    @property
    def count(self) -> int:
        """The number of episodes."""
        return sum(len(part.steps) for part in self.parts)

    def first(self, count: int) -> Episodes:
        """Return only the first episodes."""
        ends = np.cumsum([0, *(len(part.steps) for part in self.parts)]).tolist()
        parts = (
            Tensors._make(None if one is None else one[: count - end] for one in part)
            for part, end in zip(self.parts, ends, strict=False)
            if end < count
        )
        return replace(self, parts=tuple(parts))

    @cached_property
    def digest(self) -> str:
        """A hash that is the same only for the same episodes in the same order."""
        found = blake2b(digest_size=16)
        for one in (one for part in self.parts for one in part if one is not None):
            found.update(repr(one.shape).encode())
            found.update(np.ascontiguousarray(one).data)
        return found.hexdigest()

    @property
    def held_out(self) -> int:
        """The number of episodes kept for validation: the last ones."""
        return max(1, round(HELD_OUT * self.count))

    @property
    def shown(self) -> int:
        """The number of episodes from which the encoder, which needs no actions, may learn."""
        return min(self.limit or self.count, self.count)

    @property
    def known(self) -> int:
        """The number of episodes to learn from: the first ones, never those held out."""
        wanted = self.shown - round(HELD_OUT * self.shown)
        return min(max(1, wanted), self.count - self.held_out)


def collect(
    source: Source, seed: int, workers: int | None = None, progress: Progress | None = None
) -> Episodes:
    """Read or generate all episodes of a source, in processes; do this before JAX is used."""
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
        first = f" (first {left_out[0].file}: {left_out[0].why})" if left_out else ""
        hint = "give more episodes, each with nine trials"
        raise BadInput(f"there are too few episodes to learn from{lost}{first}", hint=hint)
    return found


def things_data(episodes: Episodes) -> Batch:
    """Return the data for the set transformer, with no more slots than its things need."""
    data = joined([see_things(part) for part in episodes.parts])
    things, boxes = (
        int((one > 0).sum(axis=-1).max()) for one in (data["looks"], data["boxes"][..., 2])
    )
    return data | {
        "things": data["things"][..., :things, :],
        "looks": data["looks"][..., :things],
        "boxes": data["boxes"][..., :boxes, :],
        "standing": data["standing"][..., :boxes],
    }


def steps_data(episodes: Episodes) -> Batch:
    """Return the data that all networks learn from."""
    return joined([see_steps(part) for part in episodes.parts])


def joined(batches: Sequence[Batch]) -> dict[str, Array]:
    """Return all batches as one; short arrays are padded."""
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
