"""Opening a file: find out how it is compressed and in which format it is, and read it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from hbtom.errors import BadInput, located
from hbtom.files import file_bytes
from hbtom.observe import bib
from hbtom.observe.archive.reading import archived, episodes_in, load_archived
from hbtom.observe.episode import Episode
from hbtom.observe.unpacking import unpack
from hbtom.observe.video import SUFFIXES, container

_PARQUET = b"PAR1"
_OBJECT = re.compile(rb"\s*\{")
_JSON = re.compile(r".*\.json(\.gz|\.zst)?", re.IGNORECASE | re.DOTALL)


def load(path: str | os.PathLike[str]) -> Episode:
    """Read an episode from a file: ``.json``, ``.json.gz``, ``.json.zst``, or a video.

    An episode in an archive has a path such as ``bench.parquet/preference/000001loe``.
    Raises :class:`hbtom.BadInput`, which names the file, trial, frame and field.
    """
    name = os.fspath(path)
    packed = archived(name)
    with located(file=name):
        return load_archived(*packed) if packed else read(file_bytes(Path(path)), name)


def load_each(path: str | os.PathLike[str]) -> Iterator[Episode]:
    """Yield the episode of a file, or all episodes of an archive or of one of its tasks."""
    packed = archived(path)
    if packed is None:
        yield load(path)
    else:
        yield from episodes_in(*packed)


Loaded = Episode | BadInput  # an episode, or why it cannot be read


def read_pair(data: tuple[bytes, bytes], names: tuple[str, str]) -> tuple[Loaded, Loaded]:
    """Read two episodes that probably begin with the same trials; if one fails, the other may not.

    Trials at the beginning that are the same in both files are the same objects in both episodes.
    """
    one = _attempted(data[0], names[0])
    other = _attempted(data[1], names[1], None if isinstance(one, BadInput) else one)
    return _loaded(one), _loaded(other)


def read_one(data: bytes, name: str) -> Loaded:
    """Read an episode, or return why it cannot be read."""
    return _loaded(_attempted(data, name))


def read(data: bytes, name: str = "episode") -> Episode:
    """Read an episode from the bytes of a file, compressed or not."""
    return _reading(data, name).episode


def _loaded(attempted: bib.Reading | BadInput) -> Loaded:
    return attempted if isinstance(attempted, BadInput) else attempted.episode


def _attempted(data: bytes, name: str, other: bib.Reading | None = None) -> bib.Reading | BadInput:
    try:
        return _reading(data, name, other)
    except BadInput as error:
        return error.at(file=name)


def _reading(data: bytes, name: str, other: bib.Reading | None = None) -> bib.Reading:
    data = unpack(data)
    if not data or data.isspace():
        raise BadInput("the file is empty", hint="was the download or the copy interrupted?")
    if data.startswith(_PARQUET):
        raise BadInput(
            "this is a Parquet file", hint="the name of an archive of episodes must end in .parquet"
        )
    if container(data) is not None:
        return bib.Reading(_read_video(data, name), b"", [], {})
    if name.lower().endswith(SUFFIXES):
        hint = "was the download or the copy interrupted?"
        raise BadInput("the file has the name of a video but is not one", hint=hint)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if _OBJECT.match(data):
        from hbtom.observe import mcs  # not needed for files of the benchmark

        like = None if other is None else other.episode
        return bib.Reading(mcs.read(data, name, like), b"", [], {})
    return bib.reading(data, name, other)


def _read_video(data: bytes, name: str) -> Episode:
    """Read a video, unless its name says JSON: decoders should not run by mistake."""
    from hbtom.observe.video.episodes import read as read_video

    if _JSON.fullmatch(name):
        hint = f"the name of a video must end in {', '.join(SUFFIXES)}"
        raise BadInput("the file is a video but has the name of a JSON file", hint=hint)
    return read_video(data, name)
