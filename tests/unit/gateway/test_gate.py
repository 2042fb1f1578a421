"""Which device a request comes from, what it may say and how much; and what is never shown."""

import json
import logging
from dataclasses import dataclass, field

import pytest

from producers.gateway import gate as gates
from producers.gateway.devices import (
    DeviceFile,
    DevicesFault,
    encode_devices,
    new_token,
    parse_devices,
    with_device,
    with_new_token,
    without_device,
)
from producers.gateway.gate import TURNED, Gate, Known, Turned

NOW = 1_800_000_000_000_000
HOUR = 3600 * 1_000_000


@dataclass
class Scene:
    """A gate, its file and its clocks."""

    file: DeviceFile = field(default_factory=DeviceFile)
    now: int = NOW
    seconds: float = 100.0
    turned: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gate = Gate(
            lambda: Known(self.file),
            lines_a_second=10.0,
            at_once=2,
            turned=self.turned.append,
            clock=lambda: self.now,
            monotonic=lambda: self.seconds,
        )

    def add(self, name: str, *tables: str) -> str:
        token = new_token()
        self.file = with_device(self.file, name, tables, token, self.now)
        return token

    def status(self, authorization: str | None, certified: str | None = None) -> int | str:
        """Return the device let in, which leaves at once, or the status."""
        device = self.gate.enter(authorization, certified)
        if isinstance(device, Turned):
            return device.status
        self.gate.leave(device)
        return device.name


def test_a_device_is_known_by_its_token_however_bearer_is_written() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert scene.status(f"{scheme} {token}") == "shoe-1"
    assert scene.turned == []


@pytest.mark.parametrize(
    ("authorization", "reason"),
    [
        (None, "no_credentials"),
        ("", "no_credentials"),
        ("Bearer", "no_credentials"),
        ("Bearer ", "no_credentials"),
        ("Basic c2hvZTox", "no_credentials"),
        ("Bearer wrong", "unknown_token"),
        ("Bearer \u00e9", "unknown_token"),
        (f"Bearer {'x' * 5000}", "unknown_token"),
    ],
)
def test_who_is_not_known_is_turned_away(authorization: str | None, reason: str) -> None:
    scene = Scene()
    scene.add("shoe-1", "BJ-01")
    assert scene.status(authorization) == 401
    assert scene.turned == [reason]


def test_a_digest_is_no_token() -> None:
    scene = Scene()
    scene.add("shoe-1", "BJ-01")
    assert scene.status(f"Bearer {scene.file.devices[0].tokens[0].digest}") == 401


def test_a_revoked_device_is_turned_away_with_its_token_and_with_its_certificate() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    other = scene.add("shoe-2", "BJ-02")
    assert scene.status(None, "shoe-1") == "shoe-1"
    scene.file = without_device(scene.file, "shoe-1")
    assert scene.status(f"Bearer {token}") == 401
    assert scene.status(None, "shoe-1") == 401
    assert scene.status(f"Bearer {other}") == "shoe-2"
    assert scene.turned == ["unknown_token", "unknown_device"]


def test_an_old_token_holds_as_long_as_it_was_said() -> None:
    scene = Scene()
    first = scene.add("shoe-1", "BJ-01")
    second, third = new_token(), new_token()
    scene.file = with_new_token(scene.file, "shoe-1", second, scene.now, scene.now + HOUR)
    assert [scene.status(f"Bearer {each}") for each in (first, second)] == ["shoe-1"] * 2
    scene.now += HOUR
    assert [scene.status(f"Bearer {each}") for each in (first, second)] == [401, "shoe-1"]
    assert scene.turned == ["expired_token"]
    scene.file = with_new_token(scene.file, "shoe-1", third, scene.now, scene.now)
    assert [scene.status(f"Bearer {each}") for each in (first, second)] == [401, 401]
    assert len(scene.file.devices[0].tokens) == 1
    assert scene.status(f"Bearer {third}") == "shoe-1"


def test_the_tokens_of_a_device_are_bounded() -> None:
    scene = Scene()
    scene.add("shoe-1", "BJ-01")
    for _ in range(10):
        scene.file = with_new_token(scene.file, "shoe-1", new_token(), scene.now, scene.now + HOUR)
    assert len(scene.file.devices[0].tokens) == 4


def test_a_device_speaks_for_its_tables_alone() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01", "BJ-02")
    device = scene.gate.enter(f"Bearer {token}", None)
    assert not isinstance(device, Turned)
    assert scene.gate.stranger(device, ["BJ-01", "BJ-02"]) is None
    turned = scene.gate.stranger(device, ["BJ-01", "CF-09"])
    assert turned is not None
    assert turned.status == 403
    assert turned.text == "table: expected one of shoe-1's, BJ-01, BJ-02, found CF-09"
    scene.file = without_device(scene.file, "shoe-1")
    turned = scene.gate.stranger(device, ["BJ-01"])
    assert turned is not None
    assert "none any more" in turned.text
    assert scene.turned == ["other_table"] * 2


