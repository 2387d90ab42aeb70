"""Raters written by users: finding them by name, and checking what they return."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from pkgutil import resolve_name
from traceback import extract_tb
from typing import Any, NoReturn, TypeVar, get_args

from hbtom.bench.rater import ModelRater, Rater, RaterFailed, Rating
from hbtom.bench.ratings import KINDS, read_ratings
from hbtom.bench.results import Columns, Compared, layout
from hbtom.bench.workers import Start
from hbtom.errors import BadInput, Place
from hbtom.model import AnyModel, Model, find_model
from hbtom.observe import Episode

T = TypeVar("T")


class CheckedRater:
    """A rater written by a user, with defaults for what it leaves out, and with checks.

    A rater named as ``module:object`` is sent to other processes by that name.
    """

    def __init__(self, rater: Any, origin: str = "", folder: str = "") -> None:
        self.rater = rater
        self.origin, self.folder = origin, folder  # module:object, and where the module may be
        if not callable(getattr(rater, "rate", None)):
            hint = "it needs 'name', 'fingerprint' and 'rate(expected, unexpected)'"
            called = origin or type(rater).__name__
            raise BadInput(f"'{called}' does not rate: it has no method 'rate'", hint=hint)
        self.name, self.fingerprint = (_text_of(rater, "name"), _text_of(rater, "fingerprint"))
        self.score = self.name
        self.room = 0.0  # each rating is kept as soon as it is known
        self.start: Start = getattr(rater, "start", "fork")
        self.columns: Columns = getattr(rater, "columns", {})
        self.rates_alone = hasattr(rater, "rate_one")
        if self.start not in get_args(Start):
            raise BadInput(f"the rater's 'start' is {self.start!r}", hint="'fork' or 'spawn'")
        _check_columns(self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin:
            return find_rater, (self.origin, self.folder)
        return CheckedRater, (self.rater,)

    def warm_up(self, pairs: int) -> None:
        self._do(getattr(self.rater, "warm_up", lambda pairs: None), pairs)

    def rate(self, expected: Episode, unexpected: Episode) -> tuple[Rating, Rating]:
        rated = self._do(self.rater.rate, expected, unexpected)
        try:
            first, second = rated
        except (TypeError, ValueError):
            self._fail(
                f"rates a pair as {rated!r:.60}, not as two ratings",
                expected.name,
                hint="return one for the expected and one for the unexpected episode",
            )
        return self._checked(first, expected.name), self._checked(second, unexpected.name)

    def rate_all(self, pairs: Sequence[tuple[Episode, Episode]]) -> list[tuple[Rating, Rating]]:
        return [self.rate(*pair) for pair in pairs]

    def rate_one(self, episode: Episode) -> Rating:
        return self._checked(self._do(self.rater.rate_one, episode), episode.name)

    def trace(self, episode: Episode) -> list[dict[str, float | str]]:
        """Return the rater's own values for each step of the test trial."""
        if not hasattr(self.rater, "trace"):
            hint = "it needs a method 'trace(episode)' that returns a mapping for each step"
            raise BadInput(f"the rater '{self.name}' says nothing about single steps", hint=hint)
        return [dict(step) for step in self._do(self.rater.trace, episode)]

    def with_settings(self, settings: Mapping[str, Any]) -> CheckedRater:
        if not settings:
            return self
        if not hasattr(self.rater, "with_settings"):
            hint = "it needs a method 'with_settings(settings)' that returns another rater"
            raise BadInput(f"the rater '{self.name}' has nothing to set", hint=hint)
        return CheckedRater(self._do(self.rater.with_settings, settings))

    def _do(self, what: Callable[..., T], *args: Any) -> T:
        """Call a method of the rater; if it fails, say where."""
        try:
            return what(*args)
        except BadInput:
            raise
        except (Exception, SystemExit) as error:
            files = " and ".join(one.name for one in args if isinstance(one, Episode))
            self._fail(f"failed: {_what(error)} ({_where(error)})", files or None, cause=error)

    def _checked(self, rated: Any, file: str) -> Rating:
        """Return a rating that can be written to a results file."""
        rating = rated if isinstance(rated, Rating) else Rating(rated)
        if rating.own.keys() != self.columns.keys():
            declared = f"`columns` declares {list(self.columns)}"
            self._fail(f"returned columns {list(rating.own)}, but {declared}", file)
        own = {
            name: str(value) if kind is str else kind(self._number(f"'{name}'", value, file))
            for name, kind in self.columns.items()
            for value in (rating.own[name],)
        }
        return Rating(self._number("a rating", rating.value, file), own)

    def _number(self, what: str, value: Any, file: str) -> float:
        try:
            number = math.nan if isinstance(value, str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self._fail(f"gave {what} that is not a finite number: {value!r:.60}", file)
        return number

    def _fail(
        self, problem: str, file: str | None, hint: str = "", cause: BaseException | None = None
    ) -> NoReturn:
        problem = f"the rater '{self.name}' {problem}"
        raise RaterFailed(problem, hint=hint, place=Place(file=file)) from cause


def _text_of(rater: Any, needed: str) -> str:
    text = getattr(rater, needed, None)
    if isinstance(text, str) and text:
        return text
    hint = f"give it an attribute '{needed}' that is a non-empty string"
    if not hasattr(rater, needed):
        raise BadInput(f"the rater has no '{needed}'", hint=hint)
    raise BadInput(f"the rater's '{needed}' is {text!r}", hint=hint)


def _check_columns(columns: Any) -> None:
    if not isinstance(columns, Mapping) or not all(
        isinstance(name, str) and kind in (float, int, str) for name, kind in columns.items()
    ):
        hint = "name each with its kind, like {'steps': float, 'why': str}"
        raise BadInput(f"the rater's 'columns' are {columns!r}", hint=hint)
    for name in columns:
        if name in layout(()):
            hint = f"all results files have {', '.join(layout(()))}"
            raise BadInput(f"the rater has a column '{name}'", hint=hint)


AnyRater = ModelRater | CheckedRater


def as_rater(rater: AnyModel | Rater | type, score: Compared = "plausibility") -> AnyRater:
    """Return a rater, given a rater, its class, a model, or a model's name or file.

    ``score`` is the number by which a model compares the two episodes of a pair.
    """
    if isinstance(rater, ModelRater):
        return rater
    if isinstance(rater, Model | str | os.PathLike | Mapping):
        return ModelRater(find_model(rater), score)
    if score != "plausibility":
        raise BadInput(f"the score '{score}' is for models, not for other raters")
    made = _created(rater, rater.__name__) if isinstance(rater, type) else rater
    return made if isinstance(made, CheckedRater) else CheckedRater(made)


def identity(rater: AnyRater) -> Model | CheckedRater:
    """Return what results are attributed to: the model itself, or the user's rater."""
    return rater.model if isinstance(rater, ModelRater) else rater


def find_rater(name: str, folder: str = "") -> AnyRater:
    """Return the rater named ``module:object``, or a rater made from a file of ratings.

    The module is also looked for in a folder, by default the current one. The object is a rater,
    or returns one when it is called without arguments.
    """
    if name.endswith(KINDS):
        return CheckedRater(read_ratings(Path(name)))
    module, colon, inside = name.partition(":")
    if (
        not colon
        or module.endswith(".py")
        or not all(part.isidentifier() for part in f"{module}.{inside}".split("."))
    ):
        hint = "write module:object, such as lengths:PathLength, or name a file of ratings"
        if module.endswith(".py"):
            hint = f"leave out .py: {Path(module).stem}:{inside}"
        elif not colon:
            hint += ", or a network: bc-mlp, bc-rnn, video-rnn or set-transformer"
        raise BadInput(f"'{name}' does not name a rater", hint=hint)
    return _made(name, os.path.abspath(folder))


@cache
def _made(name: str, folder: str) -> AnyRater:
    """Return the rater named ``module:object``, always the same object within a process."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    found = _resolved(name, folder)
    if isinstance(found, type) or (not hasattr(found, "rate") and callable(found)):
        found = _created(found, name)
    return as_rater(found) if isinstance(found, Model) else CheckedRater(found, name, folder)


def _created(maker: Callable[[], Any], name: str) -> Any:
    try:
        return maker()
    except (Exception, SystemExit) as error:
        problem = f"'{name}' cannot be created: {_what(error)} ({_where(error)})"
        raise BadInput(problem) from None


def _resolved(name: str, folder: str) -> Any:
    module, _, inside = name.partition(":")
    problem, hint = f"'{module}' cannot be imported: ", ""
    try:
        found = resolve_name(name)
    except ModuleNotFoundError as error:
        problem += _what(error)
        if f"{module}.".startswith(f"{error.name}."):
            problem = f"there is no module '{error.name}'"
            hint = "it is looked for in this folder and among Python's installed modules"
    except (Exception, SystemExit) as error:
        problem += _what(error)
        if isinstance(error, AttributeError) and module in sys.modules:  # it was imported
            problem = f"the module '{module}' has no '{inside}'"
            hint = "name an object that it defines"
    else:
        _refuse_namesake(module.partition(".")[0], folder)
        return found
    raise BadInput(problem, hint=hint)


def _refuse_namesake(module: str, folder: str) -> None:
    """Refuse a module of a folder if another module of that name was imported before."""
    here, known = PathFinder.find_spec(module, [folder]), sys.modules[module].__spec__
    places = {os.path.realpath(one.origin) for one in (here, known) if one and one.origin}
    if known and len(places) > 1:
        problem = f"'{module}' is also the name of a module that is in use, {known.origin}"
        raise BadInput(problem, hint="give yours another name, or restart Python")


def _what(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _where(error: BaseException) -> str:
    last = extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(last.filename)}, line {last.lineno}"
