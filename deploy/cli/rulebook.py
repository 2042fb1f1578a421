"""The ``--rulebook`` option: which rulebook a command judges by."""

from typing import Final

import click

from streams.core.book import Book, BookFault
from streams.rulebooks import DEFAULT, load

UNREADABLE: Final = 2
"""The exit status of a command whose input or rulebook cannot be read."""


class UnusableRulebook(click.ClickException):
    """A rulebook holds something that it may not, or lacks something that it must have."""

    exit_code = UNREADABLE


class RulebookType(click.ParamType):
    """A rulebook by the name of a built-in one or by the path of a TOML file."""

    name = "NAME|FILE"

    def convert(
        self, value: str | Book, param: click.Parameter | None, ctx: click.Context | None
    ) -> Book:
        """Return the validated book."""
        if isinstance(value, Book):
            return value
        try:
            return load(value)
        except BookFault as fault:
            lines = "\n".join(f"  {problem}" for problem in fault.problems)
            message = f"rulebook {value} cannot be used:\n{lines}"
            raise UnusableRulebook(message) from fault


rulebook_option = click.option(
    "--rulebook",
    "book",
    type=RulebookType(),
    default=DEFAULT,
    show_default=True,
    help="The rulebook: the name of a built-in one, or a TOML file.",
)
