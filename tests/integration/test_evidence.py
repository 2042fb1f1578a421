"""Evidence of a round that a worker judged: `check` finds in it what was found on the floor."""

import json
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from streams.database import history
from tests.historian_harness import HistorianFloor
from tests.history_database import rows_in
from tests.kafka_fixtures import CreateFloor
from tests.shell_models import recorded
from tests.worker_harness import WorkerFloor

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


def test_a_bundle_proves_what_the_worker_found(create_floor: CreateFloor, tmp_path: Path) -> None:
    floor = WorkerFloor(create_floor(partitions=2), tmp_path)
    received = time.time_ns() // 1000
    events = [
        replace(event, received=received + number)
        for number, event in enumerate(recorded("fc-deal-order"))
    ]
    others = [replace(event, table="FC-09") for event in events]
    keeps = HistorianFloor(floor.floor, f"sqlite:///{tmp_path / 'pitwatch.db'}", tmp_path)
    with floor.worker(), keeps.historian() as historian, keeps.opened() as engine:
        floor.write([each for pair in zip(events, others, strict=True) for each in pair])
        floor.wait_judged()
        historian.wait_done()
        rounds = [row for row in rows_in(engine, history.rounds) if row["table"] == "FC-01"]
        raised = {
            row["id"]
            for row in rows_in(engine, history.findings)
            # the worker alone knows the gateway's clock
            if row["table"] == "FC-01" and row["code"] != "clock_skew"
        }
    assert rounds
    assert raised
    number = str(rounds[-1]["number"])
    place = ("--bootstrap", floor.floor.bootstrap, "--topic-prefix", floor.floor.prefix)
    bundles = []
    for name in ("one.zip", "two.zip"):
        output = ("--database", keeps.database, "--output", str(tmp_path / name))
        result = CliRunner().invoke(main, ["evidence", "FC-01", number, *place, *output])
        assert result.exit_code == 0, result.output
        bundles.append((tmp_path / name).read_bytes())
    assert bundles[0] == bundles[1]
    with zipfile.ZipFile(tmp_path / "one.zip") as bundle:
        told = json.loads(bundle.read("manifest.json"))["events"]
        assert (told["source"], told["from_opening"]) == ("deals", True)
        assert b"FC-09" not in bundle.read("events.ndjson")
        found = [json.loads(line) for line in bundle.read("findings.ndjson").splitlines()]
        assert {finding["id"] for finding in found} == raised
        (tmp_path / "events.ndjson").write_bytes(bundle.read("events.ndjson"))
        assert b"deal_order" in bundle.read("book.toml")
    checked = CliRunner().invoke(main, ["check", str(tmp_path / "events.ndjson")])
    assert {json.loads(line)["id"] for line in checked.stdout.splitlines()} == raised
