"""`pitwatch up`: the whole floor on one machine, from devices to findings."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from deploy.cli.findings import finding_line
from deploy.cli.registries import REGISTRY_HELP, use_registry
from deploy.cli.rulebook import RulebookType
from deploy.cli.securing import floor_secrets, floor_trust, let_in
from deploy.cli.terminal import stderr_console, stdout_console
from deploy.cli.topics import ensure
from deploy.local.kafka import KafkaFault
from deploy.local.lock import JarFault
from deploy.local.ports import LOOPBACK
from deploy.local.stack import Ports, PortTaken, Stack
from deploy.local.supervisor import ChildFault, Program, Supervisor
from deploy.local.workspace import InUse, workspace
from schemas.codec import CODEC
from schemas.records import Finding
from streams.core.book import Book
from streams.rulebooks import DEFAULT
from streams.shell.topic_admin import TopicsUnavailable
from streams.wire.acls import ADMIN
from streams.wire.topics import PARTITIONS, PREFIX, floor_topics

if TYPE_CHECKING:
    from deploy.local.tail import Tail

READY_SECONDS: Final = 60.0
"""A worker and a gateway are ready within 5 s of their start on an idle machine."""

LOOK_SECONDS: Final = 0.2
"""How often the children are looked after while findings are awaited."""

OPERATOR: Final = "operator"
"""The account that a new floor has, and its role."""

PORT = click.IntRange(0, 65_535)


@click.command("up")
@click.option(
    "--tables",
    type=click.IntRange(1, 1_000),
    default=6,
    show_default=True,
    help="How many simulated tables.",
)
@click.option("--no-simulator", is_flag=True, help="No simulated tables, only your own devices.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    default=10.0,
    show_default=True,
    help="How many times faster than on a floor the simulated tables deal.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Which nights the tables have."
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep all data in this folder, and go on with what is there.  "
    "[default: a temporary folder, removed at the end]",
)
@click.option("--gateway-port", type=PORT, default=7301, show_default=True, help="0: any.")
@click.option("--worker-port", type=PORT, default=7302, show_default=True, help="0: any.")
@click.option("--kafka-port", type=PORT, default=9092, show_default=True, help="0: any.")
@click.option("--console-port", type=PORT, default=7303, show_default=True, help="0: any.")
@click.option("--historian-port", type=PORT, default=7304, show_default=True, help="0: any.")
@click.option(
    "--partitions",
    type=click.IntRange(1, 1_000),
    default=PARTITIONS,
    show_default=True,
    help="Of every topic; fixed once --data has them.",
)
@click.option(
    "--secure",
    is_flag=True,
    help="Kafka speaks TLS and lets each process do what it must, as on a floor in use.",
)
@click.option(
    "--rulebook",
    default=DEFAULT,
    show_default=True,
    metavar="NAME|FILE",
    help="The rulebook: the name of a built-in one, or a TOML file.",
)
@click.option("--registry", metavar="URL", help=REGISTRY_HELP)
def command(
    tables: int,
    no_simulator: bool,
    speed: float,
    seed: int,
    data: Path | None,
    gateway_port: int,
    worker_port: int,
    kafka_port: int,
    console_port: int,
    historian_port: int,
    partitions: int,
    secure: bool,
    rulebook: str,
    registry: str | None,
) -> None:
    """Run a floor on this machine: Kafka, worker, gateway, console and simulated tables.

    Prints the addresses and an operator's password, then each finding as it comes out. Ctrl-C
    stops all of it. A process that dies is started again.
    """
    book = RulebookType().convert(rulebook, None, None)
    if registry:
        use_registry(registry, PREFIX)
        # The floor's processes have this one's environment, where a password is nobody's to read.
        os.environ["PITWATCH_REGISTRY"] = registry
    try:
        ports = Ports(gateway_port, worker_port, kafka_port, console_port, historian_port).chosen()
        with interruptible(), workspace(data) as folder:
            secrets = floor_secrets(folder, secure=secure)
            trust = None if secrets is None else floor_trust(folder, secrets, tables)
            stack = Stack(folder, ports, rulebook, partitions, secrets=secrets, trust=trust)
            tables_child = None if no_simulator else stack.tables(tables, seed, speed)
            run(stack, tables_child, book, "kept" if data else "removed at the end")
    except (PortTaken, InUse, JarFault, KafkaFault, TopicsUnavailable, ChildFault) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        say("stopped")


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, stop the floor as Ctrl-C does.

    A shell starts what runs in the background with SIGINT ignored, so that one is set too.
    """
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.default_int_handler) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def say(text: str) -> None:
    """Tell the person at the terminal what happens, on stderr."""
    stderr_console().print(text, markup=False, soft_wrap=True)