def test_who_says_too_much_waits_until_it_is_paid_and_others_do_not() -> None:
    scene = Scene()
    token, other = scene.add("shoe-1", "BJ-01"), scene.add("shoe-2", "BJ-02")
    device = scene.gate.enter(f"Bearer {token}", None)
    assert not isinstance(device, Turned)
    scene.gate.leave(device)
    scene.gate.charge(device, 200, 200)
    turned = scene.gate.enter(f"Bearer {token}", None)
    assert isinstance(turned, Turned)
    assert (turned.status, turned.retry_after) == (429, 1)
    scene.gate.charge(device, 95, 95)
    turned = scene.gate.enter(f"Bearer {token}", None)
    assert isinstance(turned, Turned)
    assert turned.retry_after == 10
    assert scene.status(f"Bearer {other}") == "shoe-2"
    scene.seconds += 9.6
    assert scene.status(f"Bearer {token}") == "shoe-1"
    assert scene.turned == ["rate", "rate"]


def test_a_long_line_is_paid_as_many_so_that_few_do_not_fill_the_spool() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    device = scene.gate.enter(f"Bearer {token}", None)
    assert not isinstance(device, Turned)
    scene.gate.leave(device)
    scene.gate.charge(device, 1, 300 * 1024)
    turned = scene.gate.enter(f"Bearer {token}", None)
    assert isinstance(turned, Turned)
    assert (turned.reason, turned.retry_after) == ("rate", 10)


def test_a_debt_is_bounded_in_what_is_told() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    device = scene.gate.enter(f"Bearer {token}", None)
    assert not isinstance(device, Turned)
    scene.gate.charge(device, 10**9, 10**9)
    turned = scene.gate.enter(f"Bearer {token}", None)
    assert isinstance(turned, Turned)
    assert turned.retry_after == 300


def test_few_requests_of_a_device_are_under_way_at_once() -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    let_in = [scene.gate.enter(f"Bearer {token}", None) for _ in range(3)]
    assert [isinstance(each, Turned) for each in let_in] == [False, False, True]
    assert not isinstance(let_in[0], Turned)
    scene.gate.leave(let_in[0])
    assert scene.status(f"Bearer {token}") == "shoe-1"
    assert scene.turned == ["at_once"]


def test_what_is_remembered_of_devices_that_are_gone_is_bounded() -> None:
    scene = Scene()
    for number in range(50):
        token = scene.add(f"d-{number}", "BJ-01")
        assert scene.status(f"Bearer {token}") == f"d-{number}"
        scene.file = without_device(scene.file, f"d-{number}")
    assert len(scene.gate._accounts) <= 2


def test_what_is_turned_away_is_told_once_a_minute_and_bounded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "MOST_TOLD", 4)
    scene = Scene()
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            scene.status("Bearer wrong")
        assert len(caplog.records) == 1
        scene.seconds += 60
        scene.status("Bearer wrong")
        assert len(caplog.records) == 2
        for number in range(20):
            scene.status(None, f"stranger-{number}")
    assert len(scene.gate._told) <= 4
    assert len(scene.turned) == 26
    assert set(scene.turned) < set(TURNED)


def test_a_certificates_name_is_shown_so_that_nobody_is_fooled() -> None:
    turned = Scene().gate.enter(None, "a\nb" + "x" * 500)
    assert isinstance(turned, Turned)
    assert "\n" not in turned.text
    assert len(turned.text) < 200


def test_no_token_and_no_digest_is_in_the_file_a_repr_or_a_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    token = scene.add("shoe-1", "BJ-01")
    digest = scene.file.devices[0].tokens[0].digest
    with caplog.at_level(logging.DEBUG):
        device = scene.gate.enter(f"Bearer {token}", None)
        assert not isinstance(device, Turned)
        turned = [
            scene.gate.stranger(device, ["CF-01"]),
            scene.gate.enter(f"Basic {token}", None),
            scene.gate.enter(f"Bearer {token}x", None),
        ]
    assert token.encode() not in encode_devices(scene.file)
    said = repr(scene.file) + repr(device) + repr(turned) + repr(scene.gate) + caplog.text
    said += repr([vars(each) for each in caplog.records])
    assert token not in said
    assert digest not in said


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"devices": [{"name": "a b", "tables": ["BJ-01"]}]},
        {"devices": [{"name": "a", "tables": []}]},
        {"devices": [{"name": "a", "tables": ["?"]}]},
        {"devices": [{"name": "a", "tables": ["BJ-01"], "tokens": [{"digest": "zz"}]}]},
        {"devices": [{"name": "a", "tables": ["BJ-01"]}] * 2},
        {"devices": [{"name": "a", "tables": ["BJ-01"], "tables_too": []}]},
        {"others": []},
    ],
)
def test_a_file_that_holds_something_else_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(DevicesFault, match="expected"):
        parse_devices(json.dumps({"version": 1, "devices": []} | change).encode())


def test_what_is_no_file_of_devices_is_refused_whatever_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for data in (b"", b"{", b"\xff", b"[" * 100_000, b"pwt_abc"):
        with pytest.raises(DevicesFault, match="expected"):
            parse_devices(data)
    monkeypatch.setattr("producers.gateway.devices.LARGEST_FILE", 10)
    with pytest.raises(DevicesFault, match="at most 10 bytes"):
        parse_devices(b" " * 11)


def test_names_are_taken_once_and_known_ones_alone_are_changed() -> None:
    scene = Scene()
    scene.add("shoe-1", "BJ-01")
    with pytest.raises(DevicesFault, match="expected a new name"):
        scene.add("shoe-1", "BJ-02")
    with pytest.raises(DevicesFault, match="found shoe-9"):
        without_device(scene.file, "shoe-9")
    with pytest.raises(DevicesFault, match="expected"):
        scene.add("no name!", "BJ-01")
    assert parse_devices(encode_devices(scene.file)) == scene.file
