"""Options that several commands have, each with one name, default and text."""

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from schemas.catalog import BY_NAME
from schemas.keys import KEY_WORDS, KeyFault, NamedKey, load_keys, read_key
from streams.brokers.access import AccessFault, KafkaAccess
from streams.wire.topics import APPLICATION, PREFIX

Command = TypeVar("Command", bound=Callable[..., Any])

bootstrap_option = click.option(
    "--bootstrap", default="127.0.0.1:9092", show_default=True, help="Kafka brokers, HOST:PORT,…"
)
prefix_option = click.option(
    "--topic-prefix", default=PREFIX, show_default=True, help="What topic names begin with."
)
database_option = click.option(
    "--database",
    default="sqlite:///pitwatch.db",
    show_default=True,
    metavar="URL",
    help="Accounts and history: a SQLite file, or postgresql://USER@HOST/NAME; with a password in "
    "PITWATCH_DATABASE, for arguments are everyone's to read.",
)
collector_option = click.option(
    "--collector",
    metavar="URL",
    help="Where spans go by OTLP over HTTP, as http://127.0.0.1:4318; else nothing is traced.",
)
application_option = click.option(
    "--application", default=APPLICATION, show_default=True, help="The workers' consumer group."
)


ACCESS_OPTIONS: Final = (
    (
        "--kafka-user",
        {"metavar": "NAME", "help": "Who this is to Kafka; with the two that follow, over TLS."},
    ),
    (
        "--kafka-password-file",
        {
            "type": click.Path(path_type=Path, dir_okay=False),
            "help": "The file with its password, read again with each connection.",
        },
    ),
    (
        "--kafka-ca",
        {
            "type": click.Path(path_type=Path, dir_okay=False),
            "help": "Certificates of those who sign Kafka's, PEM; read again likewise.",
        },
    ),
)
"""What says who a process is to Kafka: all of them, or none for a Kafka in the clear."""


def access_options(function: Command) -> Command:
    """Give a command the options that say who it is to Kafka, as the argument ``access``."""

    @functools.wraps(function)
    def called(
        *given: object,
        kafka_user: str | None,
        kafka_password_file: Path | None,
        kafka_ca: Path | None,
        **named: object,
    ) -> object:
        access = access_of(kafka_user, kafka_password_file, kafka_ca)
        return function(*given, access=access, **named)

    for flag, how in reversed(ACCESS_OPTIONS):
        called = click.option(flag, **how)(called)
    return cast(Command, called)


def access_of(
    user: str | None, password_file: Path | None, authorities: Path | None
) -> KafkaAccess:
    """Return who a command is to Kafka.

    Raises:
        click.ClickException: a setting is missing, or a file of theirs cannot be used.
    """
    try:
        return KafkaAccess.of(user, password_file, authorities)
    except AccessFault as fault:
        raise click.ClickException(str(fault)) from fault


def device_options(function: Command) -> Command:
    """Give a command the options that say how a device speaks to its gateway."""
    for flag, text in (
        ("--gateway-ca", "Who signed the gateway's certificate, PEM.  [default: the system's]"),
        ("--token-file", "The file with the device's token, where the gateway asks for one."),
    ):
        kind = click.Path(dir_okay=False, path_type=Path)
        function = click.option(flag, type=kind, metavar="FILE", help=text)(function)
    return function


class NamedKeyType(click.ParamType):
    """A key of operators' commands with the name that it is known by: ``NAME:HEX``."""

    name = "name:hex"

    def convert(
        self,
        value: Any,  # noqa: ANN401  as click has it: a flag's text, or what was converted already
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, bytes]:
        """Return the key's name and its bytes; the key itself is never shown."""
        if isinstance(value, tuple):
            return value
        key = read_key(value)
        if key is None:
            self.fail(f"expected {KEY_WORDS}, found something else", param, ctx)
        return key.name, key.key


def signing_key(path: Path) -> NamedKey:
    """Return the key that a gateway signs with: the first of a file.

    Raises:
        click.ClickException: the file cannot be used.
    """
    try:
        return load_keys(path)[0]
    except OSError as error:
        raise click.ClickException(
            f"{path}: expected a file with a key, found: {error.strerror}"
        ) from error
    except KeyFault as fault:
        raise click.ClickException(f"{path}: {fault}") from fault


command_keys_option = click.option(
    "--command-keys",
    "command_keys_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The keys of operators' commands, NAME:HEX a line; read again when it changes. A console "
    "signs with the first, workers take all.",
)


class WriteVersionType(click.ParamType):
    """A record and the version of its schema to write: ``RECORD=VERSION``."""

    name = "record=version"

    def convert(
        self,
        value: Any,  # noqa: ANN401  as in NamedKeyType
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, int]:
        """Return the record's name and the version, which is released."""
        if isinstance(value, tuple):
            return value
        record, _, version = value.partition("=")
        if record not in BY_NAME or not re.fullmatch("[0-9]{1,9}", version):
            known = ", ".join(BY_NAME)
            self.fail(
                f"expected RECORD=VERSION, the record one of {known}, found {value}", param, ctx
            )
        try:
            BY_NAME[record].release(int(version))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return record, int(version)


write_version_option = click.option(
    "--write-version",
    "write_versions",
    type=WriteVersionType(),
    multiple=True,
    metavar="RECORD=VERSION",
    help="Write this version of a record's schema, not the newest; repeatable. During an upgrade, "
    "until all who read it are upgraded too.",
)


def format_option(default: str, other: str, text: str) -> Callable[[Command], Command]:
    """Return the option ``--format``, the argument ``format_``, of two forms of output.

    Args:
        default: the form where none is said.
        other: the other form.
        text: what each of them is.
    """
    return click.option(
        "--format",
        "format_",
        type=click.Choice([default, other]),
        default=default,
        show_default=True,
        help=text,
    )