def run(stack: Stack, tables: Program | None, book: Book, kept: str) -> None:
    """Run a floor until it is interrupted, and stop all of it then.

    Args:
        stack: its processes.
        tables: its simulated tables, if it has any.
        book: the rulebook, for the titles of findings.
        kept: what becomes of its data, in words.

    Raises:
        KeyboardInterrupt: as it always ends, unless something fails.
    """
    # kafka-python takes 0.3 s to import, which help and refusals need not wait for.
    from deploy.local.tail import Tail  # noqa: PLC0415  see above

    supervisor = Supervisor(say)
    try:
        say("starting Kafka, gateway, worker, historian and console")
        kafka, gateway, worker = stack.kafka(), stack.gateway(), stack.worker()
        supervisor.start(kafka)
        supervisor.start(gateway)
        supervisor.wait_ready(kafka, READY_SECONDS)
        if stack.secrets is not None:
            let_in(stack.bootstrap, stack.secrets)
        ensure(
            stack.bootstrap,
            floor_topics(partitions=stack.partitions, replication=1, in_sync=1),
            create=True,
            access=stack.access(ADMIN),
        )
        tail = Tail(stack.bootstrap, f"{PREFIX}findings.v1", stack.access(ADMIN))
        supervisor.start(worker)
        password = operator(stack.database)
        historian, console = stack.historian(), stack.console()
        supervisor.start(historian)
        supervisor.start(console)
        for child in (worker, gateway, historian, console):
            supervisor.wait_ready(child, READY_SECONDS)
        addresses(stack, kept, password)
        if tables is not None:
            supervisor.start(tables)
        look_on(supervisor, tail, book)
    finally:
        say("stopping")
        supervisor.stop()


def operator(database: str) -> str | None:
    """Make the floor's database and one operator in it, where it has no account yet.

    Returns:
        The operator's password; nothing where there are accounts already.

    Raises:
        click.ClickException: the database cannot be used.
    """
    # SQLAlchemy takes 0.4 s to import, which help and refusals need not wait for.
    from deploy.cli.users import accounts_of  # noqa: PLC0415  see above
    from streams.console.access.passwords import Passwords, generated  # noqa: PLC0415  see above
    from streams.console.access.trail import By  # noqa: PLC0415  see above

    with accounts_of(database) as accounts:
        if accounts.listed():
            return None
        password = generated()
        by = By("pitwatch up", time.time_ns() // 1000, LOOPBACK)
        accounts.add(OPERATOR, Passwords().hash(password), OPERATOR, (), by)
    return password


def addresses(stack: Stack, kept: str, password: str | None) -> None:
    """Print where everything is, and whose password lets in."""
    ports = stack.ports
    known = f"password {password}" if password else "with the password it has"
    lines = {
        "console": f"http://{LOOPBACK}:{ports.console}  (sign in as {OPERATOR}, {known})",
        "gateway": f"{stack.intake}  (devices post to /v1/events; /metrics)",
        "historian": f"http://{LOOPBACK}:{ports.historian}  (/metrics)",
        "worker": f"http://{LOOPBACK}:{ports.worker}  (/metrics)",
        "Kafka": f"{stack.bootstrap}  (findings are on {PREFIX}findings.v1)",
        "data": f"{stack.folder}  ({kept}; the logs too)",
    }
    if stack.trust is not None:
        lines["devices"] = f"{stack.trust.devices}  (`pitwatch devices --file` lets others speak)"
        lines["tables"] = f"{stack.trust.floor}  (which gateway may speak for which table)"
    console = stdout_console()
    for name, where in lines.items():
        console.print(f"{name:9} {where}", markup=False, soft_wrap=True)
    console.print("Ctrl-C stops all of it. Findings as they come:", markup=False, soft_wrap=True)


def look_on(supervisor: Supervisor, tail: "Tail", book: Book) -> None:
    """Print findings and look after the children, without end."""
    console = stdout_console()
    while True:
        supervisor.watch()
        for value in tail.poll(LOOK_SECONDS):
            match CODEC.decode(value, Finding):
                case Finding() as finding:
                    console.print(finding_line(finding, book.rules), soft_wrap=True)
                case fault:
                    say(f"a finding that cannot be read: {fault}")
