"""The file operations the spool needs, as a port: real ones here, a crashing model in the tests.

Every file lies flat in one folder. What `append` and `overwrite` wrote is certain only after `sync`
returned; what `create` did is certain when it returns; a power cut may undo a `remove`. A file that
is written stays open until it is released or removed, so that a sync is told every fault since its
writes; one that is only read does not, for a spool has thousands of segments.
"""

import contextlib
import fcntl
import os
import threading
from pathlib import Path
from typing import Final, Protocol

FILE_MODE: Final = 0o600
FOLDER_MODE: Final = 0o700
"""The spool holds face-down cards, so only its owner reads it."""

LOCK_NAME: Final = "lock"


class SpoolInUse(Exception):
    """Another process has this spool open."""


class Files(Protocol):
    """A flat folder of files."""

    def names(self) -> list[str]:
        """Return the names of all files, sorted."""

    def size(self, name: str) -> int:
        """Return the length of a file in bytes."""

    def read(self, name: str, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`; fewer only at the file's end."""

    def create(self, name: str) -> None:
        """Make an empty file, certain in its folder when this returns; else there is none."""

    def append(self, name: str, data: bytes) -> None:
        """Write all of `data` at the end, or raise OSError with any part of it written."""

    def overwrite(self, name: str, offset: int, data: bytes) -> None:
        """Write all of `data` at `offset`, or raise OSError with any part of it written."""

    def sync(self, name: str) -> None:
        """Return when all that was written to the file is on the disk."""

    def truncate(self, name: str, size: int) -> None:
        """Cut the file to `size` bytes, certain when this returns."""

    def release(self, name: str) -> None:
        """Take that nothing more is to be written to the file."""

    def remove(self, name: str) -> None:
        """Delete the file; after a power cut it may be there again."""


class OsFiles:
    """The files of a real folder, which one process at a time may use.

    Args:
        folder: made with mode 0700 where it does not exist.

    Raises:
        SpoolInUse: another process holds the folder's lock.
    """

    def __init__(self, folder: Path) -> None:
        _make_folder(folder)
        self._folder = folder
        self._descriptors: dict[str, int] = {}
        self._guard = threading.Lock()
        self._lock = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise SpoolInUse(f"expected a spool of one gateway, found {folder} in use") from None

    def names(self) -> list[str]:
        """Return the names of all files but the lock, sorted."""
        return sorted(name for name in os.listdir(self._folder) if name != LOCK_NAME)

    def size(self, name: str) -> int:
        """Return the length of a file in bytes."""
        return (self._folder / name).stat().st_size

    def read(self, name: str, offset: int, count: int) -> bytes:
        """Return up to `count` bytes from `offset`; fewer only at the file's end."""
        descriptor = os.open(self._folder / name, os.O_RDONLY | os.O_CLOEXEC)
        try:
            parts: list[bytes] = []
            while count > 0 and (part := os.pread(descriptor, count, offset)):
                parts.append(part)
                offset += len(part)
                count -= len(part)
            return b"".join(parts)
        finally:
            os.close(descriptor)

    def create(self, name: str) -> None:
        """Make an empty file of mode 0600 and sync its folder."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(self._folder / name, flags, FILE_MODE)
        with self._guard:
            self._descriptors[name] = descriptor
        try:
            _sync_folder(self._folder)
        except OSError:
            # a disk that fails for an hour shall not have a file of each try
            with contextlib.suppress(OSError):
                self.remove(name)
            raise

    def append(self, name: str, data: bytes) -> None:
        """Write all of `data` at the end."""
        descriptor = self._open(name)
        self._write(descriptor, os.fstat(descriptor).st_size, data)

    def overwrite(self, name: str, offset: int, data: bytes) -> None:
        """Write all of `data` at `offset`."""
        self._write(self._open(name), offset, data)

    def sync(self, name: str) -> None:
        """Return when the file's data and length are on the disk."""
        os.fdatasync(self._open(name))

    def truncate(self, name: str, size: int) -> None:
        """Cut the file to `size` bytes and sync it."""
        descriptor = self._open(name)
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)

    def release(self, name: str) -> None:
        """Close the file's descriptor; if it is written again after all, it has another."""
        with self._guard:
            descriptor = self._descriptors.pop(name, None)
        if descriptor is not None:
            # a deferred write error was already told by sync
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def remove(self, name: str) -> None:
        """Delete the file; its descriptor is closed first."""
        self.release(name)
        (self._folder / name).unlink()

    def close(self) -> None:
        """Close every descriptor and give the folder free."""
        for name in list(self._descriptors):
            self.release(name)
        os.close(self._lock)

    def _open(self, name: str) -> int:
        with self._guard:
            descriptor = self._descriptors.get(name)
            if descriptor is None:
                descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
                self._descriptors[name] = descriptor
            return descriptor

    @staticmethod
    def _write(descriptor: int, offset: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(descriptor, view, offset)
            view = view[written:]
            offset += written


def _make_folder(folder: Path) -> None:
    """Make a folder and those that are missing above it, each certain in the one above it."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    for each in missing:
        _sync_folder(each.parent)


def _sync_folder(folder: Path) -> None:
    """Return when the names of a folder's files are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
