"""Compile networks quickly, since they run only briefly. JAX reads this when it starts."""

import mmap
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HASTE = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
SIMPLE = "--xla_cpu_use_fusion_emitters"  # they take more than half of the compile time


def knows(flag: str) -> bool:
    """Return whether this JAX has a flag; with an unknown one it would not start."""
    found = find_spec("jaxlib")
    for file in Path(found.origin).parent.glob("*jax_common*") if found and found.origin else ():
        with file.open("rb") as data, mmap.mmap(data.fileno(), 0, access=mmap.ACCESS_READ) as text:
            return text.find(flag.strip("-").encode()) >= 0
    return False


flags = [os.environ.get("XLA_FLAGS", ""), HASTE, f"{SIMPLE}=false" if knows(SIMPLE) else ""]
os.environ["XLA_FLAGS"] = " ".join(filter(None, flags))


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """Keep what JAX compiles for the tests of a module, which train the same network again."""
    import jax
    from jax.experimental.compilation_cache import compilation_cache

    least = "jax_persistent_cache_min_compile_time_secs"
    before = {name: getattr(jax.config, name) for name in ("jax_compilation_cache_dir", least)}
    jax.config.update("jax_compilation_cache_dir", str(tmp_path_factory.mktemp("compiled")))
    jax.config.update(least, 0.1)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
