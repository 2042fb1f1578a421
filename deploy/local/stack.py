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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from deploy.local.kafka import LocalKafka
from deploy.local.ports import LOOPBACK, free_port, taken
from deploy.local.supervisor import Program
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.wire.acls import CONSOLE, HISTORIAN, WORKER, gateway_user

if TYPE_CHECKING:
    from deploy.secure.folder import Secrets
    from deploy.secure.trust import Trust

COMMAND: Final = (sys.executable, "-m", "deploy.cli")

GATEWAY: Final = "gateway"
"""The name of the floor's one gateway."""

ACCESS_SETTINGS: Final = (
    "PITWATCH_KAFKA_USER",
    "PITWATCH_KAFKA_PASSWORD_FILE",
    "PITWATCH_KAFKA_CA",
)
"""What tells a child who it is to Kafka; not taken over from whoever started the floor."""

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
            PortTaken: one that is asked for has another server, or is asked for twice.
        """
        asked: dict[int, str] = {}
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
            if port in asked:
                raise PortTaken(
                    f"expected a port of its own for the {name}, found {port}, which the "
                    f"{asked[port]} is to have; choose another with --{name}-port, 0 for any"
                )
            if port:
                asked[port] = name
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
        secrets: of a floor whose Kafka is secured; nothing where it is spoken to in the clear.
        trust: of a floor that asks everyone who he is: keys, tokens and the gateway's certificate.
    """

    folder: Path
    ports: Ports
    rulebook: str
    partitions: int
    command_key: str = field(default_factory=new_command_key, repr=False)
    secrets: "Secrets | None" = None
    trust: "Trust | None" = None

    def environment(self, user: str) -> dict[str, str]:
        """Return the environment of a child: who it is to Kafka, whoever started the floor."""
        own = {name: value for name, value in os.environ.items() if name not in ACCESS_SETTINGS}
        return own if self.secrets is None else {**own, **self.secrets.environment(user)}

    def with_key(self, user: str) -> dict[str, str]:
        """Return the environment of a child that also knows the key: arguments are no secret."""
        if self.trust is not None:
            return self.environment(user)
        return {**self.environment(user), "PITWATCH_COMMAND_KEY": self.command_key}

    def access(self, user: str) -> KafkaAccess:
        """Return how a user speaks to the floor's Kafka."""
        return PLAINTEXT if self.secrets is None else self.secrets.access(user)

    @property
    def bootstrap(self) -> str:
        """Kafka's address."""
        return f"{LOOPBACK}:{self.ports.kafka}"

    def kafka(self) -> KafkaChild:
        """Return the floor's Kafka."""
        return KafkaChild(
            LocalKafka(self.folder / "kafka", port=self.ports.kafka, secrets=self.secrets)
        )

    def worker(self) -> Program:
        """Return the judge; a static member, so that it has its tables back at once."""
        return Program(
            "worker",
            [
                *(*COMMAND, "worker", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.worker), "--instance-id", "pitwatch-up"),
                *("--rulebook", self.rulebook),
                *(() if self.trust is None else self.trust.of_worker),
            ],
            self.folder / "worker.log",
            self.ports.worker,
            self.with_key(WORKER),
        )

    def gateway(self) -> Program:
        """Return the device gateway."""
        return Program(
            "gateway",
            [
                *(*COMMAND, "gateway", "--bootstrap", self.bootstrap),
                *("--name", GATEWAY),
                *("--port", str(self.ports.gateway), "--spool", self.folder / "spool"),
                *(() if self.trust is None else self.trust.of_gateway),
            ],
            self.folder / "gateway.log",
            self.ports.gateway,
            self.environment(gateway_user(GATEWAY)),
            None if self.trust is None else self.trust.authorities,
        )

    @property
    def intake(self) -> str:
        """The gateway's address."""
        scheme = "http" if self.trust is None else "https"
        return f"{scheme}://{LOOPBACK}:{self.ports.gateway}"

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
            self.environment(HISTORIAN),
        )

    def console(self) -> Program:
        """Return the operators' page."""
        return Program(
            "console",
            [
                *(*COMMAND, "console", "--bootstrap", self.bootstrap),
                *("--port", str(self.ports.console), "--database", self.database),
                *("--health-port", str(self.ports.console_health)),
                *("--gateway", self.intake),
                *("--metrics", f"http://{LOOPBACK}:{self.ports.worker}"),
                *("--metrics", self.intake),
                *("--metrics", f"http://{LOOPBACK}:{self.ports.historian}"),
                *("--rulebook", self.rulebook),
                *(() if self.trust is None else self.trust.of_console),
            ],
            self.folder / "console.log",
            self.ports.console_health,
            self.with_key(CONSOLE),
        )

    def tables(self, count: int, seed: int, speed: float) -> Program:
        """Return so many simulated tables, `speed` times faster than on a floor."""
        return Program(
            "simulated tables",
            [
                *(sys.executable, "-m", "deploy.local.floor"),
                *("--gateway", self.intake),
                *(() if self.trust is None else self.trust.of_devices),
                *("--tables", str(count), "--seed", str(seed), "--speed", str(speed)),
            ],
            self.folder / "tables.log",
        )
