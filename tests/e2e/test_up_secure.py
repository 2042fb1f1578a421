"""The whole floor with a secured Kafka: it finds, its administrator's tools work, and no secret
stands in a log, a metric, a page, an argument, a topic, a database or a dump of a crash."""

import json
import os
import re
import signal
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import psutil
import pytest

from deploy.secure.folder import Secrets
from tests.console_harness import sign_in
from tests.floor_process import UP, FloorProcess

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

# A Python that is told to abort says where each of its threads was, as a crash dump does.
DUMPING: Final = ("env", "PYTHONFAULTHANDLER=1")
FLOOR: Final = ("--secure", "--partitions", "2", "--tables", "2", "--speed", "60")

SHORTEST: Final = 16
"""Characters of a line that is a secret; keys and passwords have more than forty."""


@pytest.fixture(scope="module")
def floor() -> Iterator[FloorProcess]:
    running = FloorProcess([*DUMPING, *UP, *FLOOR])
    yield running
    running.close()


def secrets_of(floor: FloorProcess) -> dict[str, str]:
    """Return all that its owner alone may know, by where it stands."""
    found = {
        f"{path.name}, line {number}": line
        for path in kept(floor).folder.rglob("*")
        if path.is_file() and path != kept(floor).authorities
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) >= SHORTEST and not line.startswith("-----")
    }
    worker = the(floor, "worker").environ()
    if "PITWATCH_COMMAND_KEY" in worker:
        found["command key"] = worker["PITWATCH_COMMAND_KEY"].partition(":")[2]
    return found


def kept(floor: FloorProcess) -> Secrets:
    return Secrets(floor.data / "secrets")


def the(floor: FloorProcess, command: str) -> psutil.Process:
    """Return the process of a floor that runs a command."""
    (found,) = (each for each in floor.processes() if command in each.cmdline()[3:4])
    return found


