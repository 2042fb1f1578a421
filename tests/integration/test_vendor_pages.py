"""The vendors' page does what it says: its blocks run against a real gateway."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.local.ports import free_port
from producers.client.disk_queue import REASONS
from schemas.ndjson import decode_line
from schemas.records import DealEvent
from tests.architecture.source import ROOT
from tests.gateway_harness import RunningGateway, running_gateway
from tests.require import require

CLIENT = ROOT / "producers" / "client"
PAGE = (CLIENT / "README.md").read_text(encoding="utf-8")
SAMPLE = CLIENT / "examples" / "round.ndjson"
BLOCKS = re.findall(r"^```(bash|python)\n(.*?)^```\n((?:    [^\n]+\n)*)", PAGE, re.M | re.S)
ADDRESS = "http://127.0.0.1:7301"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGateway]:
    """A gateway whose Kafka is away: what it has accepted stays in its spool."""
    folder = tmp_path_factory.mktemp("gateway")
    with running_gateway(folder, f"127.0.0.1:{free_port()}", "vendor.") as gateway:
        yield gateway


def test_the_page_has_blocks_of_both_kinds() -> None:
    assert {language for language, _, _ in BLOCKS} == {"bash", "python"}


@pytest.mark.parametrize(("language", "code", "shown"), BLOCKS)
def test_a_block_does_what_the_page_shows(
    gate: RunningGateway, tmp_path: Path, language: str, code: str, shown: str
) -> None:
    require("curl")
    url = str(gate.client.base_url).rstrip("/")
    (tmp_path / "producers").symlink_to(ROOT / "producers")
    before = gate.metric("pitwatch_gateway_accepted_total")
    program = {"bash": "bash", "python": sys.executable}[language]
    result = subprocess.run(
        [program, "-c", code if language == "bash" else code.replace(ADDRESS, url)],
        cwd=tmp_path,
        env={**os.environ, "GATEWAY": url, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not result.stderr
    if shown:
        assert result.stdout.strip() == "\n".join(line[4:] for line in shown.splitlines())
    assert gate.metric("pitwatch_gateway_accepted_total") > before


def test_the_line_that_the_page_shows_is_an_event() -> None:
    (line,) = re.findall(r"^    (\{.*\"card_dealt\".*\})$", PAGE, re.M)
    assert isinstance(decode_line(line.encode()), DealEvent)


def test_the_sample_is_a_legal_night_that_conforms() -> None:
    judged = CliRunner().invoke(main, ["check", str(SAMPLE)])
    assert (judged.exit_code, judged.output) == (0, "")
    (row,) = (
        json.loads(line)
        for line in CliRunner().invoke(main, ["check", "--device", str(SAMPLE)]).stdout.splitlines()
    )
    for name in ("gaps", "missing_events", "late_events", "duplicates", "conflicting_events"):
        assert row[name] == 0
    assert (row["bad_lines"], row["out_of_place"], row["used_not_declared"]) == (0, {}, [])


def test_the_page_explains_each_line_of_the_report_and_each_drop() -> None:
    judged = CliRunner().invoke(main, ["check", "--device", str(SAMPLE)])
    told = set(json.loads(judged.stdout)) - {
        "source",
        "tables",
        "boots",
        "events",
        "bad",
        "capabilities_used",
    }
    rows = set(re.findall(r"`([a-z ]+)`(?:,| \|)", PAGE))
    assert {name.replace("_", " ") for name in told} <= rows
    for reason in REASONS:
        assert f"| `{reason}` |" in PAGE
