"""A floor with a real schema registry: what it writes anyone can read by the registry alone, and
the registry may be away at any time."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import httpx
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from schemas.catalog import BY_NAME, SUBJECTS, Release
from schemas.registry import Registry, RegistryRefusal, subject_name
from streams.core.advance import advance_all
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.table import new_table
from tests.apicurio import API, apicurio
from tests.faults.proxy import Proxy
from tests.gateway_harness import running_gateway
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import RECORDINGS, book, by_table, recorded
from tests.worker_harness import WorkerFloor

RECORDING = "cs-overdue-then-counted-between-rounds"
pytestmark = pytest.mark.timeout(300)
"""The registry takes 5 s to start on an idle core, and most of a minute on a busy machine."""

WRITTEN = ("findings.v1", "rounds.v1", "tables.v1", "alarms.v1")


@dataclass
class Running:
    """A registry that is reached through a proxy, and directly by the test."""

    proxy: Proxy
    direct: str

    @property
    def url(self) -> str:
        return f"http://{self.proxy.address}{API}"

    def register(self, prefix: str, *options: str) -> Result:
        command = ["schemas", "register", "--registry", self.direct, "--topic-prefix", prefix]
        return CliRunner(env={"COLUMNS": "200"}).invoke(main, [*command, *options])

    def read(self, value: bytes) -> Any:
        """Return what a message holds by the schema that its id names, as any other program."""
        assert value[0] == 0
        number = int.from_bytes(value[1:5], "big")
        answer = httpx.get(f"{self.direct}/schemas/ids/{number}").raise_for_status()
        schema = fastavro.parse_schema(httpx.Response(200, text=answer.json()["schema"]).json())
        stream = BytesIO(value[5:])
        record = fastavro.schemaless_reader(stream, schema, None)
        assert not stream.read()
        return record


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Proxy() as proxy, apicurio(tmp_path_factory.mktemp("registry"), proxy.target) as url:
        yield Running(proxy, url)


def ids_shown(result: Result) -> list[tuple[str, str, str]]:
    """Return each release with its id and what was done, as a table shows it."""
    found = re.findall(r"^ *(\w+) +(\d+) +\S+-value +(\d*) +(.+?) *$", result.stdout, re.M)
    return [(f"{record} v{version}", number, said) for record, version, number, said in found]


def test_every_release_is_registered_once(registry: Running) -> None:
    names = [release.name for subject in SUBJECTS for release in subject.releases]
    before = registry.register("once.", "--dry-run")
    assert ids_shown(before) == [(name, "", "not registered") for name in names]
    first = registry.register("once.")
    assert first.exit_code == 0, first.output
    assert [(name, said) for name, _, said in ids_shown(first)] == [
        (name, "registered") for name in names
    ]
    again = registry.register("once.")
    assert ids_shown(again) == [
        (name, number, "registered before") for name, number, _ in ids_shown(first)
    ]
    # Deals that are copied to topics of another prefix are read by the same ids.
    numbers = [number for _, number, _ in ids_shown(first)]
    assert [number for _, number, _ in ids_shown(registry.register("twice."))] == numbers
    with Registry(registry.direct) as one:
        for subject in SUBJECTS:
            assert len(one.versions(subject_name("once.", subject))) == len(subject.releases)


def test_doctor_says_what_a_registry_lacks_and_when_it_is_right(
    registry: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path))

    def said(url: str) -> dict[str, dict[str, str]]:
        command = ["doctor", "--no-kafka", "--format", "json", "--topic-prefix", "looked-at."]
        result = CliRunner().invoke(main, [*command, "--registry", url])
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        names = {"registry", "subjects", "compatibility", "registry ids"}
        return {row["check"]: row for row in rows if row["check"] in names}

    lacks = said(registry.direct)
    assert lacks["registry"]["verdict"] == "ok"
    assert lacks["subjects"]["verdict"] == "fail"
    assert lacks["subjects"]["todo"] == "run `pitwatch schemas register`"
    assert registry.register("looked-at.").exit_code == 0
    right = said(registry.direct)
    assert {row["verdict"] for row in right.values()} == {"ok"}, right
    with Registry(registry.direct) as one:
        name = subject_name("looked-at.", BY_NAME["finding"])
        assert one.held_to(name) == BY_NAME["finding"].mode.value
        assert one.held_to("never-made") is None
    assert said(registry.direct + "/nowhere")["registry"]["verdict"] == "fail"


def test_what_breaks_a_promise_is_refused(registry: Running, tmp_path: Path) -> None:
    assert registry.register("held.").exit_code == 0
    finding = BY_NAME["finding"]
    newest = finding.newest
    text = newest.text.replace(b'"name": "clause"', b'"name": "sentence"')
    assert text != newest.text
    (tmp_path / "finding").mkdir()
    (tmp_path / "finding" / "v9.avsc").write_bytes(text)
    odd = Release("finding", 9, newest.sha256, 0, tmp_path)
    name = subject_name("held.", finding)
    with Registry(registry.direct) as one:
        assert name in one.subjects()
        assert one.compatible(name, newest)
        assert not one.compatible(name, odd)
        assert one.id_of(name, odd) is None
        with pytest.raises(RegistryRefusal, match="409"):
            one.register(name, odd)
        assert len(one.versions(name)) == len(finding.releases)


@pytest.mark.kafka
def test_a_floor_writes_confluents_format_and_the_registry_may_go(
    registry: Running,
    create_floor: CreateFloor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    floor = WorkerFloor(create_floor(partitions=1), tmp_path)
    prefix, bootstrap = floor.floor.prefix, floor.floor.bootstrap
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PITWATCH_REGISTRY", registry.url)
    assert registry.register(prefix).exit_code == 0
    lines = (RECORDINGS / f"{RECORDING}.ndjson").read_bytes().splitlines()
    events = recorded(RECORDING)
    third = len(lines) // 3
    floor.write(events[:third])  # as a gateway without a registry
    for life in (1, 2):
        with (
            running_gateway(tmp_path / "gateway", bootstrap, prefix) as gateway,
            floor.worker() as worker,
        ):
            worker.wait_ready()
            if life == 1:
                registry.proxy.refuse()
            else:
                kept = "registry away, ids taken from disk"
                assert gateway.said(kept)
                assert worker.said(kept)
            part = slice(life * third, 2 * third if life == 1 else None)
            answer = gateway.post(b"\n".join(lines[part]))
            assert answer is not None
            assert answer.status_code == 202
            floor.written += events[part]
            floor.wait_judged()
    registry.proxy.accept()
    deals = [record.value for record in floor.read("deals.v1")]
    assert [value[0] for value in deals] == [0xC3] * third + [0] * (len(lines) - third)
    assert registry.read(deals[-1])["seq"] == events[-1].seq
    for topic in WRITTEN:
        assert all(record.value[0] == 0 for record in floor.read(topic)), topic
    found = [registry.read(record.value) for record in floor.read("findings.v1")]
    judged = {(each["id"], each["state"]) for each in found if each["code"] != "clock_skew"}
    assert judged == expected(floor)
    assert not floor.read("deals.dead.v1")


def expected(floor: WorkerFloor) -> set[tuple[str, str]]:
    """Return (id, state) of the findings that follow from what was written."""
    return {
        (effect.finding.id, effect.finding.state)
        for table, events in by_table(floor.written).items()
        for effect in advance_all(new_table(table), events, book()).effects
        if isinstance(effect, FindingRaised | FindingCleared)
    }


def test_a_process_without_ids_says_what_to_do(registry: Running, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main,
        ["worker", "--topic-prefix", "none.", "--registry", registry.direct],
        env={"PITWATCH_CACHE": str(tmp_path)},
    )
    assert result.exit_code == 1
    assert "none.deals.v1-value: expected deal_event v1, found it not registered" in result.stderr
    assert "run pitwatch schemas register" in result.stderr
