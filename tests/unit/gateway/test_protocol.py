import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.gateway.entries import Accepted, Refused, decode_entry, encode_entry
from producers.gateway.identities import Identities
from producers.gateway.protocol import (
    BAD_FIELD,
    BAD_LINE,
    MOST_REFUSED,
    TOO_MANY_REFUSED,
    UNKNOWN_KIND,
    Judge,
    Rejection,
    Verdicts,
    in_parts,
    split_lines,
)
from schemas.faults import CodecFault, RecordFault
from schemas.ndjson import decode_line, encode_line
from schemas.records import DealEvent

RECEIVED = 1_800_000_000_000_000


def line(seq: int = 1, **changes: object) -> bytes:
    event = {
        "table": "CS-01",
        "source": "gw-1/shoe",
        "boot": 1,
        "seq": seq,
        "at": "2026-11-30T12:00:00.000Z",
        "kind": "no_more_bets",
    }
    return json.dumps(event | changes).encode()


def judge(identities: Identities | None = None) -> Judge:
    return Judge("gateway-7", encode_line, identities or Identities())


def verdicts_on(body: bytes, judge: Judge) -> Verdicts:
    verdicts = Verdicts()
    for part in in_parts(split_lines(body), 3):
        judge.judge(part, RECEIVED, verdicts)
    return verdicts


def test_an_accepted_event_is_stamped_with_the_gateways_clock_and_name() -> None:
    seen: list[DealEvent] = []

    def encode(event: DealEvent) -> bytes:
        seen.append(event)
        return b"avro"

    verdicts = verdicts_on(line(7), Judge("gateway-7", encode, Identities()))
    (entry,) = verdicts.entries
    assert isinstance(entry, Accepted)
    assert (entry.table, entry.source, entry.boot, entry.seq) == ("CS-01", "gw-1/shoe", 1, 7)
    assert (entry.received, entry.value, entry.held) == (RECEIVED, b"avro", False)
    assert (seen[0].received, seen[0].gateway) == (RECEIVED, "gateway-7")
    assert verdicts.answer.accepted == 1


def test_a_bom_carriage_returns_and_blank_lines_are_taken() -> None:
    body = b"\xef\xbb\xbf" + line(1) + b"\r\n\r\n  \n" + line(2) + b"\n\n" + line(0)
    verdicts = verdicts_on(body, judge())
    assert verdicts.accepted == 2
    assert [rejection.line for rejection in verdicts.rejected] == [6]


def test_a_refused_line_is_named_and_kept_with_its_bytes_and_the_others_are_accepted() -> None:
    bad = line(2, position=True)
    verdicts = verdicts_on(b"\n".join([line(1), bad, b"{", line(3, kind="flung")]), judge())
    assert verdicts.accepted == 1
    assert [rejection.line for rejection in verdicts.rejected] == [2, 3, 4]
    refused = [entry for entry in verdicts.entries if isinstance(entry, Refused)]
    assert [entry.raw for entry in refused] == [bad, b"{", line(3, kind="flung")]
    assert [entry.reason for entry in refused] == [BAD_FIELD, BAD_LINE, UNKNOWN_KIND]
    assert [entry.table for entry in refused] == ["CS-01", None, "CS-01"]
    assert all(entry.length == len(entry.raw) for entry in refused)


@pytest.mark.parametrize("raw", [b'{"table":"no table!"}', b'{"table":7}', b"[1]", b"[" * 10_000])
def test_a_dead_letter_without_a_sound_table_has_no_key(raw: bytes) -> None:
    (entry,) = verdicts_on(raw, judge()).entries
    assert isinstance(entry, Refused)
    assert entry.table is None


