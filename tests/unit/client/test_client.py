"""A device's client against a gateway that answers by a script: nothing lost, nothing reordered."""

import json
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from producers.client import Client, Settings
from producers.client.disk import FolderInUse
from producers.client.disk_queue import QUEUE_FULL, REFUSED, TOO_LONG
from schemas.ndjson import decode_line
from schemas.records import DealEvent
from tests.gateway_harness import until
from tests.scripted_gateway import Reply, judged, lost, scripted_gateway, status

AWAY = "http://127.0.0.1:1"
"""Nobody listens there."""


def settings(folder: Path, url: str = AWAY, **changes: Any) -> Settings:
    told: dict[str, Any] = {"least_pause": 0.01, "most_pause": 0.02, "answer_seconds": 10}
    told |= changes
    return Settings(gateway=url, table="CS-01", source="shoe", folder=folder / "own", **told)


def test_events_come_in_order_as_the_contract_has_them(tmp_path: Path) -> None:
    noon = datetime(2026, 11, 30, 13, 0, 0, 120_000, timezone(timedelta(hours=1)))
    with scripted_gateway() as gateway, Client(settings(tmp_path, gateway.url)) as client:
        assert client.record("wager_placed", noon, position=2, wager="main", amount=None).seq == 1
        for _ in range(200):
            client.record("no_more_bets")
        assert client.flush(30)
        assert client.status().accepted == 201
    assert gateway.seqs() == list(range(1, 202))
    first = json.loads(gateway.kept[0])
    assert first == {
        "table": "CS-01",
        "source": "shoe",
        "boot": first["boot"],
        "seq": 1,
        "at": "2026-11-30T12:00:00.120000Z",
        "kind": "wager_placed",
        "position": 2,
        "wager": "main",
    }
    assert all(isinstance(decode_line(line), DealEvent) for line in gateway.kept)
    assert all(len(request) <= 64 for request in gateway.requests)


@pytest.mark.parametrize(
    "answer",
    [status(429, Retry_After="0"), status(503), status(408), status(403), status(404), lost],
)
def test_what_is_not_answered_for_comes_again_before_anything_else(
    tmp_path: Path, answer: Callable[[list[bytes]], Reply]
) -> None:
    with (
        scripted_gateway([answer] * 3) as gateway,
        Client(settings(tmp_path, gateway.url, request_lines=5)) as client,
    ):
        for _ in range(20):
            client.record("no_more_bets")
        assert client.flush(30)
        assert client.status().trouble is None
    seqs = gateway.seqs()
    assert list(dict.fromkeys(seqs)) == list(range(1, 21))
    assert [json.loads(lines[0])["seq"] for lines in gateway.requests[:3]] == [1, 1, 1]


def test_a_gateway_that_asks_for_time_gets_it(tmp_path: Path) -> None:
    with scripted_gateway([status(429, Retry_After="200")]) as gateway:
        client = Client(settings(tmp_path, gateway.url))
        client.record("no_more_bets")
        until("an answer", lambda: client.status().trouble)
        assert client.status().trouble == "429: said so"
        client.record("no_more_bets")
        assert not client.flush(0.2)
        client.close(0)
    assert len(gateway.requests) == 1


def test_a_refused_line_never_comes_again_and_is_kept_to_be_looked_at(tmp_path: Path) -> None:
    row = {"line": 1, "field": "kind", "expected": "a kind", "found": '"no_such"'}
    with (
        scripted_gateway([lambda lines: judged(lines, row)]) as gateway,
        Client(settings(tmp_path, gateway.url, request_lines=1)) as client,
    ):
        client.record("no_such")
        client.record("no_more_bets")
        assert client.flush(30)
        assert client.status().drops == {REFUSED: 1}
    assert gateway.seqs() == [1, 2]
    (said,) = (tmp_path / "own" / "refused.ndjson").read_text().splitlines()
    assert json.loads(json.loads(said)["line"])["kind"] == "no_such"
    assert json.loads(said)["field"] == "kind"


def test_a_request_that_is_too_long_goes_in_parts_and_one_line_is_dropped(tmp_path: Path) -> None:
    def narrow(lines: list[bytes]) -> Reply:
        whole = sum(map(len, lines))
        return (413, {}, b"") if whole > 300 else judged(lines)

    with (
        scripted_gateway([narrow] * 50) as gateway,
        Client(settings(tmp_path, gateway.url)) as client,
    ):
        for number in range(8):
            client.record("dealer_arrived", dealer="x" * (400 if number == 3 else 1))
        assert client.flush(30)
        assert client.status().drops == {TOO_LONG: 1}
    assert gateway.seqs() == [1, 2, 3, 5, 6, 7, 8]


