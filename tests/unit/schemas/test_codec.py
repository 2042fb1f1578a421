import json
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import msgspec
import pytest

from schemas import kinds
from schemas.catalog import BY_NAME, SUBJECTS, Release, Subject
from schemas.codec import CODEC, CONFLUENT, SINGLE_OBJECT, Codec
from schemas.compat import fingerprint_of
from schemas.faults import (
    MALFORMED,
    OUT_OF_RANGE,
    REASONS,
    TRAILING_BYTES,
    TRUNCATED,
    UNKNOWN_FINGERPRINT,
    UNKNOWN_FORMAT,
    UNKNOWN_ID,
    WRONG_RECORD,
    CodecFault,
    RecordFault,
)
from schemas.records import AnyRecord, BookName, DealEvent, Finding
from tests.contract.make_golden import BODIES, RECORDS, event

DEALS = BY_NAME["deal_event"]
DEAL = DealEvent(
    "CS-03",
    "gw-2/shoe-1",
    1,
    17,
    1_796_040_005_120_000,
    kinds.CardDealt(to="player", face="down", position=2, card="TS"),
    received=1_796_040_005_121_500,
    gateway="gw-2",
)
FINDING = next(record for record in RECORDS if isinstance(record, Finding))
IDS = {number: subject.newest for number, subject in enumerate(SUBJECTS, start=70_000)}


def fault(data: bytes, struct: type[AnyRecord] = DealEvent, codec: Codec = CODEC) -> CodecFault:
    found: object = codec.decode(data, struct)
    assert isinstance(found, CodecFault), found
    assert found.reason in REASONS
    return found


def raw(body: tuple[str, dict[str, Any]] | None = None, **changes: object) -> bytes:
    """Return a deal event's message with any values at all, as a careless writer makes it."""
    values = {
        "table": "CS-03",
        "source": "gw-2/shoe-1",
        "boot": 1,
        "seq": 17,
        "at": 1_796_040_005_120_000,
        "body": body or ("pitwatch.CardDealt", {"to": "player", "face": "down"}),
        **changes,
    }
    stream = BytesIO(SINGLE_OBJECT + DEALS.newest.mark)
    stream.seek(10)
    fastavro.schemaless_writer(stream, fastavro.parse_schema(DEALS.newest.schema), values)
    return stream.getvalue()


@pytest.mark.parametrize("record", [*map(event, BODIES), *RECORDS], ids=lambda r: type(r).__name__)
def test_every_record_comes_back(record: AnyRecord) -> None:
    data = CODEC.encode(record)
    assert CODEC.decode(data, type(record)) == record


def test_single_object_encoding_is_written() -> None:
    data = CODEC.encode(DEAL)
    assert data[:2] == b"\xc3\x01"
    assert int.from_bytes(data[2:10], "little") == DEALS.newest.fingerprint


def test_confluents_format_is_written_where_a_registry_gives_ids() -> None:
    codec = Codec(ids=IDS, confluent=True)
    data = codec.encode(DEAL)
    assert data[:5] == b"\x00" + (70_000).to_bytes(4, "big")
    assert data[5:] == CODEC.encode(DEAL)[10:]
    assert codec.decode(data, DealEvent) == DEAL


@pytest.mark.parametrize("confluent", [False, True])
def test_both_formats_are_read(*, confluent: bool) -> None:
    codec = Codec(ids=IDS, confluent=confluent)
    assert codec.decode(Codec(ids=IDS, confluent=True).encode(FINDING), Finding) == FINDING
    assert codec.decode(CODEC.encode(FINDING), Finding) == FINDING


def test_confluents_format_is_not_written_without_an_id() -> None:
    with pytest.raises(ValueError, match="deal_event v1: expected a registry's id, found none"):
        Codec(confluent=True)


def test_ids_are_learnt_in_place_of_those_before() -> None:
    codec = Codec(ids=IDS, confluent=True)
    before = codec.encode(FINDING)
    codec.learn({number + 100: release for number, release in IDS.items()}, confluent=True)
    assert codec.decode(codec.encode(FINDING), Finding) == FINDING
    fault = codec.decode(before, Finding)
    assert isinstance(fault, CodecFault)
    assert fault.reason == UNKNOWN_ID
    codec.learn({}, confluent=False)
    assert codec.encode(FINDING) == CODEC.encode(FINDING)


