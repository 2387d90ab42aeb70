"""Highlight ``console`` blocks: lines after a dollar sign are commands, the rest is output."""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer
from sphinx.application import Sphinx


class ConsoleLexer(BashSessionLexer):
    """A session whose output may begin with any character except ``$``, such as ``#``."""

    name = "Console"
    aliases = ("console",)
    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")
    _ps2 = "> "


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the lexer."""
    app.add_lexer("console", ConsoleLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
