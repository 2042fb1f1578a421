"""A Docker engine to build and run images with.

The one that answers is taken: at ``DOCKER_HOST``, else at its usual socket. Where there is none but
its program is installed, a root user gets an engine for as long as it is needed. Its images stay in
the user's cache folder, so that the next one builds only what changed.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from deploy.local.caches import cache_folder
from deploy.local.leash import spawn

START_SECONDS: Final = 60.0
"""A start takes a second or two; the rest is for machines that are busy."""

STOP_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.1
LOG_TAIL_BYTES: Final = 2_000


class EngineFault(Exception):
    """There is no engine, or it did not do what it was asked; the text says what it said."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that answers.

    Attributes:
        host: its address, as ``DOCKER_HOST`` takes it; nothing where that is the usual one.
    """

    host: str | None

    @property
    def environment(self) -> dict[str, str]:
        """The environment of programs that are to speak to it."""
        return dict(os.environ) | ({"DOCKER_HOST": self.host} if self.host else {})

    def run(self, *arguments: str | Path, stdin: IO[bytes] | None = None) -> str:
        """Run ``docker`` with arguments and return what it printed.

        Raises:
            EngineFault: it failed.
        """
        done = subprocess.run(  # noqa: S603  the command is our own
            ["docker", *map(str, arguments)],  # noqa: S607  wherever docker is installed
            env=self.environment,
            stdin=stdin or subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise EngineFault(
                f"expected `docker {' '.join(map(str, arguments))}` to succeed, "
                f"found status {done.returncode}:\n{said}"
            )
        return done.stdout.decode(errors="replace")

    def has(self, image: str, labels: Mapping[str, str]) -> bool:
        """Return whether it has an image with these labels."""
        wanted = [f"label={name}={value}" for name, value in labels.items()]
        filters = [f"--filter={each}" for each in (f"reference={image}", *wanted)]
        return bool(self.run("images", "--quiet", *filters).strip())


@contextmanager
def engine() -> Iterator[Engine]:
    """Give an engine: the one that answers, else one of its own that is ended afterwards.

    Raises:
        EngineFault: there is none and none can be started.
    """
    if shutil.which("docker") is None:
        raise EngineFault(
            "expected the program docker, found none; install an engine (Debian: docker.io)"
        )
    usual = Engine(None)
    if answers(usual):
        yield usual
        return
    daemon = shutil.which("dockerd")
    if daemon is None or os.geteuid() != 0:
        raise EngineFault(
            "expected a Docker engine that answers, found none; start one, name one with "
            "DOCKER_HOST, or run this as root where dockerd is installed (Debian: docker.io)"
        )
    folder = cache_folder() / "engine"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("w") as lock:
        # Two at once would take each other's networks and images for their own.
        fcntl.flock(lock, fcntl.LOCK_EX)
        # A socket's path has at most 107 bytes, so not below a folder of any depth.
        with (
            tempfile.TemporaryDirectory(prefix="pw-engine-", dir="/tmp") as run,
            started([daemon], folder, Path(run)) as own,
        ):
            yield own


@contextmanager
def started(command: Sequence[str], folder: Path, run: Path) -> Iterator[Engine]:
    """Run an engine with its images in a folder and its sockets in another."""
    own = Engine(f"unix://{run / 'docker.sock'}")
    log = folder / "log"
    arguments: list[str | Path] = [
        *command,
        *("--host", own.host or "", "--data-root", folder / "root"),
        *("--exec-root", run / "exec", "--pidfile", run / "pid"),
    ]
    with log.open("wb") as output:
        process = spawn(arguments, output=output)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers(own):
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
                raise EngineFault(
                    f"expected dockerd to answer, found that it does not; the end of {log}:\n{said}"
                )
            time.sleep(POLL_SECONDS)
        yield own
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()


def answers(one: Engine) -> bool:
    """Return whether an engine answers."""
    try:
        one.run("version", "--format", "{{.Server.Version}}")
    except EngineFault:
        return False
    return True
