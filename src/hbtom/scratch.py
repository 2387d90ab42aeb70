"""What a run needs only while it lives: locks, and folders for what is not finished yet.

A lock belongs to the operating system, so it ends with the process that holds it, however that
process ends. A folder for unfinished work holds such a lock. That is how the next run tells what a
killed one has left, which it removes, from what a living one still needs.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MARK = ".hbtom-"  # in the names of all locks and folders
_LOCK = ".lock"  # within a folder
_HEX = 16  # letters after the mark that tell folders apart
_NAME = re.compile(rf"{re.escape(MARK)}[0-9a-f]{{{_HEX}}}")  # of folders
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_held: set[int] = set()  # the open files of all locks of this process


class Taken(Exception):
    """Somebody else holds this lock."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Be the only one to work on a file, here and in all other processes; else raise `Taken`."""
    lock = path.with_name(f".{path.name}{MARK}lock")
    handle = hold(lock)
    try:
        yield
    finally:
        remove(lock, handle)


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that is gone in the end, and first remove what killed runs have left.

    It lies in ``parent``, so that what is finished can be moved out of it, or among the system's
    temporary files.
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_remains(parent)
    folder, handle = _made(parent)
    try:
        yield folder
    finally:
        let_go(handle)
        shutil.rmtree(folder, ignore_errors=True)


def remove_remains(parent: Path) -> None:
    """Remove the folders that killed runs have left in a folder."""
    with suppress(OSError), os.scandir(parent) as found:
        for entry in found:
            if _NAME.fullmatch(entry.name) and _is_own_folder(entry):
                _remove_if_left(Path(entry.path))


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether something is a folder, and not another user's."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _remove_if_left(folder: Path) -> None:
    try:
        handle = hold(folder / _LOCK, left=True)
    except FileNotFoundError:  # killed, or just about to make it: only an empty folder is removed
        with suppress(OSError):
            folder.rmdir()
    except (Taken, OSError):
        return
    else:
        _empty(folder)
        remove(folder / _LOCK, handle)
        with suppress(OSError):  # not if somebody has made the same folder theirs meanwhile
            folder.rmdir()


def _empty(folder: Path) -> None:
    """Remove all that is in a folder but its lock."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != _LOCK:
                path.unlink()


def _made(parent: Path) -> tuple[Path, int]:
    """Make a folder and lock it; another one if somebody has taken it for a killed run's."""
    while True:
        folder = parent / f"{MARK}{secrets.token_hex(_HEX // 2)}"
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError, Taken):
            return folder, hold(folder / _LOCK)


# Locks


def hold(path: Path, *, left: bool = False) -> int:
    """Lock a file and return it open; raise `Taken` if somebody else has locked it.

    It is made if need be, unless it is one that was ``left``.
    """
    flags = os.O_RDWR | (0 if left else os.O_CREAT) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        handle = os.open(path, flags, 0o666)
        try:
            if not _locked(handle) and left:
                raise Taken  # nobody knows
            if _is_still(handle, path):
                _held.add(handle)
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def let_go(handle: int) -> None:
    """Unlock a file."""
    _held.discard(handle)
    os.close(handle)


def remove(path: Path, handle: int) -> None:
    """Remove a file that is locked, and unlock it."""
    if sys.platform == "win32":  # where nothing is removed that is open
        let_go(handle)
        with suppress(OSError):
            path.unlink()
    else:  # as long as it is locked: afterwards the name may be somebody else's
        with suppress(OSError):
            path.unlink()
        let_go(handle)


def _locked(handle: int) -> bool:
    """Lock an open file; return False where the file system has no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            raise Taken from None
        return False
    return True


def _is_still(handle: int, path: Path) -> bool:
    """Tell whether an open file has that name, which its last holder may have removed."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _forget() -> None:
    """Leave the locks to the parent: a worker that survives it for a moment holds none."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
