"""What an HDF5 file holds itself, within limits: the only way in which hbtom reads such files.

An HDF5 file can name other files: in links, as external storage, and as sources of virtual
datasets. A few bytes can also stand for gigabytes. All of this is refused before anything is read.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from itertools import pairwise
from typing import Any

import numpy as np

from hbtom.errors import BadInput, Place, needed

MOST = 1 << 28  # bytes of all values, of which numbers are read as 8 each
MOST_NAMES = 100_000  # in a file
_MOST_MEMBERS = 1000  # of a group
_MOST_CHUNKS = 100_000  # in which a dataset is stored
_LONGEST = 1 << 20  # bytes of a text; PyTables writes up to 64 KB
_HEAD = 16  # bytes of the head of a heap of texts, and of an object in it
_MOST_HEAPS = 64  # in which texts of any length are stored; each holds some hundred names
_ELSEWHERE = "the HDF5 file refers to data outside of it"


class Contents:
    """The values in an open file; all that are read together have to stay within the limit."""

    def __init__(self, file: Any, data: bytes) -> None:
        with needed("h5py", "tracks"):
            import h5py
        self.file = file
        self._h5py = h5py
        self._data = data
        self._heaps = [one.start() for one in re.finditer(b"GCOL\x01\0\0\0", data)]
        for heap, following in pairwise([*self._heaps, len(data)]):
            _check_heap(data, heap, following)
        self._left = MOST

    def members(self, group: Any) -> list[str]:
        """Return the names in a group."""
        if len(group) > _MOST_MEMBERS:
            problem = f"there are {len(group)} members, but at most {_MOST_MEMBERS} are read"
            raise BadInput(problem, hint="export it as CSV", place=_place(group))
        return [name for name in group if "/" not in name]  # which would be a path

    def member(self, group: Any, name: str) -> Any:
        """Return a dataset or group in a group, or None; refuse what lies elsewhere."""
        key, links = name.encode(errors="surrogateescape"), group.id.links
        if not links.exists(key):
            return None
        if links.get_info(key).type != self._h5py.h5l.TYPE_HARD:
            hint = "copy what the link leads to into the file (h5repack, or a copy by h5py)"
            raise BadInput(f"{_ELSEWHERE}: '{name[:40]}' is a link", hint=hint)
        found = group[name]
        if self.is_dataset(found):
            stored = found.id.get_create_plist()
            virtual = stored.get_layout() == self._h5py.h5d.VIRTUAL
            if virtual or stored.get_external_count():
                problem = f"{_ELSEWHERE}: '{name[:40]}' is {'virtual' if virtual else 'external'}"
                raise BadInput(problem, hint="copy the data into the file itself, with h5repack")
        return found

    def is_dataset(self, node: Any) -> bool:
        return isinstance(node, self._h5py.Dataset)

    def is_group(self, node: Any) -> bool:
        return isinstance(node, self._h5py.Group)

    def array(self, node: Any) -> np.ndarray[Any, Any]:
        """Return a whole dataset of numbers or of texts of a fixed length."""
        self._take(node)
        if node.dtype.hasobject:
            raise BadInput("these are not numbers", hint="export it as CSV", place=_place(node))
        return np.asarray(node[()])

    def names(self, node: Any, many: int | None = None) -> list[str] | None:
        """Return a list of names; None if there is none, or not as many as wanted."""
        if node is None or len(node.shape or ()) != 1 or many not in (None, len(node)):
            return None
        if len(node) > MOST_NAMES:
            problem = f"there are {len(node)} names, but at most {MOST_NAMES} are read"
            raise BadInput(problem, hint="export it as CSV", place=_place(node))
        if not node.dtype.hasobject:
            found = self.array(node).tolist()
        elif node.chunks is not None or not self._is_readable_text(node.dtype):
            return None
        else:  # one after the other, since all might be one that is long
            self._take(node)
            found = []
            for at in range(len(node)):
                found.append(node[at])
                self._pay(node, len(found[-1]))
        return [one.decode() if isinstance(one, bytes) else str(one) for one in found]

    def attribute(self, node: Any, name: str) -> Any:
        """Return a text or other bytes that describe a dataset; None if there are none."""
        if name not in node.attrs:
            return None
        known = node.attrs.get_id(name)
        readable = not known.dtype.hasobject or self._is_readable_text(known.dtype)
        if not readable or known.shape != () or known.dtype.itemsize > _LONGEST:
            problem = f"the attribute '{name}' is not a text of up to 1 MB"
            raise BadInput(problem, hint="export it as CSV", place=_place(node))
        return node.attrs[name]

    def _is_readable_text(self, kind: np.dtype[Any]) -> bool:
        """Return whether texts of any length claim a reasonable one: h5py would fill the memory."""
        data = self._data
        references = (  # each has a length before it
            one.start()
            for heap in self._heaps[:_MOST_HEAPS]
            for one in re.finditer(re.escape(heap.to_bytes(8, "little")), data)
        )
        return (
            self._h5py.check_string_dtype(kind) is not None
            and len(self._heaps) <= _MOST_HEAPS
            and all(int.from_bytes(data[at - 4 : at], "little") <= _LONGEST for at in references)
        )

    def _take(self, node: Any) -> None:
        """Count the bytes of a dataset, and refuse it before it is read if they are too many."""
        if not self.is_dataset(node) or node.shape is None:
            raise BadInput("there are no data", hint="export it again", place=_place(node))
        self._pay(node, math.prod(node.shape) * _width(node.dtype))
        if node.chunks is not None:
            self._check_chunks(node, math.prod(node.chunks) * node.dtype.itemsize)

    def _check_chunks(self, node: Any, size: int) -> None:
        """Refuse chunks that unpack to more than their size, however large: h5py would not."""
        if size > MOST or node.id.get_num_chunks() > _MOST_CHUNKS:
            raise _too_large(node)
        h5z, stored = self._h5py.h5z, node.id.get_create_plist()
        filters = [stored.get_filter(at)[0] for at in range(stored.get_nfilters())]
        if filters[-1:] == [h5z.FILTER_FLETCHER32]:  # a checksum after the packed bytes
            filters.pop()
        if set(filters) <= {h5z.FILTER_SHUFFLE}:
            return
        if filters.pop() != h5z.FILTER_DEFLATE or set(filters) - {h5z.FILTER_SHUFFLE}:
            raise packed_otherwise()
        bit, places = 1 << len(filters), list[Any]()
        node.id.chunk_iter(places.append)
        for place in places:
            if not place.filter_mask & bit:  # it was not left as it is
                _, data = node.id.read_direct_chunk(place.chunk_offset)
                if len(zlib.decompressobj().decompress(data, size + 1)) > size:
                    raise _too_large(node)

    def _pay(self, node: Any, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _too_large(node)


def _check_heap(data: bytes, at: int, most: int) -> None:
    """Refuse a heap of texts with objects of an impossible size: HDF5 would read it forever."""
    end = at + int.from_bytes(data[at + 8 : at + 16], "little")
    if end > most:
        raise ValueError("a heap of texts is too long")
    at += _HEAD
    while at + _HEAD <= end:
        number, size = struct.unpack("<H6xQ", data[at : at + _HEAD])
        step = _HEAD + -(-size // 8) * 8 if number else size  # number 0 is the free space
        if step < _HEAD or step > end - at:
            raise ValueError("a heap of texts is damaged")
        at += step


def _width(kind: np.dtype[Any]) -> int:
    """Return the bytes of an element, in which every number takes at least 8."""
    if kind.subdtype is not None:
        base, shape = kind.subdtype
        return math.prod(shape) * _width(base)
    return max(8, kind.itemsize, sum(_width(kind[name]) for name in kind.names or ()))


def _too_large(node: Any) -> BadInput:
    problem = f"the HDF5 file unpacks to more than {MOST >> 20} MB"
    return BadInput(problem, hint="split the recording, or leave out tracks", place=_place(node))


def packed_otherwise() -> BadInput:
    """Return the error for a compression that is not read."""
    problem = "the HDF5 file is compressed in a way that hbtom cannot read"
    return BadInput(problem, hint="export it as CSV, or without compression")


def _place(node: Any) -> Place:
    return Place(field=str(node.name)[:40])
