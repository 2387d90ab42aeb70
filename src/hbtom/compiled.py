"""Hot functions: compiled where there is a compiler, and the same numbers, slower, where not.

A kernel is an ordinary function on arrays and numbers, written in the part of Python that numba
compiles. Until :func:`start_compiler` is called it runs as it stands, so that judging one episode
does not wait for a compiler to load. Both ways do the same operations in the same order: results
are the same, bit for bit.

Shapes say what a kernel takes: ``Annotated[Floats, "step goal"]`` is an array with two axes. Each
kernel is compiled once, for these types only, and kept in the cache folder if that can be written
(:mod:`hbtom.kernel_store`). A kernel that calls another is kept together with the code of both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_type_hints

from hbtom.arrays import FROZEN, Bools, Floats, Ints
from hbtom.kernel_store import KernelFile, source_digest, writable_folder, write_marker

R = TypeVar("R")
_ONE_AT_A_TIME = RLock()  # threads that compile


class Kernel(Generic[R]):
    """A function that is compiled once the compiler has been started."""

    all: ClassVar[list[Kernel[Any]]] = []  # so that the compiler reaches each
    compiling: ClassVar[bool] = False
    folder: ClassVar[Path | None] = None  # where the compiler keeps its work, if it can

    def __init__(self, function: Callable[..., R], plain: Callable[..., R], *, typed: bool) -> None:
        update_wrapper(self, function)
        self.plain = plain
        self._function, self._typed = function, typed
        self._run = plain
        self._dispatcher: Any = None
        with _ONE_AT_A_TIME:
            Kernel.all.append(self)
            if Kernel.compiling:
                self.prepare()

    def __call__(self, *args: Any) -> R:
        return self._run(*args)

    def prepare(self) -> None:
        """Hand the function to the compiler, which sets to work when it is first called."""
        from hbtom.linking import dispatcher

        self._dispatcher = dispatcher(self._function, called_from_python=self._typed)
        self._find_template = self._dispatcher.get_call_template
        self._dispatcher.get_call_template = self._call_template
        if self._typed:
            self._run = self._first
            if Kernel.folder is not None and (name := self._name()) is not None:
                self._dispatcher._cache = KernelFile(Kernel.folder, name)

    def compile(self) -> None:
        """Compile a kernel, or load it from disk, before it is called for the first time."""
        from hbtom.linking import in_haste

        with _ONE_AT_A_TIME, in_haste():
            if self._run == self._first:  # another thread may have been faster
                self._dispatcher.compile(self._types())
                self._dispatcher.disable_compile()  # other types are mistakes, or to be converted
                self._run = self._dispatcher

    def _first(self, *args: Any) -> R:
        self.compile()
        return self(*args)

    def _types(self) -> tuple[Any, ...]:
        hints = get_type_hints(self._function, include_extras=True)
        return tuple(_numba_type(hint) for name, hint in hints.items() if name != "return")

    def _name(self) -> str | None:
        """Return the name of the kernel's file, or None if nobody could tell that it is outdated.

        The folder stands for hbtom's own sources, the name for those of kernels made elsewhere.
        """
        name = f"{self.__module__}.{self._function.__qualname__}"
        if name.startswith("hbtom."):
            return name
        others = [one for one in Kernel.all if not one.__module__.startswith("hbtom.")]
        try:
            return f"{name}-{source_digest(one._function.__code__.co_filename for one in others)}"
        except OSError:  # typed in, not read from a file
            return None

    def _call_template(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Choose what another kernel calls: as few versions of a function as there can be.

        A constant is a type of its own for numba; for a part it is as good as any other number.
        A kernel has its own signature, if what it is given can be converted.
        """
        from numba import types

        args = tuple(map(types.unliteral, args))
        if self._typed and not kws:
            own, convert = self._types(), self._dispatcher.typingctx.can_convert
            if len(own) == len(args) and None not in map(convert, args, own):
                args = own
        return self._find_template(args, kws)

    @property
    def _numba_type_(self) -> Any:
        """What numba asks an object for when one kernel calls another."""
        return self._dispatcher._numba_type_


def kernel(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a kernel that is called from Python: its annotations are its signature."""
    return Kernel(function, function, typed=True)


def kernel_or(plain: Callable[..., R]) -> Callable[[Callable[..., R]], Kernel[R]]:
    """Make a function a kernel for which plain Python has another form."""
    return lambda function: Kernel(function, plain, typed=True)


def part(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a part of kernels, which takes whatever they give it."""
    return Kernel(function, function, typed=False)


def part_or(plain: Callable[..., R]) -> Callable[[Callable[..., R]], Kernel[R]]:
    """Make a function a part of kernels for which plain Python has another form."""
    return lambda function: Kernel(function, plain, typed=False)


def start_compiler() -> bool:
    """Compile all kernels from now on; return False, and change nothing, without a compiler.

    It takes half a second, and twenty seconds the first time. Needs the extra ``fast``.
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
            for one in Kernel.all:
                one.prepare()
            Kernel.compiling = True
    return True


def remember_compiled(what: str) -> None:
    """Note in the cache folder that something was compiled to the end, if it could be kept."""
    if Kernel.folder is not None:
        write_marker(Kernel.folder, what)


_SCALARS = {float: "float64", int: "int64", bool: "boolean"}


def _numba_type(hint: Any, *, inside: bool = False) -> Any:
    """Return numba's name for an annotation; arrays are C-ordered.

    Arrays inside a tuple are as kernels make them, unless they are marked as ``FROZEN``; all others
    are only read.
    """
    import numba

    if hint in _SCALARS:
        return getattr(numba.types, _SCALARS[hint])
    if hasattr(hint, "_fields"):  # a NamedTuple
        inner = get_type_hints(hint, include_extras=True)
        types = [_numba_type(inner[name], inside=True) for name in hint._fields]
        kinds: Any = numba.types
        if len(set(types)) == 1:  # numba has a type of its own for these
            return kinds.NamedUniTuple(types[0], len(types), hint)
        return kinds.NamedTuple(types, hint)
    array, shape, *notes = get_args(hint)
    value = {Floats: "float64", Ints: "int64", Bools: "boolean"}[array]
    dtype = getattr(numba.types, value)
    return numba.types.Array(dtype, len(shape.split()), "C", readonly=FROZEN in notes or not inside)
