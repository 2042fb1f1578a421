"""The New Jersey rulebook agrees with the findings contract, column by column."""

import csv
from pathlib import Path

import pytest

from streams.core.book import NO_CLAUSE
from streams.core.codes import CODES
from streams.core.events import GAMES
from streams.rulebooks import load

TABLE = Path(__file__).with_name("findings.tsv")
SECTION_OF = {
    "blackjack": ("2.6", "2.15"),
    "caribbean_stud": ("16.8",),
    "four_card_poker": ("27.8",),
    "chemin_de_fer": ("4.9",),
}


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def words(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(",")) if cell else ()


ROWS = rows()
BOOK = load("nj")


def test_book_has_the_codes_of_the_table_in_its_order() -> None:
    assert [row["code"] for row in ROWS] == list(BOOK.rules) == list(CODES)


@pytest.mark.parametrize("row", ROWS, ids=[row["code"] for row in ROWS])
def test_columns_agree(row: dict[str, str]) -> None:
    rule = BOOK.rules[row["code"]]
    games = GAMES if row["games"] == "all" else words(row["games"])
    assert rule.clause == row["clause"]
    assert rule.class_ == row["class"]
    assert rule.state == row["state"]
    assert rule.severity == row["severity"]
    assert set(rule.games) == set(games)
    assert rule.needs == words(row["needs"])


@pytest.mark.parametrize("row", ROWS, ids=[row["code"] for row in ROWS])
def test_a_finding_cites_its_games_part_of_the_clause(row: dict[str, str]) -> None:
    rule = BOOK.rules[row["code"]]
    for game in rule.games:
        cited = BOOK.clause(rule.code, game)
        if row["clause"] in NO_CLAUSE:
            assert cited == row["clause"]
        else:
            assert cited in row["clause"].split(";")
            assert cited.split("(")[0] in SECTION_OF[game]
    assert BOOK.clause(rule.code, None) == row["clause"]


def test_details_the_table_names_are_allowed() -> None:
    for row in ROWS:
        named = [
            word.strip(" ,;.)").removeprefix("detail.")
            for word in row["raised_when"].split()
            if word.startswith("detail.")
        ]
        assert set(named) <= set(BOOK.rules[row["code"]].detail), row["code"]


def test_a_part_of_another_games_section_is_cited_whole_where_a_game_has_none() -> None:
    assert BOOK.clause("wrong_face", "four_card_poker") == "27.8(b)3,(c)"
    assert BOOK.clause("lockout_not_pressed", "four_card_poker") == "16.8(b)3"


def test_titles_are_unique() -> None:
    titles = [rule.title for rule in BOOK.rules.values()]
    assert len(set(titles)) == len(titles)
