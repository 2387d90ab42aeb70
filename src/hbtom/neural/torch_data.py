"""Episodes for PyTorch, which is optional: hbtom itself does not need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hbtom.bench.pairs import LeftOut
from hbtom.errors import BadInput
from hbtom.neural.batching import BACKGROUND, Prepare, Source, find_episodes
from hbtom.neural.tensors import Tensors, stacked

if TYPE_CHECKING:
    from collections.abc import Sequence


def torch_dataset(source: Source = BACKGROUND, *, seed: int = 0, pictures: bool = True) -> Any:
    """Return a ``torch.utils.data.Dataset``: each item is an episode as :class:`Tensors`.

    Trials are shuffled as by :func:`hbtom.neural.batches`. Give :func:`collate` to a ``DataLoader``
    as its ``collate_fn``. An episode that cannot be used raises :class:`hbtom.BadInput`.
    """
    try:
        from torch.utils.data import Dataset
    except ImportError:
        hint = "install PyTorch, or use hbtom.neural.batches, which needs only numpy"
        raise BadInput("this needs the library torch", hint=hint) from None
    items, work = find_episodes(source), Prepare(seed, pictures)

    class Episodes(Dataset):  # type: ignore[misc, type-arg, unused-ignore]
        """Episodes as arrays."""

        def __len__(self) -> int:
            return len(items)

        def __getitem__(self, number: int) -> Tensors:
            (ready,) = work([(range(len(items))[number], items[number])])
            if isinstance(ready, LeftOut):
                raise BadInput(ready.why, file=ready.file)
            return ready

    return Episodes()


def collate(episodes: Sequence[Tensors]) -> dict[str, Any]:
    """Return a batch of episodes as PyTorch tensors, by name."""
    import torch

    batch = stacked(episodes)._asdict()
    return {name: torch.from_numpy(one) for name, one in batch.items() if one is not None}
