"""Opening pages in the user's browser."""

from __future__ import annotations

import os
import sys


def browse(address: str) -> bool:
    """Open an address in the user's browser; return whether there is a graphical one."""
    named = any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
    if not named and sys.platform not in ("darwin", "win32"):
        return False
    import webbrowser

    return webbrowser.open(address)
