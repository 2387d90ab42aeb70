"""Networks on JAX: compiled and differentiated, on the CPU or the GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from zlib import crc32

import jax
import jax.numpy as jnp

from hbtom.neural.operations import Array


@dataclass(frozen=True)
class Jax:
    """The backend that trains networks; with a key, it uses random numbers."""

    dtype: Any = jnp.float32
    key: Array = None
    xp: ClassVar[Any] = jnp

    @property
    def precise(self) -> Jax:
        """The same backend with 32-bit numbers."""
        return replace(self, dtype=jnp.float32)

    def conv(self, x: Array, kernel: Array, stride: int) -> Array:
        """Convolve in the way that is fastest on the device."""
        layout = "NHWC", "HWIO", "NHWC"
        return jax.lax.conv_general_dilated(
            x, kernel, (stride, stride), "VALID", dimension_numbers=layout
        )

    def scan(self, step: Callable[..., Any], state: Any, inputs: Any) -> tuple[Any, Array]:
        """Loop over the first axis, on the device."""
        return jax.lax.scan(step, state, inputs)

    @property
    def training(self) -> bool:
        """Whether there is a key."""
        return self.key is not None

    def uniform(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return random numbers that depend on the key and the name."""
        return jax.random.uniform(jax.random.fold_in(self.key, crc32(name.encode())), shape)
