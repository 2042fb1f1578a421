"""`pitwatch rounds`: the rounds of a recording, rebuilt whole from its events."""

from typing import Final

import click
import msgspec

from deploy.cli.judging import Judge
from deploy.cli.options import format_option
from deploy.cli.progress import FileProgress
from deploy.cli.recordings import UnreadableFile, open_recording
from deploy.cli.roundview import round_object, round_text
from deploy.cli.rulebook import UNREADABLE, rulebook_option
from streams.core.book import Book
from streams.core.findings import RoundEnded
from streams.core.rounds import Round

_encode: Final = msgspec.json.Encoder().encode


@click.command("rounds")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option("json", "table", "One JSON object a line, or lines to be read.")
@click.option("--table", "tables", multiple=True, help="Only rounds of this table; repeatable.")
@click.option(
    "--round", "numbers", multiple=True, type=int, help="Only rounds of this number; repeatable."
)
@rulebook_option
@click.pass_context
def command(
    ctx: click.Context,
    files: tuple[str, ...],
    format_: str,
    tables: tuple[str, ...],
    numbers: tuple[int, ...],
    book: Book,
) -> None:
    """Print the rounds of recorded events, in the order in which they ended.

    A round has its hands with their cards in order, what was wagered, announced, decided and
    paid, the cards out of the deck, and its findings. With --format table a card in brackets was
    dealt face down. A round is told as it was when it ended: a count of its stub after that, and
    what is found by it, check tells. FILE is NDJSON, gzip too; - is standard input.

    Exit status: 0, or 2 where some input cannot be read; the rest is printed all the same.
    """

    def wanted(round_: Round) -> bool:
        return (not tables or round_.table in tables) and (not numbers or round_.number in numbers)

    status = 0
    for name in files:
        judge = Judge(book)
        try:
            with open_recording(name) as recording, FileProgress(name, recording.size) as progress:
                for chunk in recording.chunks():
                    rounds = [
                        effect.round
                        for effect in judge.judge(chunk.events)
                        if isinstance(effect, RoundEnded) and wanted(effect.round)
                    ]
                    with progress.aside():
                        for line in chunk.bad:
                            click.echo(f"{name}: {line}", err=True)
                            status = UNREADABLE
                        for round_ in rounds:
                            click.echo(_shown(round_, format_, book))
                    progress.at(recording.position())
        except UnreadableFile as unreadable:
            unreadable.show()
            status = UNREADABLE
        for table, state in judge.tables.items():
            if state.round is not None:
                note = f"{name}: {table}: round {state.round.number} had not ended; not printed"
                click.echo(note, err=True)
    ctx.exit(status)


def _shown(round_: Round, format_: str, book: Book) -> str:
    if format_ == "table":
        return "\n".join(round_text(round_, book)) + "\n"
    return _encode(round_object(round_, book)).decode()
