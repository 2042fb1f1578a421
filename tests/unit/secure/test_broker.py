"""A secured broker: no listener in the clear, and a first user whose password nobody sees."""

import stat
from pathlib import Path

import pytest

from deploy.local.node import settings_of
from deploy.secure.broker import with_first_user
from deploy.secure.certificates import today
from deploy.secure.folder import Secrets


@pytest.fixture
def kept(tmp_path: Path) -> Secrets:
    found = Secrets(tmp_path / "secrets")
    found.prepare(["kafka"], ["admin"], today())
    return found


def test_a_secured_node_has_no_listener_in_the_clear(tmp_path: Path, kept: Secrets) -> None:
    settings = settings_of(tmp_path, "kafka:9092", kept)
    listeners = [each.partition("://")[0] for each in settings["listeners"].split(",")]
    protocols = dict(
        each.split(":") for each in settings["listener.security.protocol.map"].split(",")
    )
    assert [protocols[each] for each in listeners] == ["SASL_SSL", "SSL", "SSL"]
    assert settings["advertised.listeners"].startswith("SASL_SSL://kafka:9092,")
    assert settings["allow.everyone.if.no.acl.found"] == "false"
    for name in ("internal", "controller"):
        assert settings[f"listener.name.{name}.ssl.client.auth"] == "required"
    assert kept.password("admin").decode() not in str(settings)


def test_a_node_without_secrets_is_spoken_to_in_the_clear(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, "kafka:9092", None)
    assert settings["listeners"].startswith("PLAINTEXT://0.0.0.0:9092,")
    assert not [name for name in settings if name.startswith(("ssl.", "sasl.", "authorizer."))]


def test_the_first_users_password_is_in_no_argument_and_in_a_file_for_a_moment(
    tmp_path: Path, kept: Secrets
) -> None:
    password = kept.password("admin").decode()
    command = ["java", "-cp", 'a "jar"', "Main", "format"]
    with with_first_user(command, kept, tmp_path) as hidden:
        assert hidden[:2] == ["java", "-XX:-UsePerfData"]
        assert password not in " ".join(map(str, hidden))
        file = Path(str(hidden[2]).removeprefix("@"))
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        lines = file.read_text().splitlines()
        assert lines[:4] == ['"-cp"', '"a \\"jar\\""', '"Main"', '"format"']
        assert lines[4] == '"--add-scram"'
        assert password in lines[5]
    assert not file.exists()
    with pytest.raises(RuntimeError), with_first_user(command, kept, tmp_path):
        raise RuntimeError
    assert not file.exists()
