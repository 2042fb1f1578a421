"""What is written the official library reads, and the other way round; hostile bytes fault."""

from io import BytesIO
from typing import Any

import avro.io
import avro.schema
import fastavro
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import kinds
from schemas.catalog import BY_STRUCT, SUBJECTS
from schemas.codec import CODEC, SINGLE_OBJECT
from schemas.faults import REASONS, CodecFault
from schemas.ndjson import encode_line
from schemas.records import AnyRecord, DealEvent
from streams.wire.inbound import to_event, to_line, to_record
from tests.contract.make_golden import BODIES, RECORDS, event
from tests.record_strategies import RECORDS as TYPES
from tests.record_strategies import deal_events, structs

HEADER = 10
OFFICIAL: dict[type[Any], Any] = {
    subject.struct: avro.schema.parse(subject.newest.text.decode()) for subject in SUBJECTS
}
FASTAVRO = {subject.struct: fastavro.parse_schema(subject.newest.schema) for subject in SUBJECTS}
CODED = [CODEC.encode(record) for record in (*map(event, BODIES), *RECORDS)]
SLOW = settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def lists(value: Any) -> Any:
    """Return a value with lists for tuples, as Avro's libraries give arrays."""
    if isinstance(value, dict):
        return {name: lists(each) for name, each in value.items()}
    return [lists(each) for each in value] if isinstance(value, list | tuple) else value


def plain(record: AnyRecord) -> dict[str, Any]:
    """Return a record's values as Avro has them: no kind in the body, its branch says it."""
    values: dict[str, Any] = msgspec.to_builtins(record, builtin_types=(bytes,))
    if isinstance(record, DealEvent):
        values["body"] = {
            name: getattr(record.body, name) for name in record.body.__struct_fields__
        }
    return {name: lists(value) for name, value in values.items()}


def official_read(data: bytes, struct: type[AnyRecord]) -> Any:
    schema = OFFICIAL[struct]
    stream = BytesIO(data[HEADER:])
    values = avro.io.DatumReader(schema, schema).read(avro.io.BinaryDecoder(stream))
    assert stream.read() == b""
    return values


def official_write(record: AnyRecord) -> bytes:
    """Return a record as the official library writes it.

    Given a union the library takes the last branch that fits, and kinds with equal fields are one
    to it; so the branch of an event's body is written here, and what stands in it by the library.
    """
    struct = type(record)
    stream = BytesIO()
    writer, encoder = avro.io.DatumWriter(), avro.io.BinaryEncoder(stream)
    values = plain(record)
    for field in OFFICIAL[struct].fields:
        schema = field.type
        if isinstance(record, DealEvent) and field.name == "body":
            branch = kinds.BODIES.index(type(record.body))
            encoder.write_long(branch)
            schema = schema.schemas[branch]
        writer.write_data(schema, values[field.name], encoder)
    return SINGLE_OBJECT + BY_STRUCT[struct].newest.mark + stream.getvalue()


@pytest.mark.parametrize("struct", TYPES, ids=lambda struct: struct.__name__)
@given(data=st.data())
@SLOW
def test_the_official_library_reads_what_is_written(
    struct: type[AnyRecord], data: st.DataObject
) -> None:
    record = data.draw(structs(struct))
    assert official_read(CODEC.encode(record), struct) == plain(record)


@pytest.mark.parametrize("struct", TYPES, ids=lambda struct: struct.__name__)
@given(data=st.data())
@SLOW
def test_what_the_official_library_writes_is_read(
    struct: type[AnyRecord], data: st.DataObject
) -> None:
    record = data.draw(structs(struct))
    found: object = CODEC.decode(official_write(record), struct)
    assert found == record


@pytest.mark.parametrize("struct", TYPES, ids=lambda struct: struct.__name__)
@given(data=st.data())
@SLOW
def test_a_record_comes_back_and_its_bytes_are_its_own(
    struct: type[AnyRecord], data: st.DataObject
) -> None:
    record = data.draw(structs(struct))
    written = CODEC.encode(record)
    found: object = CODEC.decode(written, struct)
    assert found == record
    assert CODEC.encode(record) == written


@given(record=deal_events())
@SLOW
def test_an_event_goes_to_the_core_and_back(record: DealEvent) -> None:
    assert to_record(to_event(record), record.gateway) == record


@given(record=deal_events())
@SLOW
def test_a_cores_event_is_the_line_of_its_record(record: DealEvent) -> None:
    assert to_line(to_event(record)).encode() == encode_line(record)


def harmless(data: bytes, struct: type[AnyRecord]) -> None:
    """Read hostile bytes: a record that can be written again, or a fault with a reason."""
    found: object = CODEC.decode(data, struct)
    if isinstance(found, CodecFault):
        assert found.reason in REASONS
        assert len(found.found) < 300
    else:
        assert isinstance(found, struct)
        again: object = CODEC.decode(CODEC.encode(found), struct)
        assert again == found


@given(data=st.binary(max_size=256), struct=st.sampled_from(TYPES))
def test_any_bytes_are_a_record_or_a_fault(data: bytes, struct: type[AnyRecord]) -> None:
    harmless(data, struct)
    harmless(SINGLE_OBJECT + BY_STRUCT[struct].newest.mark + data, struct)


@given(
    data=st.sampled_from(CODED),
    struct=st.sampled_from(TYPES),
    place=st.integers(0, 200),
    change=st.binary(max_size=4),
    cut=st.integers(0, 4),
)
@settings(max_examples=300)
def test_changed_messages_are_a_record_or_a_fault(
    data: bytes, struct: type[AnyRecord], place: int, change: bytes, cut: int
) -> None:
    harmless(data[:place] + change + data[place + cut :], struct)
    own = next(kind for kind in TYPES if data[2:HEADER] == BY_STRUCT[kind].newest.mark)
    harmless(data[:place] + change + data[place + cut :], own)


@pytest.mark.parametrize("struct", TYPES, ids=lambda struct: struct.__name__)
@given(data=st.data())
@SLOW
def test_fastavro_writes_the_same_bytes(struct: type[AnyRecord], data: st.DataObject) -> None:
    record = data.draw(structs(struct))
    values = plain(record)
    if isinstance(record, DealEvent):
        values["body"] = (f"pitwatch.{type(record.body).__name__}", values["body"])
    stream = BytesIO()
    fastavro.schemaless_writer(stream, FASTAVRO[struct], values)
    assert CODEC.encode(record)[HEADER:] == stream.getvalue()
