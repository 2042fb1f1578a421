"""Three devices of one behaviour: the client in Python, and the examples in bash and in C#."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local.ports import free_port
from tests.architecture.source import ROOT
from tests.gateway_harness import RunningGateway, running_gateway, until
from tests.require import require
from tests.scripted_gateway import Reply, judged, lost, scripted_gateway, status

EXAMPLES = ROOT / "producers" / "client" / "examples"
SECRET = "the-devices-token"  # noqa: S105  known to this test alone


@dataclass(frozen=True)
class Device:
    """How one of the devices is started."""

    command: tuple[str, ...]
    takes_flags: bool = False

    def start(self, folder: Path, url: str, events: list[bytes]) -> "subprocess.Popen[bytes]":
        """Start it with all its events on standard input, the last line without an end."""
        token, header = folder / "token", folder / "header"
        token.write_text(f"{SECRET}\n")
        header.write_text(f"Authorization: Bearer {SECRET}\n")
        told = {"GATEWAY": url, "TABLE": "CS-01", "SOURCE": "shoe", "FOLDER": str(folder / "own")}
        files = {"TOKEN_FILE": str(token), "AUTHORIZATION": str(header)}
        command = list(self.command)
        if self.takes_flags:
            for name, value in {**told, "token-file": files["TOKEN_FILE"]}.items():
                command += [f"--{name.lower()}", value]
            told = files = {}
        (folder / "events").write_bytes(b"\n".join(events))
        with (folder / "events").open("rb") as source, (folder / "said").open("ab") as said:
            return subprocess.Popen(
                command, stdin=source, stdout=said, stderr=said, env=os.environ | told | files
            )

    def run(self, folder: Path, url: str, events: list[bytes]) -> str:
        """Run it to its end; return what it said."""
        process = self.start(folder, url, events)
        try:
            process.wait(60)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        return (folder / "said").read_text()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], str]:
    """What compiles the example in C#, when a test asks for it."""

    def build() -> str:
        program = tmp_path_factory.mktemp("cs") / "Device.exe"
        compiler = [require("mcs"), "-warnaserror", "-r:System.Net.Http.dll", f"-out:{program}"]
        subprocess.run([*compiler, str(EXAMPLES / "Device.cs")], check=True, capture_output=True)
        return str(program)

    return build


@pytest.fixture(scope="module", params=["python", "bash", "cs"])
def device(request: pytest.FixtureRequest, compiled: Callable[[], str]) -> Device:
    match request.param:
        case "python":
            return Device((sys.executable, "-m", "producers.client"), takes_flags=True)
        case "bash":
            require("curl")
            return Device((str(EXAMPLES / "device.sh"),))
        case _:
            return Device((require("mono"), compiled()))


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGateway]:
    """A gateway whose Kafka is away: what it has accepted stays in its spool."""
    folder = tmp_path_factory.mktemp("gateway")
    with running_gateway(folder, f"127.0.0.1:{free_port()}", "devices.") as gateway:
        yield gateway


def dealer(name: str) -> bytes:
    return json.dumps({"kind": "dealer_arrived", "dealer": name}).encode()


def test_nothing_is_lost_or_overtakes(device: Device, tmp_path: Path) -> None:
    with scripted_gateway([lost, status(503), status(429, Retry_After="0")]) as gateway:
        said = device.run(tmp_path, gateway.url, [dealer("å")] * 70)
    assert list(dict.fromkeys(gateway.seqs())) == list(range(1, 71))
    assert max(map(len, gateway.requests)) <= 64
    assert len(gateway.requests) >= 5
    assert json.loads(gateway.kept[-1])["dealer"] == "å"
    assert {each["authorization"] for each in gateway.headers} == {f"Bearer {SECRET}"}
    assert SECRET not in said


def test_a_line_that_is_blank_is_no_event(device: Device, tmp_path: Path) -> None:
    with scripted_gateway() as gateway:
        device.run(tmp_path, gateway.url, [dealer("a"), b"", b" ", dealer("b"), b""])
    assert [json.loads(line)["dealer"] for line in gateway.kept] == ["a", "b"]
    assert gateway.seqs() == [1, 2]


def test_a_refused_line_never_comes_again(device: Device, tmp_path: Path) -> None:
    row = {"line": 1, "field": "kind", "expected": "a kind", "found": '"no_such"'}
    with scripted_gateway([lambda lines: judged(lines, row)]) as gateway:
        device.run(tmp_path, gateway.url, [b'{"kind":"no_such"}', dealer("a"), dealer("b")])
    assert gateway.seqs() == [1, 2, 3]
    kept = next((tmp_path / "own").glob("refused*")).read_text()
    assert "no_such" in kept
    assert "a kind" in kept


def test_what_is_too_long_goes_in_parts(device: Device, tmp_path: Path) -> None:
    def narrow(lines: list[bytes]) -> Reply:
        return (413, {}, b"") if sum(map(len, lines)) > 400 else judged(lines)

    names = ["a", "b", "c" * 500, "d", "e", "f" * 17_000, "g"]
    with scripted_gateway([narrow] * 50) as gateway:
        device.run(tmp_path, gateway.url, [dealer(name) for name in names])
    assert gateway.seqs() == [1, 2, 4, 5, 7]


def test_a_kill_loses_nothing_and_the_next_boot_is_higher(device: Device, tmp_path: Path) -> None:
    with scripted_gateway([status(503)] * 1000) as away:
        process = device.start(tmp_path, away.url, [dealer("a")] * 10)
        until("all to be on disk", lambda: any(len(each) == 10 for each in away.requests))
        process.kill()
        process.wait()
    with scripted_gateway() as gateway:
        device.run(tmp_path, gateway.url, [dealer("b")])
    assert gateway.seqs() == [*range(1, 11), 1]
    boots = [json.loads(line)["boot"] for line in gateway.kept]
    assert boots[9] < boots[10]


def test_a_real_gateway_takes_it(device: Device, tmp_path: Path, gate: RunningGateway) -> None:
    before = gate.metric("pitwatch_gateway_accepted_total")
    said = device.run(tmp_path, str(gate.client.base_url), [b'{"kind":"no_more_bets"}'] * 100)
    assert gate.metric("pitwatch_gateway_accepted_total") == before + 100, said
