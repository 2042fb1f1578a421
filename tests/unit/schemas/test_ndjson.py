"""A device's line is read, or refused whole or by its field, and nothing is guessed."""

import json

import pytest

from schemas import kinds
from schemas.exact import MAX_LINE
from schemas.faults import LineFault
from schemas.ndjson import decode_line
from schemas.records import DealEvent
from tests.device_lines import CARD, EVENT, GOOD, fault, line, of_kind


def test_the_line_of_the_contract_is_read() -> None:
    raw = (
        b'{"table":"CS-03","source":"gw-2/shoe-1","boot":1,"seq":17,"at":"2026-11-30T12:00:05.120Z"'
        b',"kind":"card_dealt","to":"player","position":2,"face":"down","card":"TS"}'
    )
    assert decode_line(raw) == EVENT
    assert EVENT.identity == "CS-03/gw-2/shoe-1/1/17"


@pytest.mark.parametrize(
    ("raw", "expected", "found"),
    [
        (b"{not json", "a JSON object", "Expecting property name"),
        (b"", "a JSON object", "Expecting value at character 1"),
        (b"[1, 2]", "a JSON object", "a list of 2"),
        (b"null", "a JSON object", "null"),
        (b'"text"', "a JSON object", '"text"'),
        (b"17", "a JSON object", "17"),
        (line() + b" {}", "a JSON object", "Extra data"),
        (line() + b"\x00", "a JSON object", "Extra data"),
        (line()[:-1] + b",}", "a JSON object", "at character"),
        (b"{'table':1}", "a JSON object", "Expecting property name"),
        (line().replace(b"17", b"017"), "a JSON object", "Expecting ',' delimiter"),
        (line().replace(b"17", b"NaN"), "a JSON object", "a word that JSON does not have"),
        (line().replace(b"17", b"-Infinity"), "a JSON object", "a word that JSON does not have"),
        (line().replace(b"CS-03", b"CS\xff03"), "UTF-8", "byte 0xff at byte 14"),
        (line().replace(b"CS-03", b"\xed\xa0\x80"), "UTF-8", "byte 0xed at byte 12"),
        (line().replace(b"CS-03", b"CS\x0103"), "a JSON object", "Invalid control character"),
        (b"[" * MAX_LINE, "a JSON object", "brackets nested too deeply"),
        (b'{"a":' * (MAX_LINE // 5), "a JSON object", "brackets nested too deeply"),
        (line() + b" " * MAX_LINE, "at most 16384 bytes", "a longer line"),
    ],
)
def test_a_line_that_holds_no_object_is_refused_whole(
    raw: bytes, expected: str, found: str
) -> None:
    refused = fault(raw)
    assert refused.field == "line"
    assert refused.expected == expected
    assert found in refused.found


def test_a_line_of_sixteen_kib_is_read() -> None:
    assert decode_line(line().ljust(MAX_LINE)) == EVENT


@pytest.mark.parametrize("kind", ["card_flung", "", "tick", 17, None, ["card_dealt"], "CARD_DEALT"])
def test_a_kind_that_no_device_may_send_is_refused(kind: object) -> None:
    refused = fault(line(kind=kind))
    assert refused.field == "kind"
    assert refused.expected.startswith("a kind of event that a device may send")


def test_an_unknown_kind_is_told_the_nearest_one() -> None:
    refused = fault(line(kind="card_delt"))
    assert refused.expected == "a kind of event that a device may send, such as card_dealt"
    assert refused.found == '"card_delt"'


def test_a_kind_like_none_is_told_no_other() -> None:
    assert fault(line(kind="??")).expected == "a kind of event that a device may send"


def test_a_missing_kind_is_refused() -> None:
    assert fault(line(kind=...)) == LineFault("kind", "a kind of event", "nothing")


@pytest.mark.parametrize("name", ["table", "source", "boot", "seq", "at", "to", "face"])
def test_a_missing_field_is_refused(name: str) -> None:
    refused = fault(line(**{name: ...}))
    assert (refused.field, refused.found) == (name, "nothing")


@pytest.mark.parametrize("name", ["colour", "received", "gateway", "deck", "Card", "body"])
def test_an_unknown_field_is_refused(name: str) -> None:
    refused = fault(line(**{name: 1}))
    assert (refused.field, refused.found) == (name, "an unknown field")
    assert refused.expected.startswith("a field of card_dealt: table, source, boot, seq, at, to")


@pytest.mark.parametrize("name", list(GOOD))
def test_a_doubled_field_is_refused(name: str) -> None:
    raw = json.dumps(GOOD).replace("}", f", {json.dumps(name)}: {json.dumps(GOOD[name])}}}")
    assert fault(raw.encode()) == LineFault(name, "each field once", "the field twice")


def test_a_doubled_field_is_refused_behind_an_escape() -> None:
    raw = of_kind("dealer_arrived", dealer="D:1").replace(b"D:1", b"D\\u003a1")
    doubled = raw.replace(b'"seq"', b'"seq": 16, "seq"')
    assert isinstance(decode_line(raw), DealEvent)
    assert fault(doubled) == LineFault("seq", "each field once", "the field twice")


def test_a_field_doubled_by_an_escaped_name_is_refused() -> None:
    raw = line().replace(b'"seq"', b'"s\\u0065q": 16, "seq"')
    assert fault(raw) == LineFault("seq", "each field once", "the field twice")


def test_a_colon_in_a_text_is_no_doubled_field() -> None:
    event = decode_line(of_kind("dealer_arrived", dealer='a:b":"c'))
    assert isinstance(event, DealEvent)
    assert event.body == kinds.DealerArrived('a:b":"c')


@pytest.mark.parametrize("name", [name for name in GOOD if name != "kind"])
def test_null_is_no_value(name: str) -> None:
    refused = fault(line(**{name: None}))
    assert (refused.field, refused.found) == (name, "null")


@pytest.mark.parametrize(
    ("name", "value", "expected", "found"),
    [
        ("boot", 0, "an integer from 1 to 9007199254740991", "0"),
        ("boot", 2**53, "an integer from 1 to 9007199254740991", "9007199254740992"),
        ("boot", True, "an integer from 1 to 9007199254740991", "true"),
        ("boot", False, "an integer from 1 to 9007199254740991", "false"),
        ("seq", 0, "an integer from 1 to 9007199254740991", "0"),
        ("seq", 17.0, "an integer from 1 to 9007199254740991", "the number 17.0"),
        ("seq", "17", "an integer from 1 to 9007199254740991", '"17"'),
        ("seq", -1, "an integer from 1 to 9007199254740991", "-1"),
        ("seq", {"a": 1}, "an integer from 1 to 9007199254740991", "an object"),
        ("position", 0, "an integer from 1 to 12", "0"),
        ("position", 13, "an integer from 1 to 12", "13"),
        ("position", [2], "an integer from 1 to 12", "a list of 1"),
        ("hand", 5, "an integer from 1 to 4", "5"),
        ("hand", 0, "an integer from 1 to 4", "0"),
        ("to", "players", "one of banker, dealer, player", '"players"'),
        ("face", "Down", "one of down, up", '"Down"'),
        ("side", "middle", "one of left, right", '"middle"'),
        ("drawn_with", "both", "one of left, right", '"both"'),
        ("card", "1S", CARD, "a text of 2 characters"),
        ("card", "TX", CARD, "a text of 2 characters"),
        ("card", "ts", CARD, "a text of 2 characters"),
        ("card", "10S", CARD, "a text of 3 characters"),
        ("card", "", CARD, "a text of 0 characters"),
        ("card", 7, CARD, "7"),
        ("face", "TS", "one of down, up", "a text of 2 characters"),
    ],
)
def test_a_value_out_of_range_is_refused(
    name: str, value: object, expected: str, found: str
) -> None:
    assert fault(line(**{name: value})) == LineFault(name, expected, found)


@pytest.mark.parametrize("digits", [70, 400, 5000])
def test_a_huge_integer_is_refused_in_few_words(digits: int) -> None:
    raw = line().replace(b"17", b"9" * digits)
    assert fault(raw) == LineFault(
        "seq", "an integer from 1 to 9007199254740991", "a longer integer"
    )


@pytest.mark.parametrize("card", ["TS", "10S", "ks", "A\u2660"])
@pytest.mark.parametrize("name", ["table", "source", "at", "face", "to", "kind", "side"])
def test_no_refusal_repeats_a_card(name: str, card: str) -> None:
    found = decode_line(line(**{name: card}))
    if isinstance(found, LineFault):
        assert card not in str(found)
