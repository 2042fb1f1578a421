"""`pitwatch devices`: a token is shown once, and the file has only its digest."""

import json
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from producers.gateway.devices import digest_of, load_devices


def devices(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["devices", "--file", str(file), *arguments])


def token_of(result: Result) -> str:
    assert result.exit_code == 0, result.output
    (token,) = result.stdout.split()
    return token


def listed(file: Path) -> list[dict[str, Any]]:
    result = devices(file, "list", "--format", "json")
    assert result.exit_code == 0, result.output
    return [json.loads(row) for row in result.stdout.splitlines()]


def test_a_device_is_added_listed_rotated_and_revoked(tmp_path: Path) -> None:
    file = tmp_path / "new" / "devices.json"
    token = token_of(devices(file, "add", "shoe-1", "--table", "BJ-01", "--table", "BJ-02"))
    assert S_IMODE(file.stat().st_mode) == 0o600
    assert token not in file.read_text()
    assert digest_of(token) in file.read_text()
    (row,) = listed(file)
    assert row["device"] == "shoe-1"
    assert row["tables"] == ["BJ-01", "BJ-02"]
    assert row["ends"] is None
    second = token_of(devices(file, "rotate", "shoe-1", "--overlap", "2"))
    assert [row["ends"] is None for row in listed(file)] == [False, True]
    shown = devices(file, "list").output
    for secret in (token, second):
        assert secret not in shown
        assert digest_of(secret) not in shown + json.dumps(listed(file))
    assert devices(file, "revoke", "shoe-1").exit_code == 0
    assert load_devices(file).devices == ()


def test_a_rotation_without_overlap_ends_the_token_before_at_once(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    token_of(devices(file, "add", "shoe-1", "--table", "BJ-01"))
    second = token_of(devices(file, "rotate", "shoe-1"))
    (device,) = load_devices(file).devices
    assert [each.digest for each in device.tokens] == [digest_of(second)]


def test_a_device_may_be_known_by_its_certificate(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    result = devices(file, "add", "shoe-1", "--table", "BJ-01", "--certificate")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "common name is shoe-1" in result.stderr
    assert [row["known_by"] for row in listed(file)] == ["certificate"]
    assert "certificate" in devices(file, "list").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "shoe-1", "--table", "BJ-01"], "expected a new name, found shoe-1"),
        (["add", "no name", "--table", "BJ-01"], "expected"),
        (["rotate", "shoe-9"], "found shoe-9, which is not in it"),
        (["revoke", "shoe-9"], "found shoe-9, which is not in it"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    file = tmp_path / "devices.json"
    token_of(devices(file, "add", "shoe-1", "--table", "BJ-01"))
    before = file.read_bytes()
    result = devices(file, *arguments)
    assert result.exit_code == 1
    assert said in result.output
    assert file.read_bytes() == before


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "devices.json"
    result = devices(file, "list")
    assert result.exit_code == 1
    assert f"{file}: expected a file of devices, found: No such file" in result.output
    file.write_text("secret-looking")
    for command in (["list"], ["add", "a", "--table", "BJ-01"]):
        result = devices(file, *command)
        assert result.exit_code == 1
        assert "expected a file that `pitwatch devices` wrote" in result.output
