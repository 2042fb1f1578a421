"""Alarms as records and as bytes and back, and commands from records."""

from dataclasses import asdict, replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import records
from schemas.codec import CODEC
from streams.core.alarms.alarm import MOST_FINDINGS, MOST_STANDING, STATES, Alarm
from streams.core.alarms.commands import Command
from streams.core.alarms.table_alarms import MOST_ACTS_IN_ALL, MOST_CLOSED, NO_ALARMS
from streams.core.codes import CODES
from streams.wire.alarms import (
    NO_BYTES,
    decode_alarms,
    encode_alarms,
    to_alarm_record,
    to_command,
)
from tests.alarm_records import order
from tests.alarm_scene import (
    CRITICAL,
    POINT,
    STANDING,
    START,
    TABLE,
    Scene,
    acknowledge,
    finding,
    shelve,
)
from tests.record_strategies import structs
from tests.traces import BOOK


def worked() -> Scene:
    """Return alarms in several states, with acts, answers and a cause that stands."""
    scene = Scene()
    for code in (POINT, STANDING, CRITICAL):
        scene.raise_(finding(code, position=3))
    acknowledge(scene, note="seen")
    shelve(scene, code=STANDING)
    scene.ask("unshelve", "refused", code=CRITICAL)
    return scene


def test_they_are_read_back_whole() -> None:
    alarms = worked().alarms
    assert {alarm.state for alarm in alarms.alarms} == {"normal", "shelved", "unacknowledged"}
    assert decode_alarms(TABLE, encode_alarms(alarms)) == alarms


def test_none_are_one_byte() -> None:
    assert encode_alarms(NO_ALARMS) == NO_BYTES
    assert len(NO_BYTES) == 1
    assert decode_alarms(TABLE, NO_BYTES) == NO_ALARMS


@given(st.data())
def test_cut_ones_are_refused(data: st.DataObject) -> None:
    whole = encode_alarms(worked().alarms)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises((ValueError, TypeError, LookupError)):
        decode_alarms(TABLE, whole[:cut])


@pytest.mark.parametrize(
    "payload",
    [
        [],
        [[]],
        [[], [], 0, 1],
        [[[1, 2]], [], 0],
        [[], [[1]], 0],
        [[], [[0, 1, ["c", True, None]]], 0],
        7,
    ],
)
def test_other_fields_are_refused(payload: Any) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        decode_alarms(TABLE, msgspec.msgpack.encode(payload))


def test_an_alarm_is_written_with_its_book_and_version() -> None:
    for alarm in worked().alarms.alarms:
        record = to_alarm_record(alarm, BOOK, "1.2.3")
        assert CODEC.decode(CODEC.encode(record), records.Alarm) == record
        assert (record.book.name, record.book.sha256, record.version) == (
            BOOK.name,
            BOOK.sha256,
            "1.2.3",
        )
        assert record.state == alarm.state in STATES
        own = {name: value for name, value in asdict(alarm).items() if name in _SHARED}
        assert {name: msgspec.to_builtins(getattr(record, name)) for name in _SHARED} == (
            msgspec.to_builtins(own)
        )


_SHARED = tuple(
    name for name in records.Alarm.__struct_fields__ if name in Alarm.__dataclass_fields__
)


def test_every_field_of_the_record_but_three_is_the_alarms_own() -> None:
    assert set(records.Alarm.__struct_fields__) - set(_SHARED) == {"state", "book", "version"}


@given(structs(records.OperatorCommand))
def test_a_command_says_all_but_how_it_was_signed_and_in_which_pits(
    record: records.OperatorCommand,
) -> None:
    command = to_command(record)
    own = set(Command.__dataclass_fields__) - {"elsewhere"}
    said = {name: getattr(record, name) for name in own}
    assert said | {"elsewhere": False} == asdict(command)
    assert set(records.OperatorCommand.__struct_fields__) - own == {
        "key",
        "signature",
        "pits",
    }


@pytest.mark.parametrize(
    ("pits", "pit", "elsewhere"),
    [
        ((), "east", False),
        (("east",), "east", False),
        (("west", "east"), "east", False),
        (("west",), "east", True),
        (("west",), None, False),
    ],
)
def test_a_command_says_whether_its_table_is_in_none_of_the_operators_pits(
    pits: tuple[str, ...], pit: str | None, elsewhere: bool
) -> None:
    record = order("acknowledge", table="CS-01", at=START, pits=pits)
    assert to_command(record, pit).elsewhere is elsewhere


def test_the_bytes_are_bounded_however_much_is_done() -> None:
    """An alarm of each code and as many closed ones, every list full, fit into a record."""
    scene = Scene()
    note = "\N{BLACK SPADE SUIT}" * 1000
    for round_ in range(MOST_FINDINGS):
        for number, (code, row) in enumerate(CODES.items()):
            causes = MOST_STANDING // MOST_FINDINGS + 1 if row.state == "standing" else 1
            for cause in range(causes):
                one = finding(code, 10_000 * round_ + 100 * number + cause)
                scene.raise_(replace(one, class_="breach"))
    for number, code in enumerate(2 * list(CODES)):
        scene.ask("comment", f"{number:036}", code=code, note=note, at=START + number)
    alarms = scene.alarms
    assert len(alarms.alarms) == len(CODES)
    assert sum(len(alarm.acts) for alarm in alarms.alarms) == MOST_ACTS_IN_ALL
    assert max(len(alarm.standing) for alarm in alarms.alarms) == MOST_STANDING
    closed = tuple(
        replace(alarm, id=f"{number:032x}", acts=(), closed_at=START)
        for number, alarm in enumerate(alarms.alarms[:MOST_CLOSED])
    )
    whole = replace(alarms, alarms=(*closed, *alarms.alarms))
    assert decode_alarms(TABLE, encode_alarms(whole)) == whole
    assert 256 * 1024 < len(encode_alarms(whole)) < 768 * 1024
