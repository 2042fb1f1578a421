"""Lines are read the same fast and exactly, and no bytes make the reader raise."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.exact import MAX_LINE, read_exactly
from schemas.faults import LineFault
from schemas.ndjson import decode_line, encode_line
from schemas.records import DealEvent
from tests.record_strategies import recorded_events

SLOW = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=70)
    | st.sampled_from(["TS", "player", "2026-11-30T12:00:05Z", "pitwatch/clock", "tick"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


@given(event=recorded_events())
@SLOW
def test_an_event_is_read_as_it_was_written(event: DealEvent) -> None:
    raw = encode_line(event)
    assert decode_line(raw) == event
    assert read_exactly(raw) == event


@given(event=recorded_events(), escaped=st.booleans(), data=st.data())
@SLOW
def test_order_spaces_and_escapes_change_nothing(
    event: DealEvent, data: st.DataObject, *, escaped: bool
) -> None:
    values = json.loads(encode_line(event))
    names = data.draw(st.permutations(list(values)))
    spaced = json.dumps({name: values[name] for name in names}, ensure_ascii=escaped, indent=1)
    raw = spaced.replace("\n", " ").encode()
    assert decode_line(raw) == event


@given(event=recorded_events(), name=st.text(max_size=9), value=JSON, data=st.data())
@SLOW
def test_a_changed_line_is_read_the_same_fast_and_exactly(
    event: DealEvent, name: str, value: object, data: st.DataObject
) -> None:
    values = json.loads(encode_line(event))
    changed = data.draw(st.sampled_from([*values, name]))
    raw = json.dumps({**values, changed: value}, ensure_ascii=False).encode("utf-8", "replace")
    found = decode_line(raw)
    assert found == read_exactly(raw)
    if isinstance(found, LineFault):
        assert found.expected
        assert len(found.field) < 300
        assert len(found.found) < 300


@given(event=recorded_events(), data=st.data())
@SLOW
def test_a_doubled_field_is_always_seen(event: DealEvent, data: st.DataObject) -> None:
    raw = encode_line(event)
    values = json.loads(raw)
    name = data.draw(st.sampled_from(list(values)))
    twice = data.draw(st.sampled_from([values[name], None, 1, "a:b"]))
    pair = f"{json.dumps(name)}:{json.dumps(twice)}".encode()
    doubled = data.draw(
        st.sampled_from([b"{" + pair + b"," + raw[1:], raw[:-1] + b"," + pair + b"}"])
    )
    assert decode_line(doubled) == LineFault(name, "each field once", "the field twice")


@given(raw=st.binary(max_size=300))
def test_any_bytes_are_an_event_or_a_fault(raw: bytes) -> None:
    assert isinstance(decode_line(raw), DealEvent | LineFault)


@given(event=recorded_events(), place=st.integers(0, 300), change=st.binary(max_size=5))
@SLOW
def test_a_line_with_changed_bytes_is_read_the_same_fast_and_exactly(
    event: DealEvent, place: int, change: bytes
) -> None:
    raw = encode_line(event)
    for changed in (raw[:place] + change + raw[place:], raw[:place] + change + raw[place + 1 :]):
        assert decode_line(changed) == read_exactly(changed)


@given(opened=st.sampled_from([b"[", b'{"a":', b'[{"a":[']), length=st.integers(0, MAX_LINE))
def test_nesting_is_a_fault_however_deep(opened: bytes, length: int) -> None:
    assert isinstance(decode_line((opened * MAX_LINE)[:length]), LineFault)
