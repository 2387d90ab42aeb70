"""Locks, and folders for unfinished work, which a run needs only while it lasts.

Locks belong to the operating system, so they end with the process that holds them, however it ends.
A folder for unfinished work contains such a lock. The next run can thus distinguish the remains of
a killed run, which it removes, from the folder of a run that is still going.
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
_LOCK = ".lock"  # name of the lock in a folder
_HEX = 16  # number of random letters after the mark in the name of a folder
_NAME = re.compile(rf"{re.escape(MARK)}[0-9a-f]{{{_HEX}}}")  # of a folder
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_held: set[int] = set()  # file descriptors of all locks that this process holds


class Taken(Exception):
    """Another process holds this lock."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other processes from working on a file; raise `Taken` if one already does."""
    lock = path.with_name(f".{path.name}{MARK}lock")
    handle = hold(lock)
    try:
        yield
    finally:
        remove(lock, handle)


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """Yield a new folder that is removed at the end; first remove those that killed runs have left.

    It is made in ``parent``, so that finished work can be moved out of it, or among the system's
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
    """Remove the folders that killed runs have left in ``parent``."""
    with suppress(OSError), os.scandir(parent) as found:
        for entry in found:
            if _NAME.fullmatch(entry.name) and _is_own_folder(entry):
                _remove_if_left(Path(entry.path))


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder of this user."""
    is_own = not hasattr(os, "geteuid") or entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    return is_own and entry.is_dir(follow_symlinks=False)


def _remove_if_left(folder: Path) -> None:
    try:
        handle = hold(folder / _LOCK, left=True)
    except FileNotFoundError:  # its run may be about to create the lock: remove only if empty
        with suppress(OSError):
            folder.rmdir()
    except (Taken, OSError):
        return
    else:
        _empty(folder)
        remove(folder / _LOCK, handle)
        with suppress(OSError):  # another run may use the same folder by now
            folder.rmdir()


def _empty(folder: Path) -> None:
    """Remove everything in a folder except its lock."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != _LOCK:
                path.unlink()


def _made(parent: Path) -> tuple[Path, int]:
    """Make a folder and lock it; try again if another run has mistaken it for a killed run's."""
    while True:
        folder = parent / f"{MARK}{secrets.token_hex(_HEX // 2)}"
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError, Taken):
            return folder, hold(folder / _LOCK)


# Locks


def hold(path: Path, *, left: bool = False) -> int:
    """Lock a file and return its descriptor; raise `Taken` if another process has locked it.

    The file is created if necessary, unless it must be one that a run has ``left``.
    """
    flags = os.O_RDWR | (0 if left else os.O_CREAT) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        handle = os.open(path, flags, 0o666)
        try:
            if not _locked(handle) and left:
                raise Taken  # without locks, another process may hold it
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
    """Remove a locked file and unlock it."""
    if sys.platform == "win32":  # open files cannot be removed
        let_go(handle)
    with suppress(OSError):
        path.unlink()
    if sys.platform != "win32":  # not earlier: another process could then own the name
        let_go(handle)


def _locked(handle: int) -> bool:
    """Lock an open file; return False if the file system has no locks."""
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
    """Return whether an open file still has this name; its last holder may have removed it."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False


def _forget() -> None:
    """Leave the locks to the parent process, so that a worker that outlives it holds none."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
