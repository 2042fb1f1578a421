"""The README's section on the sentences of the regulation; run as a program it writes it there."""

from collections.abc import Iterable, Iterator
from typing import Final

from deploy.cli.sentences import sentence_rows, share_row
from streams.rulebooks import load
from streams.rulebooks.coverage import load_sections
from tests.architecture.source import ROOT

README: Final = ROOT / "README.md"
BEGIN: Final = "<!-- written by make readme -->\n"
END: Final = "<!-- end -->\n"


def rendered() -> str:
    """Return the section between its marks: the shares, then each section's sentences."""
    return "\n".join([*_shares(), *_sentences()]) + "\n"


def standing(text: str) -> str:
    """Return what stands between the marks in a README."""
    return text.partition(BEGIN)[2].partition(END)[0]


def written(text: str) -> str:
    """Return a README with the section written anew."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin, "the README has the mark that begins the section"
    assert end, "the README has the mark that ends the section"
    return f"{before}{begin}{rendered()}{end}{after}"


def _shares() -> Iterator[str]:
    rows = [share_row(section) for section in load_sections(load())]
    yield _line(rows[0])
    yield _line(["---"] * len(rows[0]))
    yield from (_line(row.values()) for row in rows)


def _sentences() -> Iterator[str]:
    book = load()
    for section in load_sections(book):
        yield ""
        yield f"<details><summary>N.J.A.C. 13:69F-{section.section}</summary>"
        yield ""
        rows = list(sentence_rows([section], book))
        yield _line(rows[0])
        yield _line(["---"] * len(rows[0]))
        for row in rows:
            test = f"`{row['test']}`" if row["test"] else ""
            yield _line({**row, "test": test}.values())
        yield ""
        yield "</details>"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
