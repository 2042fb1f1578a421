import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from schemas import kinds
from schemas.exact import MAX_LINE, read_exactly
from schemas.faults import LineFault
from schemas.ndjson import BOM, decode_line, encode_finding, encode_line, read_lines
from schemas.records import BookName, DealEvent, Finding

GOOD: dict[str, Any] = {
    "table": "CS-03",
    "source": "gw-2/shoe-1",
    "boot": 1,
    "seq": 17,
    "at": "2026-11-30T12:00:05.120Z",
    "kind": "card_dealt",
    "to": "player",
    "position": 2,
    "face": "down",
    "card": "TS",
}
EVENT = DealEvent(
    "CS-03",
    "gw-2/shoe-1",
    1,
    17,
    1_796_040_005_120_000,
    kinds.CardDealt(to="player", face="down", position=2, card="TS"),
)
OPENED: dict[str, Any] = {
    "kind": "table_opened",
    "game": "caribbean_stud",
    "dealt_from": "hand",
    "decks": 1,
    "positions": 7,
    "observes": ["*"],
}
CARD = "a card, rank A23456789TJQK then suit SHDC"
TIME = "a UTC time such as 2026-11-30T12:00:05.120Z in the years 2000 to 2100"


def line(**changes: object) -> bytes:
    values = {**GOOD, **changes}
    return json.dumps({name: value for name, value in values.items() if value is not ...}).encode()


def of_kind(kind: str, **fields: object) -> bytes:
    envelope = {name: GOOD[name] for name in ("table", "source", "boot", "seq", "at")}
    return json.dumps({**envelope, "kind": kind, **fields}).encode()


def fault(raw: bytes) -> LineFault:
    found = decode_line(raw)
    assert isinstance(found, LineFault), found
    return found


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


def test_every_recordings_lines_are_read_and_written_again(recording: Path) -> None:
    with recording.open("rb") as stream:
        for _, raw in read_lines(stream):
            event = decode_line(raw)
            assert event == read_exactly(raw)
            if isinstance(event, DealEvent):
                assert json.loads(encode_line(event)) == json.loads(raw)


RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.ndjson"))


@pytest.fixture(params=RECORDINGS, ids=lambda path: path.stem)
def recording(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_a_line_is_written_as_the_contract_shows_it() -> None:
    assert encode_line(EVENT) == (
        b'{"table":"CS-03","source":"gw-2/shoe-1","boot":1,"seq":17,"at":"2026-11-30T12:00:05.120Z"'
        b',"kind":"card_dealt","to":"player","face":"down","position":2,"card":"TS"}'
    )


def test_a_finding_is_written_as_the_contract_shows_it() -> None:
    finding = Finding(
        id="0" * 32,
        code="stub_count_overdue",
        clause="16.8(e)",
        class_="breach",
        state="raised",
        severity="high",
        table="CS-03",
        game="caribbean_stud",
        round=5,
        position=None,
        hand=None,
        at=1_796_040_005_120_000,
        events=("CS-03/gw-2/1/88",),
        detail={"rounds": 5},
        book=BookName("nj", "a" * 64),
        version="0.1.0",
    )
    assert encode_finding(finding).decode() == (
        '{"id":"00000000000000000000000000000000","code":"stub_count_overdue","clause":"16.8(e)",'
        '"class":"breach","state":"raised","severity":"high","table":"CS-03",'
        '"game":"caribbean_stud","round":5,"position":null,"hand":null,'
        '"at":"2026-11-30T12:00:05.120Z","events":["CS-03/gw-2/1/88"],"detail":{"rounds":5},'
        f'"book":{{"name":"nj","sha256":"{"a" * 64}"}},"version":"0.1.0"}}'
    )


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", [(1, b"a")]),
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a"), (2, b"b")]),
        (BOM + b"a\nb", [(1, b"a"), (2, b"b")]),
        (BOM, []),
        (BOM + b"\n\na", [(3, b"a")]),
        (b"a\n" + BOM + b"b", [(1, b"a"), (2, BOM + b"b")]),
        (b"\n \t\r\n\na\n\n", [(4, b"a")]),
        (b"a\rb\n", [(1, b"a\rb")]),
    ],
)
def test_lines_are_numbered_and_blank_ones_left_out(
    data: bytes, lines: list[tuple[int, bytes]]
) -> None:
    assert list(read_lines(BytesIO(data))) == lines


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_the_longest_line_keeps_all_its_bytes(mark: bytes, ending: bytes) -> None:
    raw = line().ljust(MAX_LINE)
    assert list(read_lines(BytesIO(mark + raw + ending))) == [(1, raw)]


@pytest.mark.parametrize("extra", [1, 2, 3, 100, 5 * MAX_LINE])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_a_longer_line_is_cut_refused_and_followed_by_the_next(extra: int, ending: bytes) -> None:
    data = line().ljust(MAX_LINE + extra, b" ") + ending
    after = [(2, b"b")] if ending else []
    (first, *rest) = read_lines(BytesIO(data + (b"b" if ending else b"")))
    assert first[0] == 1
    assert fault(first[1]) == LineFault("line", "at most 16384 bytes", "a longer line")
    assert len(first[1]) <= MAX_LINE + 6
    assert rest == after
