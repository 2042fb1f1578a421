from collections.abc import Iterator

import httpx
import pytest
from prometheus_client import CollectorRegistry, Gauge

from streams.serving.health import HealthServer


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
