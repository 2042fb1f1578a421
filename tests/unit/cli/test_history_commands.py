"""Exports, holds and evidence, from a database that has some history."""

import csv
import hashlib
import io
import json
import stat
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from schemas.records import AnyRecord, BookName, RoundEvent
from schemas.times import format_time
from streams.database import migrate, open_database
from streams.rulebooks import load
from tests.history_database import fill
from tests.history_records import (
    MINUTE,
    START,
    a_command,
    a_finding,
    a_round,
    an_act,
    an_alarm,
    an_answer,
    digest,
)

RECORDINGS = Path(__file__).parents[2] / "recordings"

HISTORY: Sequence[AnyRecord] = (
    a_round("CS-01", 1, findings=[("deal_order", digest(1))]),
    a_round("CS-02", 1, dealer="=cmd|' /C calc'!A0"),
    a_finding(1),
    a_finding(2, table="CS-02", at=START + 90 * MINUTE),
    an_alarm(1, acts=(an_act("c1", note='seen, with "quotes"'),), answer=an_answer("c1")),
    a_command("c2", 1, act="shelve", at=START + 3 * MINUTE),
)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return filled(f"sqlite:///{tmp_path / 'pitwatch.db'}", *HISTORY)


def filled(url: str, *records: AnyRecord) -> str:
    """Return the URL of a database that has some records."""
    engine = open_database(url)
    migrate(engine)
    fill(engine, *records)
    engine.dispose()
    return url


def run(database: str, *arguments: str) -> Result:
    return CliRunner(env={"PITWATCH_DATABASE": database}).invoke(main, [*arguments])


