"""Blocks of ``console``: what follows a dollar is a command, all else is what it prints."""

from __future__ import annotations

import re

from pygments.lexers.shell import BashSessionLexer
from sphinx.application import Sphinx


class ConsoleLexer(BashSessionLexer):
    """A session whose output may begin with any other sign, as comments of a model file do."""

    name = "Console"
    aliases = ("console",)
    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")
    _ps2 = "> "


def setup(app: Sphinx) -> dict[str, bool]:
    """Let blocks be coloured so."""
    app.add_lexer("console", ConsoleLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
