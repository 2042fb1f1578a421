"""One event followed from the gateway to the page, by spans that a collector got."""

from pathlib import Path

import pytest

from producers.simulator.lines import line
from tests.console_harness import running_console
from tests.gateway_harness import running_gateway
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import recorded
from tests.span_collector import SpanCollector
from tests.worker_harness import WorkerFloor, until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

EVENTS = recorded("cs-overdue-then-counted-between-rounds")


def test_a_finding_is_traced_from_the_gateway_to_the_page(
    create_floor: CreateFloor, tmp_path: Path
) -> None:
    floor = WorkerFloor(create_floor(partitions=2), tmp_path)
    place = floor.floor
    with (
        SpanCollector() as collector,
        running_gateway(
            tmp_path / "gateway", place.bootstrap, place.prefix, "--collector", collector.url
        ) as gateway,
        floor.worker("--collector", collector.url) as worker,
        running_console(
            place.bootstrap, place.prefix, tmp_path / "console", "--collector", collector.url
        ),
    ):
        worker.wait_ready()
        answer = gateway.client.post("/v1/events", content=b"".join(map(line, EVENTS)))
        assert answer.status_code == 202, answer.text

        def chains() -> list[tuple[bytes, bytes, bytes]]:
            published = {span.span_id: span for span in collector.named("publish")}
            judged = {span.span_id: span for span in collector.named("judge")}
            return [
                (published[cause.parent_span_id].trace_id, cause.trace_id, shown.trace_id)
                for shown in collector.named("show")
                if (cause := judged.get(shown.parent_span_id)) is not None
                and cause.parent_span_id in published
            ]

        until("a finding to be traced to the page", lambda: bool(chains()), 60)
        # The gateway sends its spans every few seconds, so those of its last events come later.
        until("each event's span", lambda: len(collector.named("publish")) >= len(EVENTS))
    assert all(len(set(chain)) == 1 for chain in chains())
    assert len(collector.named("publish")) == len(EVENTS)
    assert 0 < len(collector.named("judge")) < len(EVENTS)