def pitwatch(floor: FloorProcess, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the administrator's."""
    own = [*UP[:3], *arguments, "--bootstrap", f"127.0.0.1:{floor.kafka}"]
    environment = {**os.environ, **kept(floor).environment("admin")}
    return subprocess.run(
        own, capture_output=True, check=False, text=True, env=environment, cwd=floor.data
    )


def pages(floor: FloorProcess) -> Iterator[tuple[str, str]]:
    """Yield what the floor's servers answer: health, metrics, and an operator's pages."""
    ports = (floor.worker, floor.historian)
    address, name, password = floor.console
    context = ssl.create_default_context(cafile=kept(floor).authorities)
    intake = f"https://127.0.0.1:{floor.gateway}"
    with httpx.Client(trust_env=False, timeout=10, verify=context) as client:
        for base in (intake, *(f"http://127.0.0.1:{port}" for port in ports), address):
            for path in ("/healthz", "/readyz", "/metrics"):
                yield f"{base}{path}", client.get(f"{base}{path}").text
    with httpx.Client(base_url=address, trust_env=False, timeout=10) as client:
        sign_in(client, name, password)
        for path in ("/", "/alarms", "/diagnostics"):
            yield path, client.get(path).text


def answered_by_all(floor: FloorProcess) -> dict[str, str] | None:
    """Return what the servers answer, where each process has answered the console."""
    text = dict(pages(floor))
    return None if "does not answer" in text["/diagnostics"] else text


def published(floor: FloorProcess) -> float:
    """Return how many events of its devices the gateway has published."""
    text = dict(pages(floor))[f"https://127.0.0.1:{floor.gateway}/metrics"]
    found = re.search(r"^pitwatch_gateway_published_total (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def serves(port: int) -> bool:
    """Return whether a process says that it does its work."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).is_success
    except httpx.TransportError:
        return False


def test_it_finds_what_is_planted(floor: FloorProcess) -> None:
    assert floor.kafka
    floor.line(r"\d\d:\d\d:\d\d +\S+ +\d+ +\w+ +\w+ ")


def test_its_gateway_takes_nothing_from_strangers_and_its_console_sees_it(
    floor: FloorProcess,
) -> None:
    context = ssl.create_default_context(cafile=kept(floor).authorities)
    with httpx.Client(trust_env=False, timeout=10, verify=context) as client:
        address = f"https://127.0.0.1:{floor.gateway}/v1/events"
        assert client.post(address, content=b"{}").status_code == 401
    # On a busy machine one of them may not answer the console in time.
    text = floor.until(lambda: answered_by_all(floor), "a console that is answered by all")
    floor.until(lambda: published(floor) or None, "events that the gateway has published")
    worker = text[f"http://127.0.0.1:{floor.worker}/metrics"]
    for reason in ("unsigned_record", "not_its_table", "forged_record", "clock_source"):
        assert f'pitwatch_dead_letters_total{{reason="{reason}"}} 0.0' in worker


def test_its_access_lists_are_those_that_are_listed(floor: FloorProcess) -> None:
    assert floor.kafka
    checked = pitwatch(floor, "floor", "acls", "--check")
    assert (checked.returncode, len(checked.stdout.splitlines())) == (0, 2), checked.stdout


def test_its_administrators_tools_work(floor: FloorProcess) -> None:
    assert floor.kafka
    for command, statuses in (
        (("topics", "--check", "--single", "--partitions", "2"), (0,)),
        (("dlq", "list"), (0,)),
        # 1: something is left, as the late events that the simulator plants sooner or later.
        (("dlq", "replay", "--dry-run"), (0, 1)),
    ):
        result = pitwatch(floor, *command)
        assert result.returncode in statuses, result.stdout + result.stderr
    looked = pitwatch(floor, "doctor", "--partitions", "2", "--format", "json")
    verdicts = {
        (row := json.loads(line))["check"]: row["verdict"] for line in looked.stdout.splitlines()
    }
    of_kafka = ("kafka", "password", "certificate", "topics", "workers", "clocks")
    assert {name: verdicts.get(name) for name in of_kafka} == dict.fromkeys(of_kafka, "ok")


def test_no_secret_stands_where_others_may_read_it(floor: FloorProcess) -> None:
    floor.line(r"\d\d:\d\d:\d\d +\S+ +\d+ +\w+ +\w+ ")
    secrets = secrets_of(floor)
    assert len(secrets) >= 5
    password = floor.console[2]

    worker = the(floor, "worker")
    # Chosen now: a process that ends while all are looked through has no name any more.
    (kafka,) = (each for each in floor.processes() if "java" in each.name())
    worker.send_signal(signal.SIGABRT)
    log = floor.data / "worker.log"
    floor.until(lambda: "Fatal Python error" in log.read_text() or None, "the worker's dump")
    kafka.send_signal(signal.SIGQUIT)
    out = floor.data / "kafka" / "kafka.out"
    floor.until(lambda: "Full thread dump" in out.read_text() or None, "Kafka's dump")

    floor.until(lambda: serves(floor.worker) or None, "the worker to be started again")
    shown = dict(pages(floor))
    shown |= {f"arguments of {each.pid}": "\n".join(each.cmdline()) for each in floor.processes()}
    shown["stdout"] = "".join(floor.stdout).replace(password, "")
    shown["stderr"] = "".join(floor.stderr)
    for where, text in shown.items():
        for name, secret in {**secrets, "operator's password": password}.items():
            assert secret not in text, f"{name} stands in {where}"
    for path in files(floor.data):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue  # Kafka's checkpoints have another name for a moment
        for name, secret in {**secrets, "operator's password": password}.items():
            assert secret.encode() not in content, f"{name} stands in {path}"


def files(folder: Path) -> Iterator[Path]:
    """Yield every file of a floor but its secrets: logs, topics with all states, the database."""
    for path in folder.rglob("*"):
        if path.is_file() and (folder / "secrets") not in path.parents:
            yield path


def test_it_ends_as_every_floor_does(floor: FloorProcess) -> None:
    processes = floor.processes()
    assert re.search(r"sign in as", "".join(floor.stdout))
    assert floor.interrupt() == 0
    assert not [each for each in processes if each.is_running()]
