"""The single-node Kafka of the image ``pitwatch-kafka``: this process becomes Kafka.

It has the settings of the embedded one (:mod:`deploy.local.kafka`) and three listeners:

| listener | where | who connects |
|---|---|---|
| PLAINTEXT or SASL_SSL | every address, 9092 | clients, at the address that is advertised |
| INTERNAL | loopback, 9094 | the broker itself, wherever the advertised address leads |
| CONTROLLER | loopback, 9093 | the broker, as its own controller |

With a folder of secrets, as `pitwatch floor secrets` makes it, it is a secured one
(:mod:`deploy.secure.broker`), and its administrator is its first user.

    python -m deploy.local.node            # run Kafka until SIGTERM
    python -m deploy.local.node --check    # exit status 0 says that it serves

Settings come from the environment, as containers have it: see the options.
"""

import os
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import click

from deploy.local.jars import class_path
from deploy.local.kafka import (
    HEAP,
    SETTINGS,
    START_SECONDS,
    format_arguments,
    java,
    serves,
    write_properties,
)
from deploy.local.lock import JarFault
from deploy.local.ports import LOOPBACK, answers
from deploy.secure.broker import CLIENTS as SECURED
from deploy.secure.broker import inner_client, secure_settings, with_first_user
from deploy.secure.folder import Secrets

CLIENTS: Final = 9092
CONTROLLER: Final = 9093
INTERNAL: Final = 9094

LOG_SETTINGS: Final = "kafka-console-log4j2.xml"


def settings_of(data: Path, advertised: str, kept: Secrets | None) -> dict[str, str]:
    """Return the broker's settings.

    Args:
        data: the folder it keeps everything in.
        advertised: the address that clients are told to connect to, ``HOST:PORT``.
        kept: its certificate; nothing where it is spoken to in the clear.
    """
    controller = f"{LOOPBACK}:{CONTROLLER}"
    inner = f"INTERNAL://{LOOPBACK}:{INTERNAL},CONTROLLER://{controller}"
    outer = SECURED if kept else "PLAINTEXT"
    return {
        **SETTINGS,
        "listener.security.protocol.map": (
            "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
        ),
        "inter.broker.listener.name": "INTERNAL",
        **(secure_settings(kept.keystore, kept.authorities) if kept else {}),
        "listeners": f"{outer}://0.0.0.0:{CLIENTS},{inner}",
        "advertised.listeners": f"{outer}://{advertised},{inner}",
        "controller.quorum.bootstrap.servers": controller,
        "log.dirs": str(data / "log"),
        # A busy server's own controller must not fence it, as it does after the embedded one's 3 s:
        # clients then find no broker. After a kill it is let back in when this is over.
        "broker.session.timeout.ms": "9000",
    }


@click.command()
@click.option("--check", is_flag=True, help="Ask the Kafka that runs here whether it serves.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default="/var/lib/kafka",
    show_default=True,
    envvar="PITWATCH_KAFKA_DATA",
    help="The folder of the topics.",
)
@click.option(
    "--advertised",
    envvar="PITWATCH_KAFKA_ADVERTISED",
    metavar="HOST:PORT",
    help=f"Where clients connect to.  [default: this host's name, {CLIENTS}]",
)
@click.option(
    "--secrets",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="PITWATCH_KAFKA_SECRETS",
    help="The folder of its certificate and its administrator's password.  "
    "[default: spoken to in the clear]",
)
@click.option(
    "--heap",
    default=HEAP,
    show_default=True,
    envvar="PITWATCH_KAFKA_HEAP",
    help="The Java heap.",
)
def main(
    data: Path, advertised: str | None, heap: str, secrets: Path | None, *, check: bool
) -> None:
    """Become a single-node Kafka, or ask the one that runs here whether it serves."""
    kept = Secrets(secrets) if secrets else None
    if check:
        # By the broker's own listener: the advertised one may lead here from outside alone.
        how = inner_client(kept) if kept else {}
        sys.exit(0 if answers(INTERNAL) and serves(f"{LOOPBACK}:{INTERNAL}", how) else 1)
    try:
        jars = ":".join(map(str, class_path()))
    except JarFault as fault:
        raise click.ClickException(str(fault)) from fault
    # Native parts of compression libraries are unpacked and run from there; /tmp may forbid it.
    scratch = data / "tmp"
    try:
        scratch.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(
            f"expected {data} to be a folder that user {os.getuid()} may write, found: {error}; "
            "mount a volume there that this user owns"
        ) from error
    properties = data / "server.properties"
    write_properties(
        properties, settings_of(data, advertised or f"{socket.gethostname()}:{CLIENTS}", kept)
    )
    program = [*map(str, java(jars, heap, LOG_SETTINGS, f"-Djava.io.tmpdir={scratch}"))]
    if not (data / "log" / "meta.properties").exists():
        command = [*program, *map(str, format_arguments(properties))]
        with with_first_user(command, kept, scratch) if kept else nullcontext(command) as hidden:
            made = subprocess.run(  # noqa: S603  the command is our own
                hidden, check=False, timeout=START_SECONDS
            )
        if made.returncode != 0:
            sys.exit(made.returncode)
    os.execv(program[0], [*program, "kafka.Kafka", str(properties)])  # noqa: S606  the purpose


if __name__ == "__main__":
    main()
