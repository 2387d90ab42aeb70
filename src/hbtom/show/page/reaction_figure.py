"""What a network expected at the most unexpected step, as a picture on a page."""

from __future__ import annotations

import html
import struct
import zlib
from base64 import b64encode
from typing import Annotated

import numpy as np

from hbtom.neural.drawing import SIDE
from hbtom.neural.tensors import FASTEST, STEP, WORLD, Numbers, Pictures
from hbtom.neural.trained import Reaction
from hbtom.show.words import plain

WIDE = 220  # pixels on the page: three pictures fit side by side
TAKEN, EXPECTED = "#1b9e77", "#d95f02"  # colours of arrows
_REACH = SIDE * FASTEST * STEP / WORLD  # of an action of 1, in pixels of a picture


def reaction_figure(name: str, reaction: Reaction) -> str:
    """Return markup: the picture with two arrows, or next to it the expected picture."""
    worst, expected = reaction.worst, reaction.expected
    before, after = reaction.pictures()
    caption = f"{plain(name)}: {reaction_words(reaction)}"
    assert expected is not None
    if expected.ndim > 2:
        shown = np.rint(255 * np.clip(expected[worst], 0, 1)).astype(np.uint8)
        labels = "before the step", "after the step", "expected after the step"
        parts = [_svg(*one) for one in zip(labels, (before, after, shown), strict=True)]
        return _figure(parts, f"{caption}. From the left: before, after, and what was expected.")
    place = SIDE * reaction.seen.places[0, -1, worst, 0, :2]
    arrows = _arrow(place, expected[worst], EXPECTED) + _arrow(place, reaction.taken[worst], TAKEN)
    label = "the agent with its heading and the expected one"
    return _figure(
        [_svg(label, before, arrows)], f"{caption}. Green: where it went. Orange: expected."
    )


def reaction_words(reaction: Reaction) -> str:
    """Return which step was the most unexpected, and its error, in words."""
    first, error = reaction.frames[reaction.worst] + 1, reaction.errors[reaction.worst]
    return f"most unexpected from frame {first} on, error {error:.3g}"


def _figure(parts: list[str], caption: str) -> str:
    return f"<figure>{''.join(parts)}<figcaption>{html.escape(caption)}</figcaption></figure>\n"


def _svg(label: str, picture: Annotated[Pictures, "84 84 3"], more: str = "") -> str:
    data = b64encode(png(picture)).decode("ascii")
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" width="{WIDE}" role="img" aria-label="{label}">'
        f'<image width="{SIDE}" height="{SIDE}" image-rendering="pixelated" '
        f'href="data:image/png;base64,{data}"/>{more}</svg>\n'
    )


def _arrow(start: Annotated[Numbers, "2"], action: Annotated[Numbers, "2"], colour: str) -> str:
    """Return an arrow as long as one step; a dot if the agent rests."""
    way = _REACH * action
    end, length = start + way, float(np.hypot(*way))
    (x, y), (to_x, to_y) = start.tolist(), end.tolist()
    if length < 0.5:
        return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="1" fill="{colour}"/>'
    along = way / length
    across = np.array([-along[1], along[0]])
    tip = [end + 2 * along, end + across, end - across]
    points = " ".join(f"{px:.2f},{py:.2f}" for px, py in (one.tolist() for one in tip))
    return (
        f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{to_x:.2f}" y2="{to_y:.2f}" stroke="{colour}"/>'
        f'<polygon points="{points}" fill="{colour}"/>'
    )


def png(picture: Annotated[Pictures, "row column 3"]) -> bytes:
    """Return a picture as a PNG file."""
    rows, columns, _ = picture.shape
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), picture.reshape(rows, -1)], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">2I5B", columns, rows, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    body = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)
