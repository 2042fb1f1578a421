"""A device's client with a token or a certificate, at a gateway that asks who it is."""

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.local.leash import spawn
from deploy.local.ports import LOOPBACK, free_port
from deploy.secure.certificates import Authority, today
from deploy.secure.files import write_private
from producers.client import Client, Settings
from tests.architecture.source import ROOT
from tests.gateway_harness import RunningGateway, until
from tests.require import require

TABLE = "CS-01"


def devices(folder: Path, *arguments: str) -> str:
    """Run `pitwatch devices`; return what it prints, such as a token."""
    command = ["devices", "--file", str(folder / "devices.json"), *arguments]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    return result.stdout


@dataclass(frozen=True)
class House:
    """A gateway that lets in the devices of a file, and what the house hands out."""

    folder: Path
    authority: Authority
    gateway: RunningGateway

    def devices(self, *arguments: str) -> str:
        """Run `pitwatch devices` on the gateway's file; return what it prints."""
        return devices(self.folder, *arguments)

    def certificate(self, name: str, authority: Authority) -> dict[str, Path]:
        """Return the files of a device's certificate."""
        issued = authority.issue(name, [], today())
        files = {
            "certificate_file": self.folder / f"{name}.pem",
            "key_file": self.folder / f"{name}.key",
        }
        files["certificate_file"].write_bytes(issued.certificate)
        write_private(files["key_file"], issued.key)
        return files

    @contextmanager
    def client(self, name: str, **told: Any) -> Iterator[Client]:
        settings = Settings(
            gateway=f"https://{LOOPBACK}:{self.gateway.port}",
            table=TABLE,
            source=name,
            folder=self.folder / name,
            least_pause=0.02,
            most_pause=0.1,
            **{"ca_file": self.folder / "authority.pem", **told},
        )
        with Client(settings) as client:
            yield client


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    authority = Authority.new("house", today())
    issued = authority.issue("gateway", [LOOPBACK], today())
    (folder / "authority.pem").write_bytes(authority.pem)
    (folder / "gateway.pem").write_bytes(issued.certificate)
    write_private(folder / "gateway.key", issued.key)
    port, log = free_port(), folder / "gateway.log"
    context = ssl.create_default_context(cafile=folder / "authority.pem")
    address = f"https://{LOOPBACK}:{port}"
    with httpx.Client(base_url=address, verify=context, trust_env=False) as asking:
        command = [sys.executable, "-m", "deploy.cli", "gateway", "--port", str(port)]
        command += ["--bootstrap", f"{LOOPBACK}:{free_port()}", "--spool", str(folder / "spool")]
        command += ["--tls-certificate", str(folder / "gateway.pem")]
        command += ["--tls-key", str(folder / "gateway.key")]
        command += ["--device-ca", str(folder / "authority.pem")]
        command += ["--device-tokens", str(folder / "devices.json")]
        devices(folder, "add", "first", "--table", TABLE)
        with log.open("wb") as output:
            gateway = RunningGateway(spawn(command, output=output), log, port, asking)
        try:
            until("the gateway to accept", gateway.ready)
            yield House(folder, authority, gateway)
        finally:
            gateway.kill()


def test_a_token_taken_back_keeps_the_events_until_there_is_another(house: House) -> None:
    token = house.folder / "token"
    token.write_text(house.devices("add", "shoe", "--table", TABLE))
    with house.client("shoe", token_file=token) as client:
        client.record("no_more_bets")
        assert client.flush(30)
        house.devices("revoke", "shoe")

        def turned_away() -> bool:
            client.record("no_more_bets")
            return "401" in (client.status().trouble or "")

        until("it to be turned away", turned_away)
        waiting = client.status().waiting
        token.write_text(house.devices("add", "shoe", "--table", TABLE))
        assert client.flush(30)
        status = client.status()
    assert waiting
    assert (status.accepted, dict(status.drops)) == (status.seq, {})


def test_another_table_waits_for_the_house(house: House) -> None:
    token = house.folder / "other-token"
    token.write_text(house.devices("add", "other", "--table", "CS-09"))
    with house.client("other", token_file=token) as client:
        client.record("no_more_bets")
        said = "403: the gateway does not know this device: table: expected one of"
        until("its refusal", lambda: said in (client.status().trouble or ""))
        house.devices("add", "own", "--table", TABLE)
        token.write_text(house.devices("rotate", "own"))
        assert client.flush(30)


def test_a_certificate_is_as_good_as_a_token(house: House) -> None:
    house.devices("add", "button", "--certificate", "--table", TABLE)
    with house.client("button", **house.certificate("button", house.authority)) as client:
        client.record("lockout_pressed")
        assert client.flush(30)


def test_a_gateway_that_nobody_vouches_for_is_told_nothing(house: House) -> None:
    other = house.folder / "other.pem"
    other.write_bytes(Authority.new("other", today()).pem)
    with house.client("careful", ca_file=other) as client:
        client.record("no_more_bets")
        trouble = until("an end of the connection", lambda: client.status().trouble)
        assert "CERTIFICATE_VERIFY_FAILED" in trouble
        client.close(0)


def test_the_example_in_bash_has_a_token_over_tls(house: House, tmp_path: Path) -> None:
    require("curl")
    token = house.devices("add", "script", "--table", TABLE).strip()
    (tmp_path / "authorization").write_text(f"Authorization: Bearer {token}\n")
    told = {
        "GATEWAY": f"https://{LOOPBACK}:{house.gateway.port}",
        "TABLE": TABLE,
        "SOURCE": "script",
        "FOLDER": str(tmp_path / "own"),
        "AUTHORIZATION": str(tmp_path / "authorization"),
        "CURL_OPTIONS": f"--cacert {house.folder / 'authority.pem'}",
    }
    headers = {"authorization": f"Bearer {token}"}
    asking = house.gateway.client
    until(
        "the gateway to know it",
        lambda: asking.post("/v1/events", content=b"", headers=headers).status_code == 202,
    )
    before = house.gateway.metric("pitwatch_gateway_accepted_total")
    result = subprocess.run(
        [ROOT / "producers" / "client" / "examples" / "device.sh"],
        input=b'{"kind":"no_more_bets"}\n',
        env=os.environ | told,
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert result.stderr == b""
    assert house.gateway.metric("pitwatch_gateway_accepted_total") == before + 1
