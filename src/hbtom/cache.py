"""The cache folder, where hbtom keeps files that can be downloaded or made again."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from hbtom.errors import BadInput

VARIABLE = "HBTOM_CACHE"


def cache_folder(
    *parts: str, environ: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Path:
    """Return the user's cache folder, or a folder in it, without creating it.

    HBTOM_CACHE names it; otherwise it is the platform's usual place.
    """
    known = os.environ if environ is None else environ
    if not known.get(VARIABLE):
        return _conventional(known, platform).joinpath(*parts)
    chosen = Path(known[VARIABLE])
    if chosen.parts[:1] == ("~",):
        chosen = _home() / chosen.relative_to("~")
    return Path.cwd().joinpath(chosen, *parts)


def _conventional(environ: Mapping[str, str], platform: str) -> Path:
    if platform == "win32":
        local = environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "hbtom" / "Cache"
    if platform == "darwin":
        return _home() / "Library" / "Caches" / "hbtom"
    xdg = Path(environ.get("XDG_CACHE_HOME", ""))
    # The convention is to ignore a relative path, which would depend on the current folder.
    return (xdg if xdg.is_absolute() else _home() / ".cache") / "hbtom"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:
        hint = f"set {VARIABLE} to a folder"
        raise BadInput("there is no home folder to keep downloads in", hint=hint) from error
