r"""A quick way through a file whose frames repeat one another, as they do in the benchmark.

A frame that was decoded serves as a *template* for those after it: its bytes, with *holes* for the
corners of the agent and of the key. ::

    , {"size": [200, 200], …, "agent": [[151, 139], 6, "clove.png", [0, 0, 128]]}
    \_______________ piece ____________/\_hole_/\____________ piece ____________/

To compare the next frame's bytes with the pieces takes a fraction of the time of decoding them,
and a stretch of still frames is compared as a whole. The scanner accepts a file only if decoding
all of it would give the very same runs. With anything unusual it gives up, and the file is decoded
by :func:`hbtom.observe.frames.decode_runs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Raw

from hbtom.errors import BadInput
from hbtom.observe.fields import FARTHEST, bodies
from hbtom.observe.frames import Corner, Frame, Run, decode

_FIRST_TRIAL = re.compile(rb"[ \t\n\r]*\[[ \t\n\r]*\[[ \t\n\r]*")
_NEXT_TRIAL = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*\[[ \t\n\r]*")
_NEXT_FRAME = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_LAST_FRAME = re.compile(rb"[ \t\n\r]*\]")
_LAST_TRIAL = re.compile(rb"[ \t\n\r]*\][ \t\n\r]*\Z")
_FIRST_PAIR = re.compile(rb"([ \t\n\r\[]*\[)([^\[\]]+)(?=\])")

_Ordinate = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]
_decode_corners = msgspec.json.Decoder(list[tuple[_Ordinate, _Ordinate]]).decode


class Scanned(NamedTuple):
    """A trial that was scanned, and where in the file it ends."""

    runs: list[Run]
    end: int


class _Unusual(Exception):
    """The file may be right or wrong, but it is not laid out as the scanner expects."""


def scan(data: bytes, start: int = 0) -> list[Scanned] | None:
    """Return the trials of a file, or those after the trial that ends at ``start``.

    None means that the whole file must be decoded, be it to find out what is wrong with it.
    """
    try:
        return list(_trials(data, start))
    except (_Unusual, BadInput, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _trials(data: bytes, start: int) -> Iterator[Scanned]:
    end = start
    opening = _expect(_FIRST_TRIAL, data, 0) if start == 0 else _NEXT_TRIAL.match(data, start)
    while opening is not None:
        runs, end = _trial(data, opening.end())
        yield Scanned(runs, end)
        opening = _NEXT_TRIAL.match(data, end)
    _expect(_LAST_TRIAL, data, end)


def _trial(data: bytes, start: int) -> tuple[list[Run], int]:
    """Return the runs of the trial whose first frame is at ``start``, and the trial's end."""
    run, end = _run(data, start)
    runs = [run]
    while (comma := _NEXT_FRAME.match(data, end)) is not None:
        run, end = _run(data, comma.end())
        runs.append(run)
    if len({run.frame.key_and_lock for run in runs}) > 1:
        raise _Unusual
    return runs, _expect(_LAST_FRAME, data, end).end()


def _run(data: bytes, start: int) -> tuple[Run, int]:
    """Return the run whose first frame is at ``start``, and the end of its last frame."""
    text = data[start : data.find(b"}", start) + 1]
    frame, end = _frame(text), start + len(text)
    comma = _NEXT_FRAME.match(data, end)
    if comma is None:
        return Run(frame, [1]), end
    text = comma[0] + text
    still = _times(data, text, end)
    template = _template(text, frame)
    seen, counts, end = _follow(data, template, 1 + still, end + still * len(text))
    if len(seen) == 1:
        return Run(frame, counts), end
    _check(template, frame, len(comma[0]))
    corners = [_corners(texts) for texts in zip(*seen, strict=True)]
    named = dict(zip(template.names, corners, strict=True))
    return Run(frame, counts, named.get("agent"), named.get(frame.key_and_lock[0])), end


