"""Recordings are read whole from files, gzip and standard input, however long or broken."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from deploy.cli.recordings import CHUNK_LINES, BadLine, Chunk, UnreadableFile, open_recording

LINE = (
    b'{"table":"T","source":"gw/shoe","boot":1,"seq":%d,"at":"2026-11-30T12:00:00Z",'
    b'"kind":"table_closed"}'
)


def lines(count: int) -> bytes:
    return b"".join(LINE % seq + b"\n" for seq in range(1, count + 1))


def read(path: Path) -> list[Chunk]:
    with open_recording(str(path)) as recording:
        return list(recording.chunks())


def written(folder: Path, content: bytes) -> Path:
    path = folder / "recording.ndjson"
    path.write_bytes(content)
    return path


def events(chunks: list[Chunk]) -> list[int]:
    return [event.seq for chunk in chunks for event in chunk.events]


def bad(chunks: list[Chunk]) -> list[BadLine]:
    return [line for chunk in chunks for line in chunk.bad]


def test_chunks_hold_all_lines_in_order(tmp_path: Path) -> None:
    count = CHUNK_LINES * 2 + 1
    chunks = read(written(tmp_path, lines(count)))
    assert [chunk.lines for chunk in chunks] == [CHUNK_LINES, CHUNK_LINES, 1]
    assert events(chunks) == list(range(1, count + 1))


def test_gzip_is_seen_by_its_first_bytes(tmp_path: Path) -> None:
    assert events(read(written(tmp_path, gzip.compress(lines(3))))) == [1, 2, 3]


def test_cut_gzip_gives_its_good_lines_and_names_where_it_ends(tmp_path: Path) -> None:
    whole = gzip.compress(lines(100_000), compresslevel=1)
    chunks = read(written(tmp_path, whole[: len(whole) // 2]))
    good = events(chunks)
    assert good == list(range(1, len(good) + 1))
    assert good
    (last,) = bad(chunks)
    assert last.number == len(good) + 1
    assert str(last).startswith(f"line {last.number}: line: expected data that can be read, found")


@pytest.mark.parametrize("count", [1, 3, 400])
@pytest.mark.parametrize("fault", ["cut", "checksum", "garbage", "cut in a second part"])
def test_all_lines_before_a_fault_of_a_gzip_file_are_had(
    tmp_path: Path, count: int, fault: str
) -> None:
    whole = gzip.compress(lines(count))
    broken = {
        "cut": whole[:-8],
        "checksum": whole[:-8] + bytes(8),
        "garbage": whole + b"garbage",
        "cut in a second part": whole + gzip.compress(b"more")[:-8],
    }[fault]
    chunks = read(written(tmp_path, broken))
    assert events(chunks) == list(range(1, count + 1))
    assert [line.number for line in bad(chunks)] == [count + 1]


def test_bad_line_is_named_with_its_source(tmp_path: Path) -> None:
    content = lines(1) + b'{"source": "gw/shoe", "kind": 7}\n\n{not json\n' + LINE % 2
    chunks = read(written(tmp_path, content))
    assert events(chunks) == [1, 2]
    assert [(line.number, line.source) for line in bad(chunks)] == [(2, "gw/shoe"), (4, None)]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(2))))
    with open_recording("-") as recording:
        assert recording.position() == 0
        assert events(list(recording.chunks())) == [1, 2]


def test_position_follows_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, lines(3))
    with open_recording(str(path)) as recording:
        assert recording.position() == 0
        list(recording.chunks())
        assert recording.position() == recording.size == path.stat().st_size


def test_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.ndjson"
    for path, reason in ((missing, "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(
            UnreadableFile, match=f"{path}: expected a file that can be read, found: {reason}"
        ):
            read(path)
