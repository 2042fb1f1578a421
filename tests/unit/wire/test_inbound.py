"""The contract's records and the core's events are the same, kind for kind and field for field."""

import dataclasses

import msgspec
import pytest

from schemas import fields, kinds
from schemas.kinds import AnyBody
from streams.core import cards, events
from streams.core.events import GAMES
from streams.wire.inbound import to_event, to_record
from tests.contract.make_golden import BODIES, event, least


def test_the_kinds_are_the_cores_in_the_same_order() -> None:
    assert list(kinds.KINDS) == list(events.KINDS)
    assert [body.__name__ for body in kinds.BODIES] == [body.__name__ for body in events.BODIES]


@pytest.mark.parametrize("kind", list(kinds.KINDS))
def test_a_kinds_fields_are_the_cores_in_the_same_order(kind: str) -> None:
    mine = [(field.name, field.required) for field in msgspec.structs.fields(kinds.KINDS[kind])]
    cores = [
        (field.name, field.default is dataclasses.MISSING)
        for field in dataclasses.fields(events.KINDS[kind])
    ]
    assert mine == cores


def test_the_vocabularies_are_the_cores() -> None:
    assert set(fields.Card.__args__) == set(cards.DECK)  # type: ignore[attr-defined]  # a Literal has it
    assert set(fields.Game.__args__) == set(GAMES)  # type: ignore[attr-defined]  # a Literal has it
    assert fields.CLOCK_SOURCE == events.CLOCK_SOURCE


@pytest.mark.parametrize("body", BODIES, ids=kinds.kind_of)
def test_an_event_is_taken_over_whole_and_back(body: AnyBody) -> None:
    for record in (event(body), least(event(body))):
        assert isinstance(record, kinds_record := type(event(body)))
        core = to_event(record)
        assert core.identity == record.identity
        assert core.received == record.received
        assert core.body.kind == kinds.kind_of(record.body)
        assert {
            field.name: getattr(core.body, field.name) for field in dataclasses.fields(core.body)
        } == {name: getattr(record.body, name) for name in record.body.__struct_fields__}
        assert to_record(core, record.gateway) == record
        assert type(to_record(core)) is kinds_record


def test_equal_bodies_are_one_object() -> None:
    first, second = (to_event(event(kinds.StubCounted(cards=31))).body for _ in range(2))
    assert first is second


def test_a_number_and_a_truth_value_are_not_one() -> None:
    one = to_event(event(kinds.StubPlaced(exposed=True))).body
    other = to_event(event(kinds.StubPlaced(exposed=1))).body  # type: ignore[arg-type]  # what a careless caller gives
    assert type(one.exposed) is bool  # type: ignore[union-attr]  # a StubPlaced has it
    assert type(other.exposed) is int  # type: ignore[union-attr]  # a StubPlaced has it
