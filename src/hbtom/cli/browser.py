"""Showing something in the user's browser."""

from __future__ import annotations

import os
import sys


def can_browse() -> bool:
    """Tell whether there is a browser that can draw."""
    windows = sys.platform in ("darwin", "win32")
    named = any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    return windows or named


def browse(address: str) -> bool:
    """Show an address in the user's browser; tell whether there is one that can draw."""
    if not can_browse():
        return False
    import webbrowser

    return webbrowser.open(address)
