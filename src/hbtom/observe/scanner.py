"""A fast reader for files whose frames mostly repeat one another, as in the benchmark.

It decodes only the first frame of each run, and what changes in the frames after it. It accepts a
file only if decoding all of it would give the same frames. If it finds anything unusual it gives
up, and :func:`hbtom.observe.frames.decode_runs` decodes the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from hbtom.errors import BadInput
from hbtom.observe.fields import Known, Ordinate, barrier, decoded
from hbtom.observe.frames import Corner, FileFrame, Run
from hbtom.observe.template import (
    MatchedFrames,
    Template,
    Unusual,
    check_holes,
    decoded_frame,
    expect,
    follow,
    template_of,
    times,
)

_FIRST_TRIAL = re.compile(rb"[ \t\n\r]*\[[ \t\n\r]*\[[ \t\n\r]*")
_NEXT_TRIAL = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*\[[ \t\n\r]*")
_LAST_TRIAL = re.compile(rb"[ \t\n\r]*\][ \t\n\r]*\Z")
_NEXT_FRAME = re.compile(rb"[ \t\n\r]*,[ \t\n\r]*")
_LAST_FRAME = re.compile(rb"[ \t\n\r]*\]")

_MOST_RUNS = 64  # in a trial; with more, decoding is faster

_decode_corners = msgspec.json.Decoder(list[tuple[Ordinate, Ordinate]]).decode


class Scanned(NamedTuple):
    """The runs of a trial, and where the trial ends in the file."""

    runs: list[Run]
    end: int


def scan(data: bytes, known: Known, start: int = 0) -> list[Scanned] | None:
    """Return the trials of a file, or those after the trial that ends at ``start``.

    None means that the whole file must be decoded, if only to find out what is wrong with it.
    """
    try:
        return list(_trials(data, known, start))
    except (Unusual, BadInput, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _trials(data: bytes, known: Known, end: int) -> Iterator[Scanned]:
    opening = expect(_FIRST_TRIAL, data, 0) if end == 0 else _NEXT_TRIAL.match(data, end)
    while opening is not None:
        scanned = _trial(data, known, opening.end())
        yield scanned
        end = scanned.end
        opening = _NEXT_TRIAL.match(data, end)
    expect(_LAST_TRIAL, data, end)


def _trial(data: bytes, known: Known, start: int) -> Scanned:
    """Scan the trial whose first frame is at ``start``."""
    run, end = _run(data, known, start)
    runs = [run]
    while (comma := _NEXT_FRAME.match(data, end)) is not None:
        if len(runs) == _MOST_RUNS:
            raise Unusual
        run, end = _run(data, known, comma.end())
        runs.append(run)
    if len({run.frame.key_and_lock for run in runs}) > 1:
        raise Unusual  # the first frame decides which field is the key
    return Scanned(runs, expect(_LAST_FRAME, data, end).end())


def _run(data: bytes, known: Known, start: int) -> tuple[Run, int]:
    """Return the run whose first frame is at ``start``, and the end of its last frame."""
    text = data[start : data.find(b"}", start) + 1]
    frame, end = decoded_frame(text), start + len(text)
    comma = _NEXT_FRAME.match(data, end)
    if comma is None:
        return Run(frame, [1]), end
    text = comma[0] + text
    still = times(data, text, end)
    end += still * len(text)
    for names in (("agent", frame.key_and_lock[0]), ("fuse_walls",)):
        template = template_of(text, frame, names)
        followed = follow(data, template, 1 + still, end)
        if len(followed.counts) > 1:
            check_holes(template, frame)
            return _filled(frame, template, followed, known), followed.end
    return Run(frame, [1 + still]), end


def _filled(frame: FileFrame, template: Template, followed: MatchedFrames, known: Known) -> Run:
    """Return a run of frames that fit a template, with the contents of the holes decoded.

    A hole lies between an opening and a closing bracket. Its content is right if it is a list
    together with these brackets, because no list is the beginning of another list.
    """
    texts = dict(zip(template.names, zip(*followed.holes, strict=True), strict=True))
    key, _ = frame.key_and_lock
    blocks = [Raw(b"[" + text + b"]") for text in texts.get("fuse_walls", ())]
    return Run(
        frame,
        followed.counts,
        agents=_corners(texts["agent"]) if "agent" in texts else None,
        keys=_corners(texts[key]) if key in texts else None,
        barriers=[decoded(one, barrier, known) for one in blocks] or None,
    )


def _corners(texts: Sequence[bytes]) -> list[Corner]:
    """Decode all corners at once, and make sure that each text is one corner."""
    corners = _decode_corners(b"[[" + b"],[".join(texts) + b"]]")
    if len(corners) != len(texts):
        raise Unusual
    return corners
