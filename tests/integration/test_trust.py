"""On a real secured Kafka, a real gateway and a real worker: who is believed, and who is not.

The gateway east and its devices are what they should be; the same user of Kafka that it has also
writes what a taken-over gateway could, and the console's user what a taken-over console could.
"""

import json
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from deploy.secure.certificates import Authority, today
from deploy.secure.files import write_private
from deploy.secure.floor_keys import new_key
from producers.gateway.devices import load_devices
from schemas.keys import NamedKey, key_line, load_keys
from schemas.record_signing import GATEWAY, Headers
from schemas.records import Alarm
from streams.wire.acls import ADMIN
from tests.gateway_harness import line
from tests.secured_kafka import EAST, PARTITIONS, Secured
from tests.trust_scene import DEALS, Trusted, own_partition, trusted_floor
from tests.worker_harness import until

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

TABLE = "CS-01"
CODE = "gateway_not_authorised"


@pytest.fixture(scope="module")
def trusted(secured: Secured, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trusted]:
    with trusted_floor(secured, tmp_path_factory.mktemp("trusted")) as running:
        yield running


@pytest.fixture(scope="module")
def slow(trusted: Trusted) -> Iterator[list[socket.socket]]:
    """Connections that begin and then say nothing: one before its handshake is through."""
    opened = [socket.create_connection(("127.0.0.1", trusted.gateway.port)) for _ in range(2)]
    opened[1].sendall(b"\x16\x03\x01\x02\x00\x01")
    yield opened
    for each in opened:
        each.close()


def judged(trusted: Trusted) -> float:
    return trusted.worker.metric("pitwatch_events_total")


def standing(trusted: Trusted) -> Alarm:
    """Return the alarm of a table of the pit east that a record came from a stranger."""
    if trusted.alarm(TABLE, CODE) is None:
        answer = trusted.post(line(1, source="known"), trusted.token("shoe-1"))
        assert answer.status_code == 202
        trusted.drained()
        trusted.write(EAST, DEALS, TABLE, b"unsigned")
    alarm: Alarm = until("the alarm", lambda: trusted.alarm(TABLE, CODE))
    return alarm


def test_what_a_known_device_says_is_signed_and_judged(
    trusted: Trusted, slow: list[socket.socket]
) -> None:
    before = judged(trusted)
    answer = trusted.post(line(1), trusted.token("shoe-1"))
    assert answer.status_code == 202, answer.text
    until("it to be judged", lambda: judged(trusted) == before + 1)
    record = until(
        "the record", lambda: [each for each in trusted.deals.poll() if each.key == b"CS-01"]
    )[0]
    assert dict(record.headers)[GATEWAY] == b"east"
    assert slow


# Records


def forged(trusted: Trusted, how: str) -> tuple[str, bytes, Headers, int]:
    """Return the table, value, headers and partition of a record that must not be taken."""
    east, west = trusted.key("east"), trusted.key("west")
    where = own_partition("CS-01")
    value = trusted.value(1, "CS-01", f"forged/{how}")
    match how:
        case "unsigned_record":
            return "CS-01", value, (), where
        case "unknown_gateway":
            return "CS-01", value, trusted.headers("north", new_key("north"), value, where), where
        case "not_its_table":
            return "CS-01", value, trusted.headers("west", west, value, where), where
        case "not_its_key":
            return "CS-01", value, trusted.headers("east", west, value, where), where
        case "forged_record":
            guessed = NamedKey(east.name, b"g" * 32)
            return "CS-01", value, trusted.headers("east", guessed, value, where), where
        case "another-partition":
            other = (where + 1) % PARTITIONS
            return "CS-01", value, trusted.headers("east", east, value, where), other
        case _:
            return "CS-02", value, trusted.headers("east", east, value, where), where


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("unsigned_record", "unsigned_record"),
        ("unknown_gateway", "unknown_gateway"),
        ("not_its_table", "not_its_table"),
        ("not_its_key", "not_its_key"),
        ("forged_record", "forged_record"),
        ("another-partition", "forged_record"),
        ("another-table", "key_mismatch"),
    ],
)
def test_a_record_that_does_not_bear_out_is_set_aside_and_told(
    trusted: Trusted, how: str, reason: str
) -> None:
    before, counted = judged(trusted), f'pitwatch_dead_letters_total{{reason="{reason}"}}'
    set_aside = trusted.worker.exact(counted)
    table, value, headers, where = forged(trusted, how)
    written = trusted.write(EAST, DEALS, table, value, headers, where)
    letter = trusted.letter_of(written)
    assert letter.reason == reason
    assert letter.value == value
    assert letter.expected
    assert letter.found
    until("it to be counted", lambda: trusted.worker.exact(counted) == set_aside + 1)
    assert judged(trusted) == before
    if reason != "key_mismatch":
        found = until("the finding", lambda: trusted.findings(table))
        assert CODE in {each.code for each in found}


