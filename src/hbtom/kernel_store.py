"""Compiled kernels on disk.

Compiled code depends on the path and the text of the sources, the versions of numba and Python, and
the CPU. For every combination of these there is a folder. Each kernel has one file in it, which
starts with a digest of the rest. A file that is damaged, or belongs to another kernel, does not
have the right digest. It counts as missing: the kernel is compiled again and replaces it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hbtom.cache import cache_folder
from hbtom.errors import BadInput

SOURCES = Path(__file__).parent
ROOMS = ("observe", "world", "plan", "mind", "judgement")  # packages that have kernels
KEPT = 8  # folders that are never removed: those used last
UNUSED = 7 * 24 * 3600  # seconds after which any other folder is removed
_DIGEST = hashlib.sha256().digest_size


class KernelFile:
    """The file of one kernel; to numba, it is the cache of a dispatcher."""

    def __init__(self, folder: Path, name: str) -> None:
        self.cache_path = str(folder)
        self._path = folder / f"{name}.kernel"
        self._key = f"{folder.name} {name}".encode()

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None if there is no valid file."""
        try:
            data = self._path.read_bytes()
            if data[:_DIGEST] != self._digest(data[_DIGEST:]):
                return None
            from numba.core.compiler import CompileResult
            from numba.core.runtime.nrt import rtsys

            rebuild: Any = CompileResult._rebuild
            runtime: Any = rtsys  # enough to run code; loading the compiler would take longer
            runtime.initialize(target_context)
            return rebuild(target_context, *pickle.loads(data[_DIGEST:]))
        except Exception:  # whatever is wrong with the file, compiling replaces it
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel, if possible."""
        if result.library.has_dynamic_globals:  # it holds addresses of this process
            return
        from numba.core import serialize

        dumps: Any = serialize.dumps
        data = dumps(result._reduce())
        _replace(self._path, self._digest(data) + data)

    def flush(self) -> None:
        """Do nothing: everything that numba needs to know about a kernel is in its file."""

    def _digest(self, data: bytes) -> bytes:
        return hashlib.sha256(self._key + data).digest()


def writable_folder() -> Path | None:
    """Return the folder for kernels, or None if it is not writable; remove old ones beside it."""
    try:
        folder = kernel_folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except (BadInput, OSError, ImportError):
        return None
    _remove_unused(folder.parent)
    return folder


def kernel_folder() -> Path:
    """Return the folder of kernels compiled from these sources, by this numba, for this CPU."""
    return cache_folder("compiled") / fingerprint()


def fingerprint() -> str:
    """Return a short digest of everything that compiled code depends on."""
    versions = version("numba"), version("llvmlite"), sys.version
    key = hashlib.sha256(json.dumps([str(SOURCES), versions, _cpu()]).encode())
    rooms = [path for room in ROOMS for path in sorted((SOURCES / room).rglob("*.py"))]
    for path in [*sorted(SOURCES.glob("*.py")), *rooms]:
        key.update(path.read_bytes())
    return key.hexdigest()[:12]


def _cpu() -> list[str | None]:
    """Return the CPU's name and features, and the variables that make numba assume another."""
    from llvmlite import binding

    names = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_ENABLE_AVX"
    features = None
    with suppress(RuntimeError):  # unknown on some platforms
        features = binding.get_host_cpu_features().flatten()
    return [binding.get_host_cpu_name(), features, *map(os.environ.get, names)]


def _remove_unused(parent: Path) -> None:
    """Remove folders of kernels that have not been used for long, such as those of old versions."""
    with suppress(OSError):
        folders = [one for one in parent.iterdir() if re.fullmatch("[0-9a-f]{12}", one.name)]
        used = {one: one.stat().st_mtime for one in folders}
        for one in sorted(folders, key=used.__getitem__, reverse=True)[KEPT:]:
            if time.time() - used[one] > UNUSED:
                shutil.rmtree(one, ignore_errors=True)


# Markers: all kernels for a purpose are compiled


def write_marker(folder: Path, what: str) -> None:
    """Record that all kernels for ``what`` have been compiled and are in the folder."""
    sizes = {path.name: path.stat().st_size for path in folder.glob("*.kernel")}
    _replace(folder / f"{what}.ready", json.dumps(sizes).encode())


def is_complete(what: str) -> bool:
    """Return whether all kernels for ``what`` are in the folder, so that loading is enough."""
    try:
        if not cache_folder("compiled").is_dir():  # quicker than identifying the CPU
            return False
        folder = kernel_folder()
        sizes = json.loads((folder / f"{what}.ready").read_bytes())
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (BadInput, OSError, ImportError, ValueError, AttributeError, TypeError):
        return False


def source_digest(files: Iterable[str], constants: object = ()) -> str:
    """Return a short digest of the text of the files, and of constants."""
    texts = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in sorted(set(files))]
    texts.append(repr(constants))
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:12]


def _replace(path: Path, data: bytes) -> None:
    """Write a file atomically, whatever is there; do nothing if it cannot be written."""
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with open(handle, "wb") as stream:
                stream.write(data)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
