import pytest

from schemas.fields import EARLIEST, LATEST
from schemas.times import format_time, parse_time


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (EARLIEST, "2000-01-01T00:00:00.000Z"),
        (1_796_040_005_000_000, "2026-11-30T12:00:05.000Z"),
        (1_796_040_005_120_000, "2026-11-30T12:00:05.120Z"),
        (1_796_040_005_120_001, "2026-11-30T12:00:05.120001Z"),
        (1_796_040_005_000_010, "2026-11-30T12:00:05.000010Z"),
        (LATEST, "2100-12-31T23:59:59.999999Z"),
    ],
)
def test_a_time_is_written_and_read_again(micros: int, text: str) -> None:
    assert format_time(micros) == text
    assert parse_time(text) == micros


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("2000-01-01T00:00:00.1Z", 100_000),
        ("2000-01-01T00:00:00.01Z", 10_000),
        ("2000-01-01T00:00:00.001Z", 1_000),
        ("2000-01-01T00:00:00.0001Z", 100),
        ("2000-01-01T00:00:00.00001Z", 10),
        ("2000-01-01T00:00:00.000001Z", 1),
    ],
)
def test_a_fraction_is_of_a_second(text: str, micros: int) -> None:
    assert parse_time(text) == EARLIEST + micros
