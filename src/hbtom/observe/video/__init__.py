"""The reader of videos: what pictures show becomes an episode.

``pictures`` decodes a video, ``camera`` finds out how the world is seen, ``stage`` where floor and
walls are, ``colours``, ``solids`` and ``things`` what else there is, ``following`` where that goes,
``watching`` does this trial by trial, and ``reading`` tells who is who.
"""

from typing import Literal

Container = Literal["mov", "matroska", "gif"]  # as ffmpeg calls what is known here

_MP4 = b"ftyp"  # the kind of the first box, after its length
_FIRST_BOX = 1 << 16  # bytes, at most
_WEBM = b"\x1a\x45\xdf\xa3"
_GIF = b"GIF87a", b"GIF89a"
SUFFIXES = (".mp4", ".webm", ".gif")


def container(data: bytes) -> Container | None:
    """Tell by its first bytes what kind of video a file is: MP4, WebM or GIF; None if it is none.

    The first box of an MP4 is short; no text that happens to say "ftyp" begins with its length.
    """
    if data.startswith(_WEBM):
        return "matroska"
    if data.startswith(_GIF):
        return "gif"
    if data[4:8] == _MP4 and 8 < int.from_bytes(data[:4]) < _FIRST_BOX:
        return "mov"
    return None
