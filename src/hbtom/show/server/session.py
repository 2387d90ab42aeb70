"""Where all questions are asked: what is known of the pairs, and who finds out the rest."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hbtom.bench.checked_rater import CheckedRater, find_rater, identity
from hbtom.errors import BadInput
from hbtom.judgement.warm_up import WORTH_LOADING, worth_compiling
from hbtom.model import Model, find_model, presets
from hbtom.show.server.catalogue import Catalogue, Entry, Selection
from hbtom.show.server.judges import Judges
from hbtom.show.server.request_cache import RequestCache
from hbtom.show.server.work import UNJUDGED, Drawing, Outcome, View, draw, rate_pair
from hbtom.show.words import plain

OUTCOMES = 200_000  # that are remembered, of a few numbers each
DRAWINGS = 16  # likewise, of a megabyte each

Raters = Mapping[str, Model | CheckedRater]  # by their names in addresses
Key = tuple[str, int, tuple[tuple[int, ...], ...]]  # a model, a place, the state of the files

_log = logging.getLogger(__name__)


@dataclass
class Run:
    """Judging many pairs in the background: how far that is."""

    model: str
    total: int
    done: int = 0
    problem: str = ""  # for which it came to an end
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def going(self) -> bool:
        return self.task is not None and not self.task.done()


class Session:
    """All that the server knows and does, for as long as it lives."""

    def __init__(self, catalogue: Catalogue, models: Raters, judges: Judges) -> None:
        self.catalogue = catalogue
        self.models = models  # the first is the one to begin with
        self.run: Run | None = None
        self._judges = judges
        # Loading is soon done, compiling is not.
        own = [one for one in models.values() if isinstance(one, Model)]
        self._compiled = worth_compiling(own, WORTH_LOADING)
        self._outcomes: RequestCache[Key, Outcome] = RequestCache(OUTCOMES)
        self._drawings: RequestCache[tuple[Key, View], Drawing] = RequestCache(DRAWINGS)

    def known(self, model: str, entry: Entry) -> Outcome | None:
        """Return what came of a pair, if it has been judged."""
        return self._outcomes.known(_key(model, entry))

    def verdict(self, model: str, entry: Entry) -> str:
        known = self.known(model, entry)
        return UNJUDGED if known is None else known.verdict

    def select(self, model: str, selection: Selection) -> list[Entry]:
        """Return all entries that are asked for, as far as is known."""
        within = self.catalogue.within(selection)
        wanted = selection.outcome
        return [one for one in within if wanted in ("", self.verdict(model, one))]

    async def outcome(self, model: str, entry: Entry) -> Outcome:
        """Return what comes of a pair, after judging it if that is not known."""

        async def find() -> Outcome:
            return await self._judges.do(rate_pair, self.models[model], entry.pair, self._compiled)

        return await self._outcomes.ask(_key(model, entry), find)

    async def drawing(self, model: str, entry: Entry, view: View) -> Drawing:
        """Return what a page shows of a pair or an episode."""
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

    def start(self, model: str, entries: Sequence[Entry]) -> bool:
        """Begin to judge all entries that are not judged yet, unless that is being done."""
        if self.run is not None and self.run.going:
            return False
        todo = [entry for entry in entries if self.known(model, entry) is None]
        self.run = Run(model, len(todo))
        self.run.task = asyncio.create_task(self._judge_all(self.run, todo))
        return True

    def stop(self) -> None:
        """Judge no more but what is asked for one by one."""
        if self.run is not None and self.run.task is not None:
            self.run.task.cancel()

    async def _judge_all(self, run: Run, todo: Sequence[Entry]) -> None:
        """Judge as many at a time as there are judges, so that others do not wait for long."""
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
            run.problem = f"an error of hbtom itself: {errors.exceptions[0]!r}"
            _log.error("judging all pairs failed", exc_info=errors)

    async def close(self) -> None:
        """Come to an end."""
        self.stop()
        await self._outcomes.close()
        await self._drawings.close()
        await self._judges.close()


def _key(model: str, entry: Entry) -> Key:
    """Return what an answer is about: a model, a pair, and its files as they are now."""
    paths = dict.fromkeys((entry.pair.expected.path, entry.pair.unexpected.path))
    return model, entry.place, tuple(map(_state, paths))


def _state(path: str) -> tuple[int, ...]:
    """Return what differs once a file does, found without reading it; nothing if it is gone."""
    try:
        known = os.stat(path)
    except (OSError, ValueError):
        return ()
    return known.st_size, known.st_mtime_ns, known.st_ctime_ns, known.st_ino


def choice_of_models(chosen: str, rater: str | None = None) -> dict[str, Model | CheckedRater]:
    """Return what to choose among: a rater, if one is named, the named model, and all presets."""
    if rater is not None:
        found = identity(find_rater(rater))
        return {plain(found.name): found, **choice_of_models(chosen)}
    first = find_model(chosen)
    name = plain(first.name)
    if chosen not in presets() and name in presets():
        name = f"{name} ({first.fingerprint})"
    others = {preset: Model.preset(preset) for preset in presets() if preset != name}
    return {name: first, **others}