def test_ids_that_are_not_whole_change_nothing() -> None:
    codec = Codec()
    with pytest.raises(ValueError, match="expected a registry's id, found none"):
        codec.learn(dict(list(IDS.items())[:1]), confluent=True)
    assert codec.encode(FINDING) == CODEC.encode(FINDING)
    assert not codec.ids


def test_a_codec_of_other_versions_has_the_same_ids() -> None:
    codec = Codec(ids=IDS, confluent=True)
    assert codec.writing({}).encode(DEAL) == codec.encode(DEAL)
    assert CODEC.writing({}).encode(DEAL) == CODEC.encode(DEAL)


@pytest.mark.parametrize(
    ("data", "reason", "found"),
    [
        (b"", UNKNOWN_FORMAT, "no bytes"),
        (b"\xc3", UNKNOWN_FORMAT, "0xc3"),
        (b"\xc3\x02abcdefgh", UNKNOWN_FORMAT, "0xc302"),
        (b'{"table":1}', UNKNOWN_FORMAT, "0x7b22"),
        (b"\x01" + bytes(16), UNKNOWN_FORMAT, "0x0100"),
        (SINGLE_OBJECT + b"1234567", TRUNCATED, "9 bytes"),
        (SINGLE_OBJECT + b"12345678", UNKNOWN_FINGERPRINT, b"12345678".hex()),
        (CONFLUENT + b"123", TRUNCATED, "4 bytes"),
        (CONFLUENT + b"1234" + b"abc", UNKNOWN_ID, b"1234".hex()),
    ],
)
def test_a_header_that_names_no_known_schema_is_a_fault(
    data: bytes, reason: str, found: str
) -> None:
    refused = fault(data)
    assert (refused.reason, refused.field, refused.found) == (reason, "value", found)


def test_another_record_is_a_fault() -> None:
    assert fault(CODEC.encode(FINDING)) == CodecFault(
        WRONG_RECORD, "value", "a DealEvent", "a finding"
    )


@pytest.mark.parametrize("record", [DEAL, FINDING], ids=lambda record: type(record).__name__)
def test_every_cut_is_a_fault(record: AnyRecord) -> None:
    data = CODEC.encode(record)
    for length in range(2, len(data)):
        assert fault(data[:length], type(record)).reason == TRUNCATED


@pytest.mark.parametrize("record", [DEAL, FINDING], ids=lambda record: type(record).__name__)
@pytest.mark.parametrize("more", [b"\x00", b"more"])
def test_trailing_bytes_are_a_fault(record: AnyRecord, more: bytes) -> None:
    refused = fault(CODEC.encode(record) + more, type(record))
    assert refused == CodecFault(
        TRAILING_BYTES, "value", "the end of the record", f"{len(more)} bytes after it"
    )


def test_an_unknown_branch_is_a_fault() -> None:
    data = CODEC.encode(DEAL)
    branch = bytes([kinds.BODIES.index(kinds.CardDealt) * 2])
    assert data.count(branch + b"\x0cplayer") == 1
    hostile = data.replace(branch + b"\x0cplayer", b"\x7e\x0cplayer")
    assert fault(hostile).reason == MALFORMED


