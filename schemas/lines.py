"""The shape of a JSON line of each kind: the envelope's fields, the kind, and the body's fields."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from schemas import fields as f
from schemas.check import without_none
from schemas.kinds import KINDS, AnyBody, Tick

DEVICE_KINDS: Final[dict[str, type[AnyBody]]] = {
    kind: body for kind, body in KINDS.items() if body is not Tick
}
"""The kinds that a device may send, by name."""


def _line_record(
    kind: str, body: type[AnyBody], table: object, source: object, at: object
) -> type[Struct]:
    envelope = [
        ("table", table),
        ("source", source),
        ("boot", f.Counter),
        ("seq", f.Counter),
        ("at", at),
    ]
    own = [
        (each.name, each.type) if each.required else (each.name, without_none(each.type), None)
        for each in msgspec.structs.fields(body)
    ]
    record = msgspec.defstruct(
        body.__name__,
        cast(Any, [*envelope, *own]),
        tag_field="kind",
        tag=kind,
        frozen=True,
        forbid_unknown_fields=True,
        omit_defaults=True,
        gc=False,
    )
    record.__doc__ = body.__doc__
    return record


LINES: Final[dict[str, type[Struct]]] = {
    kind: _line_record(kind, body, f.Table, f.Source, f.Time) for kind, body in DEVICE_KINDS.items()
}
"""The line of each kind with every range: what JSON Schema is exported of."""

PLAIN_LINES: Final[dict[str, type[Struct]]] = {
    kind: _line_record(kind, body, str, str, str) for kind, body in DEVICE_KINDS.items()
}
"""The same with the envelope's texts unchecked: a pattern costs 0.3 µs for every event, while a
table's and a source's name are the same for all of theirs and a cache knows them."""


def _taker(body: type[AnyBody]) -> Callable[[Any], AnyBody]:
    names = body.__struct_fields__
    make = cast(Callable[..., AnyBody], body)
    if not names:
        alone = make()
        return lambda _line: alone
    take = attrgetter(*names)
    if len(names) == 1:
        return lambda line: make(take(line))
    return lambda line: make(*take(line))


BODY_OF: Final[dict[type[Struct], Callable[[Any], AnyBody]]] = {
    PLAIN_LINES[kind]: _taker(body) for kind, body in DEVICE_KINDS.items()
}
"""What takes the body out of a plain line, by the line's record."""
