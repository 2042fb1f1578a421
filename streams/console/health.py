"""Health and metrics on the pages' port, for who knows that one alone.

They are the answers of the thread that has a port of its own, which goes on answering while the
event loop is busy; what scrapes and probes a console often asks there.
"""

from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from streams.serving.health import Check


def health_routes(*, registry: CollectorRegistry, alive: Check, ready: Check) -> list[Route]:
    """Return ``/healthz``, ``/readyz`` and ``/metrics``.

    Args:
        registry: the metrics.
        alive: why the process is not alive, or nothing.
        ready: why it is not ready, or nothing.
    """

    async def metrics(_: Request) -> Response:
        page = await run_in_threadpool(generate_latest, registry)
        return Response(page, headers={"Content-Type": CONTENT_TYPE_LATEST})

    return [
        Route("/healthz", _answer(alive)),
        Route("/readyz", _answer(ready)),
        Route("/metrics", metrics),
    ]


def _answer(check: Check) -> Callable[[Request], Response]:
    def answer(_: Request) -> Response:
        reason = check()
        return PlainTextResponse(f"{reason or 'ok'}\n", 200 if reason is None else 503)

    return answer
