"""`pitwatch send` posts recordings as a device would, to a gateway that may be busy or away."""

import gzip
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.local.ports import free_port
from schemas.exact import MAX_LINE
from tests.gateway_harness import RunningGateway, line, running_gateway, until

RECORDINGS = Path(__file__).parents[1] / "recordings"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGateway]:
    """A gateway whose Kafka is away: what it has accepted stays in its spool."""
    folder = tmp_path_factory.mktemp("gateway")
    with running_gateway(folder, f"127.0.0.1:{free_port()}", "send.") as gateway:
        yield gateway


def send(url: httpx.URL | str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["send", "--gateway", str(url), *arguments])


def recorded(folder: Path, name: str, lines: list[bytes]) -> str:
    path = folder / name
    path.write_bytes(b"\n".join(lines))
    return str(path)


def test_a_recording_is_accepted_and_known_when_it_is_sent_again(
    gate: RunningGateway, tmp_path: Path
) -> None:
    lines = [line(seq, "T-1") for seq in range(1, 41)]
    path = recorded(tmp_path, "a.ndjson", lines)
    first = send(gate.client.base_url, path)
    assert (first.exit_code, first.stdout) == (0, "")
    assert first.stderr == "40 accepted, 0 duplicates, 0 rejected\n"
    again = send(gate.client.base_url, path)
    assert (again.exit_code, again.stderr) == (0, "0 accepted, 40 duplicates, 0 rejected\n")


def test_a_long_recording_goes_in_many_requests_in_order(
    gate: RunningGateway, tmp_path: Path
) -> None:
    lines = [line(seq, "T-2") for seq in range(1, 3001)]
    before = gate.metric('pitwatch_gateway_requests_total{status="202"}')
    path = tmp_path / "long.ndjson.gz"
    path.write_bytes(gzip.compress(b"\n".join(lines)))
    assert send(gate.client.base_url, str(path)).stderr.startswith("3000 accepted")
    assert gate.metric('pitwatch_gateway_requests_total{status="202"}') >= before + 5


def test_refused_lines_are_named_by_their_place_in_the_file(
    gate: RunningGateway, tmp_path: Path
) -> None:
    lines = [b"", line(1, "T-3"), b"", b"{", line(2, "T-3"), line(3, "T-3", boot=0)]
    lines += [b"x" * (MAX_LINE + 50_000), line(4, "T-3")]
    path = recorded(tmp_path, "bad.ndjson", lines)
    result = send(gate.client.base_url, path)
    assert result.exit_code == 1
    *refused, totals = result.stderr.splitlines()
    assert totals == "3 accepted, 0 duplicates, 3 rejected"
    assert refused[0].startswith(f"{path}: line 4: line: expected ")
    assert refused[1] == f"{path}: line 6: boot: expected an integer from 1 to {2**53 - 1}, found 0"
    assert refused[2].startswith(f"{path}: line 7: line: expected at most {MAX_LINE} bytes")
    assert ", found " in refused[0]


def test_the_recording_with_bad_lines_is_sent_but_for_these(gate: RunningGateway) -> None:
    path = str(RECORDINGS / "bad-lines-named-others-judged.ndjson")
    result = send(gate.client.base_url, path)
    assert result.exit_code == 1
    assert [row.split(": ")[1] for row in result.stderr.splitlines()[:-1]] == ["line 7", "line 13"]


def test_a_file_that_is_not_there_or_not_whole_is_named_and_the_others_are_sent(
    gate: RunningGateway, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(line(1, "T-4"))[:-9])
    good = recorded(tmp_path, "good.ndjson", [line(2, "T-4")])
    missing = str(tmp_path / "missing.ndjson")
    result = send(gate.client.base_url, missing, str(cut), good)
    assert result.exit_code == 2
    first, second, totals = result.stderr.splitlines()
    assert first.startswith(f"{missing}: expected a file that can be read, found: ")
    assert second.startswith(f"{cut}: expected data that can be read, found: ")
    assert totals.startswith("1 accepted")


