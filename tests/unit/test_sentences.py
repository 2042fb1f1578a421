"""A section's sentences are believed only when whole, and follow the rulebook they are read by."""

import tomllib
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from streams import rulebooks
from streams.rulebooks import load
from streams.rulebooks.coverage import CoverageFault, Section, load_sections, parse

BOOK = load()
WATCHED = {
    "clause": "(d)",
    "begins": "After five cards",
    "says": "The stub goes to the rack.",
    "binds": ["dealer"],
    "codes": ["stub_exposed", "stub_not_placed"],
    "tests": ["tests/regulation/test_x.py::test_d_the_stub"],
}
UNWATCHED = {
    "clause": "(d)",
    "begins": "The rack",
    "says": "The rack is to the right.",
    "binds": ["house"],
    "unwatched": "No device tells.",
}


def section(*rows: dict[str, Any], **changes: object) -> Section:
    mapping = {"section": "16.8", "game": "caribbean_stud", "sentences": list(rows), **changes}
    return parse(mapping, BOOK)


def test_sentences_of_a_clause_are_numbered() -> None:
    first, second = section(WATCHED, UNWATCHED).sentences
    assert (first.clause, first.number) == ("16.8(d)", 1)
    assert (second.clause, second.number) == ("16.8(d)", 2)


def test_a_sentence_is_watched_whole_in_part_or_not() -> None:
    in_part = {**WATCHED, "unwatched": "Where the rack is.", "needs": ["stub"]}
    nobody = {**UNWATCHED, "binds": []}
    told = section(WATCHED, in_part, UNWATCHED, nobody)
    assert [each.watched for each in told.sentences] == ["whole", "part", "no", None]
    assert [told.count("whole"), told.count("part"), told.count("no")] == [1, 1, 1]
    assert told.count() == 3


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**WATCHED, "clause": "d"}, r"clause"),
        ({**WATCHED, "says": ""}, r"says"),
        ({**WATCHED, "binds": ["croupier"]}, r"binds"),
        ({**WATCHED, "tests": []}, r"expected tests where there are codes"),
        ({**WATCHED, "tests": ["test_d_the_stub"]}, r"tests"),
        ({**WATCHED, "binds": []}, r"expected no codes of a sentence that binds nobody"),
        ({**WATCHED, "codes": ["stub_lost"]}, r"expected codes of the rulebook, found stub_lost"),
        ({**WATCHED, "needs": ["stub"]}, r"expected `needs` only of what is not watched"),
        ({**UNWATCHED, "binds": [], "needs": ["stub"]}, r"expected `needs` only"),
        ({**UNWATCHED, "needs": ["smell"]}, r"expected capabilities, found smell"),
        ({**UNWATCHED, "unwatched": None}, r"expected codes, or in `unwatched`"),
        ({**UNWATCHED, "note": "x"}, r"note"),
    ],
)
def test_each_fault_is_named(row: dict[str, Any], said: str) -> None:
    with pytest.raises(CoverageFault, match=rf"16\.8.*{said}"):
        section(row)


def test_a_section_without_sentences_is_refused() -> None:
    with pytest.raises(CoverageFault, match=r"section 16\.8"):
        section()


def test_a_code_that_the_rulebook_leaves_out_watches_nothing() -> None:
    rule = replace(BOOK.rules["stub_exposed"], games=("four_card_poker",))
    book = replace(BOOK, name="own", rules={**BOOK.rules, "stub_exposed": rule})
    mapping = {"section": "16.8", "game": "caribbean_stud", "sentences": [WATCHED]}
    (sentence,) = parse(mapping, book).sentences
    assert sentence.codes == ("stub_not_placed",)
    assert sentence.watched == "part"
    assert sentence.unwatched == "The rulebook own has no stub_exposed for this game."


def test_a_sentence_all_of_whose_codes_are_left_out_is_not_watched() -> None:
    own = {code: replace(rule, games=()) for code, rule in BOOK.rules.items()}
    book = replace(BOOK, name="own", rules=own)
    for each in load_sections(book):
        assert each.count("whole", "part") == 0
    with_reason = {**WATCHED, "unwatched": "Where the rack is."}
    mapping = {"section": "16.8", "game": "caribbean_stud", "sentences": [with_reason]}
    (sentence,) = parse(mapping, book).sentences
    assert sentence.unwatched == (
        "Where the rack is. The rulebook own has no stub_exposed, stub_not_placed for this game."
    )


def test_every_file_is_of_a_section_that_is_listed() -> None:
    folder = resources.files(rulebooks) / "sentences"
    files = {entry.name.removesuffix(".toml") for entry in folder.iterdir()}
    assert files == {each.section for each in load_sections(BOOK)}
    for each in load_sections(BOOK):
        mapping = tomllib.loads((folder / f"{each.section}.toml").read_text(encoding="utf-8"))
        assert mapping["section"] == each.section
