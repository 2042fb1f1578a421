"""`pitwatch users` makes and changes accounts, and no password is seen on the way."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.cli.users import command
from streams.console.access.passwords import Passwords
from streams.console.access.trail import Trail
from streams.database import open_database
from tests.access_scene import PASSWORD


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'pitwatch.db'}"


def run(url: str, *arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["users", *arguments, "--database", url], input=stdin)


def listed(url: str) -> list[dict[str, object]]:
    lines = run(url, "list", "--format", "json").stdout.splitlines()
    return [json.loads(line) for line in lines]


def password_in(url: str, name: str) -> str:
    engine = open_database(url)
    with engine.connect() as connection:
        found = connection.exec_driver_sql("SELECT password FROM users WHERE name = ?", (name,))
        encoded = str(found.scalar_one())
    engine.dispose()
    return encoded


def test_an_account_from_its_beginning_to_its_end(url: str) -> None:
    steps = [
        ("add", "op-27", "--pit", "main", "--password-stdin"),
        ("role", "op-27", "surveillance", "--why", "moved"),
        ("pits", "op-27", "main", "high"),
        ("disable", "op-27"),
    ]
    for step in steps:
        result = run(url, *step, stdin=f"{PASSWORD}\n")
        assert (result.exit_code, result.output) == (0, "")
    (row,) = listed(url)
    assert row["name"] == "op-27"
    assert row["role"] == "surveillance"
    assert row["pits"] == ["main", "high"]
    assert row["disabled"] is True
    assert run(url, "enable", "op-27").exit_code == 0
    assert run(url, "pits", "op-27").exit_code == 0
    table = run(url, "list").stdout.splitlines()[-1]
    assert re.fullmatch(r"op-27 +surveillance +all +no +20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ ?", table)
    engine = open_database(url)
    trail = [(row["what"], row["why"]) for row in reversed(Trail(engine).last())]
    who = {str(row["who"]).partition(":")[0] for row in Trail(engine).last()}
    engine.dispose()
    assert sorted(trail, key=str) == [
        ("account_added", None),
        ("account_disabled", None),
        ("account_enabled", None),
        ("account_pits", None),
        ("account_pits", None),
        ("account_role", "moved"),
    ]
    assert who == {"terminal"}


def test_a_password_from_stdin_is_the_accounts(url: str) -> None:
    run(url, "add", "op-27", "--password-stdin", stdin=f"{PASSWORD}\n")
    assert Passwords().verify(password_in(url, "op-27"), PASSWORD).right
    run(url, "password", "op-27", "--password-stdin", stdin="another good one")
    assert Passwords().verify(password_in(url, "op-27"), "another good one").right


def test_a_password_that_was_made_is_printed_once(url: str) -> None:
    made = run(url, "add", "op-27", "--generate").stdout.strip()
    assert re.fullmatch(r"[a-z2-9]{4}(-[a-z2-9]{4}){4}", made)
    assert Passwords().verify(password_in(url, "op-27"), made).right
    again = run(url, "password", "op-27", "--generate").stdout.strip()
    assert again != made
    assert Passwords().verify(password_in(url, "op-27"), again).right


@pytest.mark.parametrize(
    ("arguments", "stdin", "status", "said"),
    [
        (("add", "op-27"), None, 2, "expected a terminal to type a password at, found none"),
        (("add", "op-27", "--generate", "--password-stdin"), "x", 2, "found both"),
        (("add", "op-27", "--password-stdin"), "short\n", 1, "expected 12 to 200 characters"),
        (("add", "op-27", "--password-stdin"), "x" * 5_000, 1, "expected 12 to 200 characters"),
        (("add", "-x-", "--generate"), None, 2, "No such option"),
        (("add", "op 27", "--generate"), None, 1, "name: expected 1 to 64 characters"),
        (("add", "op-27", "--role", "owner", "--generate"), None, 2, "'owner' is not one of"),
        (("role", "nobody", "viewer"), None, 1, "nobody: expected an account, found none"),
        (("disable", "nobody"), None, 1, "nobody: expected an account, found none"),
    ],
)
def test_what_cannot_be_done_is_said(
    url: str, arguments: tuple[str, ...], stdin: str | None, status: int, said: str
) -> None:
    result = run(url, *arguments, stdin=stdin)
    assert result.exit_code == status
    assert said in result.stderr
    assert listed(url) == []


def test_a_database_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    result = run(f"sqlite:///{tmp_path / 'none' / 'pitwatch.db'}", "list")
    assert result.exit_code == 1
    assert "expected a file that can be written" in result.stderr


def test_no_argument_takes_a_password() -> None:
    for subcommand in command.commands.values():
        for parameter in subcommand.params:
            takes = isinstance(parameter, click.Argument) or not (
                isinstance(parameter, click.Option) and parameter.is_flag
            )
            assert not (takes and "password" in str(parameter.name)), subcommand.name


def test_a_password_that_is_typed_is_not_shown(url: str) -> None:
    controller, terminal = pty.openpty()
    line = [sys.executable, "-m", "deploy.cli", "users", "add", "op-27", "--database", url]
    child = subprocess.Popen(line, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    said = b""
    for prompt in (b"Password: ", b"confirmation: "):
        while not said.endswith(prompt):
            said += os.read(controller, 1_000)
        arguments = Path(f"/proc/{child.pid}/cmdline").read_bytes()
        assert PASSWORD.encode() not in arguments
        os.write(controller, f"{PASSWORD}\n".encode())
    assert child.wait(60) == 0
    os.close(controller)
    assert PASSWORD.encode() not in said
    assert Passwords().verify(password_in(url, "op-27"), PASSWORD).right
