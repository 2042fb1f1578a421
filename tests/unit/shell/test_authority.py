"""Whose a record is: what is taken, what is set aside, and what a worker says of it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from schemas import records
from schemas.codec import CODEC
from schemas.keys import NamedKey
from schemas.record_signing import GATEWAY, KEY, SIGNATURE, RecordSigner
from streams.core.alarms.alarm import UNACKNOWLEDGED
from streams.core.events import CLOCK_SOURCE, Event, Tick
from streams.shell import authority
from streams.shell.authority import Authority
from streams.shell.deadletters import CLOCK_SOURCE as CLOCK_REFUSED
from streams.shell.judged import Judged
from streams.shell.pipeline import Pipeline
from streams.shell.rights import FixedRights, Grant, Grants, Rights
from streams.shell.store import TableStore
from streams.shell.translate import event_bytes
from tests.shell_models import TOPICS, MemoryLog, Record, as_records, pipeline, recorded

OWN = NamedKey("gw-1.a", b"1" * 32)
SECOND = NamedKey("gw-1.b", b"2" * 32)
OTHERS = NamedKey("gw-2.a", b"3" * 32)
CLOCK = NamedKey("clock", b"4" * 32)
EVENTS = recorded("cs-overdue-then-counted-between-rounds")
TABLE = EVENTS[0].table
KEY_BYTES = TABLE.encode()
GRANTS = Grants(
    {
        "gw-1": Grant(frozenset({TABLE, "BJ-01"}), (OWN, SECOND)),
        "gw-2": Grant(frozenset({"BJ-09"}), (OTHERS,)),
    },
    (CLOCK,),
)


def signed(
    record: Record,
    gateway: str = "gw-1",
    key: NamedKey = OWN,
    *,
    topic: str = TOPICS.deals,
    partition: int = 0,
) -> Record:
    signer = RecordSigner(topic, partition, gateway, key)
    return replace(record, headers=signer.headers(record.value or b""))


@dataclass(slots=True)
class Changing:
    """Rights that a test changes."""

    rights: Rights

    def current(self) -> Rights:
        return self.rights

    def tell(self, failed: Callable[[str], None]) -> None:
        """There is no file that could fail."""


def guarded(log: MemoryLog, store: TableStore | None = None) -> Pipeline:
    return pipeline(log, store, rights=FixedRights(Rights(grants=GRANTS)))


def run(judge: Pipeline, batch: Sequence[Record]) -> Judged:
    return asyncio.run(judge.process([batch]))


def findings(log: MemoryLog) -> list[records.Finding]:
    found = [CODEC.decode(each.value or b"", records.Finding) for each in log.of(TOPICS.findings)]
    return [
        each
        for each in found
        if isinstance(each, records.Finding) and each.code == "gateway_not_authorised"
    ]


def reasons(log: MemoryLog) -> list[str]:
    return [dict(each.headers)["pitwatch.reason"].decode() for each in log.of(TOPICS.dead)]


@pytest.mark.parametrize("key", [OWN, SECOND])
def test_records_of_a_gateway_that_speaks_for_the_table_are_taken_with_each_of_its_keys(
    key: NamedKey,
) -> None:
    log, plain = MemoryLog(), MemoryLog()
    judged = run(guarded(log), [signed(each, key=key) for each in as_records(EVENTS)])
    run(pipeline(plain), as_records(EVENTS))
    assert judged.events.total() == len(EVENTS)
    assert [each.value for each in log.taken] == [each.value for each in plain.taken]


def without(record: Record, header: str) -> Record:
    kept = tuple((name, value) for name, value in record.headers if name != header)
    return replace(record, headers=kept)


def wrong(name: str) -> Record:
    """Return the table's first record as one that must not be taken."""
    record = as_records(EVENTS)[0]
    mine = signed(record)
    said = dict(mine.headers)
    match name:
        case "unsigned_record":
            return record
        case "no signature":
            return without(mine, SIGNATURE)
        case "no gateway":
            return without(mine, GATEWAY)
        case "no key":
            return without(mine, KEY)
        case "unknown_gateway":
            return signed(record, "gw-9")
        case "other gateway, its own key":
            return signed(record, "gw-2", OTHERS)
        case "other gateway's key":
            return signed(record, "gw-1", OTHERS)
        case "unknown key":
            return signed(record, key=NamedKey("gw-1.z", b"z" * 32))
        case "a guessed key under a known name":
            return signed(record, key=NamedKey(OWN.name, b"z" * 32))
        case "another value":
            return replace(mine, value=as_records(EVENTS)[1].value)
        case "another partition":
            return signed(record, partition=3)
        case "another topic":
            return signed(record, topic=TOPICS.dead)
        case "a shorter signature":
            return replace(mine, headers=(*mine.headers, (SIGNATURE, said[SIGNATURE][:-1])))
        case "the clock's name":
            return signed(record, CLOCK_SOURCE, NamedKey("clock", b"z" * 32))
        case _:
            return signed(record, CLOCK_SOURCE, OWN)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("unsigned_record", "unsigned_record"),
        ("no signature", "unsigned_record"),
        ("no gateway", "unsigned_record"),
        ("no key", "unsigned_record"),
        ("unknown_gateway", "unknown_gateway"),
        ("other gateway, its own key", "not_its_table"),
        ("other gateway's key", "not_its_key"),
        ("unknown key", "not_its_key"),
        ("a guessed key under a known name", "forged_record"),
        ("another value", "forged_record"),
        ("another partition", "forged_record"),
        ("another topic", "forged_record"),
        ("a shorter signature", "forged_record"),
        ("the clock's name", "forged_record"),
        ("the clock with a gateway's key", "not_its_key"),
    ],
)
def test_what_does_not_bear_out_is_set_aside_with_its_reason_and_found(
    name: str, reason: str
) -> None:
    log, store = MemoryLog(), TableStore()
    record = wrong(name)
    judged = run(guarded(log, store), [record])
    assert reasons(log) == [reason]
    (letter,) = log.of(TOPICS.dead)
    assert letter.value == record.value
    (finding,) = findings(log)
    assert finding.table == TABLE
    assert finding.detail["reason"] == reason
    assert finding.severity == "critical"
    assert judged.dead_letters == {reason: 1}
    assert store.get(0, KEY_BYTES) is None
    for secret in (OWN, SECOND, OTHERS, CLOCK):
        assert secret.key.hex() not in repr(log.taken) + repr(judged)
        assert repr(secret.key)[2:-1] not in repr(letter)


