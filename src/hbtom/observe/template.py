r"""Frames that are told by their likeness to the frame before, without being decoded.

A frame that was decoded serves as a *template* for those after it: its bytes, with *holes* for what
may change from frame to frame. ::

    , {"size": [200, 200], …, "agent": [[151, 139], 6, "clove.png", [0, 0, 128]]}
    \_______________ piece ____________/\_hole_/\____________ piece ____________/

To compare the next frame's bytes with the pieces takes a fraction of the time of decoding them,
and a stretch of still frames is compared as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from hbtom.observe.fields import bodies
from hbtom.observe.frames import Frame, decode

_LONGEST = 1 << 12  # bytes in a hole
_CORNER = re.compile(rb"[ \t\n\r\[]*\[([ \t\n\r]*[-\d][^\[\]]*)\]")  # be it wrapped or not
_BLOCKS = re.compile(rb"\[(.+)\]\Z", re.DOTALL)
_MARK = re.compile(rb"[\], \t\n\r]*[^\], \t\n\r]")


class Unusual(Exception):
    """A file may be right or wrong, but it is not laid out as one expects."""


class Template(NamedTuple):
    """A frame with the comma before it: what is in its holes, and the pieces around them.

    With each piece ``before`` a hole goes a mark, the bytes by which the end of the hole is found.
    """

    names: list[str]
    holes: list[bytes]
    before: list[tuple[bytes, bytes]]
    after: bytes


class Followed(NamedTuple):
    """Frames that fit a template: ``holes[i]`` were seen in ``counts[i]`` frames, up to ``end``."""

    holes: list[list[bytes]]
    counts: list[int]
    end: int


def template_of(text: bytes, frame: Frame, names: Sequence[str]) -> Template:
    """Cut a frame where the fields of these names may change, as far as it has them."""
    found = []
    for name in names:
        raw = bytes(getattr(frame, name))
        hole = _hole(name, raw)
        if hole is not None:
            start = text.rfind(raw)  # of fields with the same name the last one counts
            found.append((start + hole.start(1), start + hole.end(1), name))
    template, last = Template([], [], [], text), 0
    for start, end, name in sorted(found):
        template.names.append(name)
        template.holes.append(text[start:end])
        template.before.append((text[last:start], expect(_MARK, text, end)[0]))
        last = end
    return template._replace(after=text[last:])


def _hole(name: str, raw: bytes) -> re.Match[bytes] | None:
    """Find what may change in a field: a list of blocks as a whole, of an entity its corner."""
    return (_BLOCKS if name == "fuse_walls" else _CORNER).match(raw)


def follow(data: bytes, template: Template, count: int, end: int) -> Followed:
    """Go on from ``end`` as long as frames fit the template, which fitted ``count`` frames so far.

    What is in the holes has yet to be decoded, and :func:`check` to say that they are holes.
    """
    _, holes, before, after = template
    seen, counts = [holes], [count]
    while True:
        holes, at = [], end
        for piece, mark in before:
            if not data.startswith(piece, at):
                return Followed(seen, counts, end)
            at += len(piece)
            stop = data.find(mark, at, at + _LONGEST)
            if stop < 0:
                return Followed(seen, counts, end)
            holes.append(data[at:stop])
            at = stop
        if not data.startswith(after, at):
            return Followed(seen, counts, end)
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


def check(template: Template, frame: Frame) -> None:
    """Make sure that the holes are where they seem to be: white space put there is seen there.

    It is not if a field comes twice in a frame, say, or if another field has the same text. Nor is
    a template of use if there are several keys, of which the first by look and place counts.
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


def decoded_frame(text: bytes) -> Frame:
    """Decode a frame given as the bytes from ``{`` to the next ``}``.

    If these are an object, it is the frame, because no object is the beginning of another one. The
    brackets around it are those of the file, for there is a limit to how deep lists may be nested.
    """
    if not text.startswith(b"{"):
        raise Unusual
    ((frame,),) = decode(b"[[" + text + b"]]")
    return frame


def expect(pattern: re.Pattern[bytes], data: bytes, start: int) -> re.Match[bytes]:
    """Match a pattern that must be there."""
    found = pattern.match(data, start)
    if found is None:
        raise Unusual
    return found
