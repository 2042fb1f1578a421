from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.gateway.segment import (
    HEADER_SIZE,
    LARGEST_PAYLOAD,
    Damaged,
    Lost,
    Torn,
    Whole,
    frame,
    scan,
    walk,
)

PAYLOADS = st.lists(st.binary(max_size=40), min_size=1, max_size=6)


def frames(payloads: list[bytes], first: int = 1) -> bytes:
    return b"".join(frame(first + place, payload) for place, payload in enumerate(payloads))


@given(PAYLOADS)
def test_whole_frames_are_read_back(payloads: list[bytes]) -> None:
    found = list(scan(frames(payloads)))
    assert [(find.position, find.payload) for find in found if isinstance(find, Whole)] == list(
        enumerate(payloads, start=1)
    )
    assert len(found) == len(payloads)


@given(PAYLOADS, st.data())
def test_a_cut_end_is_torn_and_all_before_it_is_whole(
    payloads: list[bytes], data: st.DataObject
) -> None:
    whole = frames(payloads)
    last = len(frame(1, payloads[-1]))
    cut = data.draw(st.integers(len(whole) - last + 1, len(whole) - 1))
    found = list(scan(whole[:cut]))
    assert found[-1] == Torn(len(whole) - last, cut)
    assert all(isinstance(find, Whole) for find in found[:-1])
    assert len(found) == len(payloads)


@given(PAYLOADS, st.integers(1, 200))
def test_zeros_at_the_end_are_torn(payloads: list[bytes], zeros: int) -> None:
    found = list(scan(frames(payloads) + bytes(zeros)))
    assert isinstance(found[-1], Torn)
    assert sum(isinstance(find, Whole) for find in found) == len(payloads)


@given(PAYLOADS, st.data())
def test_a_flipped_bit_costs_its_own_entry_alone_and_is_never_called_torn(
    payloads: list[bytes], data: st.DataObject
) -> None:
    whole = frames(payloads)
    place = data.draw(st.integers(0, len(whole) - 1))
    rotten = bytearray(whole)
    rotten[place] ^= 1 << data.draw(st.integers(0, 7))
    found = list(walk(bytes(rotten), 0))
    lost = [find for find in found if isinstance(find, Lost)]
    assert len(lost) == 1
    assert lost[0].start <= place < lost[0].end
    read = [find.position for find in found if isinstance(find, Whole)]
    assert read == [p for p in range(1, len(payloads) + 1) if p != lost[0].position]
    assert not any(isinstance(find, Torn) for find in found)


@given(st.binary(max_size=300), PAYLOADS)
def test_any_bytes_are_passed_over_to_the_next_whole_frame(
    noise: bytes, payloads: list[bytes]
) -> None:
    found = list(scan(noise + frames(payloads, first=7)))
    whole = [find for find in found if isinstance(find, Whole)]
    assert [find.payload for find in whole][-len(payloads) :] == payloads
    ends = [(find.start, find.end) for find in found]
    assert ends[0][0] == 0
    assert all(left[1] == right[0] for left, right in pairwise(ends))


def test_damage_between_neighbouring_positions_held_no_entry() -> None:
    data = frame(4, b"a") + b"noise that no one acknowledged, longer than a header" + frame(5, b"b")
    assert [type(find) for find in scan(data)] == [Whole, Damaged, Whole]
    assert [type(find) for find in walk(data, 3)] == [Whole, Whole]


def test_damage_before_a_torn_end_is_told_apart_from_it() -> None:
    rotten = bytearray(frame(1, b"first"))
    rotten[HEADER_SIZE] ^= 1
    torn = frame(2, b"second")[:-1]
    found = list(walk(bytes(rotten) + torn, 0))
    assert found == [
        Lost(0, len(rotten), 1),
        Torn(len(rotten), len(rotten) + len(torn)),
    ]


def test_two_damaged_entries_in_a_row_at_the_end_are_two_losses() -> None:
    first, second = bytearray(frame(1, b"first")), bytearray(frame(2, b"second"))
    first[HEADER_SIZE] ^= 1
    second[HEADER_SIZE] ^= 1
    found = list(walk(bytes(first + second), 0))
    assert [(type(find), getattr(find, "position", 0)) for find in found] == [(Lost, 1), (Lost, 2)]


@given(PAYLOADS, st.data())
def test_frames_that_stray_in_from_elsewhere_cost_nothing_that_stands(
    payloads: list[bytes], data: st.DataObject
) -> None:
    parts = [frame(position, payload) for position, payload in enumerate(payloads, start=10)]
    after = data.draw(st.integers(1, len(parts)))
    older = frame(data.draw(st.integers(1, 9 + after)), b"older")
    noise = data.draw(st.sampled_from([b"", b"x" * 40]))
    stray = data.draw(st.permutations([noise, older, older, noise]))
    found = list(walk(b"".join([*parts[:after], *stray, *parts[after:]]), 9))
    whole = [(find.position, find.payload) for find in found if isinstance(find, Whole)]
    assert whole == list(enumerate(payloads, start=10))
    lost = [find.position for find in found if isinstance(find, Lost)]
    assert lost == ([] if parts[after:] else [10 + len(payloads)])


def test_a_payload_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at most"):
        frame(1, bytes(LARGEST_PAYLOAD + 1))
