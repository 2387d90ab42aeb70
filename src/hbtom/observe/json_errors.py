"""Where and why decoding failed, in terms of trials and frames instead of a decoder's bytes."""

from __future__ import annotations

import re

from hbtom.errors import BadInput, Place


def problem(error: Exception) -> str:
    """Return a decoder's message without its own notation for the place."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    words = re.sub(r" - at `\$.*", "", str(error)).replace("`", "'")
    return re.sub(r"^(Expected|Object)", lambda word: word[0].lower(), words)


def malformed(data: bytes, error: Exception, *, hint: str) -> BadInput:
    """Return an error that says in which trial, frame and field a file is not JSON, and why."""
    offset = len(data) if "truncated" in str(error) else _offset(error)
    return broken(data, error, hint=hint, place=_place_of(data, offset))


def _offset(error: Exception) -> int:
    byte = re.search(r"\(byte (\d+)\)", str(error))
    return int(byte[1]) if byte else 0


def broken(data: bytes, error: Exception, *, hint: str, place: Place | None = None) -> BadInput:
    """Return an error that says why a file is not JSON."""
    offset = _offset(error)
    cut_number = data.endswith(b"-") and offset >= len(data) - 1 > 0
    if cut_number or "truncated" in str(error):
        return BadInput("the file is cut off", hint="copy or download it again", place=place)
    if _NOT_A_NUMBER.match(data, max(0, offset - 1)):
        finite = "JSON has no NaN or Infinity; write a number"
        return BadInput("not a number", hint=finite, place=place)
    return BadInput(f"the file is not JSON ({problem(error)})", hint=hint, place=place)


_NOT_A_NUMBER = re.compile(rb".?-?(nan|inf)", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}:]')


def _place_of(data: bytes, offset: int) -> Place:
    """Find the trial, frame and field that contain a byte by counting the brackets before it."""
    depth, trial, frame = 0, 0, 0
    field = word = None
    for token in _TOKEN.finditer(data, 0, offset):
        mark = token[0]
        if mark in (b"]", b"}"):
            depth -= 1
        elif mark in (b"[", b"{"):
            depth += 1
            if depth == 2:
                trial, frame, field = trial + 1, 0, None
            elif depth == 3:
                frame, field = frame + 1, None
        elif mark == b":" and depth == 3 and word is not None:
            field = word[1:-1].decode(errors="replace")
        elif mark != b":":
            word = mark
    return Place(trial=trial or None, frame=frame or None, field=field)


def place_in_message(error: Exception) -> Place:
    """Find the trial and frame in a decoder's message that ends in ``at `$[2][16]```."""
    path = re.search(r"at `\$((?:\[\d+\])+)", str(error))
    numbers = [int(n) + 1 for n in re.findall(r"\d+", path[1])] if path else []
    return Place(trial=next(iter(numbers), None), frame=numbers[1] if len(numbers) > 1 else None)
