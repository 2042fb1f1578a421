import msgspec
import pytest

from schemas.avro_writer import SIZES, Unfit, long_bytes, string_bytes, writer_of
from schemas.catalog import BY_STRUCT
from schemas.codec import CODEC
from schemas.records import OperatorCommand, TableView
from tests.contract.make_golden import RECORDS


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "00"),
        (-1, "01"),
        (1, "02"),
        (-64, "7f"),
        (64, "8001"),
        (8191, "fe7f"),
        (8192, "808001"),
        (2**63 - 1, "feffffffffffffffff01"),
        (-(2**63), "ffffffffffffffffff01"),
    ],
)
def test_a_long_is_zigzag_in_groups_of_seven_bits(value: int, written: str) -> None:
    assert long_bytes(value).hex() == written


@pytest.mark.parametrize("size", [0, 63, 64, SIZES - 1, SIZES, SIZES + 1, 100_000])
def test_a_text_of_any_size_has_its_length_before_it(size: int) -> None:
    assert string_bytes("x" * size) == long_bytes(size) + b"x" * size


def test_a_command_with_a_long_note_and_signature_comes_back() -> None:
    command = next(record for record in RECORDS if isinstance(record, OperatorCommand))
    longer = msgspec.structs.replace(command, note="é" * 1000, signature=bytes(2000))
    assert CODEC.decode(CODEC.encode(longer), OperatorCommand) == longer


def test_a_type_that_no_record_uses_is_refused() -> None:
    schema = {"fields": [{"name": "id", "type": "double"}]}
    with pytest.raises(ValueError, match="expected a type that a record uses, found 'double'"):
        writer_of(OperatorCommand, schema)


@pytest.mark.parametrize(
    "changes",
    [
        {"at": True},
        {"at": 1.5},
        {"until": 5},
        {"signature": bytearray(2)},
        {"pits": ["main"]},
        {"pits": (["main"],)},
        {"role": None},
        {"note": ""},
        {"note": "\ud800"},
    ],
)
def test_what_is_not_exactly_of_its_type_is_unfit(changes: dict[str, object]) -> None:
    command = next(record for record in RECORDS if isinstance(record, OperatorCommand))
    write = writer_of(OperatorCommand, BY_STRUCT[OperatorCommand].newest.schema)
    assert write(command)
    with pytest.raises((Unfit, TypeError)):
        write(msgspec.structs.replace(command, **changes))


def test_a_record_of_another_type_is_unfit() -> None:
    view = next(record for record in RECORDS if isinstance(record, TableView))
    write = writer_of(TableView, BY_STRUCT[TableView].newest.schema)
    with pytest.raises(Unfit):
        write(msgspec.structs.replace(view, cards=view.marks))
    with pytest.raises(Unfit):
        write(msgspec.structs.replace(view, open=1))


def test_a_list_in_the_place_of_a_tuple_is_written_all_the_same() -> None:
    command = next(record for record in RECORDS if isinstance(record, OperatorCommand))
    listed = msgspec.structs.replace(command, pits=list(command.pits))
    assert CODEC.encode(listed) == CODEC.encode(command)
