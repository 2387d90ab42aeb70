"""Output for people: sentences, tables for the terminal, and pages to watch episodes on.

Pages are made by :mod:`hbtom.show.page`, reports by :mod:`hbtom.show.report`. The module can also
be called: ``hbtom.show("episode.json")`` makes the page of an episode and opens it.
"""

import sys
from types import ModuleType
from typing import Any

from hbtom.show.terminal import judgement_row, judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_row", "judgement_table", "plain", "trace_table"]


class _Room(ModuleType):
    """The package, which can be called like the verb of the same name."""

    def __call__(self, *shown: Any, **how: Any) -> Any:
        """Make a page to watch one or two episodes on; see ``hbtom.show.page.opening``."""
        from hbtom.show.page.opening import show

        return show(*shown, **how)


sys.modules[__name__].__class__ = _Room
