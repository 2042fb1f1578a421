"""Spans go on from header to header, and a collector gets them by OTLP over HTTP."""

from streams.serving.tracing import Collector, tracing_to
from tests.span_collector import SpanCollector

BEGAN = 1_800_000_000_000_000


def test_without_a_collector_nothing_is_traced() -> None:
    assert tracing_to(None, "pitwatch-worker", "1.2.3") is None


def test_a_trace_goes_on_from_process_to_process() -> None:
    with SpanCollector() as collector:
        gateway = Collector(collector.url, "pitwatch-gateway", "1.2.3")
        worker = Collector(collector.url, "pitwatch-worker", "1.2.3")
        published = gateway.begin("publish", BEGAN, table="BJ-01", seq=7)
        judged = worker.go_on("judge", [("pitwatch.signature", b"\xff"), *published], BEGAN + 5)
        gateway.close()
        worker.close()
    assert [name for name, _ in judged] == ["traceparent"]
    first, second = collector.span("publish"), collector.span("judge")
    assert second.trace_id == first.trace_id
    assert second.parent_span_id == first.span_id
    assert (first.start_time_unix_nano, second.start_time_unix_nano) == (
        BEGAN * 1000,
        (BEGAN + 5) * 1000,
    )
    assert first.end_time_unix_nano > 0
    assert {each.key for each in first.attributes} == {"table", "seq"}
    said = judged[0][1].decode()
    assert said.startswith(f"00-{second.trace_id.hex()}-{second.span_id.hex()}-")


def test_headers_that_say_nothing_of_a_trace_are_not_gone_on_with() -> None:
    with SpanCollector() as collector:
        worker = Collector(collector.url, "pitwatch-worker", "1.2.3")
        assert worker.go_on("judge", [], BEGAN) == ()
        assert worker.go_on("judge", [("traceparent", b"00-\xff")], BEGAN) == ()
        worker.close()
    assert collector.spans == []


def test_a_collector_that_is_away_holds_nothing_up() -> None:
    worker = Collector("http://127.0.0.1:9", "pitwatch-worker", "1.2.3")
    assert worker.begin("publish", BEGAN)