def test_a_known_table_has_an_alarm_of_it_once_for_a_round() -> None:
    log, store = MemoryLog(), TableStore()
    judge = guarded(log, store)
    batch = [signed(each) for each in as_records(EVENTS)]
    run(judge, batch)
    before = len(EVENTS)
    strays = [replace(batch[0], offset=before + n, headers=()) for n in range(3)]
    run(judge, strays[:2])
    run(judge, strays[2:])
    assert reasons(log) == ["unsigned_record"] * 3
    assert len(findings(log)) == 1
    stored = store.get(0, KEY_BYTES)
    assert stored is not None
    (alarm,) = [each for each in stored.alarms.alarms if each.code == "gateway_not_authorised"]
    assert (alarm.state, alarm.count) == (UNACKNOWLEDGED, 1)


def test_events_beside_a_strangers_are_judged_as_if_it_were_not_there() -> None:
    log, store = MemoryLog(), TableStore()
    plain = TableStore()
    batch = [signed(each) for each in as_records(EVENTS)]
    stray = replace(batch[3], headers=())
    mixed = [replace(each, offset=at) for at, each in enumerate([*batch[:3], stray, *batch[3:]])]
    judged = run(guarded(log, store), mixed)
    run(pipeline(MemoryLog(), plain), as_records(EVENTS))
    assert judged.events.total() == len(EVENTS)
    stored, wanted = store.get(0, KEY_BYTES), plain.get(0, KEY_BYTES)
    assert stored is not None
    assert wanted is not None
    assert stored.state == wanted.state
    assert stored.offsets[TOPICS.deals] == len(EVENTS)


@pytest.mark.parametrize("key", [None, b"", b"\xff\xfe", b"no table!"])
def test_where_no_table_is_named_there_is_a_letter_and_no_finding(key: bytes | None) -> None:
    log = MemoryLog()
    run(guarded(log), [Record(0, key, b"anything")])
    assert reasons(log) == ["unsigned_record"]
    assert findings(log) == []


def test_a_signed_record_without_a_value_is_told_as_empty() -> None:
    log = MemoryLog()
    run(guarded(log), [signed(Record(0, KEY_BYTES, None))])
    assert reasons(log) == ["empty_value"]
    assert findings(log) == []


def tick(seq: int) -> Event:
    last = EVENTS[-1].at
    return Event(TABLE, CLOCK_SOURCE, 1, seq, last + seq, Tick(), last + seq)


def test_ticks_are_taken_from_workers_alone_and_nothing_else_from_them() -> None:
    log, store = MemoryLog(), TableStore()
    judge = guarded(log, store)
    run(judge, [signed(each) for each in as_records(EVENTS)])
    value = event_bytes(tick(1))
    own = Record(len(EVENTS), KEY_BYTES, value, headers=judge.tick_headers(0, value))
    judged = run(judge, [own])
    assert judged.events.total() == 1
    gateways = signed(Record(len(EVENTS) + 1, KEY_BYTES, event_bytes(tick(2))))
    dealt = as_records(EVENTS)[0].value
    workers = Record(len(EVENTS) + 2, KEY_BYTES, dealt, headers=judge.tick_headers(0, dealt or b""))
    run(judge, [gateways, workers])
    assert reasons(log) == [CLOCK_REFUSED, CLOCK_REFUSED]
    assert pipeline(MemoryLog()).tick_headers(0, value) == ()


def test_rights_that_change_hold_from_the_next_fetch_on() -> None:
    log, changing = MemoryLog(), Changing(Rights(grants=GRANTS))
    judge = pipeline(log, rights=changing)
    batch = [signed(each) for each in as_records(EVENTS)]
    assert run(judge, batch[:4]).events.total() == 4
    taken_away: dict[str, Any] = dict(GRANTS.gateways) | {
        "gw-1": Grant(frozenset({"BJ-01"}), (OWN,))
    }
    changing.rights = Rights(grants=Grants(taken_away, (CLOCK,)))
    assert run(judge, batch[4:]).events.total() == 0
    assert set(reasons(log)) == {"not_its_table"}


def test_the_tables_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, "MOST_TABLES", 3)
    guard = Authority(TOPICS.deals, GRANTS)
    for number in range(20):
        guard.places(0, b"T-%d" % number)
        assert len(guard._places) <= 3
