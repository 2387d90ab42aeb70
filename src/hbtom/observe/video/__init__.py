"""The reader of videos: what pictures show becomes an episode.

``pictures`` decodes a video, ``camera`` finds out how the world is seen, ``stage`` where floor and
walls are, ``colours``, ``solids`` and ``things`` what else there is, ``following`` where that goes,
``watching`` does this trial by trial, and ``reading`` tells who is who.
"""

MP4 = b"ftyp"  # after the length of the first box
WEBM = b"\x1a\x45\xdf\xa3"
GIF = b"GIF87a", b"GIF89a"
SUFFIXES = (".mp4", ".webm", ".gif")


def is_video(data: bytes) -> bool:
    """Tell by its first bytes whether a file is a video: MP4, WebM or GIF."""
    return data[4:8] == MP4 or data.startswith((WEBM, *GIF))
