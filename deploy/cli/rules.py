"""`pitwatch rules`: what is watched, on which clause it rests and what to do when it is found."""

from collections.abc import Iterator

import click
from rich.text import Text

from deploy.cli.options import format_option
from deploy.cli.rulebook import rulebook_option
from deploy.cli.sentences import print_json, print_tables
from deploy.cli.terminal import SEVERITY_STYLES, print_rows
from streams.core.book import Book
from streams.core.events import GAMES
from streams.rulebooks.coverage import load_sections

COLUMNS = ("code", "clause", "title", "class", "severity", "response")


@click.command("rules")
@click.option("--game", type=click.Choice(GAMES), help="Only the rules of one game.")
@format_option("table", "json", "A table, or one JSON object a line.")
@click.option(
    "--coverage",
    is_flag=True,
    help="Every sentence of the regulation instead, with the codes that watch it.",
)
@rulebook_option
def command(game: str | None, format_: str, book: Book, *, coverage: bool) -> None:
    """List the rulebook: each code with its clause, severity and response.

    With --game the clause is the part that a finding of that game cites.

    With --coverage every sentence of the five sections is listed: whom it binds, the codes that
    watch it, each with the capabilities a table must observe for it, a test that shows it, and
    what of it is not watched, with the reason and the capabilities that would show it; then the
    share that is watched of each section.
    """
    if coverage:
        sections = [each for each in load_sections(book) if game in (None, each.game)]
        print_sections = print_json if format_ == "json" else print_tables
        print_sections(sections, book)
        return
    print_rows(rule_rows(book, game), COLUMNS, format_, cell)


def cell(name: str, value: str) -> Text:
    """Return a field of a rule as the table shows it; a severity has its colour."""
    return Text(value, SEVERITY_STYLES.get(value, "") if name == "severity" else "")


def rule_rows(book: Book, game: str | None) -> Iterator[dict[str, str]]:
    """Yield each rule as it is listed, in the order of the book; those of one game if it is named.

    ``response`` says what the dealer and what the supervisor is to do.
    """
    for rule in book.rules.values():
        if game is None or game in rule.games:
            yield {
                "code": rule.code,
                "clause": book.clause(rule.code, game),
                "title": rule.title,
                "class": rule.class_,
                "severity": rule.severity,
                "response": f"Dealer: {rule.dealer} Supervisor: {rule.supervisor}",
            }
