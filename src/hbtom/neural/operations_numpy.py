"""Networks on numpy: slow and exact, with nothing to install."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hbtom.neural.operations import Array


@dataclass(frozen=True)
class Numpy:
    """The backend that runs trained networks."""

    xp: ClassVar[Any] = np
    dtype: ClassVar[Any] = np.float32
    training: ClassVar[bool] = False

    @property
    def precise(self) -> Numpy:
        """The same backend, since its numbers have 32 bits."""
        return self

    def conv(self, x: Array, kernel: Array, stride: int) -> Array:
        """Add up one matrix product for each place in the kernel."""
        side = kernel.shape[0]
        rows, columns = ((size - side) // stride + 1 for size in x.shape[1:3])
        places = [(i, j) for i in range(side) for j in range(side)]
        return sum(
            x[:, i : i + stride * rows : stride, j : j + stride * columns : stride] @ kernel[i, j]
            for i, j in places
        )

    def scan(self, step: Callable[..., Any], state: Any, inputs: Any) -> tuple[Any, Array]:
        """Loop over the first axis."""
        outputs = []
        for given in zip(*inputs, strict=True):
            state, output = step(state, given)
            outputs.append(output)
        return state, np.stack(outputs)

    def uniform(self, name: str, shape: tuple[int, ...]) -> Array:
        """Refuse: this backend does not train."""
        raise NotImplementedError
