"""`pitwatch rules --coverage`: every sentence of the texts, what watches it or why nothing does."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

import click
from rich.text import Text

from deploy.cli.terminal import plain_table, stdout_console
from streams.core.book import Book
from streams.rulebooks.coverage import Section, Sentence

COLUMNS: Final = ("clause", "binds", "watched", "what it asks", "by", "not watched", "test")
SHARES: Final = ("section", "game", "sentences", "that bind", "whole", "part", "no", "watched")
WATCHED_STYLES: Final = {"whole": "green", "part": "yellow", "no": "red"}


def print_json(sections: Iterable[Section], book: Book) -> None:
    """Print an object for each sentence, then one for each section with its shares."""
    listed = list(sections)
    for section in listed:
        for sentence in section.sentences:
            click.echo(json.dumps(sentence_object(section, sentence, book), ensure_ascii=False))
    for section in listed:
        click.echo(json.dumps({"kind": "section", **share(section)}, ensure_ascii=False))


def print_tables(sections: Iterable[Section], book: Book) -> None:
    """Print the sentences as a table, and below it the share of each section that is watched."""
    listed = list(sections)
    table = plain_table(*COLUMNS)
    for row in sentence_rows(listed, book):
        style = WATCHED_STYLES.get(row["watched"], "dim")
        table.add_row(*(Text(row[name], style if name == "watched" else "") for name in COLUMNS))
    shares = plain_table(*SHARES)
    for section in listed:
        shares.add_row(*share_row(section).values())
    console = stdout_console()
    console.print(table)
    console.print()
    console.print(shares)


def sentence_object(section: Section, sentence: Sentence, book: Book) -> dict[str, Any]:
    """Return a sentence as JSON has it.

    ``codes`` maps each code that watches it to the capabilities which that code needs; ``needs``
    are the capabilities that would show what is not watched.
    """
    return {
        "kind": "sentence",
        "game": section.game,
        "clause": sentence.clause,
        "sentence": sentence.number,
        "begins": sentence.begins,
        "says": sentence.says,
        "binds": list(sentence.binds),
        "watched": sentence.watched,
        "codes": {code: list(book.rules[code].needs) for code in sentence.codes},
        "tests": list(sentence.tests),
        "unwatched": sentence.unwatched,
        "needs": list(sentence.needs),
    }


def sentence_rows(sections: Iterable[Section], book: Book) -> Iterator[dict[str, str]]:
    """Yield each sentence as a table's row by its columns.

    A code has the capabilities it needs in brackets. The test is the first of those that show the
    codes.
    """
    for section in sections:
        for each in section.sentences:
            needs = f" Needs {', '.join(each.needs)}." if each.needs else ""
            yield {
                "clause": each.clause,
                "binds": ", ".join(each.binds) or "nobody",
                "watched": each.watched or "",
                "what it asks": each.says,
                "by": ", ".join(_code(code, book) for code in each.codes),
                "not watched": f"{each.unwatched or ''}{needs}",
                "test": each.tests[0] if each.codes else "",
            }


def share(section: Section) -> dict[str, str | int]:
    """Return how many of a section's sentences bind and are watched, the shares in per cent.

    A share is rounded down, so that 100 is said of all alone.
    """
    bind = section.count()
    whole, part = section.count("whole"), section.count("part")
    return {
        "section": section.section,
        "game": section.game,
        "sentences": len(section.sentences),
        "bind": bind,
        "whole": whole,
        "part": part,
        "no": section.count("no"),
        "whole_percent": 100 * whole // bind,
        "watched_percent": 100 * (whole + part) // bind,
    }


def share_row(section: Section) -> dict[str, str]:
    """Return a section's shares as a table's row by its columns."""
    told = share(section)
    watched = f"{told['watched_percent']} %, {told['whole_percent']} % whole"
    names = ("section", "game", "sentences", "bind", "whole", "part", "no")
    return dict(zip(SHARES, [*(str(told[name]) for name in names), watched], strict=True))


def _code(code: str, book: Book) -> str:
    needs = book.rules[code].needs
    return f"{code} ({', '.join(needs)})" if needs else code