def has_accepted(gate: RunningGateway, events: float) -> bool:
    return gate.metric("pitwatch_gateway_accepted_total") == events


def test_a_stream_is_sent_as_its_lines_come(gate: RunningGateway) -> None:
    command = [sys.executable, "-m", "deploy.cli", "send", "-"]
    command += ["--gateway", str(gate.client.base_url)]
    accepted = gate.metric("pitwatch_gateway_accepted_total")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        for seq in range(1, 4):
            process.stdin.write(line(seq, "T-5") + b"\n")
            process.stdin.flush()
            due = accepted + seq
            until("the line to be accepted", partial(has_accepted, gate, due))
        process.stdin.write(line(4, "T-5"))
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert said == b"4 accepted, 0 duplicates, 0 rejected\n"


def test_a_rate_holds_events_back(gate: RunningGateway, tmp_path: Path) -> None:
    path = recorded(tmp_path, "a.ndjson", [line(seq, "T-6") for seq in range(1, 11)])
    began = time.monotonic()
    assert send(gate.client.base_url, path, "--rate", "20").exit_code == 0
    assert time.monotonic() - began >= 8 / 20


def test_a_gateway_that_is_away_is_given_up_after_the_patience(tmp_path: Path) -> None:
    path = recorded(tmp_path, "a.ndjson", [line(1)])
    result = send(f"http://127.0.0.1:{free_port()}", path, "--patience", "0.3")
    assert result.exit_code == 2
    assert "expected a gateway that takes events within 0.3 s, found: " in result.stderr


def test_a_gateway_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    port = free_port()
    path = recorded(tmp_path, "a.ndjson", [line(1)])
    results: list[Result] = []

    def run() -> None:
        results.append(send(f"http://127.0.0.1:{port}", path))

    sending = threading.Thread(target=run)
    sending.start()
    with scripted([(202, {}, ACCEPTED)], port):
        sending.join(30)
    assert results[0].exit_code == 0


ACCEPTED = {"accepted": 1, "duplicates": 0, "rejected": []}
Script = list[tuple[int, dict[str, str], object]]


@contextmanager
def scripted(answers: Script, port: int = 0) -> Iterator[tuple[str, list[bytes]]]:
    """Serve these answers in turn; yield the address and the bodies that came."""
    bodies: list[bytes] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            status, headers, said = left.pop(0)
            body = json.dumps(said).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:
            del format

    server = HTTPServer(("127.0.0.1", port), Handler)
    serving = threading.Thread(target=server.serve_forever, args=(0.01,))
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


@pytest.mark.parametrize("status", [408, 429, 503])
def test_an_answer_that_asks_for_a_retry_gets_the_same_request_again(
    tmp_path: Path, status: int
) -> None:
    path = recorded(tmp_path, "a.ndjson", [line(1)])
    script: Script = [(status, {"retry-after": "0"}, {}), (status, {}, {}), (202, {}, ACCEPTED)]
    with scripted(script) as (url, bodies):
        result = send(url, path)
    assert result.exit_code == 0
    assert bodies == [line(1)] * 3


def test_a_pause_that_the_gateway_asks_for_counts_against_the_patience(tmp_path: Path) -> None:
    path = recorded(tmp_path, "a.ndjson", [line(1)])
    with scripted([(429, {"retry-after": "9"}, {"error": "full"})]) as (url, bodies):
        result = send(url, path, "--patience", "1")
    assert result.exit_code == 2
    assert '429 {"error": "full"}' in result.stderr
    assert len(bodies) == 1


def test_an_answer_that_no_gateway_gives_ends_it(tmp_path: Path) -> None:
    path = recorded(tmp_path, "a.ndjson", [line(1)])
    with scripted([(404, {}, {"error": "path"})]) as (url, _):
        result = send(url, path)
    assert result.exit_code == 2
    assert 'expected 202 or 400, found 404 {"error": "path"}' in result.stderr