def export(database: str, what: str, *options: str) -> str:
    since = format_time(START)
    result = run(
        database, "historian", "export", "--what", what, "--since", since,
        "--until", format_time(START + 120 * MINUTE), *options,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    return result.stdout


def test_objects_are_the_whole_records_with_times_as_texts(database: str) -> None:
    first, second = [json.loads(line) for line in export(database, "rounds").splitlines()]
    assert first["opened_by"] == "CS-01/shoe/1/100"
    assert first["opened_at"] == format_time(START + MINUTE)
    assert first["cards"][0]["exposed_at"] == format_time(START + MINUTE + 30_000_000)
    assert first["events"][0]["received"] == format_time(START + MINUTE + 1_000_000)
    assert second["table"] == "CS-02"
    (alarm,) = [json.loads(line) for line in export(database, "alarms").splitlines()]
    assert alarm["acts"][0]["at"] == format_time(START + 2 * MINUTE)
    acts = [json.loads(line) for line in export(database, "acts").splitlines()]
    assert [(act["command"], act["accepted"]) for act in acts] == [("c1", True), ("c2", None)]


def test_a_table_for_a_spreadsheet_has_no_formula(database: str) -> None:
    rows = list(csv.DictReader(io.StringIO(export(database, "rounds", "--format", "csv"))))
    assert [row["dealer"] for row in rows] == ["D1", "'=cmd|' /C calc'!A0"]
    assert rows[0]["opened_at"] == format_time(START + MINUTE)
    assert (rows[0]["gap"], rows[0]["deck"], rows[0]["findings"]) == ("false", "", "1")
    assert "body" not in rows[0]
    acts = list(csv.DictReader(io.StringIO(export(database, "acts", "--format", "csv"))))
    assert acts[0]["note"] == 'seen, with "quotes"'
    findings = list(csv.DictReader(io.StringIO(export(database, "findings", "--format", "csv"))))
    assert findings[0]["class"] == "breach"


def test_an_export_keeps_to_its_time_and_tables(database: str) -> None:
    assert len(export(database, "findings").splitlines()) == 2
    assert len(export(database, "findings", "--table", "CS-02").splitlines()) == 1
    result = run(
        database, "historian", "export", "--what", "findings", "--since",
        format_time(START + 80 * MINUTE),
    )  # fmt: skip
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [digest(2)]


def test_an_export_keeps_to_every_filter(database: str) -> None:
    def tables(what: str, *options: str) -> list[str]:
        return [json.loads(line)["table"] for line in export(database, what, *options).splitlines()]

    assert tables("findings", "--dealer", "D1") == ["CS-01"]
    assert tables("rounds", "--code", "deal_order") == ["CS-01"]
    assert tables("rounds", "--game", "blackjack") == []
    assert tables("acts", "--clause", "16.8(c)", "--severity", "medium") == ["CS-01", "CS-01"]
    assert tables("alarms", "--dealer", "D2") == []
    odd = run(database, "historian", "export", "--what", "acts", "--since", "1d", "--game", "whist")
    assert odd.exit_code == 2
    assert "blackjack" in odd.output


def test_holds_are_added_listed_and_lifted(database: str) -> None:
    since = format_time(START)
    added = run(
        database, "historian", "hold", "add", "--table", "CS-01", "--since", since,
        "--reason", "case 26-118",
    )  # fmt: skip
    name = added.stdout.strip()
    listed = run(database, "historian", "hold", "list").stdout
    assert name in listed
    assert "CS-01" in listed
    assert "case 26-118" in listed
    assert run(database, "historian", "hold", "lift", name).exit_code == 0
    assert run(database, "historian", "hold", "list").stdout == ""
    again = run(database, "historian", "hold", "lift", name)
    assert again.exit_code == 1
    assert "expected the id of a hold" in again.stderr


def test_a_database_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    result = run("sqlite:///none/x.db", "historian", "hold", "list")
    assert result.exit_code == 1
    assert "expected a file that can be written" in result.stderr


def evidence(database: str, folder: Path, *arguments: str) -> zipfile.ZipFile:
    output = folder / "bundle.zip"
    result = run(database, "evidence", *arguments, "--without-deals", "--output", str(output))
    assert result.exit_code == 0, result.output
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert hashlib.sha256(output.read_bytes()).hexdigest() in result.stderr
    return zipfile.ZipFile(output)


def test_a_bundle_has_all_of_a_round_and_the_same_bytes_each_time(
    database: str, tmp_path: Path
) -> None:
    with evidence(database, tmp_path, "CS-01", "1") as bundle:
        first = (tmp_path / "bundle.zip").read_bytes()
        manifest = json.loads(bundle.read("manifest.json"))
        assert manifest["table"] == "CS-01"
        assert manifest["events"]["source"] == "round"
        for file in manifest["files"]:
            data = bundle.read(file["name"])
            assert (len(data), hashlib.sha256(data).hexdigest()) == (file["bytes"], file["sha256"])
        assert {name for name in bundle.namelist() if name != "manifest.json"} == {
            file["name"] for file in manifest["files"]
        }
        (finding,) = bundle.read("findings.ndjson").splitlines()
        assert json.loads(finding)["id"] == digest(1)
        (alarm,) = bundle.read("alarms.ndjson").splitlines()
        assert json.loads(alarm)["acts"][0]["by"] == "ann"
        acts = [json.loads(line) for line in bundle.read("acts.ndjson").splitlines()]
        assert [act["command"] for act in acts] == ["c1", "c2"]
        assert json.loads(bundle.read("round.json"))["dealer"] == "D1"
    with evidence(database, tmp_path, "CS-01", "1"):
        assert (tmp_path / "bundle.zip").read_bytes() == first


def test_a_bundle_has_the_rulebook_it_was_judged_by(database: str, tmp_path: Path) -> None:
    book = BookName("nj", load().sha256)
    filled(database, a_round("CS-07", 4, book=book))
    with evidence(database, tmp_path, "CS-07", "4") as bundle:
        assert b"deal_order" in bundle.read("book.toml")
    with evidence(database, tmp_path, "CS-01", "1") as bundle:
        assert "book.toml" not in bundle.namelist()


def test_the_events_of_a_bundle_are_judged_by_check(database: str, tmp_path: Path) -> None:
    lines = (RECORDINGS / "fc-deal-order.ndjson").read_text(encoding="utf-8").splitlines()
    events = tuple(RoundEvent(line, None) for line in lines)
    filled(database, a_round("FC-01", 1, events=events, opened_by="FC-01/gw-1/1/4"))
    with evidence(database, tmp_path, "FC-01", "1") as bundle:
        (tmp_path / "events.ndjson").write_bytes(bundle.read("events.ndjson"))
    checked = CliRunner().invoke(main, ["check", str(tmp_path / "events.ndjson")])
    assert [json.loads(line)["code"] for line in checked.stdout.splitlines()] == ["deal_order"]


def test_a_round_that_is_not_there_is_told(database: str) -> None:
    result = run(database, "evidence", "CS-01", "9", "--without-deals")
    assert result.exit_code == 1
    assert "a round 9 of CS-01 that is over and in the database, found none" in result.stderr


def test_one_of_several_rounds_of_a_number_is_chosen_by_its_time(
    database: str, tmp_path: Path
) -> None:
    later = START + 60 * MINUTE
    filled(database, a_round("CS-01", 1, opened_at=later, opened_by="CS-01/shoe/2/1", ended="x"))
    result = run(database, "evidence", "CS-01", "1", "--without-deals")
    assert result.exit_code == 1
    assert f"found 2, opened at {format_time(later)}, " in result.stderr
    chosen = ("CS-01", "1", "--opened", format_time(later))
    with evidence(database, tmp_path, *chosen) as bundle:
        assert json.loads(bundle.read("round.json"))["ended"] == "x"
    result = run(database, "evidence", "CS-01", "1", "--opened", "2026-01-01T00:00:00Z")
    assert "found only those opened at" in result.stderr
