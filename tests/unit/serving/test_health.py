import json
import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
from prometheus_client import CollectorRegistry, Gauge

from streams.serving import health
from streams.serving.health import HealthServer
from streams.serving.logs import JsonLines
from tests.worker_harness import until

REFUSED = 'pitwatch_health_requests_refused_total{reason="%s"}'


class Answers:
    def __init__(self) -> None:
        self.alive: str | None = None
        self.ready: str | None = "reading states back"


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def client(answers: Answers) -> Iterator[httpx.Client]:
    registry = CollectorRegistry()
    Gauge("pitwatch_example", "An example.", registry=registry).set(7)
    server = HealthServer(
        "127.0.0.1",
        0,
        registry=registry,
        alive=lambda: answers.alive,
        ready=lambda: answers.ready,
    )
    server.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}") as opened:
        yield opened
    server.stop()


def test_alive_and_ready_are_two_answers(client: httpx.Client, answers: Answers) -> None:
    assert client.get("/healthz").status_code == 200
    refused = client.get("/readyz")
    assert (refused.status_code, refused.text) == (503, "reading states back\n")
    answers.ready, answers.alive = None, "the loop does not run"
    assert client.get("/readyz").text == "ok\n"
    assert client.get("/healthz").status_code == 503


def test_metrics_are_served(client: httpx.Client) -> None:
    answer = client.get("/metrics")
    assert "pitwatch_example 7.0" in answer.text
    assert answer.headers["content-type"].startswith("text/plain")


def test_any_other_path_is_not_found(client: httpx.Client) -> None:
    assert client.get("/").status_code == 404


def test_a_port_that_is_taken_is_refused(client: httpx.Client) -> None:
    port = client.base_url.port
    assert port is not None
    with pytest.raises(OSError, match="in use"):
        HealthServer(
            "127.0.0.1",
            port,
            registry=CollectorRegistry(),
            alive=lambda: None,
            ready=lambda: None,
        )


def connection(client: httpx.Client) -> socket.socket:
    """Return a connection of a client that says nothing."""
    port = client.base_url.port
    assert port is not None
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def refused(client: httpx.Client, reason: str) -> str:
    """Return how many requests were refused so, once one is answered."""

    def told() -> str | None:
        try:
            text = client.get("/metrics").text
        except httpx.TransportError:
            return None
        (line,) = [each for each in text.splitlines() if each.startswith(REFUSED % reason)]
        return line.split()[-1]

    return str(until("an answer", told))


def test_more_requests_than_may_be_at_a_time_are_refused_and_counted(
    client: httpx.Client,
) -> None:
    assert refused(client, "busy") == "0.0"
    with ExitStack() as open_ones:
        for _ in range(health.MOST_REQUESTS):
            open_ones.enter_context(connection(client))
        one_more = open_ones.enter_context(connection(client))
        assert one_more.recv(1) == b""
    until("those that hung up to be gone", lambda: float(refused(client, "busy")) >= 1)
    assert client.get("/healthz").status_code == 200


def test_a_client_that_dawdles_is_refused_and_counted(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "REQUEST_SECONDS", 0.0)
    with connection(client) as dawdler:
        assert dawdler.recv(1) == b""
    monkeypatch.undo()
    assert float(refused(client, "slow")) >= 1


def test_what_fails_is_logged_as_all_else_is(
    answers: Answers,
    client: httpx.Client,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [caplog.handler])
    del answers.alive
    with caplog.at_level(logging.ERROR):
        assert client.get("/healthz").status_code == 500
    line = json.loads(JsonLines().format(caplog.records[-1]))
    assert line["message"] == "health request failed"
    assert "AttributeError" in line["error"]
    assert capsys.readouterr().err == ""
