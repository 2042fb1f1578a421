"""Files that hold secrets: their owner's alone, and whole whenever they are read."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
PUBLIC: Final = 0o644


class FileFault(Exception):
    """A secret's file can be read by others; the text says what to do."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make a folder where there is none, and let others who change its files wait meanwhile.

    Raises:
        OSError: it cannot be made or opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_private(path: Path, content: bytes) -> None:
    """Put a secret in the place of a file, all at once; its owner alone can read it.

    Raises:
        OSError: it cannot be written.
    """
    _replace(path, content, PRIVATE)


def write_public(path: Path, content: bytes) -> None:
    """Put what everyone may read in the place of a file, all at once.

    Raises:
        OSError: it cannot be written.
    """
    _replace(path, content, PUBLIC)


def read_private(path: Path) -> bytes:
    """Return a secret.

    Raises:
        FileFault: others than its owner may read it.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            raise FileFault(
                f"{path}: expected a secret that its owner alone can read, found mode {mode:04o}; "
                f"take what it holds for known: replace it, or chmod 600 {path}"
            )
        return file.read()


def _replace(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
