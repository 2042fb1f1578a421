"""`pitwatch schemas register`: has a registry take the released schemas, and lists what it has."""

from typing import Final

import click

from deploy.cli.options import prefix_option
from deploy.cli.registries import opened
from deploy.cli.terminal import plain_table, stdout_console
from schemas.catalog import SUBJECTS

COLUMNS: Final = ("record", "version", "subject", "id", "")
INCOMPATIBLE: Final = 1


@click.command("register")
@click.option("--registry", required=True, metavar="URL", help="The registry's address.")
@prefix_option
@click.option("--dry-run", is_flag=True, help="Register nothing: say what is there and what fits.")
@click.pass_context
def register(ctx: click.Context, registry: str, topic_prefix: str, dry_run: bool) -> None:
    """Register every release under its topic's name, and hold the registry to what they promise.

    It changes nothing that is registered, so it may be run with every upgrade, before it. Exit
    status 1 where a release does not keep what the registry's versions promise.
    """
    from schemas.registry import subject_name  # noqa: PLC0415  brings httpx

    table = plain_table(*COLUMNS)
    broken = False
    with opened(registry) as asked:
        for subject in SUBJECTS:
            name = subject_name(topic_prefix, subject)
            there = bool(asked.versions(name))
            for release in subject.releases:
                number, said = asked.id_of(name, release), "registered before"
                if number is None and there and not asked.compatible(name, release):
                    said = f"breaks {subject.mode.value}"
                    broken = True
                elif number is None and dry_run:
                    said = "not registered"
                elif number is None:
                    number, said = asked.register(name, release), "registered"
                if not (dry_run or broken):
                    # A subject has to be there before it can be held to anything.
                    asked.hold_to(name, subject.mode)
                    there = True
                shown = "" if number is None else str(number)
                table.add_row(subject.name, str(release.version), name, shown, said)
    stdout_console().print(table)
    if broken:
        ctx.exit(INCOMPATIBLE)
