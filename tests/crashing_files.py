"""A folder of files that can crash between any two operations, or in the middle of one.

What was written and not synced may be kept, torn or lost at a crash, as on a real disk. Faults of
the disk are raised where they are planted. The order of operations is recorded.
"""

import errno
import random
import threading
from dataclasses import dataclass, field

SECTOR = 512
"""Bytes that a disk writes whole or not at all."""


class Crash(BaseException):
    """The machine stops here: nothing after this operation happens."""


def chance_of(seed: float) -> random.Random:
    """Return a source of chance that repeats itself."""
    return random.Random(seed)


@dataclass(slots=True)
class _File:
    durable: bytes = b""
    cached: bytes = b""


@dataclass(slots=True)
class CrashingFiles:
    """The port `producers.gateway.files.Files` on a modelled disk.

    Args:
        steps: operations that write until the crash; nothing for never.
        fault: raised by the next append, then taken away.
        sync_fault: raised by the next sync, then taken away.
        overwrite_fault: overwriting fails while this is set.
        full: appends and creates fail for want of room.
        written: the files that are held open to be written.
    """

    steps: int | None = None
    fault: OSError | None = None
    sync_fault: OSError | None = None
    overwrite_fault: bool = False
    full: bool = False
    written: set[str] = field(default_factory=set)
    calls: list[tuple[str, str]] = field(default_factory=list)
    _files: dict[str, _File] = field(default_factory=dict)
    _removed: dict[str, _File] = field(default_factory=dict)
    _random: random.Random = field(default_factory=lambda: chance_of(0))

    def names(self) -> list[str]:
        return sorted(self._files)

    def size(self, name: str) -> int:
        return len(self._files[name].cached)

    def read(self, name: str, offset: int, count: int) -> bytes:
        return self._files[name].cached[offset : offset + count]

    def create(self, name: str) -> None:
        self._step("create", name)
        if self.full:
            raise OSError(errno.ENOSPC, "no space left")
        assert name not in self._files
        self._files[name] = _File()
        self.written.add(name)

    def append(self, name: str, data: bytes) -> None:
        self.written.add(name)
        file = self._files[name]
        try:
            self._step("append", name)
        except Crash:
            file.cached += data[: self._random.randrange(len(data) + 1)]
            raise
        if self.full or self.fault is not None:
            file.cached += data[: self._random.randrange(len(data))]
            fault, self.fault = self.fault, None
            raise fault or OSError(errno.ENOSPC, "no space left")
        file.cached += data

    def overwrite(self, name: str, offset: int, data: bytes) -> None:
        self.written.add(name)
        file = self._files[name]
        try:
            self._step("overwrite", name)
        except Crash:
            data = data[: self._random.randrange(len(data) + 1)]
            file.cached = _patched(file.cached, offset, data)
            raise
        if self.overwrite_fault:
            raise OSError(errno.EIO, "input/output error")
        file.cached = _patched(file.cached, offset, data)

    def sync(self, name: str) -> None:
        self._step("sync", name)
        if self.sync_fault is not None:
            fault, self.sync_fault = self.sync_fault, None
            raise fault
        self._files[name].durable = self._files[name].cached

    def truncate(self, name: str, size: int) -> None:
        self._step("truncate", name)
        self.written.add(name)
        file = self._files[name]
        file.cached = file.durable = file.cached[:size]

    def release(self, name: str) -> None:
        self.written.discard(name)

    def remove(self, name: str) -> None:
        self._step("remove", name)
        self.written.discard(name)
        self._removed[name] = self._files.pop(name)

    def history(self) -> "CrashingFiles":
        """Return a copy of the folder with all put back that was ever synced and removed."""
        synced = {name: file for name, file in self._removed.items() if file.durable}
        files = {name: _File(file.durable, file.cached) for name, file in self._files.items()}
        return CrashingFiles(_files={**synced, **files})

    def crash(self, chance: random.Random, *, power: bool) -> "CrashingFiles":
        """Return the folder as it is found afterwards.

        Args:
            chance: decides what of the unsynced bytes is kept.
            power: the power went, so that unsynced bytes may be torn or lost; else only the
                process was killed, and the kernel keeps all that was written.
        """
        files = {}
        for name, file in self._files.items():
            kept = _survivors(file, chance) if power else file.cached
            files[name] = _File(kept, kept)
        return CrashingFiles(
            _files=files, _removed=self._removed, _random=chance_of(chance.random())
        )

    def flip(self, name: str, place: int, bit: int) -> None:
        """Flip one bit of a file, as a rotting disk does."""
        data = bytearray(self._files[name].cached)
        data[place] ^= 1 << bit
        self._files[name] = _File(bytes(data), bytes(data))

    def _step(self, operation: str, name: str) -> None:
        if self.steps is not None:
            if self.steps <= 0:
                raise Crash
            self.steps -= 1
        self.calls.append((operation, name))


class HeldFiles(CrashingFiles):
    """A disk whose syncs wait while it is held."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.go.set()
        self.waiting = False

    def sync(self, name: str) -> None:
        self.waiting = not self.go.is_set()
        assert self.go.wait(30)
        super().sync(name)


def _patched(data: bytes, offset: int, part: bytes) -> bytes:
    return data[:offset].ljust(offset, b"\0") + part + data[offset + len(part) :]


def _survivors(file: _File, chance: random.Random) -> bytes:
    if file.cached.startswith(file.durable):
        tail = file.cached[len(file.durable) :]
        kept = tail[: chance.randrange(len(tail) + 1)]
        # the length may reach the disk before the data does
        zeros = b"\0" * chance.choice([0, 0, chance.randrange(len(tail) - len(kept) + 1)])
        return file.durable + kept + zeros
    # what was overwritten is old or new by the sector, in no order
    old = file.durable.ljust(len(file.cached), b"\0")
    sectors = range(0, len(file.cached), SECTOR)
    return b"".join(chance.choice([old, file.cached])[start : start + SECTOR] for start in sectors)
