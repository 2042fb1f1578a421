import errno
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from producers.gateway.entries import Accepted, Entry, Merged, Refused, encode_entry
from producers.gateway.progress import SLOT_SIZE, Progress
from producers.gateway.segment import HEADER_SIZE, MAGIC
from producers.gateway.spool import DAMAGE, PROGRESS_NAME, Spool, SpoolReader
from tests.crashing_files import Crash, CrashingFiles

SEGMENT = 400


def accepted(number: int) -> Accepted:
    return Accepted(
        table="CS-01",
        source="gw-1/shoe",
        boot=1,
        seq=number,
        at=number,
        received=1000 + number,
        digest=b"d" * 16,
        value=bytes([number % 256]) * (number % 50),
    )


def opened(files: CrashingFiles) -> Spool:
    return Spool(files, segment_bytes=SEGMENT)


def fill(spool: Spool, numbers: range) -> None:
    for number in numbers:
        spool.append([encode_entry(accepted(number))])


def read_all(spool: Spool) -> list[tuple[int, Entry]]:
    reader = SpoolReader(spool)
    entries: list[tuple[int, Entry]] = []
    while batch := reader.read():
        entries += batch
    return entries


def sequence_numbers(spool: Spool) -> list[int]:
    return [entry.seq for _, entry in read_all(spool) if isinstance(entry, Accepted)]


def test_entries_are_read_in_order_over_many_segments_and_after_reopening() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 41))
    assert sequence_numbers(spool) == list(range(1, 41))
    assert len([name for name in files.names() if name != PROGRESS_NAME]) > 3
    again = opened(files)
    assert sequence_numbers(again) == list(range(1, 41))
    assert again.next_position == 41
    assert (again.recovered.waiting, again.recovered.oldest) == (40, 1001)
    assert again.size == spool.size > 0


def test_a_reader_sees_what_is_appended_after_it_read() -> None:
    spool = opened(CrashingFiles())
    reader = SpoolReader(spool)
    assert reader.read() == []
    for number in range(1, 20):
        fill(spool, range(number, number + 1))
        assert reader.read() == [(number, accepted(number))]
        assert reader.read() == []
    assert reader.next_position == 20


def test_each_append_is_synced_before_it_returns() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 3))
    name = f"{1:020d}.log"
    assert files.calls[-4:] == [("append", name), ("sync", name), ("append", name), ("sync", name)]


def test_done_segments_are_deleted_and_the_last_is_kept() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 41))
    whole = spool.size
    spool.drop_below(20)
    assert sequence_numbers(spool)[-1] == 40
    assert sequence_numbers(spool)[0] <= 20
    assert spool.size < whole
    spool.drop_below(41)
    assert len(files.names()) == 2
    assert 0 < spool.size <= 2 * SEGMENT


def test_progress_is_kept_and_what_is_done_is_not_counted_as_waiting() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 11))
    spool.save_progress(Progress(4, frozenset({6, 7})))
    spool.sync_progress()
    again = opened(files)
    assert again.progress == Progress(4, frozenset({6, 7}))
    assert (again.recovered.waiting, again.recovered.oldest) == (5, 1004)
    assert SpoolReader(again).read()[0] == (4, accepted(4))


def test_positions_go_on_where_progress_was_though_the_segments_are_gone() -> None:
    files = CrashingFiles()
    spool = opened(files)
    spool.save_progress(Progress(100, frozenset({120})))
    again = opened(files)
    assert again.append([encode_entry(accepted(1))]) == 121
    assert [position for position, _ in read_all(again)] == [121]


def test_a_rotten_progress_slot_falls_back_to_the_one_before() -> None:
    files = CrashingFiles()
    spool = opened(files)
    for low in (2, 3):
        spool.save_progress(Progress(low))
    files.flip(PROGRESS_NAME, SLOT_SIZE + 20, 0)
    assert opened(files).progress == Progress(2)


