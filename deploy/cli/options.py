"""Options that several commands have, each with one name, default and text."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from streams.wire.topics import APPLICATION, PREFIX

NAMED_KEY: Final = re.compile(r"([A-Za-z0-9._-]{1,64}):((?:[0-9A-Fa-f]{2}){16,128})")

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
application_option = click.option(
    "--application", default=APPLICATION, show_default=True, help="The workers' consumer group."
)


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
        match = NAMED_KEY.fullmatch(value)
        if match is None:
            self.fail(
                "expected NAME:HEX, a name of 1 to 64 of A-Z a-z 0-9 . _ - and a key of 32 to 256 "
                "hexadecimal digits, found something else",
                param,
                ctx,
            )
        return match[1], bytes.fromhex(match[2])


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
