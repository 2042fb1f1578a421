"""A table's devices go from one gateway to another, and the worker sees one unbroken sequence."""

from pathlib import Path

import pytest

from producers.simulator.lines import line
from schemas.codec import CODEC
from schemas.records import Finding
from streams.core.advance import advance_all
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from tests.gateway_harness import running_gateway, until
from tests.kafka_fixtures import Broker, CreateFloor
from tests.shell_models import book, recorded
from tests.worker_harness import WorkerFloor

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

EVENTS = recorded("cs-overdue-then-counted-between-rounds")
HALF = len(EVENTS) // 2
REPEATED = 20
"""Lines that the devices send to the second gateway again, for they saw no answer to them."""


@pytest.mark.timeout(180)
def test_two_gateways_hand_a_table_over_and_no_event_is_lost_or_late(
    tmp_path: Path, kafka: Broker, create_floor: CreateFloor
) -> None:
    floor = WorkerFloor(create_floor(partitions=1), tmp_path)
    lines = [line(event) for event in EVENTS]
    with floor.worker() as worker:
        for name, part in [("one", lines[:HALF]), ("two", lines[HALF - REPEATED :])]:
            folder = tmp_path / name
            with running_gateway(
                folder, kafka.bootstrap, floor.floor.prefix, "--name", name
            ) as gateway:
                answer = gateway.post(b"".join(part))
                assert answer is not None
                assert answer.status_code == 202
                until("all to be published", gateway.drained)
        floor.wait_judged({0: len(EVENTS) + REPEATED})
        assert worker.metric("pitwatch_duplicates_total") == REPEATED
        assert worker.metric("pitwatch_late_events_total") == 0
        assert worker.metric("pitwatch_sequence_gaps_total") == 0
    found = set()
    for record in floor.read("findings.v1"):
        finding = CODEC.decode(record.value, Finding)
        assert isinstance(finding, Finding)
        if finding.code != "clock_skew":  # the recording is of another day than its receipt
            found.add((finding.id, finding.state))
    effects = advance_all(new_table(EVENTS[0].table), EVENTS, book()).effects
    assert found == {
        (effect.finding.id, effect.finding.state)
        for effect in effects
        if isinstance(effect, FindingRaised | FindingCleared)
    }
