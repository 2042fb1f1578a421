"""`pitwatch users`: the console's accounts.

A password is typed at a prompt, read from standard input or made here; it is never an argument,
for everyone on a machine can read the arguments of what runs there.
"""

import getpass
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

import click
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from deploy.cli.options import database_option, format_option
from deploy.cli.terminal import plain_table, stdout_console
from streams.console.access.accounts import AccountFault, Accounts
from streams.console.access.passwords import LONGEST, Passwords, generated, password_fault
from streams.console.access.trail import By
from streams.core.alarms.commands import OPERATOR, ROLES
from streams.database import DatabaseFault, migrate, open_database

COLUMNS: Final = ("name", "role", "pits", "disabled", "changed")
ALL_PITS: Final = "all"

name_argument = click.argument("name")
role_type = click.Choice(ROLES)
pits_argument = click.argument("pits", nargs=-1, metavar="[PIT]...")
why_option = click.option("--why", help="The reason, for the audit.")
generate_option = click.option(
    "--generate", is_flag=True, help="Make a password at random and print it, this once."
)
stdin_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of stdin."
)


@click.group("users")
def command() -> None:
    """List and change the accounts of the console.

    A change holds from the account's next request on; a new password, and disabling, end its
    sessions.
    """


@contextmanager
def accounts_of(database: str) -> Iterator[Accounts]:
    """Give the accounts of a database, which is brought up to date first.

    Raises:
        click.ClickException: the database cannot be used, or an account not be so.
    """
    try:
        engine = open_database(database)
    except DatabaseFault as fault:
        raise click.ClickException(str(fault)) from fault
    try:
        migrate(engine)
        yield Accounts(engine)
    except (AccountFault, DatabaseFault) as fault:
        raise click.ClickException(str(fault)) from fault
    except DBAPIError as error:
        raise click.ClickException(
            f"expected a database that takes the change, found: {error.orig}; "
            "see what its user may do there"
        ) from error
    finally:
        engine.dispose()


def by_hand(why: str | None) -> By:
    """Return who is at this machine's terminal, and when, for the audit."""
    try:
        who = getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as containers have
        who = "unknown"
    return By(f"terminal:{who}", time.time_ns() // 1000, None, why)


def chosen_password(name: str, *, generate: bool, from_stdin: bool) -> str:
    """Return a new password of an account; one that is made is printed.

    Raises:
        click.ClickException: there is none, or it is too weak.
    """
    if generate and from_stdin:
        raise click.UsageError("expected --generate or --password-stdin, found both")
    if generate:
        return generated()
    if from_stdin:
        password = sys.stdin.readline(LONGEST + 2).rstrip("\r\n")
    elif sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        raise click.UsageError(
            "expected a terminal to type a password at, found none; "
            "say --password-stdin or --generate"
        )
    fault = password_fault(name, password)
    if fault is not None:
        raise click.ClickException(f"password: {fault}; choose another")
    return password


def tell(password: str, *, generate: bool) -> None:
    """Print a password that was made here."""
    if generate:
        click.echo(password)


@command.command("list")
@database_option
@format_option("table", "json", "A table, or one JSON object a line.")
def list_(database: str, format_: str) -> None:
    """List all accounts with their roles and pits."""
    with accounts_of(database) as accounts:
        listed = accounts.listed()
    if format_ == "json":
        for each in listed:
            row = {
                "name": each.name,
                "role": each.role,
                "pits": list(each.pits),
                "disabled": each.disabled,
                "created": moment(each.created_at),
                "changed": moment(each.changed_at),
            }
            click.echo(json.dumps(row))
        return
    table = plain_table(*COLUMNS)
    for each in listed:
        cells = (
            each.name,
            each.role,
            ", ".join(each.pits) or ALL_PITS,
            "yes" if each.disabled else "no",
            moment(each.changed_at),
        )
        table.add_row(*(Text(cell) for cell in cells))
    stdout_console().print(table)


@command.command("add")
@name_argument
@database_option
@click.option("--role", type=role_type, default=OPERATOR, show_default=True, help="What it may do.")
@click.option(
    "--pit", "pits", multiple=True, help="A pit that it acts in; repeatable.  [default: all]"
)
@generate_option
@stdin_option
@why_option
def add(
    name: str,
    database: str,
    role: str,
    pits: tuple[str, ...],
    *,
    generate: bool,
    password_stdin: bool,
    why: str | None,
) -> None:
    """Make an account."""
    password = chosen_password(name, generate=generate, from_stdin=password_stdin)
    with accounts_of(database) as accounts:
        accounts.add(name, Passwords().hash(password), role, pits, by_hand(why))
    tell(password, generate=generate)


@command.command("role")
@name_argument
@click.argument("role", type=role_type)
@database_option
@why_option
def role_(name: str, role: str, database: str, why: str | None) -> None:
    """Give an account another role."""
    with accounts_of(database) as accounts:
        accounts.set_role(name, role, by_hand(why))


@command.command("pits")
@name_argument
@pits_argument
@database_option
@why_option
def pits_(name: str, pits: tuple[str, ...], database: str, why: str | None) -> None:
    """Give an account other pits to act in; without any it acts in all."""
    with accounts_of(database) as accounts:
        accounts.set_pits(name, pits, by_hand(why))


@command.command("password")
@name_argument
@database_option
@generate_option
@stdin_option
@why_option
def password_(
    name: str, database: str, *, generate: bool, password_stdin: bool, why: str | None
) -> None:
    """Give an account another password, and end its sessions."""
    password = chosen_password(name, generate=generate, from_stdin=password_stdin)
    with accounts_of(database) as accounts:
        accounts.set_password(name, Passwords().hash(password), by_hand(why))
    tell(password, generate=generate)


@command.command("disable")
@name_argument
@database_option
@why_option
def disable(name: str, database: str, why: str | None) -> None:
    """Let nobody in with an account, and end its sessions."""
    with accounts_of(database) as accounts:
        accounts.set_disabled(name, disabled=True, by=by_hand(why))


@command.command("enable")
@name_argument
@database_option
@why_option
def enable(name: str, database: str, why: str | None) -> None:
    """Let the owner of a disabled account in again."""
    with accounts_of(database) as accounts:
        accounts.set_disabled(name, disabled=False, by=by_hand(why))


def moment(micros: int) -> str:
    """Return a time as a list shows it: UTC, to the second."""
    return datetime.fromtimestamp(micros // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