def test_a_signed_record_that_is_written_again_is_a_duplicate(trusted: Trusted) -> None:
    value = trusted.value(1, "CS-02", "replayed")
    where = own_partition("CS-02")
    headers = trusted.headers("east", trusted.key("east"), value, where)
    before, known = judged(trusted), trusted.worker.metric("pitwatch_duplicates_total")
    trusted.write(EAST, DEALS, "CS-02", value, headers)
    until("the first to be judged", lambda: judged(trusted) == before + 1)
    trusted.write(EAST, DEALS, "CS-02", value, headers)
    until(
        "the second to be known",
        lambda: trusted.worker.metric("pitwatch_duplicates_total") == known + 1,
    )
    assert judged(trusted) == before + 1


def test_an_unsigned_record_is_refused_again_when_its_letter_is_replayed_with_a_key(
    trusted: Trusted, tmp_path: Path
) -> None:
    table, value, headers, where = forged(trusted, "unsigned_record")
    written = trusted.write(EAST, DEALS, table, value, headers, where)
    trusted.letter_of(written)
    counted = 'pitwatch_dead_letters_total{reason="unsigned_record"}'
    before, aside = judged(trusted), trusted.worker.exact(counted)
    arguments = ["dlq", "replay", "--reason", "unsigned_record", "--format", "json"]
    arguments += ["--bootstrap", trusted.secured.bootstrap, "--rest", str(tmp_path / "rest")]
    arguments += ["--signing-key-file", str(trusted.keys.signing_key("east"))]
    result = CliRunner().invoke(main, arguments, env=trusted.secured.kept.environment(ADMIN))
    assert json.loads(result.stdout)["replayed"] >= 1, result.output
    until("it to be set aside again", lambda: trusted.worker.exact(counted) > aside)
    assert judged(trusted) == before


def test_a_gateway_that_publishes_for_another_gateways_table_is_found_out(
    trusted: Trusted,
) -> None:
    before = judged(trusted)
    body = line(1, "CS-09", "wide/1")
    assert trusted.post(body, trusted.token("wide")).status_code == 202
    until("its record", lambda: [each for each in trusted.deals.poll() if each.key == b"CS-09"])
    found = until("the finding", lambda: trusted.findings("CS-09"))
    assert [(each.code, dict(each.detail)) for each in found] == [
        (CODE, {"gateway": "east", "reason": "not_its_table"})
    ]
    assert judged(trusted) == before


# Devices


def test_a_token_is_for_its_devices_tables_and_nobody_comes_in_without(trusted: Trusted) -> None:
    token = trusted.token("shoe-1")
    answers = [
        trusted.post(line(2, "CS-02"), token),
        trusted.post(line(2), None),
        trusted.post(line(2), f"{token}x"),
    ]
    assert [each.status_code for each in answers] == [403, 401, 401]
    assert answers[0].json()["error"] == "table: expected one of shoe-1's, CS-01, found CS-02"
    for reason in ("other_table", "no_credentials", "unknown_token"):
        series = f'pitwatch_gateway_turned_away_total{{reason="{reason}"}}'
        assert trusted.gateway.metric(series) >= 1


