"""A letter says what its headers say, and is to this version what its bytes are."""

from dataclasses import replace

import pytest

from schemas.codec import CODEC
from schemas.ndjson import decode_line, encode_line
from schemas.records import DealEvent
from streams.core.events import CLOCK_SOURCE, Tick
from streams.shell.deadletters import Refusal, dead_letter
from streams.shell.letters import Readable, contents, own_event, read_letter
from streams.shell.translate import event_bytes
from streams.wire.inbound import to_record
from tests.letter_models import Written, letter_of, line_letter
from tests.shell_models import TOPICS, Record, recorded

EVENTS = recorded("fc-deal-order")


def test_a_workers_letter_says_where_it_came_from_and_why() -> None:
    letter = letter_of(EVENTS[0], offset=41)
    assert (letter.name, letter.table) == ("0/41", EVENTS[0].table)
    assert (letter.topic, letter.source_partition, letter.source_offset) == (TOPICS.deals, 0, 41)
    assert (letter.reason, letter.field, letter.found) == ("unknown_fingerprint", "value", "ff")
    assert (letter.expected, letter.version) == ("a schema that this version knows", "0.0.9")
    assert letter.value == event_bytes(EVENTS[0])
    assert (letter.gateway, letter.length) == (None, None)
    assert letter.at == 1_796_040_000_000_000


@pytest.mark.parametrize(
    ("stage", "failed"),
    [("VALUE_CONVERTER", b"schemas.codec.Codec"), ("TASK_PUT", b"streams.core.advance")],
)
def test_a_letter_has_the_headers_that_kafka_connects_tools_read(stage: str, failed: bytes) -> None:
    record = Record(41, b"CS-01", b"poison", headers=(("trace", b"1"),))
    refusal = Refusal("malformed", "value", "a record", "noise")
    letter = dead_letter(TOPICS.dead, record, refusal, stage, "0.0.9")
    assert (letter.key, letter.value, letter.partition) == (b"CS-01", b"poison", 0)
    assert letter.headers[0] == ("trace", b"1")
    said = {name.removeprefix("__connect.errors."): value for name, value in letter.headers}
    assert said == {
        "trace": b"1",
        "connector.name": b"pitwatch-worker",
        "task.id": b"0",
        "class.name": failed,
        "exception.class.name": b"streams.shell.deadletters.Refusal",
        "exception.message": b"value: expected a record, found noise",
        "topic": TOPICS.deals.encode(),
        "partition": b"0",
        "offset": b"41",
        "stage": stage.encode(),
        "pitwatch.reason": b"malformed",
        "pitwatch.field": b"value",
        "pitwatch.expected": b"a record",
        "pitwatch.found": b"noise",
        "pitwatch.version": b"0.0.9",
    }


def test_a_gateways_letter_says_which_gateway_and_how_long_it_was() -> None:
    letter = line_letter(b"{", length=600_000)
    assert (letter.topic, letter.gateway, letter.length) == (None, "gw-7", 600_000)
    assert (letter.stage, letter.field) == ("VALUE_CONVERTER", "kind")


def test_headers_of_a_stranger_are_taken_as_they_are() -> None:
    headers = [
        *(("__connect.errors.offset", b"\xff"), ("__connect.errors.partition", b"-1")),
        *(("pitwatch.length", "²".encode()), ("pitwatch.field", b"\xff")),
    ]
    letter = read_letter(Written(TOPICS.dead, 0, 0, b"\xff", None, headers))
    assert letter.source_offset is letter.source_partition is letter.length is None
    assert (letter.reason, letter.table, letter.field) == ("none", "\\xff", "\ufffd")


def test_a_deal_that_this_version_reads_keeps_its_bytes() -> None:
    (piece,) = contents(letter_of(EVENTS[0]))
    assert piece == Readable(EVENTS[0], event_bytes(EVENTS[0]))


@pytest.mark.parametrize("value", [None, b"", b"no avro", b"\xc3\x01" + bytes(40)])
def test_bytes_that_are_no_deal_are_refused_again(value: bytes | None) -> None:
    (piece,) = contents(letter_of(value, key=b"CS-01"))
    assert isinstance(piece, Refusal)


def test_a_line_that_is_good_to_this_version_is_stamped_as_its_gateway_would_have() -> None:
    line = encode_line(to_record(replace(EVENTS[0], received=None)))
    letter = line_letter(line + b"\r\n" + b"{}\n" + line)
    first, bad, second = contents(letter)
    assert isinstance(first, Readable)
    record = CODEC.decode(first.value, DealEvent)
    assert isinstance(record, DealEvent)
    assert (record.received, record.gateway) == (letter.at, "gw-7")
    assert decode_line(encode_line(record)) == decode_line(line)
    assert first.event == replace(EVENTS[0], received=letter.at)
    assert isinstance(bad, Refusal)
    assert bad.field == "kind"
    assert second == first


def test_a_line_whose_letter_is_from_no_time_there_is_cannot_be_a_deal() -> None:
    line = encode_line(to_record(replace(EVENTS[0], received=None)))
    (piece,) = contents(replace(line_letter(line), at=-1))
    assert isinstance(piece, Refusal)
    assert piece.field == "received"


def test_a_clocks_word_is_only_a_tick() -> None:
    forged = replace(EVENTS[0], source=CLOCK_SOURCE)
    tick = replace(EVENTS[0], source=CLOCK_SOURCE, body=Tick())
    (refused,) = contents(letter_of(forged))
    assert isinstance(refused, Refusal)
    assert refused.reason == "clock_source"
    assert own_event(tick.table.encode(), event_bytes(tick)) == tick
    assert own_event(b"another", event_bytes(tick)) is None
    assert own_event(None, None) is None
