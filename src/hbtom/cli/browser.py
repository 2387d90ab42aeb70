"""Opening pages in the user's browser."""

from __future__ import annotations

import os
import sys


def can_browse() -> bool:
    """Tell whether there is a graphical browser."""
    windows = sys.platform in ("darwin", "win32")
    named = any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    return windows or named


def browse(address: str) -> bool:
    """Open an address in the user's browser; tell whether there is a graphical one."""
    if not can_browse():
        return False
    import webbrowser

    return webbrowser.open(address)
