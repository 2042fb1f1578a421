"""What is read fast is what fastavro reads, whatever the bytes are."""

from io import BytesIO
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.avro_reader import DOUBTFUL, reader_of
from schemas.catalog import BY_STRUCT
from schemas.codec import CODEC, SINGLE_OBJECT_HEADER
from schemas.records import AnyRecord, DealEvent
from tests.contract.make_golden import RECORDS as GOLDEN
from tests.record_strategies import RECORDS, structs

TYPES = [struct for struct in RECORDS if struct is not DealEvent]
READERS = {struct: reader_of(BY_STRUCT[struct].newest.schema) for struct in TYPES}
SCHEMAS = {struct: fastavro.parse_schema(BY_STRUCT[struct].newest.schema) for struct in TYPES}
SLOW = settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def slowly(struct: type[AnyRecord], data: bytes) -> tuple[Any, int]:
    stream = BytesIO(data)
    return fastavro.schemaless_reader(stream, SCHEMAS[struct], None), stream.tell()


@pytest.mark.parametrize("struct", TYPES, ids=lambda struct: struct.__name__)
@given(data=st.data())
@SLOW
def test_a_written_record_is_read_as_fastavro_reads_it(
    struct: type[AnyRecord], data: st.DataObject
) -> None:
    written = CODEC.encode(data.draw(structs(struct)))[SINGLE_OBJECT_HEADER:]
    assert READERS[struct](written, 0) == slowly(struct, written) != (None, 0)


@given(
    record=st.sampled_from(GOLDEN),
    place=st.integers(0, 400),
    change=st.binary(max_size=4),
    cut=st.integers(0, 4),
)
@settings(max_examples=400)
def test_what_is_read_of_changed_bytes_is_what_fastavro_reads(
    record: AnyRecord, place: int, change: bytes, cut: int
) -> None:
    struct = type(record)
    written = CODEC.encode(record)[SINGLE_OBJECT_HEADER:]
    data = written[:place] + change + written[place + cut :]
    try:
        found, end = READERS[struct](data, 0)
    except DOUBTFUL:
        return
    if end == len(data):
        assert (found, end) == slowly(struct, data)
