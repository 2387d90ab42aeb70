"""The state of the server: known outcomes, and processes that judge the rest."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hbtom.bench.checked_rater import CheckedRater, identity
from hbtom.errors import BadInput
from hbtom.judgement.warm_up import WORTH_LOADING, worth_compiling
from hbtom.model import Model, find_model, presets
from hbtom.show.server.catalogue import Catalogue, CatalogueEntry, Selection
from hbtom.show.server.judges import Judges
from hbtom.show.server.work import UNJUDGED, Drawing, PairOutcome, View, draw, rate_pair
from hbtom.show.words import plain

K = TypeVar("K")
V = TypeVar("V")
OUTCOMES = 200_000  # most outcomes to remember, of a few numbers each
DRAWINGS = 16  # most drawings to remember, of a megabyte each
Raters = Mapping[str, Model | CheckedRater]  # by their names in addresses
Key = tuple[str, int, tuple[tuple[int, ...], ...]]  # a model, a place, the state of the files
_log = logging.getLogger(__name__)


class RequestCache(Generic[K, V]):
    """A cache of the ``most`` recently requested answers."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[K, V] = OrderedDict()
        self._sought: dict[K, asyncio.Task[V]] = {}

    def known(self, key: K) -> V | None:
        """Return an answer if it is cached."""
        return self._known.get(key)

    async def ask(self, key: K, find: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Return an answer; find it unless it is cached or already being found.

        If the client goes away, the answer is still found. Failures are not cached.
        """
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._sought:
            task = asyncio.create_task(find())
            self._sought[key] = task
            task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(self._sought[key])

    def remember(self, key: K, answer: V) -> None:
        """Cache an answer, and drop the one least recently requested."""
        self._known[key] = answer
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def _settle(self, key: K, done: asyncio.Task[V]) -> None:
        del self._sought[key]
        if not done.cancelled() and done.exception() is None:
            self.remember(key, done.result())

    async def close(self) -> None:
        """Stop finding answers."""
        sought = list(self._sought.values())
        for task in sought:
            task.cancel()
        await asyncio.gather(*sought, return_exceptions=True)


@dataclass
class BackgroundRun:
    """The progress of judging many pairs in the background."""

    model: str
    total: int
    done: int = 0
    problem: str = ""  # the error that ended it
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def going(self) -> bool:
        return self.task is not None and not self.task.done()


class Session:
    """Everything that the server knows and does while it runs."""

    def __init__(self, catalogue: Catalogue, models: Raters, judges: Judges) -> None:
        self.catalogue = catalogue
        self.models = models  # the first is the default
        self.run: BackgroundRun | None = None
        self._judges = judges
        # Loading kernels is fast, compiling them is not.
        own = [one for one in models.values() if isinstance(one, Model)]
        self._compiled = worth_compiling(own, WORTH_LOADING)
        self._outcomes: RequestCache[Key, PairOutcome] = RequestCache(OUTCOMES)
        self._drawings: RequestCache[tuple[Key, View], Drawing] = RequestCache(DRAWINGS)

    def known(self, model: str, entry: CatalogueEntry) -> PairOutcome | None:
        """Return the outcome of a pair if it has been judged."""
        return self._outcomes.known(_key(model, entry))

    def verdict(self, model: str, entry: CatalogueEntry) -> str:
        known = self.known(model, entry)
        return UNJUDGED if known is None else known.verdict

    def select(self, model: str, selection: Selection) -> list[CatalogueEntry]:
        """Return all entries of a selection, given the outcomes known so far."""
        within = self.catalogue.within(selection)
        wanted = selection.outcome
        return [one for one in within if wanted in ("", self.verdict(model, one))]

    async def outcome(self, model: str, entry: CatalogueEntry) -> PairOutcome:
        """Return the outcome of a pair, which is judged if necessary."""

        async def find() -> PairOutcome:
            return await self._judges.do(rate_pair, self.models[model], entry.pair, self._compiled)

        return await self._outcomes.ask(_key(model, entry), find)

    async def drawing(self, model: str, entry: CatalogueEntry, view: View) -> Drawing:
        """Return the drawing of a pair or an episode for a page."""
        key = _key(model, entry)

        async def find() -> Drawing:
            drawn = await self._judges.do(
                draw, self.models[model], entry.pair, view, self._compiled
            )
            if drawn.outcome is not None:
                self._outcomes.remember(key, drawn.outcome)
            return drawn

        return await self._drawings.ask((key, view), find)

    # Judging all

    def start(self, model: str, entries: Sequence[CatalogueEntry]) -> bool:
        """Begin to judge all entries that are not judged yet, unless a run is in progress."""
        if self.run is not None and self.run.going:
            return False
        todo = [entry for entry in entries if self.known(model, entry) is None]
        self.run = BackgroundRun(model, len(todo))
        self.run.task = asyncio.create_task(self._judge_all(self.run, todo))
        return True

    def stop(self) -> None:
        """Stop the run; pairs can still be judged one by one."""
        if self.run is not None and self.run.task is not None:
            self.run.task.cancel()

    async def _judge_all(self, run: BackgroundRun, todo: Sequence[CatalogueEntry]) -> None:
        """Judge as many pairs at a time as there are judges, so that others do not wait long."""
        waiting = iter(todo)

        async def one_after_another() -> None:
            for entry in waiting:
                await self.outcome(run.model, entry)
                run.done += 1

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._judges.count):
                    group.create_task(one_after_another())
        except* BadInput as errors:
            run.problem = str(errors.exceptions[0])
        except* Exception as errors:
            run.problem = f"an error in hbtom itself: {errors.exceptions[0]!r}"
            _log.error("judging all pairs failed", exc_info=errors)

    async def close(self) -> None:
        """Stop everything."""
        self.stop()
        await self._outcomes.close()
        await self._drawings.close()
        await self._judges.close()


def _key(model: str, entry: CatalogueEntry) -> Key:
    """Return the key of an answer: a model, a pair, and the current state of its files."""
    paths = dict.fromkeys((entry.pair.expected.path, entry.pair.unexpected.path))
    return model, entry.place, tuple(map(_state, paths))


def _state(path: str) -> tuple[int, ...]:
    """Return values that change when a file does, without reading it; empty if it is gone."""
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return ()
    return known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino


def choice_of_models(chosen: str, rater: str | None = None) -> dict[str, Model | CheckedRater]:
    """Return the choices: a rater if one is named, the named model, and all presets."""
    if rater is not None:
        from hbtom.neural.raters import chosen_rater

        found = identity(chosen_rater(rater))
        return {plain(found.name): found, **choice_of_models(chosen)}
    first = find_model(chosen)
    name = plain(first.name)
    if chosen not in presets() and name in presets():
        name = f"{name} ({first.fingerprint})"
    others = {preset: Model.preset(preset) for preset in presets() if preset != name}
    return {name: first, **others}
