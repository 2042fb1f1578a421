from typing import Any

import pytest

from schemas.avro_reader import DOUBTFUL, reader_of
from schemas.avro_writer import long_bytes, string_bytes


def schema(kind: Any) -> dict[str, Any]:
    return {"type": "record", "fields": [{"name": "it", "type": kind}]}


def read(kind: Any, data: bytes) -> tuple[Any, int]:
    values, end = reader_of(schema(kind))(data, 0)
    return values["it"], end


@pytest.mark.parametrize(
    "number",
    [
        0,
        -1,
        63,
        -64,
        64,
        8191,
        -8192,
        8192,
        2**31,
        1_796_040_005_120_000,
        2**56,
        2**63 - 1,
        -(2**63),
    ],
)
def test_an_integer_of_any_size_is_read(number: int) -> None:
    for behind in (b"", bytes(8), b"\xff" * 8):
        data = long_bytes(number)
        if behind or len(data) not in range(3, 8):
            assert read("long", data + behind) == (number, len(data))


@pytest.mark.parametrize("size", [0, 48, 49, 63, 64, 5000])
def test_a_text_of_any_size_is_read(size: int) -> None:
    data = string_bytes("x" * size)
    assert read("string", data) == ("x" * size, len(data))


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("long", b"\xff" * 10 + b"\x01"),
        ("long", b""),
        ("string", b"\x01"),
        ("string", b"\x04\xff\xff"),
        ("string", b"\x80\x01" + b"\xff" * 64),
        ("bytes", b"\x01"),
        ("boolean", b"\x02"),
        (["null", "long"], b"\x04"),
        (["long", "string"], b"\x04"),
        ({"type": "array", "items": "long"}, b"\x01\x02\x02\x00"),
        ({"type": "array", "items": "long"}, b"\x02\x02\x02\x02\x00"),
        ({"type": "map", "values": "long"}, b"\x02\x02a\x02\x02\x02b\x02\x00"),
    ],
)
def test_what_is_no_whole_value_or_in_another_form_is_left_to_fastavro(
    kind: Any, data: bytes
) -> None:
    with pytest.raises(DOUBTFUL):
        read(kind, data)


def test_a_type_that_no_record_uses_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a type that a record uses, found 'double'"):
        reader_of(schema("double"))
