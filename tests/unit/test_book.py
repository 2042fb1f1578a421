"""A rulebook from outside is believed only when it is whole; each fault is named with its key."""

import copy
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from streams import rulebooks
from streams.core.book import BookFault, parse
from streams.rulebooks import load, names

SOURCE = Path(rulebooks.__file__).with_name("nj.toml")
MAPPING: dict[str, Any] = tomllib.loads(SOURCE.read_text(encoding="utf-8"))


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    mapping = copy.deepcopy(MAPPING)
    change(mapping)
    return mapping


def rule(code: str, **keys: object) -> Callable[[dict[str, Any]], None]:
    return lambda mapping: mapping["rules"][code].update(keys)


def problems(mapping: dict[str, Any]) -> list[str]:
    with pytest.raises(BookFault) as caught:
        parse(mapping)
    assert str(caught.value) == "\n".join(str(problem) for problem in caught.value.problems)
    return [str(problem) for problem in caught.value.problems]


FAULTS: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    (
        "no name",
        lambda mapping: mapping.pop("name"),
        "name: expected a value, found nothing",
    ),
    (
        "a name that is no name",
        lambda mapping: mapping.update(name="New Jersey"),
        "name: expected 1 to 64 of a-z 0-9 . _ -, found 'New Jersey'",
    ),
    (
        "an unknown key of the book",
        lambda mapping: mapping.update(edition=2),
        "edition: expected one of name, sections, rules, found an unknown key",
    ),
    (
        "sections that are no table",
        lambda mapping: mapping.update(sections="16.8"),
        "sections: expected a table with entries, found '16.8'",
    ),
    (
        "a section of no game",
        lambda mapping: mapping["sections"].update({"16.8": ["poker"]}),
        "sections.16.8: expected one of blackjack, caribbean_stud, four_card_poker,"
        " chemin_de_fer, found ['poker']",
    ),
    (
        "a code that is missing",
        lambda mapping: mapping["rules"].pop("stub_exposed"),
        "rules.stub_exposed: expected a rule for the code, found nothing",
    ),
    (
        "a code that nothing raises",
        lambda mapping: mapping["rules"].update(stub_lost={}),
        "rules.stub_lost: expected a code that can be raised, found an unknown one",
    ),
    (
        "a rule that is no table",
        lambda mapping: mapping["rules"].update(stub_exposed=7),
        "rules.stub_exposed: expected a table with entries, found 7",
    ),
    (
        "an empty rule",
        lambda mapping: mapping["rules"].update(stub_exposed={}),
        "rules.stub_exposed: expected a table with entries, found {}",
    ),
    (
        "a key that is missing",
        lambda mapping: mapping["rules"]["stub_exposed"].pop("title"),
        "rules.stub_exposed.title: expected a value, found nothing",
    ),
    (
        "a list that is missing",
        lambda mapping: mapping["rules"]["stub_exposed"].pop("games"),
        "rules.stub_exposed.games: expected a value, found nothing",
    ),
    (
        "a detail that is no list",
        rule("stub_exposed", detail="card"),
        "rules.stub_exposed.detail: expected a list, found 'card'",
    ),
    (
        "an unknown key",
        rule("stub_exposed", response="look away"),
        "rules.stub_exposed.response: expected one of title, clause, class, state, severity,"
        " dealer, supervisor, games, needs, detail, parameters, found an unknown key",
    ),
    (
        "an empty text",
        rule("stub_exposed", dealer=""),
        "rules.stub_exposed.dealer: expected 1 to 400 characters, found ''",
    ),
    (
        "a text that is too long",
        rule("stub_exposed", dealer="x" * 401),
        f"rules.stub_exposed.dealer: expected 1 to 400 characters, found '{'x' * 76}...",
    ),
    (
        "an unknown class",
        rule("stub_exposed", **{"class": "crime"}),
        "rules.stub_exposed.class: expected one of breach, irregularity, integrity, telemetry,"
        " found 'crime'",
    ),
    (
        "an unknown severity",
        rule("stub_exposed", severity="grave"),
        "rules.stub_exposed.severity: expected one of critical, high, medium, low, found 'grave'",
    ),
    (
        "a point finding made to stand",
        rule("stub_exposed", state="standing"),
        "rules.stub_exposed.state: expected one of point, found 'standing'",
    ),
    (
        "a game the code cannot arise in",
        rule("stub_exposed", games=["caribbean_stud", "blackjack"]),
        "rules.stub_exposed.games: expected one of caribbean_stud, four_card_poker,"
        " found 'blackjack'",
    ),
    (
        "no game",
        rule("stub_exposed", games=[]),
        "rules.stub_exposed.games: expected one of caribbean_stud, four_card_poker, found none",
    ),
    (
        "games that are no list",
        rule("stub_exposed", games="all"),
        "rules.stub_exposed.games: expected a list, found 'all'",
    ),
    (
        "an unknown capability",
        rule("stub_exposed", needs=["smell"]),
        "rules.stub_exposed.needs: expected one of wagers, announcements, lockout, shuffles,"
        " dealing_hand, deck_area, draw_hand, burns, faces, cards, totals, decisions, collection,"
        " settlements, stub, reader, supervisor, up_card, found 'smell'",
    ),
    (
        "a word given twice",
        rule("stub_exposed", needs=["stub", "stub"]),
        "rules.stub_exposed.needs: expected each word once, found 'stub'",
    ),
    (
        "a detail the code does not give",
        rule("stub_exposed", detail=["card"]),
        "rules.stub_exposed.detail: expected nothing, found 'card'",
    ),
    (
        "a detail that is missing",
        rule("stub_count_wrong", detail=["expected"]),
        "rules.stub_count_wrong.detail: expected the key counted, found a list without it",
    ),
    (
        "a clause of an unknown section",
        rule("stub_exposed", clause="16.8(d);99.1(d)"),
        "rules.stub_exposed.clause: expected one of 16.8, 27.8, 2.6, 2.15, 4.9, found '99.1(d)'",
    ),
    (
        "a clause that leaves a game without a part",
        rule("stub_exposed", clause="16.8(d)"),
        "rules.stub_exposed.clause: expected a part for four_card_poker, found '16.8(d)'",
    ),
    (
        "a clause without a section",
        rule("stub_exposed", clause="(d)"),
        "rules.stub_exposed.clause: expected one of 16.8, 27.8, 2.6, 2.15, 4.9, found '(d)'",
    ),
    (
        "a parameter that is missing",
        rule("stub_count_overdue", parameters={}),
        "rules.stub_count_overdue.parameters.rounds: expected a value, found nothing",
    ),
    (
        "an unknown parameter",
        rule("stub_count_overdue", parameters={"rounds": 5, "hands": 5}),
        "rules.stub_count_overdue.parameters.hands: expected one of rounds, found an unknown key",
    ),
    (
        "a parameter out of range",
        rule("stub_count_overdue", parameters={"rounds": 0}),
        "rules.stub_count_overdue.parameters.rounds: expected a whole number 1 to 1000, found 0",
    ),
    (
        "a parameter that is a truth value",
        rule("stub_count_overdue", parameters={"rounds": True}),
        "rules.stub_count_overdue.parameters.rounds: expected a whole number 1 to 1000, found True",
    ),
    (
        "parameters that are no table",
        rule("stub_count_overdue", parameters=5),
        "rules.stub_count_overdue.parameters: expected a table, found 5",
    ),
]


