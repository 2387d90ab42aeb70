"""Cells of CSV files that no spreadsheet takes for a formula.

Names of files, pairs and pictures come from whoever made a dataset. A spreadsheet would run a name
such as ``=cmd|...``. So text that begins with one of ``= + - @``, a tab or the end of a line is
written with an apostrophe before it, and read back without. Numbers stay as they are.
"""

from __future__ import annotations

import re
from typing import Any

_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # or text that would be read back as one


def guarded(value: Any) -> Any:
    """Return a value as a cell holds it.

    >>> guarded("=1+1"), guarded("heart.png"), guarded(-0.69)
    ("'=1+1", 'heart.png', -0.69)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unguarded(cell: str) -> str:
    """Return the text that :func:`guarded` made a cell of.

    >>> unguarded("'=1+1"), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