def test_a_token_that_was_rotated_or_revoked_is_refused_at_once_and_without_a_restart(
    trusted: Trusted,
) -> None:
    old = trusted.token("shoe-2")
    assert trusted.post(line(2, "CS-02", "shoe-2"), old).status_code == 202
    new = trusted.rotate("shoe-2")
    until(
        "the old token to be refused",
        lambda: trusted.post(line(2, "CS-02", "shoe-2"), old).status_code == 401,
    )
    assert trusted.post(line(3, "CS-02", "shoe-2"), new).status_code == 202
    trusted.revoke("shoe-2")
    until(
        "the device to be refused",
        lambda: trusted.post(line(3, "CS-02", "shoe-2"), new).status_code == 401,
    )
    assert trusted.gateway.process.poll() is None


def test_an_oversized_request_is_refused(trusted: Trusted) -> None:
    answer = trusted.post(b"x" * (1024 * 1024 + 1), trusted.token("shoe-1"))
    assert answer.status_code == 413


# Commands


def test_a_command_by_a_viewer_is_refused_though_the_console_signed_it(trusted: Trusted) -> None:
    alarm, (key,) = standing(trusted), load_keys(trusted.keys.command_keys)
    trusted.ask(trusted.order(alarm, "by-a-viewer", role="viewer"), key.key)
    assert trusted.answer(alarm, "by-a-viewer") == (False, "role")


def test_a_command_for_another_pit_is_refused_though_the_console_signed_it(
    trusted: Trusted,
) -> None:
    alarm, (key,) = standing(trusted), load_keys(trusted.keys.command_keys)
    trusted.ask(trusted.order(alarm, "from-afar", pits=("west",)), key.key)
    assert trusted.answer(alarm, "from-afar") == (False, "pit")
    trusted.ask(trusted.order(alarm, "from-here", pits=("west", "east")), key.key)
    assert trusted.answer(alarm, "from-here") == (True, None)


def test_a_command_with_a_key_that_is_not_the_consoles_is_set_aside(trusted: Trusted) -> None:
    alarm = standing(trusted)
    written = trusted.ask(trusted.order(alarm, "guessed"), b"g" * 32)
    assert trusted.letter_of(written).reason == "wrong_signature"


# What is replaced


def read_again(trusted: Trusted, file: str, times: int) -> None:
    """Wait until the worker has read a file again; it looks when there is something to judge."""
    token, seq = trusted.token("shoe-1"), 0

    def said() -> bool:
        nonlocal seq
        seq += 1
        assert trusted.post(line(seq, source=f"{file}/{times}"), token).status_code == 202
        lines = trusted.worker.said("a changed file was read again")
        return len([each for each in lines if each["file"] == file]) == times

    until(f"{file} to be read again", said)


def test_the_keys_of_commands_are_replaced_without_a_restart(trusted: Trusted) -> None:
    alarm, (old,) = standing(trusted), load_keys(trusted.keys.command_keys)
    new = new_key("console.2")
    write_private(trusted.keys.command_keys, (key_line(new) + key_line(old)).encode())
    read_again(trusted, "command_keys", 1)
    trusted.ask(trusted.order(alarm, "with-the-new", key=new.name), new.key)
    assert trusted.answer(alarm, "with-the-new") == (True, None)
    trusted.ask(trusted.order(alarm, "with-the-old"), old.key)
    assert trusted.answer(alarm, "with-the-old") == (True, None)
    write_private(trusted.keys.command_keys, key_line(new).encode())
    read_again(trusted, "command_keys", 2)
    written = trusted.ask(trusted.order(alarm, "once-more"), old.key)
    assert trusted.letter_of(written).reason == "unknown_key"


