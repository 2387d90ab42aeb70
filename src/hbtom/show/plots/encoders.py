"""Movies as files: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from hbtom.errors import BadInput, needed
from hbtom.observe.video.pictures import ffmpeg_library
from hbtom.scratch import scratch
from hbtom.show.plots.cast import Colour
from hbtom.show.plots.pixels import Pixels

FASTEST_GIF = 50.0  # pictures per second; viewers slow down anything faster

Pictures = Iterable[tuple[Pixels, int]]  # each with the number of times it is shown in a row


@dataclass(frozen=True)
class Film:
    """What all pictures of a movie have in common."""

    colours: tuple[Colour, ...]
    size: tuple[int, int]  # width and height
    fps: float


def gif(film: Film, pictures: Pictures) -> bytes:
    """Return a GIF that loops; a picture that does not change is stored once and shown for longer.

    Durations are whole hundredths of a second, rounded so that the movie keeps time.
    """
    images = pillow()
    if film.fps > FASTEST_GIF:
        raise BadInput(
            f"a GIF cannot show {film.fps:g} pictures per second",
            hint=f"the limit is {FASTEST_GIF:g}; use --speed to go faster, or make an MP4",
        )
    palette = bytes(value for colour in film.colours for value in colour)
    shown = 0

    def frames() -> Iterator[Any]:
        nonlocal shown
        for pixels, times in pictures:
            image = images.fromarray(pixels)
            image.putpalette(palette)
            start, shown = shown, shown + times
            hundredths = round(100 * shown / film.fps) - round(100 * start / film.fps)
            image.info["duration"] = 10 * hundredths
            yield image

    file = io.BytesIO()
    first, rest = next(made := frames()), made
    first.save(
        file,
        "GIF",
        save_all=True,
        append_images=rest,
        palette=palette,
        optimize=False,
        disposal=1,
        loop=0,
    )
    return file.getvalue()


def mp4(film: Film, pictures: Pictures) -> bytes:
    """Return an MP4 (H.264) with every picture; the same version of ffmpeg gives the same bytes."""
    ffmpeg = ffmpeg_library()
    colours = np.array(film.colours, dtype=np.uint8)
    exact = ["-crf", "8", "-preset", "veryfast", "-tune", "animation", "-threads", "1"]
    undated = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    with scratch() as folder:
        file = folder / "movie.mp4"
        try:
            writer = ffmpeg.write_frames(
                str(file),
                film.size,
                fps=film.fps,
                codec="libx264",
                quality=None,
                macro_block_size=1,
                ffmpeg_log_level="error",
                output_params=[*exact, *undated, "-movflags", "+faststart"],
            )
            with closing(writer):
                writer.send(None)
                for pixels, times in pictures:
                    picture = np.ascontiguousarray(colours[pixels])
                    for _ in range(times):
                        writer.send(picture)
            return file.read_bytes()
        except OSError as error:
            why = str(error).splitlines()[0]
            raise BadInput(f"ffmpeg could not make the movie: {why}") from None


def pillow() -> Any:
    """Return the library that writes GIFs."""
    with needed("pillow", "plots"):
        from PIL import Image
    return Image


ENCODERS: dict[str, Callable[[Film, Pictures], bytes]] = {"gif": gif, "mp4": mp4}
