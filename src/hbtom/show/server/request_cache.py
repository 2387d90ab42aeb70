"""Answers that are remembered: the latest of them, and none is looked for twice at a time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RequestCache(Generic[K, V]):
    """What was answered, as long as it is among the ``most`` that were asked for last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[K, V] = OrderedDict()
        self._sought: dict[K, asyncio.Task[V]] = {}

    def known(self, key: K) -> V | None:
        """Return an answer without looking for it."""
        return self._known.get(key)

    async def ask(self, key: K, find: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Return an answer, which is looked for unless it is known or looked for already.

        Who asks may go away: the answer is found all the same. What fails is not remembered.
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
        """Remember an answer, and forget the one that nobody has asked for the longest."""
        self._known[key] = answer
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def _settle(self, key: K, done: asyncio.Task[V]) -> None:
        del self._sought[key]
        if not done.cancelled() and done.exception() is None:
            self.remember(key, done.result())

    async def close(self) -> None:
        """Look for nothing any more."""
        sought = list(self._sought.values())
        for task in sought:
            task.cancel()
        await asyncio.gather(*sought, return_exceptions=True)