def _frame(text: bytes) -> Frame:
    """Decode a frame given as the bytes from ``{`` to the next ``}``.

    If these are an object, it is the frame, because no object is the beginning of another one. The
    brackets around it are those of the file, for there is a limit to how deep lists may be nested.
    """
    if not text.startswith(b"{"):
        raise _Unusual
    ((frame,),) = decode(b"[[" + text + b"]]")
    return frame


# Still frames


def _times(data: bytes, text: bytes, start: int) -> int:
    """Tell how many times in a row ``text`` stands at ``start``.

    Twice as much is compared each time, with what was compared before, and at the end half as much.
    """
    if not data.startswith(text, start):
        return 0
    view, size = memoryview(data), len(text)
    end = start + size
    while data.startswith(view[end - size : end], end):
        end += size
        size *= 2
    while size > len(text):
        size //= 2
        if data.startswith(view[end - size : end], end):
            end += size
    return (end - start) // len(text)


# Frames in which agent and key move


class _Template(NamedTuple):
    """A frame with the comma before it: what is in its holes, and the pieces before and after."""

    names: list[str]
    holes: list[bytes]
    before: list[bytes]
    after: bytes


def _template(text: bytes, frame: Frame) -> _Template:
    """Cut a frame at the corners of the agent and of the key, as far as it has them."""
    found = []
    for name in ("agent", frame.key_and_lock[0]):
        raw = bytes(getattr(frame, name))
        pair = _FIRST_PAIR.match(raw)
        if pair is not None:
            start = text.rfind(raw)  # of fields with the same name the last one counts
            found.append((start + pair.start(2), start + pair.end(2), name))
    names, holes, before, last = [], [], [], 0
    for start, end, name in sorted(found):
        names.append(name)
        holes.append(text[start:end])
        before.append(text[last:start])
        last = end
    return _Template(names, holes, before, text[last:])


def _follow(
    data: bytes, template: _Template, count: int, end: int
) -> tuple[list[list[bytes]], list[int], int]:
    """Go on from ``end`` as long as frames fit the template, which fitted ``count`` frames so far.

    Returns what is in the holes, for how many frames, and where the last of these ends. A hole
    ends at the next bracket, with which the piece after it begins.
    """
    _, holes, before, after = template
    seen, counts = [holes], [count]
    while True:
        holes, at = [], end
        for piece in before:
            if not data.startswith(piece, at):
                return seen, counts, end
            at += len(piece)
            bracket = data.find(b"]", at)
            holes.append(data[at:bracket])
            at = bracket
        if at < 0 or not data.startswith(after, at):
            return seen, counts, end
        at += len(after)
        if holes == seen[-1]:
            times = 1 + _times(data, data[end:at], at)
            counts[-1] += times
            end += times * (at - end)
        else:
            seen.append(holes)
            counts.append(1)
            end = at


def _check(template: _Template, frame: Frame, comma: int) -> None:
    """Make sure that the holes are where they seem to be: white space put there is seen there.

    It is not if a field comes twice in a frame, say, or if another field has the same text. Nor is
    a template of use if there are several keys, of which the first by look and place counts.
    """
    parts = zip(template.before, template.holes, strict=True)
    spaced = b"".join(before + b" " + hole for before, hole in parts) + template.after
    expected = {name: _spaced(getattr(frame, name)) for name in template.names}
    if _frame(spaced[comma:]) != msgspec.structs.replace(frame, **expected):
        raise _Unusual
    if any(name != "agent" and len(bodies(getattr(frame, name))) > 1 for name in template.names):
        raise _Unusual


def _spaced(raw: Raw) -> Raw:
    return Raw(_FIRST_PAIR.sub(rb"\1 \2", bytes(raw), count=1))


def _corners(texts: Sequence[bytes]) -> list[Corner]:
    """Decode what was in a hole, frame by frame.

    No text has a closing bracket, so each must be a pair of numbers by itself.
    """
    return _decode_corners(b"[[" + b"],[".join(texts) + b"]]")


def _expect(pattern: re.Pattern[bytes], data: bytes, start: int) -> re.Match[bytes]:
    found = pattern.match(data, start)
    if found is None:
        raise _Unusual
    return found
