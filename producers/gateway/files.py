"""The file operations the spool needs, as a port: real ones here, a crashing model in the tests.

Every file lies flat in one folder. What `append` and `overwrite` wrote is certain only after `sync`
returned; what `create` and `remove` did to the folder is certain when they return.
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
        """Make an empty file, certain in its folder when this returns."""

    def append(self, name: str, data: bytes) -> None:
        """Write all of `data` at the end, or raise OSError with any part of it written."""

    def overwrite(self, name: str, offset: int, data: bytes) -> None:
        """Write all of `data` at `offset`, or raise OSError with any part of it written."""

    def sync(self, name: str) -> None:
        """Return when all that was written to the file is on the disk."""

    def truncate(self, name: str, size: int) -> None:
        """Cut the file to `size` bytes, certain when this returns."""

    def remove(self, name: str) -> None:
        """Delete the file."""


class OsFiles:
    """The files of a real folder, which one process at a time may use.

    Args:
        folder: made with mode 0700 where it does not exist.

    Raises:
        SpoolInUse: another process holds the folder's lock.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
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
        descriptor = self._open(name)
        parts: list[bytes] = []
        while count > 0 and (part := os.pread(descriptor, count, offset)):
            parts.append(part)
            offset += len(part)
            count -= len(part)
        return b"".join(parts)

    def create(self, name: str) -> None:
        """Make an empty file of mode 0600 and sync its folder."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(self._folder / name, flags, FILE_MODE)
        with self._guard:
            self._descriptors[name] = descriptor
        self._sync_folder()

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

    def remove(self, name: str) -> None:
        """Delete the file; its descriptor is closed first."""
        with self._guard:
            descriptor = self._descriptors.pop(name, None)
        if descriptor is not None:
            os.close(descriptor)
        (self._folder / name).unlink()

    def close(self) -> None:
        """Close every descriptor and give the folder free."""
        with self._guard:
            descriptors = list(self._descriptors.values())
            self._descriptors.clear()
        for descriptor in descriptors:
            # a deferred write error was already told by sync
            with contextlib.suppress(OSError):
                os.close(descriptor)
        os.close(self._lock)

    def _open(self, name: str) -> int:
        with self._guard:
            descriptor = self._descriptors.get(name)
            if descriptor is None:
                descriptor = os.open(self._folder / name, os.O_RDWR | os.O_CLOEXEC)
                self._descriptors[name] = descriptor
            return descriptor

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @staticmethod
    def _write(descriptor: int, offset: int, data: bytes) -> None:
        view = memoryview(data)
        while view:
            written = os.pwrite(descriptor, view, offset)
            view = view[written:]
            offset += written
