"""Spans of one process for OpenTelemetry, sent by OTLP over HTTP where a collector is named.

The context goes from record to record in the header `traceparent` (W3C Trace Context), so that one
event can be followed from the gateway to the page:

| process | span | from | until | the context goes to |
|---|---|---|---|---|
| gateway | `publish` | its receipt | it is sent | the deal |
| worker | `judge` | the deal is written | it is judged | findings, alarms, round that it caused |
| console | `show` | the finding or alarm is written | pages have it | nobody |

A deal that causes nothing has no span but the gateway's. What is sampled is told by OpenTelemetry's
own variables (`OTEL_TRACES_SAMPLER`), and so is how much may wait for the collector; what is too
much is left out, for a trace that lacks a span misleads nobody about a table. Without a collector
nothing of OpenTelemetry is imported.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from opentelemetry.context import Context

Headers = tuple[tuple[str, bytes], ...]

COLLECTOR_SECONDS: Final = 5.0
"""How long the end of the process waits for the collector to take the last spans."""


class Tracing(Protocol):
    """What a process asks of tracing."""

    def begin(self, name: str, began: int, **facts: str | int) -> Headers:
        """Record a span that begins a trace and ends now; return the headers that go on with it.

        Args:
            name: of the span.
            began: microseconds since 1970-01-01 UTC.
            facts: attributes of the span.
        """

    def go_on(self, name: str, headers: Iterable[tuple[str, bytes]], began: int) -> Headers:
        """Record a span that goes on with what headers say; nothing where they say nothing.

        Args:
            name: of the span.
            headers: of the record that it is about.
            began: microseconds since 1970-01-01 UTC.
        """

    def close(self) -> None:
        """Send what waits, and record no more."""


class Collector:
    """Spans of one process, sent to a collector in the background.

    Args:
        url: of the collector, `http://host:4318`.
        service: the process, `pitwatch-worker` and the like.
        version: of the program.
    """

    def __init__(self, url: str, service: str, version: str) -> None:
        # With its exporter OpenTelemetry takes 0.4 s to import.
        from opentelemetry import trace  # noqa: PLC0415  as above
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415  as above
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  as above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  as above
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  as above
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415  as above
            TraceContextTextMapPropagator,
        )

        resource = Resource.create({"service.name": service, "service.version": version})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces")
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("pitwatch", version)
        self._words = TraceContextTextMapPropagator()
        self._with_span = trace.set_span_in_context
        self._span_of = trace.get_current_span

    def begin(self, name: str, began: int, **facts: str | int) -> Headers:
        """Record a span that begins a trace and ends now; return the headers that go on with it."""
        span = self._tracer.start_span(name, start_time=began * 1000, attributes=facts)
        span.end()
        return self._headers(self._with_span(span))

    def go_on(self, name: str, headers: Iterable[tuple[str, bytes]], began: int) -> Headers:
        """Record a span that goes on with what headers say; nothing where they say nothing."""
        said = {key: value.decode("ascii", "replace") for key, value in headers}
        context = self._words.extract(said)
        if not self._span_of(context).get_span_context().is_valid:
            return ()
        span = self._tracer.start_span(name, context, start_time=began * 1000)
        span.end()
        return self._headers(self._with_span(span))

    def close(self) -> None:
        """Send what waits, and record no more."""
        self._provider.force_flush(int(COLLECTOR_SECONDS * 1000))
        self._provider.shutdown()

    def _headers(self, context: "Context") -> Headers:
        said: dict[str, str] = {}
        self._words.inject(said, context)
        return tuple((key, value.encode()) for key, value in said.items())


def tracing_to(url: str | None, service: str, version: str) -> Tracing | None:
    """Return tracing to a collector, nothing where none is named."""
    return None if url is None else Collector(url, service, version)
