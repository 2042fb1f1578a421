"""The client as a command: what it says by its exit status."""

import json
import subprocess
import sys
from pathlib import Path

from tests.scripted_gateway import judged, scripted_gateway

AWAY = "http://127.0.0.1:1"


def run(
    folder: Path, url: str, events: bytes, *options: str, table: str = "T"
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "producers.client", "--gateway", url, "--table", table]
    command += ["--source", "s", "--folder", str(folder / "own"), *options]
    return subprocess.run(
        command, input=events.decode(), capture_output=True, text=True, check=False
    )


def test_events_that_wait_are_told_and_sent_by_the_next_start(tmp_path: Path) -> None:
    first = run(tmp_path, AWAY, b'{"kind":"no_more_bets"}', "--flush", "0")
    assert first.returncode == 3
    assert json.loads(first.stdout)["waiting"] == 1
    with scripted_gateway() as gateway:
        second = run(tmp_path, gateway.url, b"")
    assert second.returncode == 0
    assert json.loads(second.stdout)["waiting"] == 0
    assert gateway.seqs() == [1]


def test_lines_that_are_no_events_are_named_and_the_others_sent(tmp_path: Path) -> None:
    lines = [
        b"{",
        b"[" * 100_000,
        b'{"kind":7}',
        b'{"kind":"no_more_bets","seq":9}',
        b'{"kind":"no_more_bets","at":"yesterday"}',
        b'{"kind":"no_more_bets"}',
    ]
    with scripted_gateway() as gateway:
        result = run(tmp_path, gateway.url, b"\n".join(lines))
    assert result.returncode == 1
    assert [line[:7] for line in result.stderr.splitlines()] == [
        f"line {number}:" for number in range(1, 6)
    ]
    assert gateway.seqs() == [1]


def test_a_refused_event_is_told(tmp_path: Path) -> None:
    row = {"line": 1, "field": "kind", "expected": "a kind", "found": '"x"'}
    with scripted_gateway([lambda lines: judged(lines, row)]) as gateway:
        result = run(tmp_path, gateway.url, b'{"kind":"x"}')
    assert result.returncode == 1
    assert json.loads(result.stdout)["drops"] == {"refused": 1}


def test_settings_that_cannot_be_are_told(tmp_path: Path) -> None:
    result = run(tmp_path, AWAY, b"", table="-")
    assert result.returncode == 2
    assert result.stderr.startswith("table: expected 1 to 64 characters")
    (tmp_path / "own").write_text("")
    result = run(tmp_path, AWAY, b"")
    assert result.returncode == 2
    assert "File exists" in result.stderr
