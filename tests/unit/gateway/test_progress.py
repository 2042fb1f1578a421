from hypothesis import given
from hypothesis import strategies as st

from producers.gateway.progress import SLOT_SIZE, Progress, decode_slot, encode_slot, runs_of

PROGRESS = st.builds(
    lambda low, above: Progress(low, frozenset(low + each for each in above)),
    st.integers(1, 2**40),
    st.frozensets(st.integers(0, 3000)),
)


@given(st.integers(0, 2**40), PROGRESS)
def test_a_slot_is_read_back(generation: int, progress: Progress) -> None:
    assert decode_slot(encode_slot(generation, progress).ljust(SLOT_SIZE, b"\0")) == (
        generation,
        progress,
    )


@given(PROGRESS, st.data())
def test_a_changed_slot_is_no_slot(progress: Progress, data: st.DataObject) -> None:
    slot = bytearray(encode_slot(3, progress))
    slot[data.draw(st.integers(0, len(slot) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert decode_slot(bytes(slot)) is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_slot_or_none(data: bytes) -> None:
    assert decode_slot(data) is None


def test_too_many_runs_are_left_out_from_the_top() -> None:
    progress = Progress(1, frozenset(range(1, 100_000, 2)))
    slot = encode_slot(1, progress)
    assert len(slot) <= SLOT_SIZE
    read = decode_slot(slot)
    assert read is not None
    assert read[1].low == 1
    assert read[1].done < progress.done
    highest = max(read[1].done)
    assert read[1].done == frozenset(each for each in progress.done if each <= highest)


def test_runs_join_neighbours() -> None:
    assert runs_of([3, 1, 2, 7]) == [(1, 3), (7, 1)]


def test_a_position_is_done_below_the_mark_or_by_name() -> None:
    progress = Progress(5, frozenset({7}))
    assert [position in progress for position in (4, 5, 6, 7, 8)] == [
        True,
        False,
        False,
        True,
        False,
    ]
