"""Networks are compiled in a hurry: they run only for a moment. JAX reads this when it starts."""

import os

import pytest

HASTE = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {HASTE}".strip()


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """Keep what JAX compiles, for the tests of a module that train the same network again."""
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