def test_a_gateways_key_is_replaced_without_a_restart_and_without_a_refusal(
    trusted: Trusted,
) -> None:
    old, new = trusted.key("east"), new_key("east.2")
    token, source = trusted.token("shoe-1"), "rotation"
    keys = [*load_keys(trusted.keys.gateway_keys), new]
    write_private(trusted.keys.gateway_keys, "".join(map(key_line, keys)).encode())
    trusted.plan('["east", "east.2"]')
    read_again(trusted, "floor", 1)
    trusted.drained()
    before, aside = judged(trusted), trusted.worker.metric("pitwatch_dead_letters_total")
    write_private(trusted.keys.signing_key("east"), key_line(new).encode())
    seq = 0

    def signed_anew() -> bool:
        nonlocal seq
        seq += 1
        assert trusted.post(line(seq, source=source), token).status_code == 202
        newest = [each for each in trusted.deals.poll() if each.key == b"CS-01"][-1]
        return bool(dict(newest.headers)["pitwatch.key"] == b"east.2")

    until("the gateway to sign anew", signed_anew)
    trusted.drained()
    assert judged(trusted) == before + seq
    assert trusted.worker.metric("pitwatch_dead_letters_total") == aside
    keys = [each for each in keys if each.name != "east"]
    write_private(trusted.keys.gateway_keys, "".join(map(key_line, keys)).encode())
    trusted.plan('["east.2"]')
    read_again(trusted, "floor", 2)
    value = trusted.value(1, "CS-01", "with-the-old")
    headers = trusted.headers("east", old, value, own_partition("CS-01"))
    written = trusted.write(EAST, DEALS, "CS-01", value, headers)
    assert trusted.letter_of(written).reason == "not_its_key"


def test_the_gateways_certificate_is_replaced_without_a_restart(trusted: Trusted) -> None:
    authority = Authority.new("next", today())
    issued = authority.issue("gateway", ["127.0.0.1"], today())
    write_private(trusted.folder / "key.pem", issued.key)
    (trusted.folder / "certificate.pem").write_bytes(issued.certificate)
    context = ssl.create_default_context(cadata=authority.pem.decode())

    def believed() -> bool:
        try:
            with httpx.Client(verify=context, trust_env=False) as client:
                address = f"https://127.0.0.1:{trusted.gateway.port}/healthz"
                status: int = client.get(address).status_code
                return status == 200
        except httpx.TransportError:
            return False

    until("the new certificate", believed)


# At the end


def test_connections_that_say_nothing_were_ended(slow: list[socket.socket]) -> None:
    for each in slow:
        each.settimeout(60)
        try:
            assert len(each.recv(100)) < 100
        except ConnectionError:
            continue


def test_no_secret_was_said_anywhere(trusted: Trusted) -> None:
    said = [trusted.gateway.log.read_bytes(), trusted.worker.log.read_bytes()]
    for process in (trusted.gateway, trusted.worker):
        answer = process.get("/metrics")
        said.append(b"" if answer is None else answer.content)
    said += [repr(each).encode() for each in trusted.dead.poll()]
    said += [each.value for each in trusted.found.poll()]
    whole = b"\n".join(said)
    assert b"a request was turned away" in whole
    secrets = [trusted.token(device).encode() for device in ("shoe-1", "shoe-2", "wide")]
    for device in load_devices(trusted.keys.devices).devices:
        secrets += [token.digest.encode() for token in device.tokens]
    for path in (trusted.keys.gateway_keys, trusted.keys.command_keys):
        for key in load_keys(path):
            secrets += [key.key, key.key.hex().encode(), repr(key.key)[2:-1].encode()]
    secrets += [b"PRIVATE KEY", b"Bearer pwt_"]
    assert [secret[:6] for secret in secrets if secret in whole] == []
