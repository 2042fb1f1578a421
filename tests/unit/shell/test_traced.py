"""What a traced deal causes goes on with its trace; what is not traced has no header."""

import asyncio
from dataclasses import replace

from streams.shell.ports import Headers, OutputRecord, SourceRecord
from streams.shell.store import TableStore
from streams.shell.traced import Trace
from tests.shell_models import (
    TOPICS,
    MemoryLog,
    as_records,
    pipeline,
    recorded,
)

EVENTS = recorded("cs-overdue-then-counted-between-rounds")


def judged(trace: Trace | None) -> list[OutputRecord]:
    log = MemoryLog()
    records = [
        replace(record, headers=(("traceparent", b"%d" % record.offset),))
        for record in as_records(EVENTS)
    ]
    asyncio.run(pipeline(log, TableStore(), trace=trace).process([records]))
    return log.taken


def test_what_a_deal_causes_goes_on_with_the_deals_trace() -> None:
    asked: list[int] = []

    def trace(deal: SourceRecord) -> Headers:
        asked.append(deal.offset)
        return (("traceparent", b"of %d" % deal.offset),)

    written = judged(trace)
    told = {record.topic: record.headers for record in written if record.headers}
    assert told.keys() == {TOPICS.findings, TOPICS.rounds, TOPICS.alarms}
    assert len(asked) == len(set(asked)), "a deal is one span, whatever it causes"
    caused = {
        record.headers for record in written if record.topic in (TOPICS.findings, TOPICS.rounds)
    }
    assert caused == {(("traceparent", b"of %d" % offset),) for offset in asked}
    of_findings = {record.headers for record in written if record.topic == TOPICS.findings}
    alarms = [record.headers for record in written if record.topic == TOPICS.alarms]
    assert set(alarms) <= of_findings


def test_without_a_collector_no_record_has_a_header_more() -> None:
    assert {record.headers for record in judged(None)} == {()}