def test_what_was_stored_is_a_duplicate_when_it_comes_again() -> None:
    identities = Identities()
    judging = judge(identities)
    first = verdicts_on(line(1) + b"\n" + line(2), judging)
    again = verdicts_on(line(1) + b"\n" + line(2), judging)
    assert (again.accepted, again.duplicates) == (2, 0)
    judging.remember(first)
    known = verdicts_on(line(1) + b"\n" + line(2) + b"\n" + line(3), judging)
    assert (known.accepted, known.duplicates) == (1, 2)
    assert [entry.seq for entry in known.entries if isinstance(entry, Accepted)] == [3]


def test_a_line_twice_in_one_request_is_one_event_and_one_duplicate() -> None:
    verdicts = verdicts_on(line(1) + b"\n" + line(1), judge())
    assert (verdicts.accepted, verdicts.duplicates, len(verdicts.entries)) == (1, 1, 1)


def test_an_identity_with_other_content_is_passed_on_and_the_first_stays_known() -> None:
    judging = judge()
    judging.remember(verdicts_on(line(1), judging))
    conflicting = verdicts_on(line(1, kind="round_closed"), judging)
    assert (conflicting.accepted, conflicting.duplicates) == (1, 0)
    judging.remember(conflicting)
    assert verdicts_on(line(1), judging).duplicates == 1


def test_an_event_that_the_written_version_has_no_place_for_is_refused() -> None:
    def encode(event: DealEvent) -> bytes:
        raise RecordFault(
            CodecFault("out_of_range", "value", "what deal_event v1 can hold", "else")
        )

    verdicts = verdicts_on(line(1), Judge("gateway-7", encode, Identities()))
    assert verdicts.accepted == 0
    assert verdicts.rejected == [Rejection(1, "value", "what deal_event v1 can hold", "else")]
    assert [type(entry) for entry in verdicts.entries] == [Refused]


def test_too_many_refused_lines_are_refused_unread() -> None:
    body = b"\n".join([b"x"] * (MOST_REFUSED + 500) + [line(1)])
    verdicts = verdicts_on(body, judge())
    assert verdicts.accepted == 0
    assert len(verdicts.rejected) == MOST_REFUSED + 1
    last = verdicts.rejected[-1]
    assert last == Rejection(
        MOST_REFUSED + 1, "line", f"at most {MOST_REFUSED} refused lines a request", "more"
    )
    rest = [
        entry
        for entry in verdicts.entries
        if isinstance(entry, Refused) and entry.reason == TOO_MANY_REFUSED
    ]
    kept = b"\n".join(entry.raw for entry in verdicts.entries if isinstance(entry, Refused))
    assert rest
    assert kept == body


def test_a_body_of_tiny_lines_takes_little_memory_beside_itself() -> None:
    body = b"x\n" * (512 * 1024)
    tracemalloc.start()
    try:
        lines = sum(len(part) for part in in_parts(split_lines(body), 100))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == 512 * 1024
    assert most < len(body) / 4


@given(st.binary(max_size=500))
def test_any_bytes_get_one_verdict_a_line_and_every_byte_of_a_refused_one_is_kept(
    body: bytes,
) -> None:
    verdicts = verdicts_on(body, judge())
    lines = list(split_lines(body))
    assert verdicts.accepted + verdicts.duplicates + len(verdicts.rejected) == len(lines)
    raws = [entry.raw for entry in verdicts.entries if isinstance(entry, Refused)]
    numbers = {rejection.line for rejection in verdicts.rejected}
    assert raws == [raw for number, raw in lines if number in numbers]
    assert [decode_entry(encode_entry(entry)) for entry in verdicts.entries] == verdicts.entries


@given(st.lists(st.one_of(st.binary(max_size=60), st.integers(0, 4).map(line)), max_size=12))
def test_good_lines_are_accepted_whatever_stands_between_them(lines: list[bytes]) -> None:
    verdicts = verdicts_on(b"\n".join(lines), judge())
    good = {raw for _, raw in split_lines(b"\n".join(lines)) if _is_event(raw)}
    assert verdicts.accepted == len(good)


def _is_event(raw: bytes) -> bool:
    return isinstance(decode_line(raw), DealEvent)
