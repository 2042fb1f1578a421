"""The values of a line: ranges, names, times, cards and texts, each refused in its own words."""

from typing import Any

import pytest

from schemas import kinds
from schemas.faults import LineFault
from schemas.ndjson import decode_line
from schemas.records import DealEvent
from tests.device_lines import OPENED, TIME, fault, line, of_kind


def test_a_doubled_card_is_not_repeated() -> None:
    raw = line().replace(b'"TS"', b'"TS", "card": "KD"')
    assert "TS" not in str(fault(raw))
    assert "KD" not in str(fault(raw))


@pytest.mark.parametrize(
    ("table", "good"),
    [
        ("a", True),
        ("7", True),
        ("A.b_c-D9", True),
        ("x" * 64, True),
        ("x" * 65, False),
        ("", False),
        ("-a", False),
        (".a", False),
        ("_a", False),
        ("a/b", False),
        ("a b", False),
        ("a\n", False),
        ("é", False),
        ("\u0663", False),
    ],
)
def test_a_table_has_a_name_of_its_alphabet(table: str, good: bool) -> None:
    found = decode_line(line(table=table))
    assert isinstance(found, DealEvent) is good
    assert good or fault(line(table=table)).field == "table"


@pytest.mark.parametrize(
    ("source", "good"),
    [
        ("a/b", True),
        ("gw-2/shoe-1", True),
        ("/a", False),
        ("a" * 64, True),
        ("a" * 65, False),
        ("a:b", False),
        ("pitwatch/clock", False),
        ("pitwatch/clock2", True),
    ],
)
def test_a_source_has_a_name_of_its_alphabet(source: str, good: bool) -> None:
    found = decode_line(line(source=source))
    assert isinstance(found, DealEvent) is good
    assert good or fault(line(source=source)).field == "source"


def test_the_clocks_source_is_refused_by_name() -> None:
    assert fault(line(source="pitwatch/clock")) == LineFault(
        "source", "a device's own source", '"pitwatch/clock"'
    )


@pytest.mark.parametrize(
    ("at", "micros"),
    [
        ("2026-11-30T12:00:05Z", 1_796_040_005_000_000),
        ("2026-11-30T12:00:05.1Z", 1_796_040_005_100_000),
        ("2026-11-30T12:00:05.123456Z", 1_796_040_005_123_456),
        ("2000-01-01T00:00:00Z", 946_684_800_000_000),
        ("2100-12-31T23:59:59.999999Z", 4_133_980_799_999_999),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
    ],
)
def test_a_time_is_read_to_the_microsecond(at: str, micros: int) -> None:
    event = decode_line(line(at=at))
    assert isinstance(event, DealEvent)
    assert event.at == micros


@pytest.mark.parametrize(
    "at",
    [
        "2026-11-30T12:00:05+00:00",
        "2026-11-30T12:00:05",
        "2026-11-30 12:00:05Z",
        "2026-11-30t12:00:05Z",
        "2026-11-30T12:00:05z",
        "2026-11-30T12:00:05.1234567Z",
        "2026-11-30T12:00:05.Z",
        "2026-11-30T12:00:05,5Z",
        "2026-11-30T12:00:60Z",
        "2026-11-30T12:60:00Z",
        "2026-11-30T24:00:00Z",
        "2026-13-30T12:00:00Z",
        "2025-02-29T12:00:00Z",
        "1999-12-31T23:59:59Z",
        "2101-01-01T00:00:00Z",
        "2026-11-30T12:00:05Z\n",
        " 2026-11-30T12:00:05Z",
        "2026-11-30T12:00:0\u0665Z",
        "\u0662\u0660\u0662\u0666-11-30T12:00:05Z",
        "2026-11-30T12:00Z",
        "20261130T120005Z",
        "",
        "now",
    ],
)
def test_a_time_that_is_not_as_the_contract_says_is_refused(at: str) -> None:
    refused = fault(line(at=at))
    assert (refused.field, refused.expected) == ("at", TIME)


def test_a_time_that_is_a_number_is_refused() -> None:
    assert fault(line(at=1_796_040_005)).field == "at"


