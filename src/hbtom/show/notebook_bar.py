"""Progress in a notebook: one bar that is kept up to date."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSE = 0.2  # least seconds between two updates


def progress_bar() -> Callable[[int, int], None] | None:
    """Return a function that draws a bar in the running cell; None outside of notebooks."""
    from IPython import get_ipython
    from IPython.display import HTML, display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle = display(HTML(bar(0, 0)), display_id=True)
    shown = 0.0

    def update(done: int, total: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= PAUSE or done == total:
            shown = now
            handle.update(HTML(bar(done, total)))

    return update


def bar(done: int, total: int) -> str:
    """Return the bar as HTML.

    >>> bar(3, 12)
    '<progress value="3" max="12"></progress> 3/12 pairs'
    """
    return f'<progress value="{done}" max="{max(total, 1)}"></progress> {done}/{total} pairs'
