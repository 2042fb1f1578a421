"""`pitwatch floor acls`, `secrets` and `kafka-users`, as far as they need no Kafka."""

import json
import stat
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from cryptography import x509

from deploy.cli.main import main
from deploy.cli.securing import floor_secrets
from producers.gateway.devices import digest_of, load_devices
from producers.gateway.tls import load_context
from streams.wire.acls import floor_acls
from tests.secured_kafka import FLOOR


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["floor", *arguments])


def listed(result: Result) -> list[dict[str, str]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_list_is_made_of_the_floor_file(tmp_path: Path) -> None:
    (tmp_path / "floor.toml").write_text(FLOOR, encoding="utf-8")
    rows = listed(run("acls", "--format", "json"))
    assert [tuple(row.values()) for row in rows] == [
        (each.user, each.resource, each.name, each.operation)
        for each in floor_acls(("east", "west"))
    ]


def test_a_floor_without_a_file_has_one_gateway() -> None:
    rows = listed(run("acls", "--topic-prefix", "p.", "--application", "a", "--format", "json"))
    assert {row["user"] for row in rows} == {
        *("admin", "worker", "console", "historian", "gateway-gateway")
    }
    assert {row["name"] for row in rows if row["resource"] == "group"} == {"a"}
    assert "p.deals.v1" in {row["name"] for row in rows}


def test_the_list_as_a_table() -> None:
    result = run("acls")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == ["user", "resource", "name", "operation"]


def test_a_file_that_is_named_must_be_there() -> None:
    result = run("acls", "absent.toml")
    assert result.exit_code == 2
    assert "absent.toml" in result.stderr


def test_secrets_are_made_for_every_user_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(FLOOR, encoding="utf-8")
    folder = tmp_path / "secrets"
    assert run("secrets", str(file), "--folder", str(folder)).exit_code == 0
    made = {path.name: path.read_bytes() for path in (folder / "passwords").iterdir()}
    assert set(made) == {
        *("admin", "worker", "console", "historian", "gateway-east", "gateway-west")
    }
    again = run("secrets", str(file), "--folder", str(folder))
    assert again.exit_code == 0
    assert {path.name: path.read_bytes() for path in (folder / "passwords").iterdir()} == made
    for content in made.values():
        assert content.decode().strip() not in again.output


def test_a_gateways_certificate_is_kept_until_it_lacks_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    certificate = folder / "gateway.pem"
    command = ("gateway-certificate", "--folder", str(folder), "--host", "gateway")
    assert run(*command).exit_code == 0
    assert stat.S_IMODE(certificate.stat().st_mode) == 0o600
    assert load_context(certificate, certificate, None)
    made = certificate.read_bytes()
    assert run(*command).exit_code == 0
    assert certificate.read_bytes() == made
    assert run(*command, "--host", "10.0.0.7").exit_code == 0
    (names,) = (
        each.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        for each in x509.load_pem_x509_certificates(certificate.read_bytes())
    )
    assert names.get_values_for_type(x509.DNSName) == ["gateway"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.7"]
    (folder / "authority.pem").write_bytes(b"")
    result = run(*command, "--host", "other")
    assert result.exit_code == 1
    assert "expected the key of an authority and its certificate" in result.stderr


def test_keys_are_made_with_a_device_that_has_its_token_in_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "keys"
    device = ("--device", "simulator", "--table", "BJ-01", "--table", "CS-01")
    for arguments in ((), device, device):
        assert run("keys", "--folder", str(folder), *arguments).exit_code == 0
        known = load_devices(folder / "devices.json").devices
        assert [each.tables for each in known] == ([("BJ-01", "CS-01")] if arguments else [])
    token = (folder / "device-simulator.token").read_text().strip()
    assert known[0].tokens[0].digest == digest_of(token)
    for half, lacking in ((device[:2], "--table"), (device[2:], "--device")):
        result = run("keys", "--folder", str(folder), *half)
        assert result.exit_code == 2
        assert f"{lacking}: expected it beside" in result.stderr


def test_secrets_that_others_can_read_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert run("secrets", "--folder", str(folder)).exit_code == 0
    key = folder / "authority.key"
    key.chmod(0o644)
    result = run("secrets", "--folder", str(folder))
    assert result.exit_code == 1
    assert "mode 0644" in result.stderr
    assert stat.S_IMODE(key.stat().st_mode) == 0o644


def test_only_a_user_of_the_floor_is_given_a_new_password(tmp_path: Path) -> None:
    result = run("kafka-users", "--folder", str(tmp_path), "--renew", "stranger")
    assert result.exit_code == 2
    assert "expected one of admin, worker" in result.stderr


@pytest.mark.parametrize("command", ["worker", "historian", "topics", "doctor"])
def test_some_settings_of_a_login_are_refused_by_every_command(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--kafka-user", "worker"])
    assert result.exit_code == 1
    assert "--kafka-user, --kafka-password-file and --kafka-ca together" in result.stderr


def test_a_login_is_taken_from_the_environment_by_the_name_that_all_share(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    shared = {
        "PITWATCH_KAFKA_USER": "admin",
        "PITWATCH_KAFKA_PASSWORD_FILE": str(absent),
        "PITWATCH_KAFKA_CA": str(absent),
    }
    for command in (["topics"], ["dlq", "list"], ["floor", "acls", "--check"]):
        result = CliRunner().invoke(main, command, env=shared)
        assert result.exit_code == 1, result.output
        assert f"{absent}: expected a file with Kafka's password" in result.stderr


def test_a_floor_is_secured_from_its_beginning_or_not_at_all(tmp_path: Path) -> None:
    assert floor_secrets(tmp_path, secure=False) is None
    (tmp_path / "kafka" / "log").mkdir(parents=True)
    with pytest.raises(click.ClickException, match="in the clear"):
        floor_secrets(tmp_path, secure=True)


def test_a_secured_floor_is_not_opened_by_a_forgotten_flag(tmp_path: Path) -> None:
    kept = floor_secrets(tmp_path, secure=True)
    assert kept is not None
    assert kept.password("worker")
    again = floor_secrets(tmp_path, secure=True)
    assert again == kept
    with pytest.raises(click.ClickException, match="say --secure"):
        floor_secrets(tmp_path, secure=False)
