"""Hot functions: compiled where there is a compiler, and the same numbers, slower, where not.

A kernel is an ordinary function on arrays and numbers, written in the part of Python that numba
compiles. Until :func:`start_compiler` is called it runs as it stands, so that judging one episode
does not wait for a compiler to load. Both ways do the same operations in the same order: results
are the same, bit for bit.

Shapes say what a kernel takes: ``Annotated[Floats, "step goal"]`` is an array with two axes. Each
is compiled once, for just these, and kept in the cache folder, if that can be written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_type_hints

from hbtom.arrays import FROZEN, Bools, Floats, Ints
from hbtom.cache import cache_folder
from hbtom.errors import BadInput

R = TypeVar("R")
_ONE_AT_A_TIME = RLock()  # threads that compile
_ROOMS = ("observe", "world", "plan", "mind", "judgement")  # that have kernels


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
        Kernel.all.append(self)
        if Kernel.compiling:
            self.prepare()

    def __call__(self, *args: Any) -> R:
        return self._run(*args)

    def prepare(self) -> None:
        """Hand the function to the compiler, which sets to work when it is first called."""
        import numba

        with _kept_in(Kernel.folder) as cache:
            self._dispatcher = numba.njit(cache=cache, error_model="numpy")(self._function)
        if self._typed:  # called from Python, a part stays plain: that is not where it is hot
            self._run = self._first

    def _first(self, *args: Any) -> R:
        with _ONE_AT_A_TIME:
            if self._run == self._first:  # another thread may have been faster
                self._compile()
        return self(*args)

    def _compile(self) -> None:
        hints = get_type_hints(self._function, include_extras=True)
        types = tuple(_numba_type(hint) for name, hint in hints.items() if name != "return")
        try:
            self._dispatcher.compile(types)
        except OSError:  # nothing more can be kept, as on a full disk
            if Kernel.folder is None:
                raise
            _prepare_all(None)
            return
        self._dispatcher.disable_compile()  # other types are mistakes, or should be converted
        self._run = self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What numba asks an object for when one kernel calls another."""
        return self._dispatcher._numba_type_


def kernel(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a kernel that is called from Python: its annotations are its signature."""
    return Kernel(function, function, typed=True)


def part(function: Callable[..., R]) -> Kernel[R]:
    """Make a function a part of kernels, which takes whatever they give it."""
    return Kernel(function, function, typed=False)


def part_or(plain: Callable[..., R]) -> Callable[[Callable[..., R]], Kernel[R]]:
    """Make a function a part of kernels for which plain Python has another form."""
    return lambda function: Kernel(function, plain, typed=False)


def start_compiler() -> bool:
    """Compile all kernels from now on; return False, and change nothing, without a compiler.

    It takes half a second, and half a minute the first time. Needs the extra ``fast``.
    """
    with _ONE_AT_A_TIME:
        if not Kernel.compiling:
            try:
                import numba
            except ImportError:
                return False
            if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
                return False
            _prepare_all(_writable_folder())
    return True


def _prepare_all(folder: Path | None) -> None:
    Kernel.folder = folder
    for one in Kernel.all:
        one.prepare()
    Kernel.compiling = True


def compiled_before(what: str) -> bool:
    """Tell whether something was compiled to the end before, so that loading it is enough."""
    try:
        return (_folder() / f"{what}.ready").exists()
    except BadInput:
        return False


def remember_compiled(what: str) -> None:
    """Note in the cache folder that something was compiled to the end, if it could be kept."""
    if Kernel.folder is not None:
        with suppress(OSError):
            (Kernel.folder / f"{what}.ready").touch()


def _folder() -> Path:
    return cache_folder("compiled", _fingerprint())


def _writable_folder() -> Path | None:
    """Return where to keep what is compiled, or None where nothing can be kept."""
    import tempfile

    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except (BadInput, OSError):
        return None


@contextmanager
def _kept_in(folder: Path | None) -> Iterator[bool]:
    """Let the compiler keep its work in a folder, and nowhere else.

    Left to itself it would look at the file of each function only, and not notice that a function
    which this one calls has changed in another file.
    """
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = "" if folder is None else str(folder)
    try:
        yield folder is not None
    finally:
        config.CACHE_DIR = before


def _fingerprint() -> str:
    """Return a few letters that change when any file that may hold a kernel changes."""
    text, here = hashlib.sha256(), Path(__file__)
    rooms = [path for room in _ROOMS for path in sorted((here.parent / room).glob("*.py"))]
    for path in [here, *rooms]:
        text.update(path.read_bytes())
    return text.hexdigest()[:12]


_SCALARS = {float: "float64", int: "int64", bool: "boolean"}


def _numba_type(hint: Any) -> Any:
    """Return numba's name for an annotation; arrays are C-ordered.

    Arrays in a tuple are as kernels make them, unless they are marked as ``FROZEN``; all others are
    only read.
    """
    return _named_type(hint, inside=False)


def _named_type(hint: Any, *, inside: bool) -> Any:
    import numba

    if hint in _SCALARS:
        return getattr(numba.types, _SCALARS[hint])
    if hasattr(hint, "_fields"):  # a NamedTuple
        inner = get_type_hints(hint, include_extras=True)
        types = [_named_type(inner[name], inside=True) for name in hint._fields]
        kinds: Any = numba.types
        if len(set(types)) == 1:  # numba has a type of its own for these
            return kinds.NamedUniTuple(types[0], len(types), hint)
        return kinds.NamedTuple(types, hint)
    array, shape, *notes = get_args(hint)
    value = {Floats: "float64", Ints: "int64", Bools: "boolean"}[array]
    dtype = getattr(numba.types, value)
    return numba.types.Array(dtype, len(shape.split()), "C", readonly=FROZEN in notes or not inside)
