"""`pitwatch doctor` on a login: who can read the password, and when the certificate ends."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.cli.checkups import FAIL, OK, WARN
from deploy.cli.login_checkups import certificate, login, password
from deploy.local.ports import free_port
from streams.brokers.access import Login, PasswordFile

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def who(tmp_path: Path, mode: int) -> Login:
    path = tmp_path / "password"
    path.write_text("a")
    path.chmod(mode)
    return Login("worker", PasswordFile(path), tmp_path / "ca.pem")


@pytest.mark.parametrize(("mode", "verdict"), [(0o600, OK), (0o440, OK), (0o604, WARN)])
def test_a_password_that_everyone_can_read_is_told(tmp_path: Path, mode: int, verdict: str) -> None:
    found = password(who(tmp_path, mode))
    assert (found.verdict, f"{mode:04o}" in found.found) == (verdict, True)
    assert bool(found.todo) is (verdict == WARN)


@pytest.mark.parametrize(("days", "verdict"), [(30, OK), (13, WARN), (-1, FAIL)])
def test_a_certificate_that_ends_soon_is_told(days: int, verdict: str) -> None:
    found = certificate("kafka:9092", NOW + timedelta(days=days), NOW)
    assert found.verdict == verdict
    assert found.found.endswith(f"{max(days, 0)} days")


def test_a_broker_that_shows_no_certificate_is_told(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    _, found = login(address, who(tmp_path, 0o600), NOW)
    assert (found.name, found.verdict) == ("certificate", WARN)
    assert address in found.found
