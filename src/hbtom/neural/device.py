"""The device that trains networks; JAX reads these settings when it is first used."""

from __future__ import annotations

import os
from typing import Literal

from hbtom.errors import BadInput, needed

Device = Literal["cpu", "gpu"]
# Without these flags, the same training on the same GPU ends with different weights.
FLAGS = "--xla_gpu_deterministic_ops=true"


def choose_device(wanted: Device | None) -> Device:
    """Make JAX use a device, by default a GPU if there is one; return which one it is."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}".strip()
    with needed("jax", "train"):
        import jax

    if wanted == "cpu":
        jax.config.update("jax_platforms", "cpu")  # type: ignore[no-untyped-call]
    found: Device = "gpu" if jax.default_backend() == "gpu" else "cpu"
    if wanted == "gpu" and found != "gpu":
        hint = "install JAX for your GPU (jax[cuda13] for NVIDIA), or use --device cpu"
        raise BadInput("JAX finds no GPU", hint=hint)
    return found
