"""Processes whose lines are not counted when the tests are measured with coverage."""

from __future__ import annotations

import os


def unmeasured(**more: str) -> dict[str, str]:
    """Return the environment of a process that coverage does not measure."""
    return {name: os.environ[name] for name in os.environ if "COVERAGE" not in name} | more