@given(chance=st.randoms(use_true_random=False), saves=st.integers(1, 5))
def test_a_power_cut_keeps_at_least_the_progress_that_was_synced_last(
    chance: random.Random, saves: int
) -> None:
    files = CrashingFiles()
    spool = opened(files)

    def save(low: int) -> None:
        # so many above it that a slot has several sectors
        spool.save_progress(Progress(low, frozenset(range(low + 200, low + 1000, 2))))

    for synced in (10, 20):
        for low in range(synced - saves, synced + 1):
            save(low)
        spool.sync_progress()
    for low in range(21, 21 + saves):
        save(low)
    assert 20 <= opened(files.crash(chance, power=True)).progress.low < 21 + saves
    assert opened(files.crash(chance, power=False)).progress.low == 20 + saves


def test_a_progress_that_was_not_written_whole_costs_none_before_it() -> None:
    files = CrashingFiles()
    spool = opened(files)
    for low in (2, 3):
        spool.save_progress(Progress(low))
    files.overwrite_fault = True
    with pytest.raises(OSError, match="input/output"):
        spool.save_progress(Progress(4))
    files.overwrite_fault = False
    files.steps = 0
    with pytest.raises(Crash):
        spool.save_progress(Progress(5))
    assert opened(files.crash(random.Random(1), power=False)).progress.low >= 3


def test_of_all_segments_only_the_one_that_is_written_is_held_open() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 41))
    spool.save_progress(Progress(2))
    last = max(name for name in files.names() if name != PROGRESS_NAME)
    assert files.written == {PROGRESS_NAME, last}
    files.fault = OSError(errno.EIO, "input/output error")
    with pytest.raises(OSError, match="input/output"):
        fill(spool, range(41, 42))
    assert files.written == {PROGRESS_NAME}


def test_a_torn_end_is_cut_and_said(caplog: pytest.LogCaptureFixture) -> None:
    files = CrashingFiles()
    fill(opened(files), range(1, 4))
    name = f"{1:020d}.log"
    size = files.size(name)
    files.truncate(name, size - 3)
    again = opened(files)
    assert again.recovered.torn > 0
    assert "spool end torn" in caplog.messages
    assert sequence_numbers(again) == [1, 2]
    fill(again, range(3, 5))
    assert sequence_numbers(opened(files)) == [1, 2, 3, 4]


def test_a_flipped_bit_costs_one_entry_which_becomes_a_dead_letter_in_its_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    files = CrashingFiles()
    fill(opened(files), range(1, 21))
    name = f"{1:020d}.log"
    original = files.read(name, 0, files.size(name))
    files.flip(name, 100, 3)
    again = opened(files)
    assert (again.recovered.lost, again.recovered.waiting) == (1, 20)
    assert "spool entry damaged" in caplog.messages
    entries = dict(read_all(again))
    assert sorted(entries) == list(range(1, 21))
    (lost,) = [entry for entry in entries.values() if isinstance(entry, Refused)]
    assert lost.reason == DAMAGE
    assert lost.length == len(lost.raw)
    assert len(lost.raw) < len(original)
    assert sequence_numbers(opened(files)) == sequence_numbers(again)


def test_damage_that_is_done_with_is_no_dead_letter_and_damage_has_no_age() -> None:
    files = CrashingFiles()
    fill(Spool(files, segment_bytes=100_000), range(1, 4))
    name = f"{1:020d}.log"
    files.flip(name, HEADER_SIZE, 0)
    again = Spool(files, segment_bytes=100_000)
    assert (again.recovered.lost, again.recovered.waiting) == (1, 3)
    assert again.recovered.oldest == 1002
    again.save_progress(Progress(2))
    done = Spool(files, segment_bytes=100_000)
    assert (done.recovered.lost, done.recovered.waiting) == (0, 2)


def test_nothing_is_written_behind_damage_so_that_it_is_read_the_same_for_ever() -> None:
    files = CrashingFiles()
    fill(Spool(files, segment_bytes=100_000), range(1, 4))
    name = f"{1:020d}.log"
    whole = files.read(name, 0, files.size(name))
    second = whole.index(MAGIC, 1)
    files.flip(name, second + HEADER_SIZE, 0)
    files.flip(name, whole.index(MAGIC, second + 1), 0)

    spool = Spool(files, segment_bytes=100_000)
    lost = read_all(spool)
    fill(spool, range(4, 5))

    assert [position for position, _ in lost] == [1, 2, 3]
    assert read_all(spool) == [*lost, (4, accepted(4))]
    assert read_all(Spool(files, segment_bytes=100_000)) == [*lost, (4, accepted(4))]


