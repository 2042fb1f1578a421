"""Recordings and findings as lines, written and read again, and lines of any length."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from schemas.exact import MAX_LINE, read_exactly
from schemas.faults import LineFault
from schemas.ndjson import BOM, decode_line, encode_finding, encode_line, read_lines
from schemas.records import BookName, DealEvent, Finding
from tests.device_lines import EVENT, fault, line

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.ndjson"))


@pytest.fixture(params=RECORDINGS, ids=lambda path: path.stem)
def recording(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_every_recordings_lines_are_read_and_written_again(recording: Path) -> None:
    with recording.open("rb") as stream:
        for _, raw in read_lines(stream):
            event = decode_line(raw)
            assert event == read_exactly(raw)
            if isinstance(event, DealEvent):
                assert json.loads(encode_line(event)) == json.loads(raw)


def test_a_line_is_written_as_the_contract_shows_it() -> None:
    assert encode_line(EVENT) == (
        b'{"table":"CS-03","source":"gw-2/shoe-1","boot":1,"seq":17,"at":"2026-11-30T12:00:05.120Z"'
        b',"kind":"card_dealt","to":"player","face":"down","position":2,"card":"TS"}'
    )


def test_a_finding_is_written_as_the_contract_shows_it() -> None:
    finding = Finding(
        id="0" * 32,
        code="stub_count_overdue",
        clause="16.8(e)",
        class_="breach",
        state="raised",
        severity="high",
        table="CS-03",
        game="caribbean_stud",
        round=5,
        position=None,
        hand=None,
        at=1_796_040_005_120_000,
        events=("CS-03/gw-2/1/88",),
        detail={"rounds": 5},
        book=BookName("nj", "a" * 64),
        version="0.1.0",
    )
    assert encode_finding(finding).decode() == (
        '{"id":"00000000000000000000000000000000","code":"stub_count_overdue","clause":"16.8(e)",'
        '"class":"breach","state":"raised","severity":"high","table":"CS-03",'
        '"game":"caribbean_stud","round":5,"position":null,"hand":null,'
        '"at":"2026-11-30T12:00:05.120Z","events":["CS-03/gw-2/1/88"],"detail":{"rounds":5},'
        f'"book":{{"name":"nj","sha256":"{"a" * 64}"}},"version":"0.1.0"}}'
    )


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", [(1, b"a")]),
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb\r\n", [(1, b"a"), (2, b"b")]),
        (BOM + b"a\nb", [(1, b"a"), (2, b"b")]),
        (BOM, []),
        (BOM + b"\n\na", [(3, b"a")]),
        (b"a\n" + BOM + b"b", [(1, b"a"), (2, BOM + b"b")]),
        (b"\n \t\r\n\na\n\n", [(4, b"a")]),
        (b"a\rb\n", [(1, b"a\rb")]),
    ],
)
def test_lines_are_numbered_and_blank_ones_left_out(
    data: bytes, lines: list[tuple[int, bytes]]
) -> None:
    assert list(read_lines(BytesIO(data))) == lines


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
@pytest.mark.parametrize("mark", [b"", BOM])
def test_the_longest_line_keeps_all_its_bytes(mark: bytes, ending: bytes) -> None:
    raw = line().ljust(MAX_LINE)
    assert list(read_lines(BytesIO(mark + raw + ending))) == [(1, raw)]


@pytest.mark.parametrize("extra", [1, 2, 3, 100, 5 * MAX_LINE])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b""])
def test_a_longer_line_is_cut_refused_and_followed_by_the_next(extra: int, ending: bytes) -> None:
    data = line().ljust(MAX_LINE + extra, b" ") + ending
    after = [(2, b"b")] if ending else []
    (first, *rest) = read_lines(BytesIO(data + (b"b" if ending else b"")))
    assert first[0] == 1
    assert fault(first[1]) == LineFault("line", "at most 16384 bytes", "a longer line")
    assert len(first[1]) <= MAX_LINE + 6
    assert rest == after


def test_a_longer_line_that_begins_blank_is_not_skipped() -> None:
    data = line().rjust(2 * MAX_LINE) + b"\n \nb"
    (first, *rest) = read_lines(BytesIO(data))
    assert fault(first[1]) == LineFault("line", "at most 16384 bytes", "a longer line")
    assert rest == [(3, b"b")]
