"""Errors that say what is wrong, where, and what to do about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

File = str | os.PathLike[str]
_WORDS = {  # in their order
    "line": "line {}",
    "trial": "trial {}",
    "thing": "object '{}'",
    "step": "step {}",
    "frame": "frame {}",
    "field": "field '{}'",
}
_FEW = 8  # names that a message lists
_SHORT = 30  # characters of a file's path that a message makes room for


def shortened(text: str, most: int) -> str:
    """Return a text without its middle if it is too long."""
    return text if len(text) <= most else f"{text[: most * 2 // 3 - 5]} ... {text[-(most // 3) :]}"


@dataclass(frozen=True)
class Place:
    """A place in the input; lines, trials and frames count from 1, as people do.

    ``thing`` is the id of an object in a scene, and ``step`` the scene's own number of a step,
    from 0.
    """

    file: str | None = None
    trial: int | None = None
    frame: int | None = None
    field: str | None = None
    line: int | None = None
    thing: str | None = None
    step: int | None = None

    def __str__(self) -> str:
        known = ((words, getattr(self, name)) for name, words in _WORDS.items())
        said = ((words, str(one)) for words, one in known if one is not None)
        inside = ", ".join(words.format(shortened(one, 60)) for words, one in said)
        return ": ".join(part for part in (self.file or "", inside) if part)


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 pair, 2 pairs."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def few(names: Iterable[object]) -> str:
    """Return the first of several names, for a message."""
    some = list(islice(map(str, names), _FEW + 1))
    return ", ".join([*some[:_FEW], *(["..."] if len(some) > _FEW else [])])


def missing(library: str, extra: str) -> BadInput:
    """Return the error for a missing library that comes with an extra of hbtom."""
    return BadInput(
        f"this needs the library {library}",
        hint=f"install hbtom with the extra '{extra}'; in a clone: pip install '.[{extra}]'",
    )


@contextmanager
def needed(library: str, extra: str) -> Iterator[None]:
    """Say how to install a library if importing it inside fails."""
    try:
        yield
    except ImportError:
        raise missing(library, extra) from None


class BadInput(ValueError):
    """Input that cannot be used; ``str(error)`` is a complete message for a person."""

    _longest = 280  # characters of a message with a short file; names in it may have thousands

    def __init__(
        self, problem: str, *, hint: str = "", place: Place | None = None, file: File | None = None
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.place = place or Place(file=None if file is None else os.fspath(file))

    def __str__(self) -> str:
        where = str(self.place)
        inside, file = str(replace(self.place, file=None)), self.place.file or ""
        most = max(self._longest - len(inside) - min(len(file), _SHORT), 170)
        hint = shortened(self.hint, max(most // 2, most - len(self.problem)))
        problem = shortened(self.problem, most - len(hint))
        message = f"{where}: {problem}" if where else problem
        end = "" if message.endswith(("?", "!", ".")) else "."
        return f"{message}{end} Hint: {hint}" if hint else message

    @property
    def said(self) -> str:
        """The message without the file, for use where the file is already named."""
        return str(BadInput(self.problem, hint=self.hint, place=replace(self.place, file=None)))

    def at(self, **where: str | int) -> BadInput:
        """Return the same error with a more precise place; known parts of the place are kept."""
        unknown = {k: v for k, v in where.items() if getattr(self.place, k) is None}
        return BadInput(self.problem, hint=self.hint, place=replace(self.place, **unknown))  # type: ignore[arg-type]


@contextmanager
def located(**where: str | int) -> Iterator[None]:
    """Add a place to errors raised inside; known parts of the place are kept.

    If this is done for every trial of a dataset, a plain ``try`` is faster.
    """
    try:
        yield
    except BadInput as error:
        raise error.at(**where) from None


@contextmanager
def system_errors(problem: str, file: File, hint: str = "") -> Iterator[None]:
    """Turn errors of the operating system into messages about a file."""
    try:
        yield
    except OSError as error:
        problem = f"{problem}: {error.strerror or error}"
        raise BadInput(problem, hint=hint, file=file) from None
