"""The reader of videos, which makes episodes from their pictures.

``pictures`` decodes a video. ``camera`` finds out how the world is seen, ``stage`` finds floor and
walls, ``colours``, ``solids`` and ``things`` find everything else, and ``following`` follows it.
``viewing`` does this trial by trial, and ``casting`` identifies agents and objects.
"""

from typing import Literal

Container = Literal["mov", "matroska", "gif"]  # ffmpeg's names

_MP4 = b"ftyp"  # the kind of the first box, after its length
_FIRST_BOX = 1 << 16  # bytes, at most
_WEBM = b"\x1a\x45\xdf\xa3"
_GIF = b"GIF87a", b"GIF89a"
SUFFIXES = (".mp4", ".webm", ".gif")


def container(data: bytes) -> Container | None:
    """Return the kind of video that a file's first bytes indicate: MP4, WebM or GIF, or None.

    The first box of an MP4 is short; a text that happens to contain "ftyp" has no such length.
    """
    if data.startswith(_WEBM):
        return "matroska"
    if data.startswith(_GIF):
        return "gif"
    if data[4:8] == _MP4 and 8 < int.from_bytes(data[:4]) < _FIRST_BOX:
        return "mov"
    return None
