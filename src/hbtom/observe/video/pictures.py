"""Pictures out of a video, one at a time, by ffmpeg."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hbtom.errors import BadInput, missing

Picture = Annotated[NDArray[np.uint8], "row column 3"]

LARGEST = 4_000_000  # pixels of a picture
PLAIN = 16  # the most that colours may differ within a picture that shows nothing

_SAMPLE = 80  # rows of a picture that one looks at to see whether it is plain
_SHORT = 0.9  # of the pictures that a whole video has
_BOX = b"ftyp"  # MP4 and its kin begin with the length of a box, and this
_WEBM = b"\x1a\x45\xdf\xa3"
_GIF, _GIF_END = (b"GIF87a", b"GIF89a"), b";"


def is_video(data: bytes) -> bool:
    """Tell by its first bytes whether a file is a video: MP4, WebM or GIF."""
    return data[4:8] == _BOX or data.startswith((_WEBM, *_GIF))


def pictures(data: bytes) -> Iterator[Picture]:
    """Yield the pictures of a video in their order; only one is held at a time."""
    ffmpeg = _ffmpeg()
    if data.startswith(_GIF) and not data.endswith(_GIF_END):
        raise _broken()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "video"  # ffmpeg has to go to and fro in it
        file.write_bytes(data)
        try:
            with closing(ffmpeg.read_frames(str(file))) as stream:
                yield from _decoded(stream)
        except (OSError, RuntimeError, StopIteration):
            raise _broken() from None


def _decoded(stream: Iterator[Any]) -> Iterator[Picture]:
    about = next(stream)
    width, height = about["size"]
    if width * height > LARGEST:
        raise BadInput(
            f"the pictures are {width} x {height} pixels", hint="make the video smaller, please"
        )
    count = 0
    for count, taken in enumerate(stream, start=1):  # noqa: B007 - counted
        yield np.frombuffer(taken, dtype=np.uint8).reshape(height, width, 3)
    if count < _SHORT * about["duration"] * about["fps"]:
        raise _broken()


def is_plain(picture: Picture) -> bool:
    """Tell whether a picture has one colour all over, as between two trials."""
    step = max(picture.shape[0] // _SAMPLE, 1)
    seen = picture[::step, ::step].reshape(-1, 3)
    return bool(np.ptp(seen, axis=0).max() <= PLAIN)


def _broken() -> BadInput:
    return BadInput("the video is broken or cut off", hint="copy or download it again")


def _ffmpeg() -> Any:
    """Return the library that reads videos, with its ffmpeg."""
    try:
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise missing("imageio-ffmpeg", "video") from None
    return imageio_ffmpeg
