"""Files that are whole after a kill or a power cut, and a folder that is one process's alone."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any, Final
from zlib import crc32

OWNER_FILE: Final = 0o600
"""Cards that lie face down stand in these files: nobody else may read them."""
OWNER_FOLDER: Final = 0o700


class FolderInUse(OSError):
    """Another process has the folder: two would give two events one identity."""


class Folder:
    """A folder that this process alone writes to, until it is closed or the process ends.

    Args:
        path: the folder; it is made where it is not there.

    Raises:
        FolderInUse: another process has it.
        OSError: it cannot be made or written.
    """

    def __init__(self, path: Path) -> None:
        make_folder(path)
        self.path = path
        self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNER_FILE)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise FolderInUse(
                f"{path}: expected a folder of this device's alone, found another process in it"
            ) from error

    def close(self) -> None:
        """Let another process have the folder; the kernel does so too when this one is killed."""
        os.close(self._lock)


def make_folder(path: Path) -> None:
    """Make a folder and those that are missing above it, each certain in the one above it."""
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(mode=OWNER_FOLDER, parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


def sync_folder(path: Path) -> None:
    """Return when the names of a folder's files are on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def checked(data: bytes) -> bytes:
    """Return data with its CRC-32 before it, as one line."""
    return b"%08x %s\n" % (crc32(data), data)


def unchecked(line: bytes) -> bytes | None:
    """Return the data of such a line without its end, or nothing where it was changed."""
    data = line[9:]
    return data if line[:9] == b"%08x " % crc32(data) else None


def replace_file(path: Path, values: dict[str, Any]) -> None:
    """Put values in a file, so that after a crash it has the old ones or the new ones, whole.

    Raises:
        OSError: the disk does not write; the old values stand.
    """
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, OWNER_FILE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(checked(json.dumps(values).encode()))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)


def read_file(path: Path) -> dict[str, Any] | None:
    """Return the values that a file has, or nothing where it is absent or damaged.

    Raises:
        OSError: the disk does not read; what the file has may still be good.
    """
    try:
        data = unchecked(path.read_bytes().removesuffix(b"\n"))
        values = None if data is None else json.loads(data)
    except (FileNotFoundError, ValueError):
        return None
    return values if isinstance(values, dict) else None
