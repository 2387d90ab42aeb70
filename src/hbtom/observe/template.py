r"""Recognise frames by their similarity to the frame before, without decoding them.

A decoded frame serves as a *template* for the frames after it: its bytes, with *holes* where
content may change from frame to frame. ::

    , {"size": [200, 200], …, "agent": [[151, 139], 6, "clove.png", [0, 0, 128]]}
    \_______________ piece ____________/\_hole_/\____________ piece ____________/

Comparing the next frame's bytes with the pieces takes a fraction of the time of decoding them, and
a stretch of still frames is compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from hbtom.observe.fields import bodies
from hbtom.observe.frames import FileFrame, decode

_LONGEST = 1 << 12  # bytes in a hole
_CORNER = re.compile(rb"[ \t\n\r\[]*\[([ \t\n\r]*[-\d][^\[\]]*)\]")  # wrapped or not
_BLOCKS = re.compile(rb"\[(.+)\]\Z", re.DOTALL)
_MARK = re.compile(rb"[\], \t\n\r]*[^\], \t\n\r]")


class Unusual(Exception):
    """The file is not laid out as expected; it may still be valid."""


class Template(NamedTuple):
    """A frame with the comma before it: the contents of its holes, and the pieces around them.

    Each piece ``before`` a hole comes with a mark: the bytes that show where the hole ends.
    """

    names: list[str]
    holes: list[bytes]
    before: list[tuple[bytes, bytes]]
    after: bytes


class MatchedFrames(NamedTuple):
    """Frames that fit a template: ``holes[i]`` occur in ``counts[i]`` frames, up to ``end``."""

    holes: list[list[bytes]]
    counts: list[int]
    end: int


def template_of(text: bytes, frame: FileFrame, names: Sequence[str]) -> Template:
    """Cut a frame where the named fields, if it has them, may change."""
    found = []
    for name in names:
        raw = bytes(getattr(frame, name))
        hole = _hole(name, raw)
        if hole is not None:
            start = text.rfind(raw)  # the last of several fields with the same name counts
            found.append((start + hole.start(1), start + hole.end(1), name))
    template, last = Template([], [], [], text), 0
    for start, end, name in sorted(found):
        template.names.append(name)
        template.holes.append(text[start:end])
        template.before.append((text[last:start], expect(_MARK, text, end)[0]))
        last = end
    return template._replace(after=text[last:])


def _hole(name: str, raw: bytes) -> re.Match[bytes] | None:
    """Find the part of a field that may change: all blocks of a list, or an entity's corner."""
    return (_BLOCKS if name == "fuse_walls" else _CORNER).match(raw)


def follow(data: bytes, template: Template, count: int, end: int) -> MatchedFrames:
    """Continue from ``end`` while frames fit the template; ``count`` frames have fitted so far.

    The contents of the holes remain to be decoded, and :func:`check_holes` must confirm the holes.
    """
    _, holes, before, after = template
    seen, counts = [holes], [count]
    while True:
        holes, at = [], end
        for piece, mark in before:
            if not data.startswith(piece, at):
                return MatchedFrames(seen, counts, end)
            at += len(piece)
            stop = data.find(mark, at, at + _LONGEST)
            if stop < 0:
                return MatchedFrames(seen, counts, end)
            holes.append(data[at:stop])
            at = stop
        if not data.startswith(after, at):
            return MatchedFrames(seen, counts, end)
        at += len(after)
        if holes == seen[-1]:
            more = 1 + times(data, data[end:at], at)
            counts[-1] += more
            end += more * (at - end)
        else:
            seen.append(holes)
            counts.append(1)
            end = at


def times(data: bytes, text: bytes, start: int) -> int:
    """Return how many times in a row ``text`` occurs at ``start``.

    The length of comparisons doubles until one fails, and is then halved each time.
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


def check_holes(template: Template, frame: FileFrame) -> None:
    """Make sure that the holes are where they seem to be: white space put there must show up there.

    It does not if, for example, a field occurs twice in a frame or another field has the same text.
    A template is also useless if there are several keys: the first by look and position counts.
    """
    parts = zip(template.before, template.holes, strict=True)
    text = b"".join(piece + b" " + hole for (piece, _), hole in parts) + template.after
    spaced = {name: _spaced(name, bytes(getattr(frame, name))) for name in template.names}
    if decoded_frame(text[text.index(b"{") :]) != msgspec.structs.replace(frame, **spaced):
        raise Unusual
    if any(name in ("pin", "key") and len(bodies(getattr(frame, name))) > 1 for name in spaced):
        raise Unusual


def _spaced(name: str, raw: bytes) -> Raw:
    hole = _hole(name, raw)
    start = hole.start(1) if hole is not None else 0
    return Raw(raw[:start] + b" " + raw[start:])


def decoded_frame(text: bytes) -> FileFrame:
    """Decode a frame given as the bytes from ``{`` to the next ``}``.

    If these bytes are an object, it is the frame, because no object is the beginning of another.
    The file's brackets are added around it, because the depth of nesting is limited.
    """
    if not text.startswith(b"{"):
        raise Unusual
    ((frame,),) = decode(b"[[" + text + b"]]")
    return frame


def expect(pattern: re.Pattern[bytes], data: bytes, start: int) -> re.Match[bytes]:
    """Match a pattern that must occur here."""
    found = pattern.match(data, start)
    if found is None:
        raise Unusual
    return found
