"""Options that several commands have, each with one name, default and text."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from streams.wire.topics import APPLICATION, PREFIX

Command = TypeVar("Command", bound=Callable[..., Any])

bootstrap_option = click.option(
    "--bootstrap", default="127.0.0.1:9092", show_default=True, help="Kafka brokers, HOST:PORT,…"
)
prefix_option = click.option(
    "--topic-prefix", default=PREFIX, show_default=True, help="What topic names begin with."
)
application_option = click.option(
    "--application", default=APPLICATION, show_default=True, help="The workers' consumer group."
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
