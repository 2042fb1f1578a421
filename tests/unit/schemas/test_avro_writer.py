import msgspec
import pytest

from schemas.avro_writer import SIZES, write_bytes, write_long, write_string, writer_of
from schemas.codec import CODEC
from schemas.records import OperatorCommand
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
    out = bytearray()
    write_long(out, value)
    assert out.hex() == written


@pytest.mark.parametrize("size", [0, 63, 64, SIZES - 1, SIZES, SIZES + 1, 100_000])
def test_a_text_and_bytes_of_any_size_have_their_length_before_them(size: int) -> None:
    length = bytearray()
    write_long(length, size)
    text, data = bytearray(), bytearray()
    write_string(text, "x" * size)
    write_bytes(data, b"x" * size)
    assert text == data == length + b"x" * size


def test_a_command_with_a_long_note_and_signature_comes_back() -> None:
    command = next(record for record in RECORDS if isinstance(record, OperatorCommand))
    longer = msgspec.structs.replace(command, note="é" * 1000, signature=bytes(2000))
    assert CODEC.decode(CODEC.encode(longer), OperatorCommand) == longer


def test_a_type_that_no_record_uses_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a type that a record uses, found 'double'"):
        writer_of("double")
