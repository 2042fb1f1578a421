"""A device's queue: what is in it survives, in order, and what is dropped is counted."""

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.client import disk_queue
from producers.client.disk import Folder, read_file
from producers.client.disk_queue import DAMAGED, QUEUE_FULL, REFUSED, DiskQueue
from tests.synced_files import synced_files

ROOM = 1024 * 1024


def filled(folder: Path, *lines: bytes) -> DiskQueue:
    queue = DiskQueue(folder, ROOM)
    assert all(queue.append(line) for line in lines)
    return queue


def drained(queue: DiskQueue) -> list[bytes]:
    lines: list[bytes] = []
    while batch := queue.batch(3, ROOM):
        lines += batch.lines
        queue.delivered(batch, {})
    return lines


def segments(folder: Path) -> list[Path]:
    return sorted((folder / disk_queue.SEGMENTS).iterdir())


def test_lines_come_out_in_order(tmp_path: Path) -> None:
    lines = [b"%d" % number for number in range(10)]
    queue = filled(tmp_path, *lines)
    assert queue.waiting == 10
    assert drained(queue) == lines
    assert queue.waiting == 0
    assert queue.batch(3, ROOM) is None


def test_what_was_not_delivered_is_there_at_the_next_start(tmp_path: Path) -> None:
    queue = filled(tmp_path, b"a", b"b", b"c")
    first = queue.batch(2, ROOM)
    assert first is not None
    queue.delivered(first, {REFUSED: 1})
    again = DiskQueue(tmp_path, ROOM)
    assert again.waiting == 1
    assert again.append(b"d")
    assert drained(again) == [b"c", b"d"]
    assert again.drops == {REFUSED: 1}


def test_a_request_is_bounded_by_bytes_but_has_one_line(tmp_path: Path) -> None:
    queue = filled(tmp_path, b"x" * 50, b"y" * 50, b"z")
    first = queue.batch(64, 10)
    assert first is not None
    assert first.lines == (b"x" * 50,)
    whole = queue.batch(64, 102)
    assert whole is not None
    assert whole.lines == (b"x" * 50, b"y" * 50)


def test_a_torn_line_was_never_there(tmp_path: Path) -> None:
    filled(tmp_path, b"a", b"b").close()
    (segment,) = segments(tmp_path)
    segment.write_bytes(segment.read_bytes()[:-1])
    queue = DiskQueue(tmp_path, ROOM)
    assert queue.waiting == 1
    assert queue.append(b"c")
    assert drained(queue) == [b"a", b"c"]
    assert queue.drops == {}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_changed_line_is_dropped_and_counted_once(tmp_path: Path, place: int) -> None:
    lines = [b"aaaa", b"bbbb", b"cccc"]
    filled(tmp_path, *lines).close()
    (segment,) = segments(tmp_path)
    segment.write_bytes(segment.read_bytes().replace(lines[place], b"\rxx\r"))
    queue = DiskQueue(tmp_path, ROOM)
    assert drained(queue) == lines[:place] + lines[place + 1 :]
    assert queue.drops == {DAMAGED: 1}
    assert queue.waiting == 0
    assert DiskQueue(tmp_path, ROOM).drops == {DAMAGED: 1}


def test_a_queue_of_changed_lines_alone_is_emptied(tmp_path: Path) -> None:
    filled(tmp_path, b"aaaa").close()
    (segment,) = segments(tmp_path)
    segment.write_bytes(segment.read_bytes().replace(b"aaaa", b"aaab"))
    queue = DiskQueue(tmp_path, ROOM)
    batch = queue.batch(9, ROOM)
    assert batch is not None
    assert (batch.lines, batch.damaged) == ((), 1)
    queue.delivered(batch, {})
    assert queue.batch(9, ROOM) is None


def test_there_is_room_for_so_much_and_again_when_it_is_delivered(tmp_path: Path) -> None:
    queue = DiskQueue(tmp_path, 100)
    assert queue.append(b"x" * 40)
    assert queue.append(b"x" * 30)
    assert not queue.append(b"x" * 30)
    queue.drop(QUEUE_FULL)
    assert drained(queue)
    assert queue.append(b"x" * 40)
    assert DiskQueue(tmp_path, 100).drops == {QUEUE_FULL: 1}


def test_delivered_segments_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_queue, "SEGMENT_BYTES", 20)
    lines = [b"%04d" % number for number in range(20)]
    queue = filled(tmp_path, *lines)
    assert len(segments(tmp_path)) == 10
    assert drained(queue) == lines
    assert len(segments(tmp_path)) == 1
    queue.close()
    assert DiskQueue(tmp_path, ROOM).waiting == 0
    assert segments(tmp_path) == []


@pytest.mark.parametrize("kept", [0, 1])
def test_a_disk_that_fails_for_long_does_not_fill_with_a_file_of_each_try(
    tmp_path: Path, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = filled(tmp_path, *[b"first"] * kept)

    def failing(_descriptor: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        for _ in range(5):
            with pytest.raises(OSError, match="input/output error"):
                queue.append(b"lost")
    assert len(segments(tmp_path)) == queue.waiting == kept
    assert queue.append(b"last")
    assert drained(queue) == [b"first"] * kept + [b"last"]


def test_the_queues_folder_is_certain_before_a_line_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = synced_files(monkeypatch)
    Folder(tmp_path / "site" / "shoe").close()
    queue = filled(tmp_path / "site" / "shoe", b"a")
    (segment,) = segments(tmp_path / "site" / "shoe")
    assert synced[-2:] == [segment.parent, segment]
    assert set(synced[:-2]) == {tmp_path, tmp_path / "site", tmp_path / "site" / "shoe"}
    queue.close()


def test_a_file_that_cannot_be_read_is_no_file_that_is_absent(tmp_path: Path) -> None:
    assert read_file(tmp_path / "absent") is None
    with pytest.raises(OSError, match="directory"):
        read_file(tmp_path)


def test_files_are_their_owners_alone(tmp_path: Path) -> None:
    queue = filled(tmp_path, b"a")
    queue.save()
    for path in (*segments(tmp_path), tmp_path / disk_queue.PROGRESS):
        assert path.stat().st_mode & 0o077 == 0


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=1, max_size=30).map(lambda data: data.replace(b"\n", b".")),
            st.integers(1, 5),
            st.none(),
        ),
        max_size=40,
    )
)
def test_any_use_of_it_is_a_queue(
    tmp_path_factory: pytest.TempPathFactory, steps: list[bytes | int | None]
) -> None:
    """Bytes are appended, a number delivers so many, nothing starts anew: as a list would."""
    folder = tmp_path_factory.mktemp("queue")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk_queue, "SEGMENT_BYTES", 60)
        queue, model = DiskQueue(folder, ROOM), list[bytes]()
        for step in steps:
            match step:
                case bytes():
                    assert queue.append(step)
                    model.append(step)
                case int():
                    batch = queue.batch(step, ROOM)
                    assert (() if batch is None else batch.lines) == tuple(model[:step])
                    if batch is not None:
                        queue.delivered(batch, {})
                        del model[:step]
                case None:
                    queue.close()
                    queue = DiskQueue(folder, ROOM)
            assert queue.waiting == len(model)
        assert drained(queue) == model
        queue.close()