def test_a_longer_line_than_any_gateway_takes_is_dropped_at_once(tmp_path: Path) -> None:
    client = Client(settings(tmp_path))
    assert client.record("dealer_arrived", dealer="x" * 17_000).dropped == TOO_LONG
    assert client.record("no_more_bets").seq == 2
    client.close(0)


def test_outages_are_survived_up_to_the_room_there_is(tmp_path: Path) -> None:
    client = Client(settings(tmp_path, queue_bytes=1000))
    dropped = [client.record("no_more_bets").dropped for _ in range(20)]
    kept = dropped.index(QUEUE_FULL)
    assert set(dropped[kept:]) == {QUEUE_FULL}
    assert client.status().drops == {QUEUE_FULL: 20 - kept}
    until("a try", lambda: client.status().trouble)
    client.close(0)
    with scripted_gateway() as gateway, Client(settings(tmp_path, gateway.url)) as later:
        later.record("no_more_bets")
        assert later.flush(30)
        assert later.status().drops == {QUEUE_FULL: 20 - kept}
    assert gateway.seqs() == [*range(1, kept + 1), 1]
    boots = [json.loads(line)["boot"] for line in gateway.kept]
    assert boots[-1] > boots[0]


def test_the_token_is_sent_and_may_change_and_stands_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = tmp_path / "token"
    token.write_text("first\n")
    with (
        scripted_gateway() as gateway,
        Client(settings(tmp_path, gateway.url, token_file=token)) as client,
    ):
        client.record("no_more_bets")
        assert client.flush(30)
        token.write_text("second\n")
        client.record("no_more_bets")
        assert client.flush(30)
        token.write_text("two secrets\n")
        client.record("no_more_bets")
        trouble = until("trouble", lambda: client.status().trouble)
        assert "expected one token" in trouble
        token.write_text("third\n")
        assert client.flush(30)
    sent = [headers["authorization"] for headers in gateway.headers]
    assert sent == ["Bearer first", "Bearer second", "Bearer third"]
    said = caplog.text + repr([vars(record) for record in caplog.records])
    assert not any(word in said for word in ("first", "second", "secrets", "third"))


def test_a_second_client_may_not_have_the_folder(tmp_path: Path) -> None:
    client = Client(settings(tmp_path))
    with pytest.raises(FolderInUse, match="expected a folder of this device's alone"):
        Client(settings(tmp_path))
    client.close(0)
    Client(settings(tmp_path)).close(0)


def test_what_cannot_be_an_event_takes_no_number(tmp_path: Path) -> None:
    client = Client(settings(tmp_path))
    with pytest.raises(ValueError, match="seq: expected none, for the client gives it"):
        client.record("no_more_bets", seq=4)
    with pytest.raises(ValueError, match="expected a time with its zone"):
        client.record("no_more_bets", datetime(2026, 11, 30))  # noqa: DTZ001  what is refused
    with pytest.raises(TypeError):
        client.record("dealer_arrived", dealer=object())
    with pytest.raises(ValueError, match="surrogates"):
        client.record("dealer_arrived", dealer="\ud800")
    assert client.record("no_more_bets", datetime.now(UTC)).seq == 1
    client.close(0)
    with pytest.raises(ValueError, match="expected a client that is open"):
        client.record("no_more_bets")


FULL_DISK = """
    import json, resource, signal, sys
    from pathlib import Path
    from producers.client import Client, Settings
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    client = Client(Settings(gateway="http://127.0.0.1:1", table="T", source="s",
                             folder=Path(sys.argv[1])))
    first = client.record("no_more_bets")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    second = client.record("no_more_bets")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    third = client.record("no_more_bets")
    print(json.dumps([first.dropped, second.dropped, third.dropped, client.status().waiting]))
    client.close(0)
"""


def test_a_disk_that_does_not_write_costs_the_event_that_met_it(tmp_path: Path) -> None:
    assert signal.SIGXFSZ
    assert resource.RLIMIT_FSIZE
    code = textwrap.dedent(FULL_DISK)
    command = [sys.executable, "-c", code, str(tmp_path / "own")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) == [None, "disk_failed", None, 2]
