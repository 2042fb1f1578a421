"""`pitwatch doctor --drained` and `--trial` beside real gateways, without a Kafka that answers."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cli import gateway_checkups
from deploy.cli.checkups import FAIL, OK
from deploy.cli.gateway_checkups import Way
from deploy.cli.main import main
from deploy.local.leash import spawn
from deploy.local.ports import free_port
from deploy.secure.certificates import Authority, today
from deploy.secure.files import write_private
from tests.gateway_harness import GATEWAY, line, running_gateway, until

NOWHERE = "127.0.0.1:1"


def test_a_gateway_can_leave_when_it_holds_and_takes_nothing(tmp_path: Path) -> None:
    with running_gateway(tmp_path, NOWHERE, "pitwatch.") as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        empty = gateway_checkups.drained(Way(url), 0.01)
        assert (empty.verdict, empty.found) == (OK, "holds nothing, and took nothing in 0.01 s")

        gateway.post(line(1))
        holding = gateway_checkups.drained(Way(url), 0.01)
        assert (holding.verdict, holding.found) == (FAIL, "holds 1 events")
        assert "another gateway" in holding.todo


def test_a_gateway_that_does_not_answer_cannot_leave() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    result = CliRunner().invoke(main, ["doctor", "--format", "json", "--drained", url])

    (said,) = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert (said["check"], said["verdict"]) == (f"spool {url}", "fail")
    assert said["found"].startswith("ConnectError")


def test_gateways_from_one_on_are_asked_and_where_there_is_none_nobody_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()

    def doctor(first: str) -> tuple[int, list[tuple[str, str]]]:
        command = ["doctor", "--format", "json", "--drained-from", first]
        result = CliRunner().invoke(main, command)
        said = [json.loads(each) for each in result.stdout.splitlines()]
        return result.exit_code, [(each["check"], each["verdict"]) for each in said]

    assert doctor(f"http://gateway-2:{port}") == (2, [])
    monkeypatch.setenv("PITWATCH_DOCTOR_GATEWAYS", "4")
    assert doctor("http://gateway-4:7301") == (0, [("spools", "ok")])
    assert doctor("http://gateway:7301") == (2, [])
    asked = [(f"spool http://gateway-{number}:{port}", "fail") for number in (2, 3)]
    assert doctor(f"http://gateway-2:{port}") == (1, asked)


def test_numbers_of_gateways_go_on_past_nine() -> None:
    assert gateway_checkups.counted_on("https://floor-gateway-9", 11) == [
        "https://floor-gateway-9",
        "https://floor-gateway-10",
    ]


def test_a_gateway_that_took_events_meanwhile_cannot_leave() -> None:
    taking = gateway_checkups.can_leave("spool", 0.0, 2.0, 5.0)

    assert (taking.verdict, taking.found) == (FAIL, "took 2 events in 5 s")


def test_a_trial_whose_round_does_not_come_says_where_to_look(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'pitwatch.db'}"
    CliRunner().invoke(main, ["users", "list", "--database", database])
    with running_gateway(tmp_path, NOWHERE, "pitwatch.") as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        lost = gateway_checkups.trial(Way(url), database, 0.5)

    assert lost.verdict == FAIL
    assert lost.found.startswith("87 accepted, 0 duplicates, 0 rejected; no round of TRIAL-01")
    assert "historian" in lost.todo


def test_a_trial_of_a_gateway_that_is_away_says_so(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'pitwatch.db'}"

    url = f"http://127.0.0.1:{free_port()}"
    away = gateway_checkups.trial(Way(url), database, 0.1)

    assert (away.verdict, away.todo) == (FAIL, "see the gateway's log")


def test_a_token_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    way = Way(f"http://127.0.0.1:{free_port()}", token=tmp_path / "token")

    lost = gateway_checkups.trial(way, f"sqlite:///{tmp_path / 'pitwatch.db'}", 0.1)

    assert (lost.verdict, lost.todo) == (FAIL, "give files that can be read")


def test_a_trial_needs_a_database() -> None:
    result = CliRunner().invoke(main, ["doctor", "--trial", "http://127.0.0.1:7301"])

    assert result.exit_code == 2
    assert "--trial: expected --database too, found none" in result.stderr


def test_a_trial_shows_a_token_and_knows_who_signed_the_certificate(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'pitwatch.db'}"
    CliRunner().invoke(main, ["users", "list", "--database", database])
    authority = Authority.new("floor", today())
    issued = authority.issue("gateway", ["127.0.0.1"], today())
    ca, certificate, key, devices, token = (
        tmp_path / name for name in ("ca.crt", "tls.crt", "tls.key", "devices.json", "token")
    )
    ca.write_bytes(authority.pem)
    certificate.write_bytes(issued.certificate)
    write_private(key, issued.key)
    add = ["devices", "--file", str(devices), "add", "trial", "--table", "TRIAL-01"]
    token.write_text(CliRunner().invoke(main, add).stdout)
    port = free_port()
    command = [*GATEWAY, "--spool", str(tmp_path / "spool"), "--bootstrap", NOWHERE]
    command += ["--port", str(port), "--tls-certificate", str(certificate), "--tls-key", str(key)]
    with (tmp_path / "log").open("wb") as log:
        process = spawn([*command, "--device-tokens", str(devices)], output=log)
    try:
        way = Way(f"https://127.0.0.1:{port}", ca, token)
        until("the gateway to answer", lambda: gateway_checkups.drained(way, 0.01).verdict == OK)
        stranger = gateway_checkups.trial(Way(way.url, ca), database, 0.1)
        known = gateway_checkups.trial(way, database, 0.5)
    finally:
        process.kill()
        process.wait()

    assert "found 401" in stranger.found
    assert known.found.startswith("87 accepted, 0 duplicates, 0 rejected; no round of TRIAL-01")
