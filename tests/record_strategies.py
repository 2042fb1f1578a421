"""Hypothesis strategies for the contract's records, made from their own annotations."""

from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import Struct, inspect

from schemas.fields import CLOCK_SOURCE
from schemas.kinds import BODIES, AnyBody, Tick
from schemas.records import (
    Alarm,
    AnyRecord,
    DealEvent,
    Finding,
    OperatorCommand,
    Round,
    TableView,
)

RECORDS: tuple[type[AnyRecord], ...] = (
    DealEvent,
    Finding,
    Round,
    TableView,
    Alarm,
    OperatorCommand,
)


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Return values of an annotation's type, within its ranges."""
    match kind:
        case inspect.Metadata(inner):
            return values(inner)
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.BytesType():
            return st.binary(max_size=64)
        case inspect.IntType(ge=least, le=most):
            return st.integers(least, most)
        case inspect.StrType(pattern=str(pattern), max_length=most):
            bare = pattern.removeprefix("^").removesuffix(r"$(?!\n)")
            texts = st.from_regex(bare, fullmatch=True)
            return texts.filter(lambda text: most is None or len(text) <= most)
        case inspect.StrType(min_length=least, max_length=most):
            letters = st.characters(exclude_categories=["Cs"])
            return st.text(letters, min_size=least or 0, max_size=min(most or 64, 64))
        case inspect.LiteralType(values=words):
            return st.sampled_from(words)
        case inspect.UnionType(types=types):
            return st.one_of([values(each) for each in types])
        case inspect.VarTupleType(item_type=item):
            unique = isinstance(item, inspect.LiteralType)
            return st.lists(values(item), max_size=4, unique=unique).map(tuple)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(values(key), values(value), max_size=4)
        case inspect.StructType(cls=struct):
            return structs(struct)
    raise AssertionError(f"no strategy for {kind}")


def structs(struct: type[Struct]) -> st.SearchStrategy[Any]:
    """Return records of a type."""
    if struct is DealEvent:
        return deal_events()
    return st.builds(
        struct,
        **{
            field.name: values(inspect.type_info(field.type))
            for field in msgspec.structs.fields(struct)
        },
    )


def bodies() -> st.SearchStrategy[AnyBody]:
    """Return bodies of every kind that a device may send."""
    return st.one_of([structs(body) for body in BODIES if body is not Tick])


def deal_events(body: st.SearchStrategy[AnyBody] | None = None) -> st.SearchStrategy[DealEvent]:
    """Return events as they stand on the deal topic."""
    fields = {field.name: field.type for field in msgspec.structs.fields(DealEvent)}
    strategies = {
        name: values(inspect.type_info(annotation))
        for name, annotation in fields.items()
        if name != "body"
    }
    strategies["source"] = strategies["source"].filter(lambda source: source != CLOCK_SOURCE)
    return st.builds(DealEvent, **strategies, body=bodies() if body is None else body)


def recorded_events() -> st.SearchStrategy[DealEvent]:
    """Return events as a recording holds them: no gateway has received them."""
    return deal_events().map(
        lambda event: msgspec.structs.replace(event, received=None, gateway=None)
    )
