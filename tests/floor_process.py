"""`pitwatch up` as a process that a test looks at from outside."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

import psutil

ANY_PORTS: Final = (
    *("--gateway-port", "0", "--worker-port", "0", "--kafka-port", "0"),
    *("--console-port", "0", "--historian-port", "0"),
)
UP: Final = (sys.executable, "-m", "deploy.cli", "up", *ANY_PORTS)

DEADLINE_SECONDS: Final = 90.0

T = TypeVar("T")


class FloorProcess:
    """A running floor.

    Attributes:
        stdout: the lines it has printed so far.
        stderr: the lines it has said so far.
    """

    def __init__(self, command: Sequence[str | Path], folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        self.stdout: list[str] = []
        self.stderr: list[str] = []
        self._readers = []
        for stream, lines in (
            (self._process.stdout, self.stdout),
            (self._process.stderr, self.stderr),
        ):
            assert stream is not None
            reader = threading.Thread(target=lines.extend, args=(stream,))
            reader.start()
            self._readers.append(reader)

    @property
    def pid(self) -> int:
        """The process id of what was started."""
        return self._process.pid

    @property
    def gateway(self) -> int:
        """The gateway's port."""
        return int(self.line(r"gateway +https?://127\.0\.0\.1:(\d+)")[1])

    @property
    def worker(self) -> int:
        """The worker's port."""
        return int(self.line(r"worker +http://127\.0\.0\.1:(\d+)")[1])

    @property
    def historian(self) -> int:
        """The historian's port."""
        return int(self.line(r"historian +http://127\.0\.0\.1:(\d+)")[1])

    @property
    def console(self) -> tuple[str, str, str]:
        """The console's address, and the name and password that let in."""
        line = r"console +(http://127\.0\.0\.1:\d+) +\(sign in as (\w+), password ([a-z0-9-]+)\)"
        found = self.line(line)
        return found[1], found[2], found[3]

    @property
    def kafka(self) -> int:
        """Kafka's port."""
        return int(self.line(r"Kafka +127\.0\.0\.1:(\d+)")[1])

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return Path(self.line(r"data +(\S+)")[1])

    def line(self, pattern: str) -> re.Match[str]:
        """Wait for a line on stdout that begins with a pattern, and return the match."""
        return self.until(lambda: first_match(pattern, self.stdout), f"{pattern!r} on stdout")

    def said(self, pattern: str) -> re.Match[str]:
        """Wait for a line on stderr that begins with a pattern, and return the match."""
        return self.until(lambda: first_match(pattern, self.stderr), f"{pattern!r} on stderr")

    def until(self, wanted: Callable[[], T | None], what: str) -> T:
        """Wait for a value while the floor runs, and return it."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while (value := wanted()) is None:
            if self._process.poll() is not None:
                # What it printed last may be read only now.
                self._join()
                if (value := wanted()) is not None:
                    return value
                raise AssertionError(f"it ended without {what}:\n{self._all()}")
            assert time.monotonic() < deadline, f"no {what} in time:\n{self._all()}"
            time.sleep(0.05)
        return value

    def processes(self) -> list[psutil.Process]:
        """Return its processes, itself first."""
        own = psutil.Process(self._process.pid)
        return [own, *own.children(recursive=True)]

    def interrupt(self) -> int:
        """Press Ctrl-C, wait for the end, and return the exit status."""
        os.killpg(self._process.pid, signal.SIGINT)
        return self.wait()

    def kill(self) -> None:
        """Kill what was started, and nothing else, with SIGKILL."""
        self._process.kill()
        self.wait()

    def wait(self) -> int:
        """Wait for the end and return the exit status."""
        status = self._process.wait(DEADLINE_SECONDS)
        self._join()
        return status

    def close(self) -> None:
        """End it whatever its state."""
        if self._process.poll() is None:
            self.interrupt()

    def _join(self) -> None:
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _all(self) -> str:
        return "".join(self.stdout + self.stderr)


def first_match(pattern: str, lines: list[str]) -> re.Match[str] | None:
    """Return the first match of a pattern at a line's beginning."""
    return next((match for line in list(lines) if (match := re.match(pattern, line))), None)