def test_an_entry_of_a_later_program_becomes_a_dead_letter() -> None:
    spool = opened(CrashingFiles())
    spool.append([b"\x93\xa6newest\x01\x02", encode_entry(accepted(2))])
    (_, unknown), (_, known) = read_all(spool)
    assert isinstance(unknown, Refused)
    assert unknown.reason == DAMAGE
    assert known == accepted(2)


def test_decisions_on_order_do_not_wait_for_publishing() -> None:
    files = CrashingFiles()
    opened(files).append([encode_entry(Merged((2, 1)))])
    assert opened(files).recovered.waiting == 0


@pytest.mark.parametrize("where", ["append", "sync"])
def test_after_a_fault_of_the_disk_nothing_of_the_batch_is_read_and_the_next_is_good(
    where: str,
) -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 3))
    fault = OSError(errno.EIO, "input/output error")
    if where == "append":
        files.fault = fault
    else:
        files.sync_fault = fault
    with pytest.raises(OSError, match="input/output error"):
        fill(spool, range(3, 4))
    fill(spool, range(4, 6))
    assert sequence_numbers(spool) == [1, 2, 4, 5]
    assert sequence_numbers(opened(files)) == [1, 2, 4, 5]


def test_what_follows_a_segment_made_before_a_kill_is_read() -> None:
    """The disk fails the first append, the next makes its segment, and there the process dies."""
    files = CrashingFiles()
    spool = opened(files)
    files.fault = OSError(errno.EIO, "input/output error")
    with pytest.raises(OSError, match="input/output"):
        spool.append([encode_entry(accepted(number)) for number in range(4)])
    files.steps = 1
    with pytest.raises(Crash):
        spool.append([encode_entry(accepted(4))])
    files = files.crash(random.Random(1), power=False)
    spool = opened(files)
    spool.append([encode_entry(accepted(5))])
    assert sequence_numbers(spool) == [5]
    assert sequence_numbers(opened(files)) == [5]


def test_a_full_disk_refuses_each_append_leaves_no_empty_files_and_recovers() -> None:
    files = CrashingFiles()
    spool = opened(files)
    fill(spool, range(1, 3))
    before = files.names()
    files.full = True
    for number in range(3, 8):
        with pytest.raises(OSError, match="no space left"):
            fill(spool, range(number, number + 1))
    assert files.names() == before
    files.full = False
    fill(spool, range(8, 10))
    assert sequence_numbers(spool) == [1, 2, 8, 9]
    assert sequence_numbers(opened(files)) == [1, 2, 8, 9]


@settings(deadline=None, max_examples=150)
@given(
    batches=st.lists(st.integers(1, 5), max_size=12),
    steps=st.integers(0, 60),
    chance=st.randoms(use_true_random=False),
    power=st.booleans(),
)
def test_whatever_append_returned_for_survives_a_crash_at_any_step_in_order(
    batches: list[int], steps: int, chance: random.Random, power: bool
) -> None:
    files = CrashingFiles()
    promised: dict[int, int] = {}
    low = number = 0
    for _ in range(2):
        files.steps = steps
        try:
            spool = opened(files)
            for size in batches:
                batch = [encode_entry(accepted(number + each)) for each in range(size)]
                number += size
                first = spool.append(batch)
                promised |= {first + each: number - size + each for each in range(size)}
                if size == 2:
                    low = first
                    spool.save_progress(Progress(low))
                    spool.sync_progress()
                    spool.drop_below(low)
        except Crash:
            pass
        files = files.crash(chance, power=power)
        spool = opened(files)
        read = {
            position: entry.seq
            for position, entry in read_all(spool)
            if isinstance(entry, Accepted)
        }
        assert {at: seq for at, seq in promised.items() if at >= low}.items() <= read.items()
        assert list(read.items()) == sorted(read.items())
        assert list(read.values()) == sorted(read.values())
        assert read_all(opened(files)) == read_all(spool)
