"""Opening a file: detect its compression and format, and read it.

Files are decompressed up to the limit for all files. Files compressed by gzip or zstd may consist
of several parts in a row, padded with zeros.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from hbtom import files
from hbtom.errors import BadInput, located
from hbtom.files import file_bytes
from hbtom.observe import bib
from hbtom.observe.archive.reading import archived, episodes_in, load_archived
from hbtom.observe.episode import Episode, Loaded
from hbtom.observe.tracks import is_track, load_track
from hbtom.observe.video import SUFFIXES, container

_PARQUET = b"PAR1"
_OBJECT = re.compile(rb"\s*\{")
_JSON = re.compile(r".*\.json(\.gz|\.zst)?", re.IGNORECASE | re.DOTALL)
MOST_PARTS = 10_000  # in a file; parallel compressors make one for each megabyte
_USUAL = 1 << 26  # bytes; up to this size, data are decompressed in one go
_PIECE = 1 << 8  # compressed bytes per step, so that a bomb is noticed early
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PartDecoder = Any  # the decoder of one part, as in zlib and zstandard


def load(path: str | os.PathLike[str], scene: str | os.PathLike[str] | None = None) -> Episode:
    """Read an episode from a file: ``.json``, ``.json.gz``, ``.json.zst``, a video, or a track.

    An episode in an archive has a path such as ``bench.parquet/preference/000001loe``. A track
    (``.csv``, ``.tsv``, ``.h5``) needs a ``scene``: by default the file of the same name that ends
    in ``.toml``, or ``scene.toml`` in its folder or the one above.
    Raises :class:`hbtom.BadInput`, which names the file, trial, frame and field.
    """
    name = os.fspath(path)
    if is_track(name):
        return load_track(Path(path), scene)
    if scene is not None:
        raise BadInput("this is not a track, so it cannot have a scene", file=name)
    packed = archived(name)
    with located(file=name):
        return load_archived(*packed) if packed else read(file_bytes(Path(path)), name)


def load_each(
    path: str | os.PathLike[str], scene: str | os.PathLike[str] | None = None
) -> Iterator[Episode]:
    """Yield the episode of a file, or all episodes of an archive or of one of its tasks."""
    packed = archived(path)
    if packed is None:
        yield load(path, scene)
    else:
        yield from episodes_in(*packed)


def read_pair(
    data: tuple[bytes | Loaded, bytes | Loaded], names: tuple[str, str]
) -> tuple[Loaded, Loaded]:
    """Read two episodes that probably begin with the same trials; one may fail without the other.

    Trials at the beginning that are the same in both files are the same objects in both episodes.
    In place of data, an episode or an error that was read elsewhere is returned as it is.
    """
    one = _attempted(data[0], names[0])
    other = _attempted(data[1], names[1], one if isinstance(one, bib.Reading) else None)
    return _loaded(one), _loaded(other)


def read(data: bytes, name: str = "episode") -> Episode:
    """Read an episode from the bytes of a file, compressed or not."""
    return _reading(data, name).episode


def _loaded(attempted: bib.Reading | Loaded) -> Loaded:
    return attempted.episode if isinstance(attempted, bib.Reading) else attempted


def _attempted(
    data: bytes | Loaded, name: str, other: bib.Reading | None = None
) -> bib.Reading | Loaded:
    try:
        return _reading(data, name, other) if isinstance(data, bytes) else data
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
    if name.endswith(".plan") and not data.lstrip().startswith(b"["):
        hint = "hbtom show plays it, and hbtom infer finds its goal"
        raise BadInput("this is a plan, not an episode", hint=hint)
    return bib.reading(data, name, other)


def _read_video(data: bytes, name: str) -> Episode:
    """Read a video, unless its name says JSON, so that decoders do not run by mistake."""
    from hbtom.observe.video.casting import read as read_video

    if _JSON.fullmatch(name):
        hint = f"the name of a video must end in {', '.join(SUFFIXES)}"
        raise BadInput("the file is a video but has the name of a JSON file", hint=hint)
    return read_video(data, name)


def unpack(data: bytes) -> bytes:
    """Decompress data: in one go up to the usual size, otherwise piece by piece with a limit."""
    if data.startswith(_GZIP):
        return _gunzip(data)
    if data.startswith(_ZSTD):
        return _unzstd(data)
    return data


def _gunzip(data: bytes) -> bytes:
    import zlib

    begin = partial(zlib.decompressobj, wbits=31)  # with the header and checksum of gzip
    with suppress(zlib.error):
        stream = begin()
        unpacked = stream.decompress(data, min(files.LARGEST, _USUAL))
        if unpacked and stream.eof and not stream.unused_data:
            return unpacked
    return _piecewise(data, "gzip", begin, zlib.error)


def _unzstd(data: bytes) -> bytes:
    import zstandard

    with suppress(zstandard.ZstdError):
        if 0 < zstandard.frame_content_size(data) <= min(files.LARGEST, _USUAL):
            return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
    begin = zstandard.ZstdDecompressor().decompressobj
    return _piecewise(data, "zstd", begin, zstandard.ZstdError)


def _piecewise(
    data: bytes, kind: str, begin: Callable[[], PartDecoder], failure: type[Exception]
) -> bytes:
    """Decompress part after part, a few bytes at a time."""
    unpacked, at = bytearray(), 0
    for _ in range(MOST_PARTS):
        part = begin()
        while not part.eof:
            piece = data[at : at + _PIECE]
            try:
                unpacked += part.decompress(piece)
                why = "" if piece else "the data end in the middle of a part"
            except failure as error:
                why = str(error)
            if why:
                hint = "copy or download it again"
                raise BadInput(f"the {kind} file is broken or cut off ({why})", hint=hint)
            at += len(piece)
            if len(unpacked) > files.LARGEST:
                raise files.too_large("unpacks to")
        at -= len(part.unused_data)
        if data[at : at + 1] in (b"", b"\0") and not data[at:].strip(b"\0"):
            return bytes(unpacked)
    raise BadInput(
        f"the compressed file has more than {MOST_PARTS} parts", hint="compress it as one"
    )
