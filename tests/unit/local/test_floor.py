"""Simulated tables deal at their pace, say what they planted, and send until they are heard."""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import httpx
import pytest

from deploy.local.floor import Devices, endless_floor, hurried, planted
from streams.core.advance import advance_all
from streams.core.events import GAMES, Event
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from streams.rulebooks import load

SILENT = {"bad_line", "duplicate_event"}
"""What can be planted and causes no finding."""

MOST_OF_A_FAULT = 4
"""Findings that come of one fault, which is told when all its rounds were sent."""

START = 1_800_000_000_000_000


def events(count: int, speed: float = 1.0) -> list[Event]:
    floor = endless_floor(2, 1, START)
    stream = hurried(floor.stream(), START, speed)
    return [what for what in islice(stream, count) if isinstance(what, Event)]


def test_every_fault_that_a_table_can_have_comes_round_and_is_told() -> None:
    floor = endless_floor(len(GAMES), 1, START)
    told: list[dict[str, object]] = []
    for number, _ in enumerate(islice(floor.stream(), 100_000)):
        if number % 100 == 0:
            told += [json.loads(line) for line in planted(floor)]

    for night in (table.night for table in floor.tables):
        codes = {line["code"] for line in told if line["table"] == night.setup.table}
        assert codes >= {fault.code for fault in night.faults} - SILENT
        assert len(night.due) < 20


@pytest.mark.parametrize("seed", [0, 2])
def test_what_is_told_is_found_and_nothing_is_told_before_its_events_are_sent(seed: int) -> None:
    floor = endless_floor(6, seed, START)
    own: dict[str, list[Event]] = {}
    for what in islice(floor.stream(), 40_000):
        if isinstance(what, Event):
            own.setdefault(what.table, []).append(what)
    told = Counter(tuple(json.loads(line).values()) for line in planted(floor))
    found: Counter[tuple[object, ...]] = Counter()
    for table, said in own.items():
        for effect in advance_all(new_table(table), said, load()).effects:
            if isinstance(effect, FindingRaised | FindingCleared):
                one = effect.finding
                found[one.table, one.code, one.round, one.state] += 1
    assert told.total() > 100
    assert told - found == Counter()
    running = found - told
    assert max(Counter(table for table, *_ in running).values(), default=0) <= MOST_OF_A_FAULT


def test_tables_of_one_game_have_their_faults_in_different_orders() -> None:
    floor = endless_floor(4 * len(GAMES), 1, START)
    for game in GAMES:
        nights = [table.night for table in floor.tables if table.night.setup.game == game]
        orders = [tuple(fault.code for fault in night.faults) for night in nights]
        assert len(set(orders)) == len(orders) == 4


def test_times_are_shortened_and_nothing_else() -> None:
    slow, fast = events(500), events(500, speed=10)
    assert [event.body for event in slow] == [event.body for event in fast]
    assert all(
        fast_event.at == START + (slow_event.at - START) // 10
        for slow_event, fast_event in zip(slow, fast, strict=True)
    )


class Gateway(ThreadingHTTPServer):
    """A server that answers with the statuses it is given, then with 202."""

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses = list(statuses)
        self.bodies: list[bytes] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(body)
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    with Gateway() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_lines_are_sent_when_due_and_those_close_together_go_together(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine two lines may be sent further apart than they are gathered for.
    monkeypatch.setattr("deploy.local.floor.GATHER_SECONDS", 60.0)
    with httpx.Client(base_url=gateway.url) as client:
        devices = Devices(client)
        began = time.monotonic()
        devices.send(b"1\n", began)
        devices.send(b"2\n", began)
        devices.send(b"3\n", began + 0.2)
        assert time.monotonic() >= began + 0.2
        devices.flush()

    assert gateway.bodies == [b"1\n2\n", b"3\n"]


@pytest.mark.parametrize("refusal", [429, 503, 500])
def test_lines_are_sent_again_until_they_are_taken(gateway: Gateway, refusal: int) -> None:
    gateway.statuses = [refusal]
    with httpx.Client(base_url=gateway.url) as client:
        devices = Devices(client)
        devices.send(b"1\n", time.monotonic())
        devices.flush()

    assert gateway.bodies == [b"1\n", b"1\n"]


def test_a_refused_line_is_not_sent_again(gateway: Gateway) -> None:
    gateway.statuses = [400]
    with httpx.Client(base_url=gateway.url) as client:
        devices = Devices(client)
        devices.send(b"not json\n", time.monotonic())
        devices.flush()

    assert gateway.bodies == [b"not json\n"]