@pytest.mark.parametrize("length", [b"\x01", b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"])
def test_a_hostile_length_is_a_fault(length: bytes) -> None:
    data = SINGLE_OBJECT + DEALS.newest.mark + length + b"CS-03"
    assert fault(data).reason in (TRUNCATED, MALFORMED)


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"boot": 0}, "boot", "an integer from 1 to 9007199254740991"),
        ({"seq": 2**53}, "seq", "an integer from 1 to 9007199254740991"),
        ({"at": 0}, "at", "an integer from 946684800000000 to 4133980799999999"),
        ({"received": -1}, "received", "an integer from 946684800000000 to 4133980799999999"),
        ({"table": "-"}, "table", None),
        ({"source": "a b"}, "source", None),
        ({"gateway": ""}, "gateway", None),
        (
            {"body": ("pitwatch.CardDealt", {"to": "nobody", "face": "up"})},
            "to",
            "one of banker, dealer, player",
        ),
        (
            {"body": ("pitwatch.CardDealt", {"to": "dealer", "face": "up", "card": "1S"})},
            "card",
            "a card, rank A23456789TJQK then suit SHDC",
        ),
        ({"body": ("pitwatch.StubCounted", {"cards": 417})}, "cards", "an integer from 0 to 416"),
        (
            {
                "body": (
                    "pitwatch.TableOpened",
                    {
                        "game": "blackjack",
                        "dealt_from": "shoe",
                        "decks": 8,
                        "positions": 7,
                        "observes": ["cards", "cards"],
                    },
                )
            },
            "observes[1]",
            "each entry once",
        ),
    ],
)
def test_ranges_are_checked_on_reading_as_for_a_line(
    changes: dict[str, Any], field: str, expected: str | None
) -> None:
    refused = fault(raw(**changes))
    assert (refused.reason, refused.field) == (OUT_OF_RANGE, field)
    assert expected in (None, refused.expected)
    assert "1S" not in str(refused)


def test_a_message_of_a_careless_writer_that_keeps_the_ranges_is_read() -> None:
    assert isinstance(CODEC.decode(raw(), DealEvent), DealEvent)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": "none"}, "id"),
        ({"hand": 5}, "hand"),
        ({"events": ["", "x"]}, "events[0]"),
        ({"detail": {"why": "x" * 257}}, "detail[...]"),
        ({"book": {"name": "", "sha256": "0" * 64}}, "book.name"),
    ],
)
def test_ranges_of_other_records_are_checked_on_reading(
    changes: dict[str, Any], field: str
) -> None:
    schema = BY_NAME["finding"].newest.schema
    stream = BytesIO()
    values = {**msgspec.to_builtins(FINDING), **changes}
    fastavro.schemaless_writer(stream, fastavro.parse_schema(schema), values)
    refused = fault(SINGLE_OBJECT + BY_NAME["finding"].newest.mark + stream.getvalue(), Finding)
    assert (refused.reason, refused.field) == (OUT_OF_RANGE, field)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"boot": 0}, "boot"),
        ({"boot": 1.9}, "boot"),
        ({"boot": True}, "boot"),
        ({"boot": None}, "boot"),
        ({"seq": 2**70}, "seq"),
        ({"at": 1}, "at"),
        ({"table": "CS/03"}, "table"),
        ({"source": 5}, "source"),
        ({"gateway": "a\n"}, "gateway"),
        ({"body": kinds.CardDealt(to="player", face="down", position=13)}, "position"),
        ({"body": kinds.DealerLeft(dealer="")}, "dealer"),
        ({"body": kinds.DealerLeft(dealer="\ud800")}, "value"),
        ({"body": None}, "body"),
        ({"body": BookName("nj", "0" * 64)}, "body"),
        ({"body": "card_dealt"}, "body"),
    ],
)
def test_what_is_out_of_range_is_not_written(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordFault) as refused:
        CODEC.encode(msgspec.structs.replace(DEAL, **changes))
    assert refused.value.fault.reason == OUT_OF_RANGE
    assert refused.value.fault.field == field
    assert str(refused.value) == str(refused.value.fault)


def test_a_table_that_names_a_capability_twice_is_not_written() -> None:
    body = kinds.TableOpened("blackjack", "shoe", 8, 7, ("cards", "cards"))
    with pytest.raises(RecordFault, match=r"observes\[1\]: expected each entry once"):
        CODEC.encode(msgspec.structs.replace(DEAL, body=body))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"detail": {"rounds": 1.5}}, "detail[...]"),
        ({"detail": {"rounds": True}}, "detail[...]"),
        ({"detail": {"rounds": 2**63}}, "detail[...]"),
        ({"detail": {"why": "x" * 257}}, "detail[...]"),
        ({"events": ("",)}, "events[0]"),
        ({"events": "x"}, "events"),
        ({"id": "0" * 31}, "id"),
        ({"class_": ""}, "class"),
        ({"position": 0}, "position"),
        ({"book": BookName("nj", "no digest")}, "book.sha256"),
        ({"code": "\ud800"}, "value"),
        ({"version": object()}, "value"),
    ],
)
def test_a_finding_out_of_range_is_not_written(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordFault) as refused:
        CODEC.encode(msgspec.structs.replace(FINDING, **changes))
    assert refused.value.fault.field == field


