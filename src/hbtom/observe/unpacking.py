"""Decompressing gzip and zstd, up to the limit for all files.

Either may consist of several parts in a row, padded with zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from hbtom import files
from hbtom.errors import BadInput

MOST_PARTS = 10_000  # in a file; parallel compressors make one for each megabyte
_USUAL = 1 << 26  # bytes that are decompressed at once
_PIECE = 1 << 8  # compressed bytes taken at a time, so that a bomb is noticed early
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


PartDecoder = Any  # the decoder of one part, as in zlib and zstandard


def unpack(data: bytes) -> bytes:
    """Decompress data of the usual size at once, and anything else piece by piece with a limit."""
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
    try:
        return _in_parts(data, begin)
    except (EOFError, failure) as error:
        raise BadInput(
            f"the {kind} file is broken or cut off ({error})", hint="copy or download it again"
        ) from None


def _in_parts(data: bytes, begin: Callable[[], PartDecoder]) -> bytes:
    """Decompress part after part, a few bytes at a time."""
    unpacked, at = bytearray(), 0
    for _ in range(MOST_PARTS):
        part = begin()
        while not part.eof:
            if at >= len(data):
                raise EOFError("the data end in the middle of a part")
            piece = data[at : at + _PIECE]
            unpacked += part.decompress(piece)
            at += len(piece)
            if len(unpacked) > files.LARGEST:
                raise files.too_large("unpacks to")
        at -= len(part.unused_data)
        if data[at : at + 1] in (b"", b"\0") and not data[at:].strip(b"\0"):
            return bytes(unpacked)
    raise BadInput(
        f"the compressed file has more than {MOST_PARTS} parts", hint="compress it as one"
    )
