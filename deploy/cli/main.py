"""The `pitwatch` command: each subcommand is one module, imported only when it is called.

Settings come from flags, then ``PITWATCH_*``, then ``pitwatch.toml`` in the working folder, whose
tables are named as the commands: ``[worker] bootstrap = "kafka:9092"``.
"""

import importlib
import tomllib
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
    "topics": "deploy.cli.topics",
    "schemas": "deploy.cli.schemas",
}
"""Each subcommand's module, which has it as ``command``."""

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
        return command


def settings_from(path: Path) -> dict[str, Any]:
    """Return the settings file as click's default map; empty where there is no file.

    Raises:
        click.ClickException: the file is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise click.ClickException(f"{path}: expected TOML, found: {error}") from error


@click.group(
    cls=LazyGroup,
    context_settings={"auto_envvar_prefix": "PITWATCH", "help_option_names": ["-h", "--help"]},
)
@click.version_option(metadata.version("pitwatch"), prog_name="pitwatch")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Watch every card dealt on a casino floor and flag each irregularity by its clause."""
    ctx.default_map = settings_from(SETTINGS_FILE)
