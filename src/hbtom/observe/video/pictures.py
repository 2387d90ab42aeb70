"""The pictures of a video, one at a time, decoded by ffmpeg."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hbtom.errors import BadInput, missing
from hbtom.observe.video import Container, container
from hbtom.scratch import scratch

Picture = Annotated[NDArray[np.uint8], "row column 3"]

LARGEST = 2_100_000  # most pixels in a picture: 1920 x 1080
MOST = 2_000_000_000  # most pixels in all pictures together: one or two minutes of work
MOST_PICTURES = 5000  # an episode has one or two thousand
LONGEST = 300  # most seconds of work for ffmpeg
CODECS = (
    *("h264", "hevc", "mpeg4", "vp8", "vp9", "av1", "libdav1d", "libaom-av1", "gif"),
    *("libvpx", "libvpx-vp9"),
)
PLAIN = 16  # largest difference of colours within a picture that shows nothing

_SAMPLE = 80  # rows of a picture that decide whether it is plain
_GIF_END = b";"
# Messages of ffmpeg, before it decodes any picture
_SIZE = re.compile(rb"Picture size (\d+)x(\d+) (?:exceeds|is invalid)")
_CODEC = re.compile(rb"Codec \((\w+)\) not on whitelist")


def pictures(data: bytes) -> Generator[Picture]:
    """Yield the pictures of a video in order, with only one in memory at a time."""
    kind, ffmpeg = container(data), ffmpeg_library().get_ffmpeg_exe()
    if kind is None or (kind == "gif" and not data.endswith(_GIF_END)):
        raise _broken()
    with scratch() as folder:
        video, errors = folder / "video", folder / "errors"
        video.write_bytes(data)  # ffmpeg needs to seek in it
        with (
            errors.open("wb") as complaints,
            subprocess.Popen(
                _command(ffmpeg, kind, video), stdout=subprocess.PIPE, stderr=complaints
            ) as process,
        ):
            try:
                assert process.stdout is not None
                yield from _decoded(process.stdout)
                failed = process.wait() != 0  # it may report an error at the very end
            finally:
                process.kill()  # the caller may not want all pictures
        complaint = errors.read_bytes()
        large = _SIZE.search(complaint)
        if large is not None:
            raise _too_large(int(large[1]), int(large[2]))
        unknown = _CODEC.search(complaint)
        if unknown is not None:
            raise BadInput(
                f"the video uses a codec that cannot be read ({unknown[1].decode()})",
                hint="convert it to an MP4 with H.264",
            )
        if complaint or failed:
            raise _broken()


def _command(ffmpeg: str, kind: Container, video: Path) -> list[str]:
    """Return the command that decodes a video of this kind and can do nothing else.

    If ffmpeg guessed the kind, it might find a list of other files or addresses and open them.
    """
    limits = ["-v", "error", "-xerror", "-nostdin", "-timelimit", str(LONGEST)]
    allowed = ["-protocol_whitelist", "file", "-format_whitelist", kind]
    known = ["-codec_whitelist:v", ",".join(CODECS), "-max_pixels", str(LARGEST), "-f", kind]
    form = ["-map", "0:v:0", "-f", "image2pipe", "-c:v", "ppm", "-"]
    return [ffmpeg, *limits, *allowed, *known, "-i", f"file:{video}", *form]


def _decoded(stream: IO[bytes]) -> Iterator[Picture]:
    """Yield the pictures of a stream of PPM files, each of which begins with its size."""
    seen = count = 0
    while stream.readline():
        width, height = map(int, stream.readline().split())
        if width * height > LARGEST:
            raise _too_large(width, height)
        seen, count = seen + width * height, count + 1
        if seen > MOST or count > MOST_PICTURES:
            much = f"{MOST // 10**6} million pixels" if seen > MOST else f"{MOST_PICTURES} pictures"
            hint = "make the video smaller or shorter"
            raise BadInput(f"the video has more than {much}", hint=hint)
        stream.readline()  # the largest value
        pixels = stream.read(3 * width * height)
        if len(pixels) < 3 * width * height:
            return
        yield np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3)


def is_plain(picture: Picture) -> bool:
    """Return whether a picture has a single colour, as between two trials."""
    step = max(picture.shape[0] // _SAMPLE, 1)
    seen = picture[::step, ::step]
    return all(np.ptp(seen[..., channel]) <= PLAIN for channel in range(3))


def _too_large(width: int, height: int) -> BadInput:
    return BadInput(f"the pictures are {width} x {height} pixels", hint="make the video smaller")


def _broken() -> BadInput:
    return BadInput("the video is broken or cut off", hint="copy or download it again")


def ffmpeg_library() -> Any:
    """Return the library that decodes and writes videos, which includes ffmpeg."""
    try:
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise missing("imageio-ffmpeg", "video") from None
    return imageio_ffmpeg