@pytest.mark.parametrize(
    ("kind", "fields", "name"),
    [
        ("table_opened", {**OPENED, "decks": 0}, "decks"),
        ("table_opened", {**OPENED, "decks": 9}, "decks"),
        ("table_opened", {**OPENED, "positions": 13}, "positions"),
        ("table_opened", {**OPENED, "game": "whist"}, "game"),
        ("table_opened", {**OPENED, "observes": "*"}, "observes"),
        ("table_opened", {**OPENED, "observes": ["sight"]}, "observes[0]"),
        ("table_opened", {**OPENED, "observes": ["stub", "cards", "stub"]}, "observes[2]"),
        ("table_opened", {**OPENED, "observes": ["stub", None]}, "observes[1]"),
        ("table_opened", {**OPENED, "offers": ["bonus", "bonus"]}, "offers[1]"),
        ("table_opened", {**OPENED, "offers": None}, "offers"),
        ("table_opened", {**OPENED, "card_reader": 1}, "card_reader"),
        ("table_opened", {**OPENED, "jurisdiction": "nv"}, "jurisdiction"),
        ("dealer_arrived", {"dealer": ""}, "dealer"),
        ("dealer_arrived", {"dealer": "x" * 65}, "dealer"),
        ("supervisor_called", {"reason": "x" * 65}, "reason"),
        ("device_fault", {"device": "door"}, "device"),
        ("device_fault", {"device": "shoe", "code": ""}, "code"),
        ("cards_loaded", {"cards": 417}, "cards"),
        ("cards_loaded", {"cards": -1}, "cards"),
        ("shuffle_completed", {"method": "hand", "stacks": 53}, "stacks"),
        ("shuffle_completed", {"method": "hand", "stacks": 0}, "stacks"),
        ("deck_in_hand", {"hand": "right", "deck": ""}, "deck"),
        ("wager_placed", {"position": 1, "wager": "ante", "amount": -1}, "amount"),
        ("wager_placed", {"position": 1, "wager": "ante", "amount": 2**53}, "amount"),
        ("wager_placed", {"wager": "ante"}, "position"),
        ("announced", {"by": "dealer", "what": "total", "total": 100}, "total"),
        ("determinant_drawn", {"side": "left", "card": "ZZ"}, "card"),
        ("stub_placed", {"exposed": 0}, "exposed"),
        ("cards_touched", {"by": "player", "permitted": "no"}, "permitted"),
        ("wager_settled", {"position": 1, "wager": "main", "outcome": "won"}, "outcome"),
        ("round_closed", {"reason": "done"}, "reason"),
    ],
)
def test_each_kind_keeps_its_own_fields_and_ranges(
    kind: str, fields: dict[str, Any], name: str
) -> None:
    own = {key: value for key, value in fields.items() if key != "kind"}
    assert fault(of_kind(kind, **own)).field == name


@pytest.mark.parametrize("pays", ["3:2", "1:1", "999:999", "21:1"])
def test_odds_are_two_numbers(pays: str) -> None:
    raw = of_kind("wager_settled", position=1, wager="main", outcome="win", pays=pays)
    assert isinstance(decode_line(raw), DealEvent)


@pytest.mark.parametrize(
    "pays",
    ["3", "3:", ":2", "0:1", "1:0", "1000:1", "1:1000", "3:2\n", "3 : 2", "03:2", "3:2:1", ""],
)
def test_odds_out_of_range_are_refused(pays: str) -> None:
    refused = fault(of_kind("wager_settled", position=1, wager="main", outcome="win", pays=pays))
    assert refused.field == "pays"
    assert refused.expected == "two numbers from 1 to 999 with a colon between, such as 3:2"


def test_texts_of_sixty_four_characters_are_read_however_many_bytes() -> None:
    event = decode_line(of_kind("dealer_arrived", dealer="\U0001f0a1" * 64))
    assert isinstance(event, DealEvent)


def test_half_a_surrogate_pair_is_refused() -> None:
    raw = of_kind("dealer_arrived", dealer="D").replace(b'"D"', b'"\\ud800"')
    assert fault(raw) == LineFault("dealer", "whole Unicode characters", "half of a surrogate pair")


def test_a_whole_surrogate_pair_is_read() -> None:
    raw = of_kind("dealer_arrived", dealer="D").replace(b'"D"', b'"\\ud83c\\udca1"')
    event = decode_line(raw)
    assert isinstance(event, DealEvent)
    assert event.body == kinds.DealerArrived("\U0001f0a1")


def test_a_long_text_is_not_repeated_whole() -> None:
    refused = fault(of_kind("dealer_arrived", dealer="x" * 5000))
    assert len(refused.found) < 80
    refused = fault(line(**{"y" * 5000: 1}))
    assert len(refused.field) < 80


def test_what_cannot_be_printed_is_escaped() -> None:
    assert fault(of_kind("dealer_arrived", dealer="\x07" + "x" * 65)).found.startswith('"\\x07')
    assert fault(line(**{"a\x1b[31m": 1})).field == "a\\x1b[31m"