def test_half_a_surrogate_pair_within_a_list_is_not_written() -> None:
    with pytest.raises(RecordFault, match="finding v1 can hold"):
        CODEC.encode(msgspec.structs.replace(FINDING, events=("\ud800",)))


def released(folder: Path, subject: Subject, version: int, schema: dict[str, Any]) -> Release:
    """Return a made-up release, its file in a folder."""
    path = folder / subject.name / f"v{version}.avsc"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(schema))
    return Release(subject.name, version, "", fingerprint_of(schema), folder)


def with_releases(subject: Subject, *releases: Release) -> Subject:
    return Subject(subject.name, subject.struct, subject.topic, subject.mode, releases)


def test_an_old_version_is_read_with_its_own_schema(tmp_path: Path) -> None:
    subject = BY_NAME["finding"]
    shift = {"name": "shift", "type": ["null", "string"], "default": None}
    schema = {**subject.newest.schema, "fields": [shift, *subject.newest.schema["fields"]]}
    newer = released(tmp_path, subject, 2, schema)
    codec = Codec(subjects=[with_releases(subject, subject.newest, newer)])
    assert codec.decode(CODEC.encode(FINDING), Finding) == FINDING
    data = codec.encode(FINDING)
    assert data[2:10] == newer.mark
    assert codec.decode(data, Finding) == FINDING
    assert fault(data, Finding).reason == UNKNOWN_FINGERPRINT


def test_an_older_version_is_written_where_one_is_set(tmp_path: Path) -> None:
    subject = BY_NAME["finding"]
    fields = [each for each in subject.newest.schema["fields"] if each["name"] != "position"]
    older = released(tmp_path, subject, 0, {**subject.newest.schema, "fields": fields})
    both = with_releases(subject, older, subject.newest)
    codec = Codec(subjects=[both], versions={"finding": 0})
    data = codec.encode(FINDING)
    assert data[2:10] == older.mark
    assert FINDING.position is not None
    assert codec.decode(data, Finding) == msgspec.structs.replace(FINDING, position=None)


def test_what_a_device_said_is_not_left_out(tmp_path: Path) -> None:
    fields = [each for each in DEALS.newest.schema["fields"] if each["name"] != "gateway"]
    older = released(tmp_path, DEALS, 0, {**DEALS.newest.schema, "fields": fields})
    codec = Codec(subjects=[with_releases(DEALS, older, DEALS.newest)], versions={"deal_event": 0})
    unnamed = msgspec.structs.replace(DEAL, gateway=None)
    assert codec.decode(codec.encode(unnamed), DealEvent) == unnamed
    named = msgspec.structs.replace(DEAL, gateway="pit-1")
    with pytest.raises(RecordFault, match="gateway: expected nothing, for deal_event v0"):
        codec.encode(named)


def test_a_kind_that_an_older_version_does_not_know_is_not_written_in_it(tmp_path: Path) -> None:
    schema = json.loads(DEALS.newest.text)
    body = next(each for each in schema["fields"] if each["name"] == "body")
    del body["type"][-1]
    older = released(tmp_path, DEALS, 0, schema)
    codec = Codec(subjects=[with_releases(DEALS, older, DEALS.newest)], versions={"deal_event": 0})
    assert codec.decode(codec.encode(DEAL), DealEvent) == DEAL
    with pytest.raises(RecordFault, match="what deal_event v0 can hold"):
        codec.encode(event(kinds.RoundClosed()))


def test_a_version_that_was_not_released_is_not_written() -> None:
    with pytest.raises(ValueError, match="expected one of the versions 1, found 7"):
        Codec(versions={"alarm": 7})
