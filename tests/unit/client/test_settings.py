"""What a client is told is checked before anything is written, and boots always grow."""

from pathlib import Path
from typing import Any

import pytest

from producers.client.identity import BOOT, next_boot
from producers.client.settings import Settings


def settings(**changes: Any) -> Settings:
    told: dict[str, Any] = {
        "gateway": "https://gateway.casino:7301",
        "table": "CS-01",
        "source": "gw/shoe-1",
        "folder": Path("there"),
    }
    return Settings(**(told | changes))


def test_good_settings_are_taken() -> None:
    assert settings().request_lines == 64


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"table": "-a"}, "table: expected 1 to 64"),
        ({"table": "a/b"}, "table: expected 1 to 64"),
        ({"source": ""}, "source: expected 1 to 64"),
        ({"request_lines": 65}, "would come back as late events"),
        ({"gateway": "gateway:7301"}, "gateway: expected http"),
        ({"gateway": "https://me:secret@gateway"}, "gateway: expected http"),
        ({"gateway": "https://gateway:none"}, "gateway: expected http"),
        ({"gateway": "https://gateway:70000"}, "gateway: expected http"),
        ({"gateway": "https://[::1"}, "gateway: expected http"),
        ({"gateway": "https://gateway/?table=1"}, "gateway: expected http"),
        ({"key_file": Path("key")}, "expected a certificate_file beside it"),
        ({"queue_bytes": 0}, "queue_bytes: expected more than 0, found 0"),
        ({"request_bytes": -1}, "request_bytes: expected more than 0, found -1"),
        ({"answer_seconds": 0}, "answer_seconds: expected more than 0, found 0"),
        ({"least_pause": 0.0}, "least_pause: expected more than 0, found 0"),
        ({"most_pause": 0.1}, "most_pause: expected at least least_pause, 0.5, found 0.1"),
    ],
)
def test_others_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as raised:
        settings(**changes)
    assert "secret" not in str(raised.value)


def test_the_first_boot_is_the_time(tmp_path: Path) -> None:
    assert next_boot(tmp_path, lambda: 1_796_000_000) == 1_796_000_000


def test_boots_grow_though_the_clock_goes_back(tmp_path: Path) -> None:
    assert next_boot(tmp_path, lambda: 1_796_000_000) == 1_796_000_000
    assert next_boot(tmp_path, lambda: 12) == 1_796_000_001
    assert next_boot(tmp_path, lambda: 1_796_000_000) == 1_796_000_002
    assert next_boot(tmp_path, lambda: 1_796_000_100) == 1_796_000_100


@pytest.mark.parametrize("damage", [b"", b"00000000 {}\n", b'{"boot":7}', b"\xff"])
def test_a_damaged_boot_is_no_boot(tmp_path: Path, damage: bytes) -> None:
    next_boot(tmp_path, lambda: 5)
    (tmp_path / BOOT).write_bytes(damage)
    assert next_boot(tmp_path, lambda: 100) == 100
