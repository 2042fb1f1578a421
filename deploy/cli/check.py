"""`pitwatch check`: judge recorded events without Kafka, by the same core and rulebook."""

from typing import Final

import click

from deploy.cli.judging import Judge
from deploy.cli.options import format_option
from deploy.cli.progress import FileProgress
from deploy.cli.recordings import UnreadableFile, open_recording
from deploy.cli.reports import DeviceReport, FindingLines, FindingTable, Report
from deploy.cli.rulebook import UNREADABLE, rulebook_option
from streams.core.book import Book
from streams.core.findings import Effect, FindingRaised
from streams.shell.collector import collect_less

BAD_PLAY: Final = ("breach", "integrity")
"""The classes of findings that make the exit status other than 0."""

FOUND: Final = 1


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option("json", "table", "One JSON object a line, or a table.")
@click.option(
    "--device",
    is_flag=True,
    help="Print what each source says and leaves out, for its vendor, instead of findings.",
)
@rulebook_option
@click.pass_context
def command(
    ctx: click.Context, files: tuple[str, ...], format_: str, device: bool, book: Book
) -> None:
    """Judge recorded events: NDJSON files, gzip too; - is standard input.

    Each FILE is one recording, and each table in it is judged by itself. Findings are printed in
    the order of the lines that caused them. A line that cannot be read is named on stderr; the
    other lines are judged all the same.

    Exit status: 0 no breach and no integrity finding, 1 some, 2 input that cannot be read.
    """
    collect_less()
    status = 0
    findings = FindingTable(book) if format_ == "table" else FindingLines(book)
    for name in files:
        try:
            report = DeviceReport(format_) if device else findings
            status = max(status, judge_file(name, book, report))
        except UnreadableFile as unreadable:
            unreadable.show()
            status = UNREADABLE
    ctx.exit(status)


def judge_file(name: str, book: Book, report: Report) -> int:
    """Judge one recording, write its report, and return the exit status it deserves.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    judge = Judge(book)
    status = 0
    with open_recording(name) as recording, FileProgress(name, recording.size) as progress:
        for chunk in recording.chunks():
            effects = judge.judge(chunk.events)
            text = report.chunk(chunk, effects)
            if chunk.bad or text:
                with progress.aside():
                    for line in chunk.bad:
                        click.echo(f"{name}: {line}", err=True)
                    click.echo(text, nl=False)
            if chunk.bad:
                status = UNREADABLE
            elif status == 0 and any(_is_bad_play(effect) for effect in effects):
                status = FOUND
            progress.at(recording.position())
    click.echo(report.end(), nl=False)
    return status


def _is_bad_play(effect: Effect) -> bool:
    return isinstance(effect, FindingRaised) and effect.finding.class_ in BAD_PLAY