@pytest.mark.parametrize(
    ("change", "expected"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_each_fault_is_named(change: Callable[[dict[str, Any]], object], expected: str) -> None:
    assert any(line.startswith(expected) for line in problems(changed(change)))


def test_all_faults_are_named_at_once() -> None:
    def break_thrice(mapping: dict[str, Any]) -> None:
        del mapping["name"]
        del mapping["rules"]["stub_exposed"]
        mapping["rules"]["stub_count_overdue"]["parameters"]["rounds"] = -1

    text = "\n".join(problems(changed(break_thrice)))
    assert "name:" in text
    assert "rules.stub_exposed:" in text
    assert "rules.stub_count_overdue.parameters.rounds:" in text


def test_an_empty_mapping_is_refused() -> None:
    assert "rules: expected a value, found nothing" in problems({})


def test_a_clause_that_is_no_text_is_refused() -> None:
    mapping = changed(rule("stub_exposed", clause=16.8))
    assert "rules.stub_exposed.clause: expected 1 to 400 characters, found 16.8" in problems(
        mapping
    )


def test_a_game_may_be_left_out_with_its_part_of_the_clause() -> None:
    book = parse(changed(rule("stub_exposed", games=["caribbean_stud"], clause="16.8(d)")))
    assert book.rules["stub_exposed"].games == ("caribbean_stud",)


def test_two_parts_of_one_game_stay_together() -> None:
    book = parse(changed(rule("stub_exposed", clause="16.8(d);16.8(e);27.8(d)")))
    assert book.clause("stub_exposed", "caribbean_stud") == "16.8(d);16.8(e)"


def test_digest_is_of_what_the_book_says_not_of_its_layout() -> None:
    turned = {"rules": dict(reversed(MAPPING["rules"].items())), **MAPPING}
    assert parse(turned).sha256 == parse(MAPPING).sha256
    other = changed(rule("stub_count_overdue", parameters={"rounds": 6}))
    assert parse(other).sha256 != parse(MAPPING).sha256
    assert parse(other).parameter("stub_count_overdue", "rounds") == 6


def test_book_is_loaded_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(SOURCE.read_bytes().replace(b'name = "nj"', b'name = "own"'))
    book = load(str(path))
    assert book.name == "own"
    assert book.rules == load().rules


def test_unknown_name_says_which_there_are() -> None:
    with pytest.raises(BookFault, match="atlantis: expected a rulebook file or one of nj, found"):
        load("atlantis")
    assert names() == ("nj",)


def test_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("rules = [", encoding="utf-8")
    with pytest.raises(BookFault, match="expected TOML, found"):
        load(str(path))
    path.write_bytes(b"\xff")
    with pytest.raises(BookFault, match="expected UTF-8, found"):
        load(str(path))
