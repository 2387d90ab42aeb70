"""Pictures out of a video, one at a time, by ffmpeg."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator, Iterator
from typing import IO, Annotated

import numpy as np
from numpy.typing import NDArray

from hbtom.errors import BadInput, missing
from hbtom.observe.video import GIF
from hbtom.scratch import scratch

Picture = Annotated[NDArray[np.uint8], "row column 3"]

LARGEST = 4_000_000  # pixels of a picture
PLAIN = 16  # the most that colours may differ within a picture that shows nothing

_SAMPLE = 80  # rows of a picture that one looks at to see whether it is plain
_GIF_END = b";"
_SIZE = re.compile(
    rb"Picture size (\d+)x(\d+) (?:exceeds|is invalid)"
)  # so ffmpeg says, before it unpacks any


def pictures(data: bytes) -> Generator[Picture]:
    """Yield the pictures of a video in their order; only one is held at a time."""
    ffmpeg = _ffmpeg()
    if data.startswith(GIF) and not data.endswith(_GIF_END):
        raise _broken()
    with scratch() as folder:
        video, errors = folder / "video", folder / "errors"
        video.write_bytes(data)  # ffmpeg has to go to and fro in it
        form = ["-map", "0:v:0", "-f", "image2pipe", "-c:v", "ppm", "-"]
        limits = ["-v", "error", "-xerror", "-nostdin", "-max_pixels", str(LARGEST)]
        command = [ffmpeg, *limits, "-i", str(video), *form]
        with (
            errors.open("wb") as complaints,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints) as process,
        ):
            try:
                assert process.stdout is not None
                yield from _decoded(process.stdout)
                process.wait()  # its last words may be that something was wrong
            finally:
                process.kill()  # if there is more to see than anybody wants to
        complaint = errors.read_bytes()
        large = _SIZE.search(complaint)
        if large is not None:
            raise _too_large(int(large[1]), int(large[2]))
        if complaint:
            raise _broken()


def _decoded(stream: IO[bytes]) -> Iterator[Picture]:
    """Yield the pictures of a stream of PPM files: each has a head that tells its size."""
    while stream.readline():
        width, height = map(int, stream.readline().split())
        if width * height > LARGEST:
            raise _too_large(width, height)
        stream.readline()  # the largest value
        pixels = stream.read(3 * width * height)
        if len(pixels) < 3 * width * height:
            return
        yield np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3)


def is_plain(picture: Picture) -> bool:
    """Tell whether a picture has one colour all over, as between two trials."""
    step = max(picture.shape[0] // _SAMPLE, 1)
    seen = picture[::step, ::step].reshape(-1, 3)
    return bool(np.ptp(seen, axis=0).max() <= PLAIN)


def _too_large(width: int, height: int) -> BadInput:
    return BadInput(f"the pictures are {width} x {height} pixels", hint="make the video smaller")


def _broken() -> BadInput:
    return BadInput("the video is broken or cut off", hint="copy or download it again")


def _ffmpeg() -> str:
    """Return the program that reads videos, which a library brings along."""
    try:
        import imageio_ffmpeg

        program: str = imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise missing("imageio-ffmpeg", "video") from None
    return program
