"""The whole floor on one machine: what is planted at a table comes out as a finding."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from kafka import KafkaConsumer, TopicPartition

from deploy.local.ports import answers
from schemas.codec import CODEC
from schemas.records import Finding
from tests.console_harness import sign_in
from tests.floor_process import UP, FloorProcess

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

PLANTED_LEAST = 12
"""So many planted faults are followed until their findings are out."""


@pytest.fixture(scope="module")
def floor() -> Iterator[FloorProcess]:
    running = FloorProcess([*UP, "--partitions", "4", "--tables", "6", "--speed", "60"])
    yield running
    running.close()


def fetch(url: str) -> str:
    return httpx.get(url, timeout=10, trust_env=False).raise_for_status().text


def planted(floor: FloorProcess) -> list[dict[str, Any]] | None:
    log = floor.data / "tables.log"
    lines = log.read_text().splitlines() if log.exists() else []
    found = [json.loads(line) for line in lines if line.endswith("}")]
    return found if len(found) >= PLANTED_LEAST else None


def key(finding: Finding | dict[str, Any]) -> tuple[str, str, int, str]:
    if isinstance(finding, Finding):
        return finding.table, finding.code, finding.round, finding.state
    return finding["table"], finding["code"], finding["round"], finding["state"]


def test_addresses_are_printed_and_answer(floor: FloorProcess) -> None:
    assert fetch(f"http://127.0.0.1:{floor.gateway}/readyz")
    assert fetch(f"http://127.0.0.1:{floor.worker}/readyz")
    assert answers(floor.kafka)
    assert floor.data.is_dir()


def test_what_is_planted_comes_out_on_the_topic_in_the_output_and_in_the_metrics(
    floor: FloorProcess,
) -> None:
    due = {key(each) for each in floor.until(lambda: planted(floor), "planted faults")}

    consumer = KafkaConsumer(bootstrap_servers=f"127.0.0.1:{floor.kafka}")
    topic = "pitwatch.findings.v1"
    parts = [TopicPartition(topic, part) for part in consumer.partitions_for_topic(topic)]
    consumer.assign(parts)
    consumer.seek_to_beginning()
    awaited = set(due)

    def all_found() -> bool | None:
        for records in consumer.poll(timeout_ms=200).values():
            for record in records:
                finding = CODEC.decode(record.value, Finding)
                assert isinstance(finding, Finding)
                awaited.discard(key(finding))
        return not awaited or None

    try:
        floor.until(all_found, "findings of all that was planted")
    finally:
        consumer.close()
        assert awaited == set()

    for table, code, round_number, state in due:
        severity = "cleared" if state == "cleared" else r"\w+"
        floor.line(rf"\d\d:\d\d:\d\d +{table} +{round_number} +{severity} +{code} ")

    metrics = fetch(f"http://127.0.0.1:{floor.worker}/metrics")
    for code in {code for _, code, _, state in due if state == "raised"}:
        assert re.search(
            rf'^pitwatch_findings_total\{{[^}}]*code="{code}"[^}}]*\}} [1-9]', metrics, re.M
        )


def test_a_trial_round_comes_through_to_the_database(floor: FloorProcess) -> None:
    database = f"sqlite:///{floor.data / 'pitwatch.db'}"
    trial = ["doctor", "--trial", f"http://127.0.0.1:{floor.gateway}", "--database", database]

    for _ in range(2):
        result = subprocess.run([*UP[:3], *trial], capture_output=True, check=False, text=True)

        assert result.returncode == 0, result.stdout + result.stderr
        assert re.search(r"87 accepted, 0 duplicates, 0 rejected", result.stdout)


def test_a_second_floor_on_the_same_ports_is_refused(floor: FloorProcess) -> None:
    taken = ["--gateway-port", str(floor.gateway)]
    result = subprocess.run([*UP, *taken], capture_output=True, check=False, text=True)

    assert result.returncode == 1
    assert (
        f"expected 127.0.0.1:{floor.gateway} free for the gateway, found a server there"
        in result.stderr
    )
    assert "Traceback" not in result.stderr


def test_the_printed_password_opens_the_floor(floor: FloorProcess) -> None:
    address, name, password = floor.console
    with httpx.Client(base_url=address, trust_env=False, timeout=10) as client:
        assert client.get("/").headers["location"] == "/sign-in"
        sign_in(client, name, password)
        page = floor.until(
            lambda: (text := client.get("/").text).count('<li class="tile') == 7 and text,
            "six simulated tables and the trial's on the floor page",
        )
    assert page
    assert password not in "".join(
        log.read_text(errors="replace") for log in floor.data.glob("*.log")
    )


def test_ctrl_c_leaves_no_process_no_port_and_no_folder(floor: FloorProcess) -> None:
    console = int(floor.console[0].rpartition(":")[2])
    ports = (floor.gateway, floor.worker, floor.kafka, floor.historian, console)
    data = floor.data
    processes = floor.processes()
    assert len(processes) == 7, [process.cmdline() for process in processes]

    assert floor.interrupt() == 0

    assert [process for process in processes if process.is_running()] == []
    assert [port for port in ports if answers(port)] == []
    assert not data.exists()
    assert "ended" not in "".join(floor.stderr)
    assert floor.stderr[-1] == "stopped\n"
