"""What processes say of themselves, read from real servers, and the page that says it."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from streams.console.diagnostics_page import Diagnostics, diagnostics, figure, since
from streams.console.live.floor import LiveFloor
from streams.console.watching import Process, Watch, read_figures
from streams.console.wording import NOTHING

NOW = 1_796_000_000_000_000

WORKER = """# TYPE pitwatch_worker_state gauge
pitwatch_worker_state{state="running"} 1.0
pitwatch_worker_state{state="recovering"} 0.0
pitwatch_partition_lag_events{partition="2"} 3.0
pitwatch_partition_lag_events{partition="10"} 4.0
pitwatch_progress_timestamp_seconds 1.79599999e+09
# TYPE pitwatch_dead_letters counter
pitwatch_dead_letters_total{reason="late_event"} 2.0
pitwatch_dead_letters_total{reason="bad_line"} 5.0
pitwatch_build_info{version="0.1.0"} 1.0
"""
GATEWAY = """pitwatch_gateway_spooled_events 7.0
pitwatch_gateway_oldest_spooled_timestamp_seconds NaN
pitwatch_gateway_accepted_total 1234567.0
"""
HISTORIAN = """pitwatch_historian_commit_timestamp_seconds 1.796e+09
pitwatch_historian_lag_events{topic="rounds.v1"} 0.0
"""


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        said = {"/worker/metrics": WORKER, "/odd/metrics": "not { metrics"}.get(self.path)
        self.send_response(200 if said is not None else 404)
        self.end_headers()
        self.wfile.write((said or "").encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def process(text: str) -> Process:
    return Process("here:1", read_figures(text))


def page(*processes: Process) -> Diagnostics:
    return diagnostics(processes, LiveFloor(), clients=2, frames=9, now=NOW)


def test_a_process_is_known_by_what_it_says() -> None:
    assert process(WORKER).kind == "worker"
    assert process(GATEWAY).kind == "gateway"
    assert process(HISTORIAN).kind == "historian"
    assert process("something_else 1.0\n").kind == "unknown"


def test_a_worker_is_told_with_its_lag_and_dead_letters() -> None:
    found = page(process(WORKER))
    assert found.workers[0].cells == (
        "running",
        "2",
        "7",
        "10 s",
        NOTHING,
        NOTHING,
        "7",
        "0.1.0",
    )
    assert found.lag == (("2", "3"), ("10", "4"))
    assert found.dead_letters == (("bad line", "5"), ("late event", "2"))


def test_no_dead_letters_are_said_to_be_none() -> None:
    quiet = WORKER.replace("} 2.0", "} 0.0").replace("} 5.0", "} 0.0")
    assert page(process(quiet)).dead_letters == (("none", "0"),)
    assert page().dead_letters == ()


def test_what_is_no_number_is_not_known() -> None:
    found = page(process(GATEWAY), process(HISTORIAN))
    assert found.gateways[0].cells == ("1,234,567", NOTHING, NOTHING, "7", NOTHING, NOTHING)
    assert found.historians[0].cells == ("0", "0 s", NOTHING, NOTHING, NOTHING)
    assert figure(None) == since(None, NOW) == since(0.0, NOW) == NOTHING


def test_who_does_not_answer_is_named_with_the_reason(address: str) -> None:
    async def looked() -> tuple[tuple[Process, ...], tuple[Process, ...]]:
        now = [0.0]
        watch = Watch(
            [f"{address}/worker", f"{address}/none", f"{address}/odd", "http://127.0.0.1:1", "x:"],
            lambda: now[0],
        )
        first = await watch.look()
        return first, await watch.look()

    first, again = asyncio.run(looked())
    assert again is first
    assert [each.fault for each in first] == [
        None,
        "answers with 404",
        "does not answer with metrics",
        "does not answer",
        "does not answer",
    ]
    found = page(*first)
    assert len(found.workers) == 1
    assert len(found.silent) == 4


def test_the_console_tells_of_itself_and_of_every_schema() -> None:
    floor = LiveFloor()
    told = dict(page().console)
    assert told["Feed"] == NOTHING
    assert told["Live pages"] == "2"
    floor.as_of, floor.lost_since, floor.events_a_second = NOW - 6_000_000, NOW, 12.25
    floor.dropped["findings"] += 3
    lost = dict(diagnostics((), floor, clients=0, frames=0, now=NOW).console)
    assert lost["Feed"] == "lost"
    assert lost["Last answer of the feed"] == "6 s"
    assert lost["Events a second"] == "12.2"
    assert lost["Left out for its bounds"] == "findings 3"
    assert {row.name for row in page().schemas} >= {"table view", "operator command"}
