"""Packing the bytes of a file; the same bytes give the same file."""

from __future__ import annotations

import gzip
import io
from typing import Literal

Compression = Literal["gz", "zst"] | None


def suffix_of(compress: Compression) -> str:
    """Return the ending of packed files' names, after ``.json``."""
    return "" if compress is None else f".{compress}"


def packed(data: bytes, compress: Compression) -> bytes:
    """Return data, packed by gzip or zstd or not at all."""
    if compress is None:
        return data
    if compress == "gz":
        buffer = io.BytesIO()
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=buffer, mtime=0) as stream:
            stream.write(data)
        return buffer.getvalue()
    if compress == "zst":
        import zstandard  # only here: most callers never need it

        return zstandard.ZstdCompressor(level=6).compress(data)
    raise ValueError(f"compress must be None, 'gz' or 'zst', got {compress!r}")
