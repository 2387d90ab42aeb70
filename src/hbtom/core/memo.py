"""What was planned before, remembered by what planning depends on.

Functions are remembered by their code and by the values that it uses, not by their identity: a
function that is made again is the same, and one that uses an array that has changed is another.
"""

from __future__ import annotations

import hashlib
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from threading import RLock
from typing import Any

import numpy as np

_MOST = 96 * 2**20  # bytes of arrays that are kept


class Memo:
    """Results by key; the ones used least recently are dropped when there are too many bytes.

    The newest result is always kept. Several threads may use it; each key is computed once at a
    time.
    """

    def __init__(self, most: int = _MOST) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._lock = RLock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make()`` returned for this key, and call it if it is not remembered."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        value = make()
        size = bytes_of(value)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = value, size
                self._bytes += size
                while self._bytes > self.most and len(self._kept) > 1:
                    _, (_, dropped) = self._kept.popitem(last=False)
                    self._bytes -= dropped
            return self._kept[key][0]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)


plans = Memo()


def bytes_of(value: Any, depth: int = 6) -> int:
    """Return about how many bytes the arrays in a value take."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + 100
    if depth == 0:
        return 50
    if isinstance(value, Mapping):
        return 100 + sum(bytes_of(one, depth - 1) for one in value.values())
    if isinstance(value, tuple | list):
        return 50 + sum(bytes_of(one, depth - 1) for one in value)
    if is_dataclass(value):
        return 100 + sum(bytes_of(one, depth - 1) for one in vars(value).values())
    return 50


# Fingerprints

Seen = dict[int, tuple[int, Any]]  # by identity, when a value was met, and the value


def fingerprint(*values: Any) -> str:
    """Return 16 hexadecimal digits that change when a value, or code that a function runs, changes.

    A function counts with its code, its defaults, and the globals and variables that it uses; an
    object with its attributes. Objects without any, such as random generators, cannot be told from
    others of their kind.
    """
    digest = hashlib.blake2b(digest_size=8)
    _add(digest, values, {})
    return digest.hexdigest()


def _add(digest: Any, value: Any, seen: Seen) -> None:
    """Add a value to a digest; one that was met before counts by when it was met."""
    plain = value is None or isinstance(value, bool | int | float | complex | str | bytes)
    if plain or isinstance(value, np.generic):
        digest.update(f"{type(value).__name__}:{value!r};".encode())
        return
    if id(value) in seen:
        digest.update(f"met {seen[id(value)][0]};".encode())
        return
    seen[id(value)] = len(seen), value  # kept, lest its identity pass to another
    digest.update(f"{type(value).__name__}(".encode())
    if isinstance(value, np.ndarray):
        digest.update(f"{value.shape}{value.dtype}".encode())
        if value.dtype == object:
            _add(digest, value.tolist(), seen)
        else:
            digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, tuple | list):
        for one in value:
            _add(digest, one, seen)
    elif isinstance(value, set | frozenset):
        for one in sorted(value, key=repr):
            _add(digest, one, seen)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            _add(digest, name, seen)
            _add(digest, one, seen)
    else:
        _add_object(digest, value, seen)
    digest.update(b")")


def _add_object(digest: Any, value: Any, seen: Seen) -> None:
    if hasattr(value, "digest") and isinstance(value.digest, str):  # frozen, and hashed once
        digest.update(value.digest.encode())
    elif isinstance(value, types.FunctionType):
        _add(
            digest, [value.__defaults__, value.__kwdefaults__, getattr(value, "needs", None)], seen
        )
        _add_code(digest, value.__code__, value.__globals__, seen)
        for cell in value.__closure__ or ():
            try:
                _add(digest, cell.cell_contents, seen)
            except ValueError:  # not assigned yet
                digest.update(b"empty")
    elif isinstance(value, types.MethodType):
        _add(digest, [value.__func__, value.__self__], seen)
    elif isinstance(value, types.ModuleType):
        digest.update(value.__name__.encode())
    elif isinstance(value, type):
        digest.update(f"{value.__module__}.{value.__qualname__}".encode())
        if value.__module__.split(".")[0] not in _SETTLED:
            for name, one in sorted(vars(value).items()):
                if isinstance(one, types.FunctionType | property | staticmethod):
                    digest.update(name.encode())
                    _add(digest, getattr(one, "fget", None) or getattr(one, "__func__", one), seen)
    elif isinstance(value, range | slice):
        digest.update(repr(value).encode())
    elif is_dataclass(value):
        _add(digest, type(value), seen)
        _add(digest, [getattr(value, one.name) for one in fields(value)], seen)
    elif callable(value) and hasattr(value, "func"):  # functools.partial
        _add(digest, [value.func, value.args, value.keywords], seen)
    else:
        _add(digest, type(value), seen)
        _add(digest, getattr(value, "__dict__", None), seen)
        slots = getattr(type(value), "__slots__", ())
        _add(digest, [getattr(value, name, None) for name in slots], seen)


_SETTLED = ("hbtom", "numpy", "builtins")  # their code does not change while a program runs


def _add_code(digest: Any, code: Any, known: Mapping[str, Any], seen: Seen) -> None:
    """Add code, and the globals that it uses."""
    digest.update(code.co_code)
    _add(digest, [code.co_names, code.co_varnames], seen)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            _add_code(digest, one, known, seen)
        else:
            _add(digest, one, seen)
    for name in code.co_names:
        if name in known:
            one = known[name]
            settled = getattr(one, "__module__", "") or ""
            if callable(one) and str(settled).split(".")[0] in _SETTLED:
                digest.update(f"{settled}.{getattr(one, '__qualname__', name)}".encode())
            else:
                _add(digest, one, seen)
