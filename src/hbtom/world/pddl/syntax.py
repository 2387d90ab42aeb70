"""The syntax of PDDL: lists in parentheses, with their line numbers.

Case does not matter. A comment begins with a semicolon and ends with the line. A question mark
begins a new word: many planners read ``(plane?p)`` as ``(plane ?p)``, and so does this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hbtom.errors import BadInput, Place

_SECTION = 2  # lists that are open in a section: the file's and its own
DEEPEST = 100  # lists within lists, at most
MOST_WORDS = 1_000_000  # in a file

_TOKEN = re.compile(r";[^\n]*|[()]|\??[^\s();?]+|\?|\n")
_LINE = re.compile(r"[^\n]*\n?")


def written_lines(text: str, most: int, what: str) -> list[tuple[int, str]]:
    """Return the lines that are not empty, without comments, each with its number.

    More than ``most`` lines are an error; ``what`` says what they contain.
    """
    lines: list[tuple[int, str]] = []
    for line, found in enumerate(_LINE.finditer(text), start=1):
        written = found[0].partition(";")[0].strip()
        if written and len(lines) == most:
            raise bad(line, f"there are more than {most} {what}", "leave some out")
        if written:
            lines.append((line, written))
    return lines


class Word(NamedTuple):
    """A name, a number, a variable or a keyword."""

    text: str
    line: int

    def __str__(self) -> str:
        return self.text


class Form(NamedTuple):
    """A list in parentheses."""

    parts: tuple[Word | Form, ...]
    line: int

    @property
    def head(self) -> str:
        """The first word of the list; empty if it does not begin with a word."""
        first = self.parts[0] if self.parts else None
        return first.text if isinstance(first, Word) else ""

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.parts))})"


Node = Word | Form


def read_forms(text: str, first: int = 1) -> tuple[Node, ...]:
    """Return all lists and words of a text; its first line has the number ``first``."""
    whole: list[Node] = []
    around: list[tuple[list[Node], int]] = []  # the open lists, and the lines of their parentheses
    inside, opened = whole, first
    astray = ""  # hint at the first section that begins within another one
    for count, (token, line) in enumerate(_tokens(text, first)):
        if count == MOST_WORDS:
            raise bad(line, f"there are more than {MOST_WORDS} words and parentheses")
        if token == "(":
            if len(around) == DEEPEST:
                raise bad(line, f"lists are nested more than {DEEPEST} deep")
            around.append((inside, opened))
            inside, opened = [], line
        elif token == ")":
            if not around:
                raise bad(line, "this closing parenthesis has no opening one")
            form = Form(tuple(inside), opened)
            inside, opened = around.pop()
            inside.append(form)
        else:
            if token.startswith(":") and not inside and len(around) > _SECTION:
                outer = Form(tuple(around[_SECTION][0]), around[_SECTION][1])
                astray = astray or _within(token, line, outer)
            inside.append(Word(token, line))
    if around:
        raise bad(opened, "this opening parenthesis is never closed", astray)
    return tuple(whole)


def _within(token: str, line: int, outer: Form) -> str:
    name = " ".join(part.text for part in outer.parts[:2] if isinstance(part, Word))
    return f"({token} on line {line} is inside ({name} of line {outer.line}; is a ) missing there?"


def read_form(text: str, first: int = 1) -> Form:
    """Return the only list of a text."""
    forms = read_forms(text, first)
    if not forms:
        raise bad(first, "there is nothing here", hint="write a list in parentheses")
    if not isinstance(forms[0], Form):
        problem = f"'{short(forms[0])}' is not a list in parentheses"
        raise bad(forms[0].line, problem, hint="a PDDL file is one list: (define ...)")
    for form in forms[1:]:
        raise bad(form.line, f"'{short(form)}' is after the end", hint="remove it")
    return forms[0]


def _tokens(text: str, line: int) -> Iterator[tuple[str, int]]:
    for found in _TOKEN.finditer(text.lower()):
        token = found[0]
        if token == "\n":
            line += 1
        elif not token.startswith(";"):
            yield token, line


def short(node: Node, most: int = 60) -> str:
    """Return a list as text, shortened for a message."""
    text = str(node)
    return text if len(text) <= most else text[: most - 1] + "…"


def bad(line: int, problem: str, hint: str = "") -> BadInput:
    """Return an error at a line; the caller adds the file."""
    return BadInput(problem, hint=hint, place=Place(line=line))
