"""Dead letters on a real broker: listed, shown, replayed once, and what is left to be judged."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from deploy.cli.main import main
from producers.gateway.deadletter import headers_of
from producers.gateway.entries import Refused
from schemas.codec import CODEC
from schemas.ndjson import encode_line
from schemas.records import Finding
from streams.core.events import Event, NoMoreBets
from streams.shell.letters import own_event
from streams.shell.translate import event_bytes
from streams.wire.inbound import to_record
from tests.contract.make_golden import golden
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import recorded
from tests.worker_harness import DEALS, KeyedFloor, WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

DEAD = "deals.dead.v1"
EVENTS = recorded("fc-deal-order")[:22]
TABLE = EVENTS[0].table
GOOD = 7
"""As many events of the table come as they are to; the others under another table's key. Those
are too few for the table of that key to be quarantined."""
UNKNOWN_KEY = 'pitwatch_dead_letters_total{reason="unknown_key"}'
LINES = recorded("cs-legal-12-rounds")[:20]
COMMAND = msgspec.structs.replace(
    golden()["operator_command.v1.ndjson"]["operator_command"], table="T-1"
)


@pytest.fixture
def floor(create_floor: CreateFloor, tmp_path: Path) -> KeyedFloor:
    return KeyedFloor(create_floor(partitions=4), tmp_path)


def dlq(floor: WorkerFloor, *arguments: str) -> Result:
    own = ["--bootstrap", floor.floor.bootstrap, "--topic-prefix", floor.floor.prefix]
    own += ["--application", floor.floor.application]
    return CliRunner().invoke(main, ["dlq", arguments[0], *own, *arguments[1:]])


def ends(floor: WorkerFloor, topic: str) -> list[int]:
    consumer = KafkaConsumer(bootstrap_servers=floor.floor.bootstrap, enable_auto_commit=False)
    try:
        partitions = [TopicPartition(floor.name(topic), p) for p in range(floor.floor.partitions)]
        found = consumer.end_offsets(partitions)
        return [found[partition] for partition in partitions]
    finally:
        consumer.close()


def judged(floor: WorkerFloor) -> bool:
    committed = floor.committed()
    return all(committed.get(p, 0) == end for p, end in enumerate(ends(floor, DEALS)))


def refuse(floor: WorkerFloor, lines: Sequence[bytes]) -> None:
    """Write refused lines to the dead letters, as a gateway does that is older than the device."""
    producer = KafkaProducer(bootstrap_servers=floor.floor.bootstrap)
    try:
        for raw in lines:
            entry = Refused(
                LINES[0].table, 1, raw, len(raw), "bad_field", "kind", "a kind", '"new"'
            )
            headers = headers_of(entry, gateway="gw-7", version="0.0.9")
            key = LINES[0].table.encode()
            producer.send(floor.name(DEAD), raw, key=key, headers=headers).get(30)
    finally:
        producer.close()


def line(event: Event) -> bytes:
    return encode_line(to_record(replace(event, received=None)))


@pytest.fixture
def letters(floor: KeyedFloor) -> KeyedFloor:
    """Let a worker set aside poison, what can be repaired, and what is too late for it."""
    conflict = replace(EVENTS[2], body=NoMoreBets())
    own, wrong = floor.partition(TABLE), floor.partition("T-wrong")
    floor.write_raw(
        [
            *((DEALS, own, TABLE.encode(), event_bytes(each)) for each in EVENTS[:GOOD]),
            (DEALS, own, TABLE.encode(), event_bytes(conflict)),
            (DEALS, own, TABLE.encode(), b"\xc3\x01poison"),
            *((DEALS, wrong, b"T-wrong", event_bytes(each)) for each in EVENTS[GOOD:]),
            ("commands.v1", 1, b"T-1", b"poison"),
            ("commands.v1", 1, b"T-1", CODEC.encode(COMMAND)),
        ]
    )
    refuse(floor, [*map(line, LINES), b"{"])
    count = len(EVENTS) - GOOD + len(LINES) + 5
    with floor.worker() as worker:
        until("the commands", lambda: worker.exact(UNKNOWN_KEY) >= 1)
        until("all to be judged", lambda: worker.running and judged(floor))
        assert sum(ends(floor, DEAD)) == count
        worker.terminate()
    return floor


def test_letters_are_listed_and_shown_with_what_was_wrong_and_their_bytes(
    letters: KeyedFloor,
) -> None:
    result = dlq(letters, "list", "--format", "json")

    assert result.exit_code == 0, result.output
    rows = [json.loads(row) for row in result.stdout.splitlines()]
    reasons = Counter(row["reason"] for row in rows)
    assert reasons == {
        "key_mismatch": len(EVENTS) - GOOD,
        "bad_field": len(LINES) + 1,
        "conflicting_event": 1,
        "truncated": 1,
        "unknown_format": 1,
        "unknown_key": 1,
    }
    assert f"{reasons.total()} dead letters: " in result.stderr
    assert f"{len(LINES) + 1} bad_field" in result.stderr
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)

    (poison,) = [row for row in rows if row["reason"] == "truncated"]
    assert poison["from"].startswith(f"{letters.name(DEALS)}/{letters.partition(TABLE)}/")
    shown = dlq(letters, "show", poison["letter"])
    assert shown.exit_code == 0
    assert "expected  a header of 10 bytes" in shown.stdout
    assert "c3 01 70 6f 69 73 6f 6e" in shown.stdout
    assert "to do     find who writes" in shown.stdout
    assert dlq(letters, "show", "--raw", poison["letter"]).stdout_bytes == b"\xc3\x01poison"
    repairable = next(row for row in rows if row["reason"] == "key_mismatch")
    as_json = json.loads(dlq(letters, "show", "--format", "json", repairable["letter"]).stdout)
    assert bytes.fromhex(as_json["value"]) == event_bytes(EVENTS[GOOD])
    assert as_json["now"].startswith("readable: {")

    one = dlq(letters, "list", "--table", "T-1", "--limit", "1")
    assert "unknown_key" in one.stdout
    assert "unknown_format" not in one.stdout
    assert "2 dead letters" in one.stderr
    assert "the last 1 are shown" in one.stderr
    assert dlq(letters, "list", "--since", "1s", "--reason", "truncated").stdout.count("\n") <= 3
    assert "0 dead letters" in dlq(letters, "list", "--until", "2026-01-01T00:00:00Z").stderr
    assert dlq(letters, "show", "0/99999").exit_code == 1
    assert "expected a letter in partition 0" in dlq(letters, "show", "0/99999").stderr


def test_a_replay_is_in_order_and_a_second_one_changes_nothing(
    letters: KeyedFloor, tmp_path: Path
) -> None:
    rest = tmp_path / "rest.ndjson"
    before = ends(letters, DEALS)
    assert codes(letters) == {"conflicting_event"}
    tried = dlq(letters, "replay", "--dry-run", "--rest", str(rest))
    assert (tried.exit_code, ends(letters, DEALS), rest.exists()) == (1, before, False)

    first = dlq(letters, "replay", "--rest", str(rest))

    count = len(EVENTS) - GOOD + len(LINES)
    assert first.exit_code == 1, first.output
    assert re.search(rf"^{count} +replayed: it was next for its source", first.stdout, re.MULTILINE)
    assert tried.stdout.splitlines()[2:] == first.stdout.splitlines()[2:-1]
    assert sum(ends(letters, DEALS)) == sum(before) + count
    assert rest.stat().st_mode & 0o777 == 0o600
    assert [json.loads(row)["kind"] for row in rest.read_text().splitlines()] == ["no_more_bets"]

    # What was replayed is in the deals and not in the states yet: it is not next any more.
    second = dlq(letters, "replay", "--rest", str(rest))
    assert "replayed" not in second.stdout
    assert sum(ends(letters, DEALS)) == sum(before) + count

    with letters.worker() as worker:
        until("all to be judged", lambda: worker.running and judged(letters))
        letters.written = standing(letters)
        letters.assert_judged()
        findings = letters.finding_ids()
        states, dead = letters.states(), ends(letters, DEAD)
        third = json.loads(dlq(letters, "replay", "--format", "json", "--rest", str(rest)).stdout)
        assert {name: value for name, value in third.items() if value} == {
            "applied": count,
            "conflict": 1,
            "command": 2,
            "unreadable": 2,
            "rest": 1,
            "file": str(rest),
        }
        until("all to be judged", lambda: worker.running and judged(letters))
    assert "deal_order" in codes(letters)
    conflict = (EVENTS[2].table, EVENTS[2].seq)
    said = [(event.table, event.seq) for event in letters.written]
    for events in (EVENTS, LINES):
        own = [each for each in said if each[0] == events[0].table]
        wanted = [(event.table, event.seq) for event in events]
        if conflict in wanted:
            wanted.insert(GOOD, conflict)
        assert own == wanted
    assert letters.finding_ids() == findings
    assert (letters.states(), ends(letters, DEAD)) == (states, dead)
    checked = CliRunner().invoke(main, ["check", str(rest)])
    assert checked.exit_code == 0, checked.output


def standing(floor: WorkerFloor) -> list[Event]:
    """Return the deals that stand under their own table's key, each table's in its order."""
    found = [own_event(record.key, record.value) for record in floor.read(DEALS)]
    return [event for event in found if event is not None]


def codes(floor: WorkerFloor) -> set[str]:
    findings = [CODEC.decode(record.value, Finding) for record in floor.read("findings.v1")]
    return {finding.code for finding in findings if isinstance(finding, Finding)}


def test_a_floor_that_is_not_there_is_told(floor: KeyedFloor) -> None:
    result = CliRunner().invoke(
        main, ["dlq", "--bootstrap", floor.floor.bootstrap, "--topic-prefix", "no.", "list"]
    )
    assert result.exit_code == 2
    assert "no.deals.dead.v1: expected the topic to exist, found none" in result.stderr
