"""`pitwatch check` prints a recording's findings, names its bad lines, and exits by what it saw."""

import gzip
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from deploy.cli.main import main
from streams import rulebooks
from streams.rulebooks import load

RECORDINGS = Path(__file__).parents[1] / "recordings"
LEGAL = RECORDINGS / "cs-legal-12-rounds.ndjson"
BREACH = RECORDINGS / "fc-deal-order.ndjson"
OVERDUE = RECORDINGS / "cs-overdue-then-counted-between-rounds.ndjson"
LATE = RECORDINGS / "late-event-set-aside.ndjson"
GAP = RECORDINGS / "gap-in-round-silences-counts-and-orders.ndjson"
BAD = RECORDINGS / "bad-lines-named-others-judged.ndjson"
TWO = RECORDINGS / "two-tables-interleaved.ndjson"

KEYS = [
    "id",
    "code",
    "clause",
    "class",
    "state",
    "severity",
    "table",
    "game",
    "round",
    "position",
    "hand",
    "at",
    "events",
    "detail",
    "book",
    "version",
]


def check(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["check", *map(str, arguments)], input=stdin)


def findings(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def renamed(recording: Path, table: str) -> list[bytes]:
    """Return a recording's lines with all its tables called by one name."""
    text = recording.read_bytes()
    return re.sub(rb'"table": "[^"]+"', f'"table": "{table}"'.encode(), text).splitlines()


def interleaved(*recordings: list[bytes]) -> bytes:
    """Return recordings as one, a line of each in turn."""
    longest = max(len(lines) for lines in recordings)
    return b"\n".join(
        lines[place] for place in range(longest) for lines in recordings if place < len(lines)
    )


def test_finding_is_one_line_with_the_promised_keys() -> None:
    (raised, cleared) = findings(check(OVERDUE))
    assert list(raised) == KEYS
    assert re.fullmatch("[0-9a-f]{32}", raised["id"])
    assert raised["code"] == "stub_count_overdue"
    assert raised["clause"] == "16.8(e)"
    assert (raised["class"], raised["severity"]) == ("breach", "high")
    assert (raised["table"], raised["game"]) == ("CS-01", "caribbean_stud")
    assert (raised["round"], raised["position"], raised["hand"]) == (5, None, None)
    assert raised["detail"] == {"rounds": 5}
    assert re.fullmatch(r"2026-11-30T12:\d\d:\d\d\.\d+Z", raised["at"])
    assert raised["events"][-1].startswith("CS-01/gw-1/1/")
    assert raised["book"] == {"name": "nj", "sha256": load().sha256}
    assert (cleared["id"], cleared["state"]) == (raised["id"], "cleared")


def test_exit_status_says_what_was_found() -> None:
    assert check(LEGAL).exit_code == 0
    assert check(BREACH).exit_code == 1
    assert check(LATE).exit_code == 0, "telemetry alone is no bad play"
    assert check(BAD).exit_code == 2
    assert check(LEGAL, BREACH).exit_code == 1
    assert check(BAD, BREACH).exit_code == 2


def test_exit_status_of_the_process() -> None:
    for path, status in ((LEGAL, 0), (BREACH, 1), (BAD, 2)):
        command = [sys.executable, "-m", "deploy.cli", "check", str(path)]
        assert subprocess.run(command, check=False, capture_output=True).returncode == status


def test_bad_lines_are_named_with_file_line_field_expected_and_found() -> None:
    lines = check(BAD).stderr.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(rf"{re.escape(str(BAD))}: line \d+: \w+: expected .+, found .+", line)
    assert ": line 7: line: " in lines[0]
    assert ": line 13: kind: " in lines[1]


def test_file_that_cannot_be_opened_is_named_and_others_are_judged(tmp_path: Path) -> None:
    missing = tmp_path / "missing.ndjson"
    result = check(missing, BREACH)
    assert result.exit_code == 2
    assert f"{missing}: expected a file that can be read, found: No such file" in result.stderr
    assert [finding["code"] for finding in findings(result)] == ["deal_order"]


def test_standard_input_and_gzip_give_the_same_bytes(tmp_path: Path) -> None:
    plain = check(BREACH)
    packed = tmp_path / "recording.gz"
    packed.write_bytes(gzip.compress(BREACH.read_bytes()))
    assert check("-", stdin=BREACH.read_bytes()).stdout_bytes == plain.stdout_bytes
    assert check(packed).stdout_bytes == plain.stdout_bytes


def test_each_file_is_a_recording_by_itself() -> None:
    twice = findings(check(BREACH, BREACH))
    assert twice[0] == twice[1]
    assert len(twice) == 2


def test_tables_of_one_file_are_judged_each_by_itself(tmp_path: Path) -> None:
    sources = {"A": BREACH, "B": OVERDUE, "C": GAP, "D": LEGAL, "E": BREACH}
    alone = {}
    for table, recording in sources.items():
        path = tmp_path / f"{table}.ndjson"
        path.write_bytes(b"\n".join(renamed(recording, table)))
        alone[table] = findings(check(path))
    together = tmp_path / "together.ndjson"
    together.write_bytes(interleaved(*(renamed(path, table) for table, path in sources.items())))
    found = findings(check(together))
    for table, own in alone.items():
        assert [finding for finding in found if finding["table"] == table] == own
    assert len(found) == sum(len(own) for own in alone.values()) >= 5


def test_findings_stand_in_the_order_of_the_lines_that_caused_them(tmp_path: Path) -> None:
    path = tmp_path / "together.ndjson"
    path.write_bytes(
        interleaved(*(renamed(each, each.stem[:2]) for each in (OVERDUE, BREACH, GAP)))
    )
    lines = {}
    for number, line in enumerate(path.read_bytes().splitlines()):
        event = json.loads(line)
        lines[f"{event['table']}/{event['source']}/{event['boot']}/{event['seq']}"] = number
    causes = [lines[finding["events"][-1]] for finding in findings(check(path))]
    assert causes == sorted(causes)
    assert len(causes) >= 4


def test_other_rulebook_judges_by_its_own_numbers(tmp_path: Path) -> None:
    text = Path(rulebooks.__file__).with_name("nj.toml").read_text(encoding="utf-8")
    path = tmp_path / "own.toml"
    path.write_text(
        text.replace('name = "nj"', 'name = "own"').replace("{ rounds = 5 }", "{ rounds = 3 }"),
        encoding="utf-8",
    )
    raised = findings(check("--rulebook", path, OVERDUE))[0]
    assert (raised["code"], raised["round"], raised["detail"]) == (
        "stub_count_overdue",
        3,
        {"rounds": 3},
    )
    assert raised["book"] == {"name": "own", "sha256": load(str(path)).sha256}


def test_table_has_a_heading_and_a_row_a_finding() -> None:
    heading, raised, cleared = check("--format", "table", OVERDUE).stdout.splitlines()
    assert heading.split()[:3] == ["at", "table", "round"]
    assert "The stub was not counted within the rounds allowed (rounds 5)" in raised
    assert "16.8(e)" in raised
    assert " cleared " in cleared
    assert "\x1b" not in raised
    assert check("--format", "table", LEGAL).stdout == ""


def test_no_card_dealt_face_down_stands_in_a_finding() -> None:
    for path in sorted(RECORDINGS.glob("*.ndjson")):
        for finding in findings(check(path)):
            assert not re.search(r'"[A2-9TJQK][SHDC]"', json.dumps(finding["detail"]))


def test_progress_is_shown_on_a_terminal_and_changes_no_output(tmp_path: Path) -> None:
    path = tmp_path / "long.ndjson"
    tables = [renamed(LEGAL if number else BREACH, f"T{number}") for number in range(80)]
    path.write_bytes(b"\n".join(line for table in tables for line in table))
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    command = [sys.executable, "-m", "deploy.cli", "check", str(path)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.stdout is not None
        printed = process.stdout.read()
        assert process.wait() == 1
    os.close(leader)
    assert b"long.ndjson" in shown
    assert b"MB" in shown
    assert printed == check(path).stdout_bytes


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
