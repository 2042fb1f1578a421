"""The processes of a floor on one machine, in the order in which they start.

| process | says it is ready when | what it needs |
|---|---|---|
| Kafka | a client gets metadata and a group coordinator | nothing |
| worker | it has its partitions and has read back their states | Kafka, topics |
| gateway | it can accept | a folder |
| historian | it has read the topics to their ends | Kafka, topics, a database |
| console | it has read the topics to their ends | Kafka, topics, the database |
| simulated tables | it runs | the gateway |
"""

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deploy.local.kafka import LocalKafka
from deploy.local.ports import LOOPBACK, free_port, taken
from deploy.local.supervisor import Program

COMMAND: Final = (sys.executable, "-m", "deploy.cli")


KEY_BYTES: Final = 32


def new_command_key() -> str:
    """Return a key for operators' commands, made at random, as ``--command-key`` takes it."""
    return f"floor:{secrets.token_hex(KEY_BYTES)}"


class PortTaken(Exception):
    """A port that the floor needs has another server."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the floor's servers listen on 127.0.0.1."""

    gateway: int
    worker: int
    kafka: int
    console: int = 0
    historian: int = 0
    console_health: int = 0

    def chosen(self) -> "Ports":
        """Return the ports with a free one for each 0.

        Raises:
            PortTaken: one that is asked for has another server.
        """
        for name, port in (
            ("gateway", self.gateway),
            ("worker", self.worker),
            ("kafka", self.kafka),
            ("console", self.console),
            ("historian", self.historian),
        ):
            if port and taken(port):
                raise PortTaken(
                    f"expected {LOOPBACK}:{port} free for the {name}, found a server there; stop "
                    f"it (another `pitwatch up`?) or choose another with --{name}-port, 0 for any"
                )
        return Ports(
            self.gateway or free_port(),
            self.worker or free_port(),
            self.kafka or free_port(),
            self.console or free_port(),
            self.historian or free_port(),
            self.console_health or free_port(),
        )


@dataclass(frozen=True, slots=True)
class KafkaChild:
    """Kafka as a child: it starts in the background, so that others start at the same time."""

    node: LocalKafka

    @property
    def name(self) -> str:
        """What a person calls it."""
        return "Kafka"

    @property
    def log(self) -> Path:
        """Its own log, which it bounds by itself."""
        return self.node.log

    def start(self) -> None:
        """Start it."""
        self.node.launch()

    def ready(self) -> bool:
        """Return whether it serves."""
        return self.node.serves()

    def status(self) -> int | None:
        """Return its exit status, negative for a signal; nothing while it runs."""
        return self.node.status()

    def stop(self, seconds: float) -> None:
        """End it: SIGTERM, and SIGKILL after so many seconds."""
        self.node.stop(seconds)


@dataclass(frozen=True, slots=True)
class Stack:
    """A floor's processes, none of them started.

    Attributes:
        folder: where all data and logs are.
        ports: where the servers listen.
        rulebook: what the worker judges by: the name of a built-in one, or a file.
        partitions: of every topic.
        command_key: what operators' commands are signed with, ``NAME:HEX``.
    """

    folder: Path
    ports: Ports
    rulebook: str
    partitions: int
    command_key: str = field(default_factory=new_command_key, repr=False)

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment of a child that knows the key: arguments are everyone's to read."""
        return os.environ | {"PITWATCH_COMMAND_KEY": self.command_key}

    @property
    def bootstrap(self) -> str:
        """Kafka's address."""
        return f"{LOOPBACK}:{self.ports.kafka}"

    def kafka(self) -> KafkaChild:
        """Return the floor's Kafka."""
        return KafkaChild(LocalKafka(self.folder / "kafka", port=self.ports.kafka))

    def worker(self) -> Program:
        """Return the judge; a static member, so that it has its tables back at once."""
        return Program(
            "worker",
            [
                *(*COMMAND, "worker", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.worker), "--instance-id", "pitwatch-up"),
                *("--rulebook", self.rulebook),
            ],
            self.folder / "worker.log",
            self.ports.worker,
            self.environment,
        )

    def gateway(self) -> Program:
        """Return the device gateway."""
        return Program(
            "gateway",
            [
                *(*COMMAND, "gateway", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.gateway), "--spool", self.folder / "spool"),
            ],
            self.folder / "gateway.log",
            self.ports.gateway,
        )

    @property
    def database(self) -> str:
        """The address of the database with accounts and history."""
        return f"sqlite:///{self.folder.absolute() / 'pitwatch.db'}"

    def historian(self) -> Program:
        """Return what keeps history."""
        return Program(
            "historian",
            [
                *(*COMMAND, "historian", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.historian), "--database", self.database),
            ],
            self.folder / "historian.log",
            self.ports.historian,
        )

    def console(self) -> Program:
        """Return the operators' page."""
        return Program(
            "console",
            [
                *(*COMMAND, "console", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.console), "--database", self.database),
                *("--health-port", str(self.ports.console_health)),
                *("--gateway", f"http://{LOOPBACK}:{self.ports.gateway}"),
                *("--metrics", f"http://{LOOPBACK}:{self.ports.worker}"),
                *("--metrics", f"http://{LOOPBACK}:{self.ports.gateway}"),
                *("--metrics", f"http://{LOOPBACK}:{self.ports.historian}"),
                *("--rulebook", self.rulebook),
            ],
            self.folder / "console.log",
            self.ports.console_health,
            self.environment,
        )

    def tables(self, count: int, seed: int, speed: float) -> Program:
        """Return so many simulated tables, `speed` times faster than on a floor."""
        return Program(
            "simulated tables",
            [
                *(sys.executable, "-m", "deploy.local.floor"),
                *("--gateway", f"http://{LOOPBACK}:{self.ports.gateway}"),
                *("--tables", str(count), "--seed", str(seed), "--speed", str(speed)),
            ],
            self.folder / "tables.log",
        )
