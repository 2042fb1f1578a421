"""Start programs, start those anew that die, and stop all of them in order.

| a child | the supervisor |
|---|---|
| dies | says so and starts it again after a pause: 0.5 s, then twice the last one |
| dies more than 5 times in 5 minutes | gives up, with the end of its log |
| is to be stopped | SIGTERM; after 15 s SIGKILL; the last started is the first stopped |
| has written 20 MB to its log | moves the log aside, so that two are kept at most |

One thread calls it, and that thread lives as long as the children are to (see
:mod:`deploy.local.leash`).
"""

import http.client
import shutil
import ssl
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from deploy.local.leash import spawn
from deploy.local.ports import LOOPBACK

RESTARTS: Final = 5
WINDOW_SECONDS: Final = 300.0
FIRST_PAUSE_SECONDS: Final = 0.5
STOP_SECONDS: Final = 15.0
LOG_BYTES: Final = 20_000_000
LOG_TAIL_LINES: Final = 15
READY_POLL_SECONDS: Final = 0.1
ANSWER_SECONDS: Final = 2.0

Say = Callable[[str], None]
"""Tells the person at the terminal something."""


class ChildFault(Exception):
    """A child does not get ready, or dies again and again; the text has the end of its log."""


class Child(Protocol):
    """A program that is kept running."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def log(self) -> Path:
        """The file that its output goes to."""

    def start(self) -> None:
        """Start it."""

    def ready(self) -> bool:
        """Return whether it does its work."""

    def status(self) -> int | None:
        """Return its exit status, negative for a signal; nothing while it runs."""

    def stop(self, seconds: float) -> None:
        """End it: SIGTERM, and SIGKILL after so many seconds."""


@dataclass(slots=True)
class Program:
    """A child that is a program of ours.

    Attributes:
        name: what a person calls it.
        arguments: the program and its arguments.
        log: the file that its output is appended to.
        port: where it answers ``/readyz``; nothing if it is ready when it runs.
        environment: its environment; the supervisor's where none is given.
        authorities: who signed its certificate, PEM, where it answers over TLS.
    """

    name: str
    arguments: Sequence[str | Path]
    log: Path
    port: int | None = None
    environment: Mapping[str, str] | None = None
    authorities: Path | None = None
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    @property
    def pid(self) -> int | None:
        """The process id of the last start."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it; its output is appended to the log."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self._process = spawn(self.arguments, output=output, environment=self.environment)

    def ready(self) -> bool:
        """Return whether it runs and, if it has a port, says there that it is ready."""
        if self._process is None or self.status() is not None:
            return False
        return self.port is None or answers_ready(self.port, self.authorities)

    def status(self) -> int | None:
        """Return its exit status, negative for a signal; nothing while it runs."""
        return self._process.poll() if self._process else None

    def stop(self, seconds: float) -> None:
        """End it: SIGTERM, and SIGKILL after so many seconds."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
        finally:
            # Also where the wait is interrupted: whoever presses Ctrl-C twice wants it gone.
            if process.poll() is None:
                process.kill()
                process.wait()


@dataclass(slots=True)
class _Kept:
    """A child and how often it died."""

    child: Child
    deaths: deque[float] = field(default_factory=deque)
    due: float | None = None
    """When it is to be started again; nothing while it runs."""


class Supervisor:
    """Keeps children running.

    Args:
        say: tells the person at the terminal what happened.
        restarts: how often a child is started again within the window.
        first_pause: seconds before the first start anew.
    """

    def __init__(
        self, say: Say, *, restarts: int = RESTARTS, first_pause: float = FIRST_PAUSE_SECONDS
    ) -> None:
        self._say = say
        self._restarts = restarts
        self._first_pause = first_pause
        self._kept: list[_Kept] = []

    def start(self, child: Child) -> None:
        """Start a child and keep it running from now on."""
        self._kept.append(_Kept(child))
        child.start()

    def wait_ready(self, child: Child, seconds: float) -> None:
        """Return when a child is ready; meanwhile all are kept running.

        Raises:
            ChildFault: it is not ready in time, or a child died too often.
        """
        deadline = time.monotonic() + seconds
        while not child.ready():
            if time.monotonic() > deadline:
                raise fault(child, f"ready within {seconds:.0f} s, found it is not")
            self.watch()
            time.sleep(READY_POLL_SECONDS)

    def watch(self) -> None:
        """Look after all children once: start those anew that died, and bound the logs.

        Raises:
            ChildFault: one died too often.
        """
        now = time.monotonic()
        for kept in self._kept:
            status = kept.child.status()
            if kept.due is not None:
                if now >= kept.due:
                    kept.due = None
                    kept.child.start()
            elif status is not None:
                self._died(kept, status, now)
            move_aside(kept.child.log, LOG_BYTES)

    def stop(self) -> None:
        """Stop all children, the last started first; after a second Ctrl-C without patience."""
        seconds = STOP_SECONDS
        while self._kept:
            child = self._kept[-1].child
            try:
                child.stop(seconds)
            except KeyboardInterrupt:
                seconds = 0.0
                child.stop(seconds)
            self._kept.pop()

    def _died(self, kept: _Kept, status: int, now: float) -> None:
        child = kept.child
        kept.deaths.append(now)
        while kept.deaths[0] < now - WINDOW_SECONDS:
            kept.deaths.popleft()
        times = len(kept.deaths)
        if times > self._restarts:
            raise fault(
                child,
                f"running, found it ended {times} times in {WINDOW_SECONDS / 60:.0f} minutes, "
                f"at last {ending(status)}",
            )
        pause = self._first_pause * 2 ** (times - 1)
        kept.due = now + pause
        self._say(
            f"{child.name} ended {ending(status)}; "
            f"started again in {pause:g} s ({times} of {self._restarts}); see {child.log}"
        )


def answers_ready(port: int, authorities: Path | None = None) -> bool:
    """Return whether a server on this machine answers 200 to ``/readyz``.

    Args:
        port: where.
        authorities: who signed its certificate, PEM, where it answers over TLS.
    """
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=ANSWER_SECONDS)
    try:
        if authorities is not None:
            context = ssl.create_default_context(cafile=authorities)
            connection = http.client.HTTPSConnection(
                LOOPBACK, port, timeout=ANSWER_SECONDS, context=context
            )
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def ending(status: int) -> str:
    """Return an exit status in words."""
    return f"by signal {-status}" if status < 0 else f"with status {status}"


def fault(child: Child, what: str) -> ChildFault:
    """Return the fault of a child with the end of its log."""
    tail: list[str] = []
    with suppress(OSError):
        tail = child.log.read_text(encoding="utf-8", errors="replace").splitlines()
    lines = [f"expected the {child.name} {what}; the end of its log:", *tail[-LOG_TAIL_LINES:]]
    return ChildFault("\n".join([*lines, f"all of it is in {child.log}"]))


def move_aside(log: Path, most: int) -> None:
    """Copy a log that has grown to `most` bytes to ``.1`` and empty it.

    The child goes on writing to the same file: it appends, so it writes at the new end.
    """
    with suppress(FileNotFoundError):
        if log.stat().st_size >= most:
            shutil.copyfile(log, log.with_name(f"{log.name}.1"))
            log.open("wb").close()
