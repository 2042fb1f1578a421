"""The `pitwatch` command: each subcommand is one module, imported only when it is called.

Settings come from flags, then the environment, then ``pitwatch.toml`` in the working folder, under
the flags' own names: ``--kafka-port`` of ``pitwatch up`` is ``PITWATCH_UP_KAFKA_PORT``, and
``kafka-port`` in the table ``[up]``. What several commands must agree on needs to be said once:
``PITWATCH_DATABASE`` is every command's ``--database``.
"""

import importlib
import tomllib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import click

COMMANDS: Final = {
    "up": "deploy.cli.up",
    "check": "deploy.cli.check",
    "rounds": "deploy.cli.rounds",
    "rules": "deploy.cli.rules",
    "simulate": "deploy.cli.simulate",
    "send": "deploy.cli.send",
    "gateway": "deploy.cli.gateway",
    "worker": "deploy.cli.worker",
    "console": "deploy.cli.console",
    "historian": "deploy.cli.historian",
    "evidence": "deploy.cli.evidence",
    "topics": "deploy.cli.topics",
    "dlq": "deploy.cli.dlq",
    "doctor": "deploy.cli.doctor",
    "floor": "deploy.cli.floor",
    "devices": "deploy.cli.devices",
    "schemas": "deploy.cli.schemas",
    "users": "deploy.cli.users",
}
"""Each subcommand's module, which has it as ``command``."""

SHARED: Final = (
    "database",
    "registry",
    "command-key",
    "write-version",
    "kafka-user",
    "kafka-password-file",
    "kafka-ca",
)
"""Flags that several commands take the same value of: ``PITWATCH_DATABASE`` is that of all."""

SETTINGS_FILE: Final = Path("pitwatch.toml")


class LazyGroup(click.Group):
    """A group whose commands are imported on use, so that ``pitwatch check`` loads no Kafka."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand, or nothing where there is none of that name."""
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(module).command
        name_settings(command, f"PITWATCH_{cmd_name}")
        return command


def flag_of(option: click.Option) -> str:
    """Return an option's name as its settings have it: its first long flag, without dashes."""
    longest = next((flag for flag in option.opts if flag.startswith("--")), option.opts[0])
    return longest.lstrip("-")


def name_settings(command: click.Command, prefix: str) -> None:
    """Give each option of a command the environment variable that its flag names."""
    for option in command.params:
        if isinstance(option, click.Option):
            flag = flag_of(option)
            own = f"{prefix}_{flag}".replace("-", "_").upper()
            shared = f"PITWATCH_{flag}".replace("-", "_").upper()
            option.envvar = [own, shared] if flag in SHARED else own
    if isinstance(command, click.Group):
        for name, subcommand in command.commands.items():
            name_settings(subcommand, f"{prefix}_{name}")


def defaults_of(command: click.Command, table: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return a command's settings as click's default map: by parameters instead of by flags.

    Raises:
        click.ClickException: the table has a key that is no flag of the command.
    """
    names = {flag_of(each): each.name for each in command.params if isinstance(each, click.Option)}
    subcommands = command.commands if isinstance(command, click.Group) else {}
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        flag = key.replace("_", "-")
        if key in subcommands and isinstance(value, Mapping):
            defaults[key] = defaults_of(subcommands[key], value, f"{place}.{key}")
        elif name := names.get(flag):
            defaults[name] = value
        else:
            known = ", ".join(sorted([*names, *subcommands]))
            message = f"{SETTINGS_FILE}: [{place}] {key}: expected one of {known}"
            raise click.ClickException(f"{message}, found an unknown key")
    return defaults


def settings_from(path: Path) -> dict[str, Any]:
    """Return the settings file's tables; none where there is no file.

    Raises:
        click.ClickException: the file is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise click.ClickException(f"{path}: expected TOML, found: {error}") from error


# No automatic names of settings: those are of parameters, and two flags then share one.
@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(metadata.version("pitwatch"), prog_name="pitwatch")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Watch every card dealt on a casino floor and flag each irregularity by its clause."""
    name = ctx.invoked_subcommand or ""
    table = settings_from(SETTINGS_FILE).get(name)
    command = main.get_command(ctx, name)
    if command is not None and isinstance(table, Mapping):
        ctx.default_map = {name: defaults_of(command, table, name)}
