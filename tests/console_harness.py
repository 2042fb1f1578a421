"""A console as a process of its own, with accounts, and browsers that look at it."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import httpx

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from streams.console.access.accounts import Accounts
from streams.console.access.passwords import Passwords
from streams.console.access.trail import By
from streams.database import migrate, open_database
from tests.gateway_harness import until
from tests.log_lines import said_in

if TYPE_CHECKING:
    from subprocess import Popen

PASSWORD: Final = "every card is seen once"  # noqa: S105  of accounts that only tests have
USERS: Final = {
    "viewer": ("viewer", ()),
    "op-27": ("operator", ()),
    "op-14": ("operator", ("1",)),
    "eye": ("surveillance", ()),
    "boss": ("admin", ()),
}
"""Each account's role and pits, by name."""

KEY: Final = "console:" + "5a" * 32
"""The key that commands are signed with, as a flag."""


@dataclass
class RunningConsole:
    """One console, which can be ended and started again at the same addresses."""

    arguments: list[str]
    log: Path
    port: int
    health_port: int
    process: "Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process id."""
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Start it, and return when it has read the topics to their ends."""
        with self.log.open("ab") as output:
            self.process = spawn(
                [sys.executable, "-m", "deploy.cli", "console", *self.arguments], output=output
            )
        until("the console to be ready", self.ready)

    def ready(self) -> bool:
        """Return whether it says that it is ready."""
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        return self.get("/readyz").startswith("ok")

    def get(self, path: str, port: int | None = None) -> str:
        """Return what it says of its health or metrics; nothing where it does not answer."""
        try:
            return httpx.get(f"http://127.0.0.1:{port or self.health_port}{path}", timeout=5).text
        except httpx.TransportError:
            return ""

    def stop(self) -> int:
        """End it as a service manager does, and return its status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    def freeze(self) -> None:
        """Stop it without an end: its connections stay, and nothing comes."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def said(self, message: str) -> list[dict[str, Any]]:
        """Return the lines of its log that say something."""
        return said_in(self.log, message)


@contextmanager
def running_console(
    bootstrap: str, prefix: str, folder: Path, *flags: str, floor: str | None = None
) -> Iterator[RunningConsole]:
    """Run a console with accounts for each role, and end it.

    Args:
        bootstrap: Kafka's address.
        prefix: of the topics, which exist.
        folder: for its database, log and inventory.
        flags: more flags.
        floor: the text of its inventory.
    """
    folder.mkdir(parents=True, exist_ok=True)
    database = f"sqlite:///{folder / 'console.db'}"
    make_accounts(database)
    port, health_port = free_port(), free_port()
    arguments = ["--bootstrap", bootstrap, "--topic-prefix", prefix, "--database", database]
    arguments += ["--port", str(port), "--health-port", str(health_port)]
    arguments += ["--command-key", KEY, "--zone", "America/New_York", *flags]
    if floor is not None:
        (folder / "floor.toml").write_text(floor, encoding="utf-8")
        arguments += ["--floor", str(folder / "floor.toml")]
    console = RunningConsole(arguments, folder / "console.log", port, health_port)
    console.start()
    try:
        yield console
    finally:
        if console.process is not None and console.process.poll() is None:
            console.process.send_signal(signal.SIGCONT)
            with suppress(ProcessLookupError):
                console.process.terminate()
            console.process.wait(20)


def make_accounts(database: str) -> None:
    """Make an account for each role."""
    engine = open_database(database)
    migrate(engine)
    accounts, encoded = Accounts(engine), Passwords().hash(PASSWORD)
    for name, (role, pits) in USERS.items():
        accounts.add(name, encoded, role, pits, By("test", 0, "127.0.0.1"))
    engine.dispose()


def sign_in(client: httpx.Client, name: str = "op-27", password: str = PASSWORD) -> None:
    """Sign a client in that keeps cookies and has the console as its base."""
    page = client.get("/sign-in").text
    token = page.split('name="csrf" value="')[1].split('"')[0]
    answer = client.post(
        "/sign-in",
        data={"name": name, "password": password, "csrf": token, "next": "/"},
        headers={"Origin": str(client.base_url).rstrip("/")},
    )
    assert answer.status_code == 303, answer.text
