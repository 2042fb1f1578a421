"""The folder of one running floor: the user's own and kept, or a temporary one and removed.

A lock in it says that a floor is running there. The kernel gives it back when the process ends, in
whatever way, so a folder without a holder is left over and is used, or removed, by the next start.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

LOCK_NAME: Final = "pitwatch.lock"
PREFIX: Final = "pitwatch-up-"


class InUse(Exception):
    """Another floor is running in the folder."""


@contextmanager
def workspace(data: Path | None) -> Iterator[Path]:
    """Give a folder to a floor while it runs.

    Args:
        data: the user's folder, made if need be and kept; a temporary one where none is given.

    Raises:
        InUse: another floor is running there.
    """
    if data is not None:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(data):
            yield data.absolute()
        return
    remove_left_over()
    # Under this name until it is locked, so that nobody takes it for one that is left over.
    new = Path(tempfile.mkdtemp(prefix=".pitwatch-new-"))
    with locked(new):
        folder = new.rename(new.with_name(new.name.replace(".pitwatch-new-", PREFIX)))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder.

    Raises:
        InUse: another process holds it.
    """
    with (folder / LOCK_NAME).open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(
                f"expected {folder} free, found another `pitwatch up`{_holder(file)} there; "
                f"stop that one or choose another --data"
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def remove_left_over() -> None:
    """Remove the temporary folders of floors that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(InUse, OSError):
            if folder.stat().st_uid == os.getuid():
                with locked(folder):
                    shutil.rmtree(folder)


def _holder(file: IO[str]) -> str:
    file.seek(0)
    pid = file.read().strip()
    return f" (process {pid})" if pid else ""
