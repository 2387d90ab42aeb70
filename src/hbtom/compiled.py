"""Kernels: hot functions that are compiled if numba is installed, and run as plain Python if not.

A kernel is an ordinary function on arrays and numbers, written in the subset of Python that numba
compiles. Until :func:`start_compiler` is called, it runs as plain Python, so that judging one
episode does not wait for a compiler to load. Compiled or not, it does the same operations in the
same order, so results are the same, bit for bit.

Annotations say what a kernel takes: ``Annotated[Floats, "step goal"]`` is an array with two axes.
Each kernel is compiled once, for these types only, and kept in the cache folder if that is writable
(:mod:`hbtom.kernel_store`). If a kernel calls another, its file has the code of both.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Generic, TypeVar

from hbtom.kernel_store import KernelFile, source_digest, writable_folder, write_marker
from hbtom.signatures import Flat, flattened, hints_of, is_tuple, numba_type

R = TypeVar("R")
_ONE_AT_A_TIME = RLock()  # threads that compile


class Kernel(Generic[R]):
    """A function that is compiled once the compiler has been started."""

    all: ClassVar[list[Kernel[Any]]] = []  # every kernel and every part
    compiling: ClassVar[bool] = False
    folder: ClassVar[Path | None] = None  # where compiled kernels are kept, if they can be
    standard: ClassVar[bool] = False  # whether numba compiles in its own way, which takes longer

    def __init__(self, function: Callable[..., R], plain: Callable[..., R], *, typed: bool) -> None:
        update_wrapper(self, function)
        self.plain = plain
        self._function, self._typed = function, typed
        self._run = plain
        self._dispatcher: Any = None  # compiled for calls from Python
        self._inner: Any = None  # compiled for calls from other kernels
        with _ONE_AT_A_TIME:
            Kernel.all.append(self)
            if Kernel.compiling:
                self.prepare()

    def __call__(self, *args: Any) -> R:
        return self._run(*args)

    def prepare(self) -> None:
        """Prepare the function for the compiler, which compiles it when it is first called."""
        self._inner = _made(self._function, called_from_python=False)
        self._find_template = self._inner.get_call_template
        self._inner.get_call_template = self._call_template
        if self._typed and self._dispatcher is None:
            self._run = self._first

    def compile(self) -> None:
        """Compile a kernel, or load it from disk, before it is called for the first time."""
        with _ONE_AT_A_TIME:
            if self._run != self._first:  # it is a part, or another thread was faster
                return
            try:
                self._compile()
            except Exception as error:
                if Kernel.standard:
                    raise
                _prepare_all(standard=True)
                try:
                    self._compile()
                except Exception:
                    _prepare_all(standard=False)
                    raise error from None  # the mistake is in the kernel

    def _compile(self) -> None:
        flat = Flat(self._function, self._types, lambda compiled: compiled)
        if any(map(is_tuple, self._hints.values())):
            flat = flattened(self, self._hints)
        dispatcher = _made(flat.function, called_from_python=True)
        if Kernel.folder is not None and (name := self._name()) is not None:
            dispatcher._cache = KernelFile(Kernel.folder, name)
        with _fast_compilation():
            dispatcher.compile(flat.types)
        dispatcher.disable_compile()  # other types are converted, or are mistakes
        self._dispatcher, self._run = dispatcher, flat.called_by(dispatcher)

    def _first(self, *args: Any) -> R:
        self.compile()
        return self(*args)

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return hints_of(self._function)

    @cached_property
    def _types(self) -> tuple[Any, ...]:
        return tuple(map(numba_type, self._hints.values()))

    @property
    def _constants(self) -> list[str]:
        """The global numbers that the function uses, which the compiler treats as constants."""
        names, known = self._function.__code__.co_names, self._function.__globals__
        return [f"{one}={known[one]!r}" for one in names if isinstance(known.get(one), int | float)]

    def _name(self) -> str | None:
        """Return the name of the kernel's file, or None if an outdated file would go unnoticed.

        The folder changes with hbtom's own sources, the name with those of kernels made elsewhere.
        """
        name = f"{self.__module__}.{self._function.__qualname__}"
        if name.startswith("hbtom."):
            return name
        if "<" in name:  # made in another function, perhaps several times
            return None
        others = [one for one in Kernel.all if not one.__module__.startswith("hbtom.")]
        files = (one._function.__code__.co_filename for one in others)
        constants = sorted({each for one in others for each in one._constants})
        try:
            return f"{name}-{source_digest(files, constants)}"
        except OSError:  # typed in, not read from a file
            return None

    def _call_template(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Choose the version that another kernel calls, so that there are as few as possible.

        To numba, every constant has a type of its own; here it has that of any other number. A
        kernel is called with its own signature if the arguments can be converted to it.
        """
        from numba import types

        args = tuple(map(types.unliteral, args))
        if self._typed and not kws:
            own, convert = self._types, self._inner.typingctx.can_convert
            if len(own) == len(args) and None not in map(convert, args, own):
                args = own
        return self._find_template(args, kws)

    @property
    def _numba_type_(self) -> Any:
        """The type that numba asks for when one kernel calls another."""
        return self._inner._numba_type_


def kernel(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a kernel that is called from Python: its annotations are its signature."""
    return Kernel(function, function, typed=True)


def kernel_or(plain: Callable[..., R]) -> Callable[[Callable[..., R]], Kernel[R]]:
    """Make a function a kernel; uncompiled, ``plain`` runs instead of it."""
    return lambda function: Kernel(function, plain, typed=True)


def part(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a part of kernels: it is compiled for the types that they pass to it."""
    return Kernel(function, function, typed=False)


def part_or(plain: Callable[..., R]) -> Callable[[Callable[..., R]], Kernel[R]]:
    """Make a function a part of kernels; uncompiled, ``plain`` runs instead of it."""
    return lambda function: Kernel(function, plain, typed=False)


def start_compiler() -> bool:
    """Compile all kernels from now on; without numba, return False and change nothing.

    This takes half a second, and ten to twenty seconds the first time. It needs the extra ``fast``.
    """
    with _ONE_AT_A_TIME:
        if not Kernel.compiling:
            try:
                import numba
            except ImportError:
                return False
            if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
                return False
            Kernel.folder = writable_folder()
            try:
                _prepare_all(standard=False)
            except Exception:
                _prepare_all(standard=True)
            Kernel.compiling = True
    return True


def _prepare_all(*, standard: bool) -> None:
    """Prepare all kernels for calls from other kernels, and those not compiled yet for Python.

    With ``standard``, they do without :mod:`hbtom.linking`, which may not fit the internals of a
    later version of numba.
    """
    Kernel.standard = standard
    for one in Kernel.all:
        one.prepare()


def _made(function: Callable[..., Any], *, called_from_python: bool) -> Any:
    """Return numba's dispatcher of a function."""
    if Kernel.standard:
        from numba import njit

        return njit(error_model="numpy")(function)
    from hbtom.linking import dispatcher

    return dispatcher(function, called_from_python=called_from_python)


def _fast_compilation() -> AbstractContextManager[None]:
    if Kernel.standard:
        return nullcontext()
    from hbtom.linking import fast_compilation

    return fast_compilation()


def remember_compiled(what: str) -> None:
    """Record in the cache folder that all kernels for ``what`` are compiled, if they are kept."""
    if Kernel.folder is not None:
        write_marker(Kernel.folder, what)
