"""Films for tests of the video reader, drawn independently of it.

``Theatre`` draws a world with depth: a pinhole camera looks at a table with walls, on which there
are cylinders, balls and cubes. Polygons are filled by Pillow, from the farthest to the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from PIL import Image, ImageDraw

Colour = tuple[int, int, int]
Point = tuple[float, float]
Picture = np.ndarray  # row column 3

BORDER = [(x, y) for x in range(10) for y in range(10) if {x, y} & {0, 9}]
BEHIND: Colour = (190, 185, 170)
FLOOR: Colour = (250, 248, 240)
TOP: Colour = (66, 68, 70)
SIDE: Colour = (30, 29, 27)


@dataclass(frozen=True)
class Prop:
    """A thing on the table: "cylinder", "ball" or "cube"."""

    form: str
    colour: Colour
    half: float = 5.0
    height: float = 10.0

    def points(self, x: float, y: float) -> np.ndarray:
        turns = np.linspace(0, 2 * np.pi, 60)
        if self.form == "ball":
            up = np.linspace(-np.pi / 2, np.pi / 2, 40)
            across, rise = np.cos(up)[:, None] * self.half, np.sin(up)[:, None] + 1
            grid = np.broadcast_arrays(
                x + across * np.cos(turns), y + across * np.sin(turns), rise * self.half
            )
            return np.stack(grid, axis=-1).reshape(-1, 3)
        corners = (
            [(i, j) for i in (-1, 1) for j in (-1, 1)]
            if self.form == "cube"
            else [(np.cos(turn), np.sin(turn)) for turn in turns]
        )
        return np.array(
            [
                (x + i * self.half, y + j * self.half, z)
                for i, j in corners
                for z in (0.0, self.height)
            ]
        )


AGENT = Prop("cylinder", (220, 30, 30), height=20.0)
BALL = Prop("ball", (30, 190, 40))
CUBE = Prop("cube", (40, 40, 240))


@dataclass(frozen=True)
class Theatre:
    """A camera and the walls that it sees, as cells of 20 pixels."""

    stands: tuple[float, float, float] = (260.0, -60.0, 120.0)
    looks_at: tuple[float, float, float] = (138.0, 62.0, 0.0)
    focus: float = 520.0
    columns: int = 600
    rows: int = 400
    walls: Sequence[tuple[int, int]] = ()

    def seen(self, places: np.ndarray) -> list[Point]:
        """Return where places appear in the picture."""
        eye, target = np.array(self.stands), np.array(self.looks_at)
        forward = (target - eye) / np.linalg.norm(target - eye)
        right = np.array([forward[1], -forward[0], 0.0]) / np.hypot(*forward[:2])
        up = np.array(
            [
                right[1] * forward[2] - right[2] * forward[1],
                right[2] * forward[0] - right[0] * forward[2],
                right[0] * forward[1] - right[1] * forward[0],
            ]
        )
        found = []
        for place in np.atleast_2d(places):
            to = place - eye
            depth = to @ forward
            found.append(
                (
                    self.columns / 2 + self.focus * (to @ right) / depth,
                    self.rows / 2 - self.focus * (to @ up) / depth,
                )
            )
        return found

    def picture(self, props: Iterable[tuple[Prop, Point]]) -> Picture:
        """Draw the table and the things on it."""
        image = Image.new("RGB", (self.columns, self.rows), BEHIND)
        draw = ImageDraw.Draw(image)
        table = [(0, 0, 0), (200, 0, 0), (200, 200, 0), (0, 200, 0)]
        self._fill(draw, np.array(table, dtype=float), FLOOR)
        cells = [(20.0 * i, 20.0 * j) for i, j in {*BORDER, *self.walls}]
        for x, y in sorted(cells, key=self._far, reverse=True):
            self._fill(draw, _box(x, y, 0.0), SIDE)
            self._hull(draw, np.concatenate([_box(x, y, 0.0), _box(x, y, 5.0)]), SIDE)
            self._fill(draw, _box(x, y, 5.0), TOP)
        for prop, place in sorted(props, key=lambda one: self._far(one[1]), reverse=True):
            self._hull(draw, prop.points(*place), prop.colour)
        return np.array(image)

    def _far(self, place: Point) -> float:
        return float(np.hypot(place[0] - self.stands[0], place[1] - self.stands[1]))

    def _fill(self, draw: ImageDraw.ImageDraw, corners: np.ndarray, colour: Colour) -> None:
        draw.polygon(self.seen(corners), fill=colour)

    def _hull(self, draw: ImageDraw.ImageDraw, points: np.ndarray, colour: Colour) -> None:
        draw.polygon(_hull(self.seen(points)), fill=colour)


def _box(x: float, y: float, z: float) -> np.ndarray:
    return np.array([(x, y, z), (x + 20, y, z), (x + 20, y + 20, z), (x, y + 20, z)])


def _hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the convex hull, by Andrew's monotone chain."""
    ordered = sorted({(float(x), float(y)) for x, y in points})

    def chain(some: Iterable[Point]) -> list[Point]:
        kept: list[Point] = []
        for x, y in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], (x, y)) <= 0:
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    return chain(ordered) + chain(reversed(ordered))


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def film(file: Path, pictures: Sequence[Picture], fps: int = 20) -> Path:
    """Write pictures as a video."""
    rows, columns, _ = pictures[0].shape
    writer = imageio_ffmpeg.write_frames(
        str(file),
        (columns, rows),
        fps=fps,
        codec="libx264",
        quality=None,
        macro_block_size=1,
        ffmpeg_log_level="error",
        output_params=["-crf", "12", "-preset", "veryfast", "-threads", "1"],
    )
    writer.send(None)
    for picture in pictures:
        writer.send(np.ascontiguousarray(picture))
    writer.close()
    return file
