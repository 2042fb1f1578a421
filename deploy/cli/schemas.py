"""`pitwatch schemas`: the released schemas, their promises, their export, their registration."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from deploy.cli.registering import register
from deploy.cli.terminal import plain_table, stdout_console
from schemas.catalog import BY_NAME, SUBJECTS
from schemas.compat import Break, breaks, candidate_breaks, shared_fingerprints
from schemas.export import json_schema
from schemas.lines import LINES

BROKEN: Final = 1
COLUMNS: Final = ("record", "version", "fingerprint", "topic", "mode")


@click.group("schemas")
def command() -> None:
    """Show, check, register and export the schemas of all records."""


@command.command("list")
def list_() -> None:
    """List every released schema: record, version, fingerprint, topic, compatibility."""
    table = plain_table(*COLUMNS)
    for subject in SUBJECTS:
        for release in subject.releases:
            table.add_row(
                subject.name,
                str(release.version),
                f"{release.fingerprint:016x}",
                subject.topic,
                subject.mode.value,
            )
    stdout_console().print(table)


command.add_command(register)


@command.command("check")
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of schemas, RECORD/vN.avsc: released ones must be the same, others must be "
    "compatible.",
)
@click.pass_context
def check(ctx: click.Context, against: Path | None) -> None:
    """Check that no release was changed and that each keeps its compatibility with all older ones.

    Exit status 1 where something is broken.
    """
    problems = [*shared_fingerprints(SUBJECTS)]
    for subject in SUBJECTS:
        problems += breaks(subject)
    if against is not None:
        problems += folder_breaks(against)
    for problem in problems:
        click.echo(str(problem), err=True)
    if problems:
        ctx.exit(BROKEN)
    releases = sum(len(subject.releases) for subject in SUBJECTS)
    click.echo(f"{releases} released schemas of {len(SUBJECTS)} records keep their promises")


def folder_breaks(folder: Path) -> Iterator[Break]:
    """Yield what is wrong with a folder's schemas, or with the folder where it has none."""
    paths = sorted(folder.glob("*/v*.avsc"))
    if not paths:
        yield Break(str(folder), "expected files named RECORD/vN.avsc, found none")
    for path in paths:
        name = f"{path.parent.name}/{path.name}"
        subject = BY_NAME.get(path.parent.name)
        if subject is None:
            known = ", ".join(BY_NAME)
            yield Break(name, f"expected a folder named as one of {known}")
            continue
        text = path.read_bytes()
        released = {f"v{release.version}.avsc": release for release in subject.releases}
        if path.name in released:
            if text != released[path.name].text:
                yield Break(name, "expected the released file, found another: it never changes")
            continue
        schema = _parsed(text)
        if isinstance(schema, str):
            yield Break(name, f"expected an Avro record in JSON, found {schema}")
            continue
        yield from candidate_breaks(subject, name, schema)


def _parsed(text: bytes) -> dict[str, Any] | str:
    """Return a schema's JSON, or what it is instead."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        return str(error)
    return schema if isinstance(schema, dict) else f"a {type(schema).__name__}"


@command.command("export")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def export(folder: Path) -> None:
    """Write the JSON Schema of each kind of event that a device may send, KIND.schema.json."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind in LINES:
            text = json.dumps(json_schema(kind), indent=2, ensure_ascii=False)
            (folder / f"{kind}.schema.json").write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise click.ClickException(
            f"{folder}: expected a folder that can be written, found: {error.strerror}"
        ) from error
    click.echo(f"{len(LINES)} schemas in {folder}")
