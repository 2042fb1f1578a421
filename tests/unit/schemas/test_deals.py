"""What is remembered reads as what is decoded, and memory is bounded."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import kinds
from schemas.catalog import SUBJECTS
from schemas.codec import CODEC, SINGLE_OBJECT_HEADER, Codec
from schemas.deals import BODIES_KEPT, NAMES_KEPT, DealReader
from schemas.faults import MALFORMED, TRUNCATED, CodecFault
from schemas.fields import EARLIEST, LATEST, SAFE_INT
from schemas.kinds import AnyBody
from schemas.records import AnyRecord, DealEvent
from tests.record_strategies import deal_events

R = TypeVar("R", bound=AnyRecord)
Read = tuple[str, str, int, int, int, AnyBody, int | None]

DEAL = DealEvent(
    "CS-03",
    "gw-2/shoe-1",
    1,
    17,
    1_796_040_005_120_000,
    kinds.CardDealt(to="player", face="down", position=2, card="TS"),
    received=1_796_040_005_121_500,
    gateway="gw-2",
)


class Counting(Codec):
    """A codec that counts what it decodes."""

    decoded = 0

    def decode(self, data: bytes, struct: type[R]) -> R | CodecFault:
        """Count and decode."""
        self.decoded += 1
        return super().decode(data, struct)


def make(*event: object) -> tuple[object, ...]:
    return event


def reader(codec: Codec = CODEC) -> DealReader[AnyBody, tuple[object, ...]]:
    return DealReader(codec, lambda body: body, make)


def slowly(data: bytes) -> tuple[object, ...] | CodecFault:
    """Return what the codec alone reads."""
    found = CODEC.decode(data, DealEvent)
    if isinstance(found, CodecFault):
        return found
    return tuple(getattr(found, name) for name in DealEvent.__struct_fields__[:7])


def changed(**changes: object) -> DealEvent:
    return msgspec.structs.replace(DEAL, **changes)


@given(events=st.lists(deal_events(), min_size=1, max_size=4), data=st.data())
def test_what_is_remembered_reads_as_what_is_decoded(
    events: list[DealEvent], data: st.DataObject
) -> None:
    counters = st.integers(1, SAFE_INT) | st.integers(1, 300)
    times = st.integers(EARLIEST, LATEST)
    read = reader()
    for _ in range(3):
        for event in events:
            again = msgspec.structs.replace(
                event, boot=data.draw(counters), seq=data.draw(counters), at=data.draw(times)
            )
            message = CODEC.encode(again)
            assert read.read(message) == slowly(message)


@given(
    place=st.integers(0, 90), change=st.binary(max_size=3), cut=st.integers(0, 3), data=st.data()
)
def test_a_changed_message_reads_as_what_is_decoded(
    place: int, change: bytes, cut: int, data: st.DataObject
) -> None:
    event = data.draw(st.sampled_from([DEAL, changed(boot=200, seq=SAFE_INT)]))
    message = CODEC.encode(event)
    read = reader()
    read.read(message)
    hostile = message[:place] + change + message[place + cut :]
    assert read.read(hostile) == slowly(hostile)


def test_a_byte_set_to_anything_reads_as_what_is_decoded() -> None:
    message = CODEC.encode(changed(seq=70_000))
    read = reader()
    read.read(message)
    for place in range(SINGLE_OBJECT_HEADER, len(message)):
        for byte in range(256):
            hostile = message[:place] + bytes([byte]) + message[place + 1 :]
            assert read.read(hostile) == slowly(hostile)


def test_what_came_once_is_not_decoded_again() -> None:
    codec = Counting()
    read = reader(codec)
    events = [changed(seq=seq, at=DEAL.at + seq * 1000, boot=seq) for seq in range(1, 40_000, 77)]
    assert [read.read(CODEC.encode(event)) for event in events] == [
        slowly(CODEC.encode(event)) for event in events
    ]
    assert codec.decoded == 1


@pytest.mark.parametrize(
    "event",
    [
        changed(received=None),
        changed(received=None, gateway=None),
        changed(table="T" * 64),
    ],
)
def test_what_is_not_remembered_is_read_nevertheless(event: DealEvent) -> None:
    codec = Counting()
    read = reader(codec)
    for turn in (1, 2):
        assert read.read(CODEC.encode(event)) == slowly(CODEC.encode(event))
        assert codec.decoded == turn


def test_an_event_of_a_source_with_no_gateway_is_remembered() -> None:
    codec = Counting()
    read = reader(codec)
    for _ in range(2):
        assert read.read(CODEC.encode(changed(gateway=None))) is not None
    assert codec.decoded == 1


def test_confluents_format_is_read() -> None:
    ids = {number: subject.newest for number, subject in enumerate(SUBJECTS)}
    codec = Codec(ids=ids, confluent=True)
    message = codec.encode(DEAL)
    assert reader(codec).read(message) == slowly(CODEC.encode(DEAL))


def test_what_is_read_in_confluents_format_is_remembered_for_both() -> None:
    codec = Counting()
    read = reader(codec)
    codec.learn({number: subject.newest for number, subject in enumerate(SUBJECTS)}, confluent=True)
    message = codec.encode(DEAL)
    for data in (message, message, CODEC.encode(DEAL)):
        assert read.read(data) == slowly(CODEC.encode(DEAL))
    assert codec.decoded == 1


def test_numbers_in_a_longer_form_than_needed_are_left_to_the_codec() -> None:
    codec = Counting()
    read = reader(codec)
    message = CODEC.encode(DEAL)
    place = SINGLE_OBJECT_HEADER + len("_CS-03_gw-2/shoe-1")
    assert message[place : place + 2] == bytes([2, 34])
    longer = message[:place] + bytes([0x82, 0]) + message[place + 1 :]
    for turn in (1, 2):
        assert read.read(longer) == slowly(longer) == slowly(message)
        assert codec.decoded == turn


def test_a_number_without_an_end_is_a_fault() -> None:
    read = reader()
    message = CODEC.encode(DEAL)
    read.read(message)
    place = SINGLE_OBJECT_HEADER + len("_CS-03_gw-2/shoe-1")
    found = read.read(message[:place] + b"\xff" * 100_000)
    assert isinstance(found, CodecFault)
    assert found.reason in (TRUNCATED, MALFORMED)


def many(events: Iterable[DealEvent]) -> None:
    read = reader()
    for event in events:
        message = CODEC.encode(event)
        assert read.read(message) == slowly(message)


def test_as_many_names_as_any_are_read() -> None:
    many(changed(table=f"T{number}") for number in range(NAMES_KEPT + 2))


@pytest.mark.slow
def test_as_many_bodies_as_any_are_read() -> None:
    many(
        changed(body=kinds.WagerPlaced(position=1, wager="main", amount=amount))
        for amount in range(BODIES_KEPT + 2)
    )
