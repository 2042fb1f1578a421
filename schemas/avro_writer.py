"""Records to Avro binary, checked on the way: a function made of each record's type, once.

fastavro tries each branch of a union on each value, and a round has some four hundred optional
ones: 240 µs a round. A function written out for one record, field by field, checks every range
and writes in a fifth of that; numbers and texts that come again are looked up. The bytes are the
same, which a property test compares for every record.

What is not of its type and within its range raises `Unfit`, or what a look-up of it raises, and
nothing is told of it:
``schemas.codec`` looks at such a record again, slowly, and says what is wrong.

Avro's types as they are used here (Avro 1.12, "Binary encoding"):

    null, boolean     nothing; one byte
    int, long         zigzag, then seven bits a byte, the lowest first
    string, bytes     the length as a long, then the bytes
    array, map        one block: the count as a long and that many items, if any; then a 0
    union             the branch's number as a long, then the value
    record            its fields in order
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import count
from types import NoneType
from typing import Annotated, Any, Final, NoReturn, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, inspect

Write = Callable[[list[bytes], Any], None]
"""Appends a value's bytes, in parts."""

SIZES: Final = 8192
"""Numbers below this, which have at most two bytes, are looked up."""

FEW: Final = 1024
"""Numbers of a range that ends below this are looked up by themselves."""

TEXTS_KEPT: Final = 4096
"""Texts of one type that are kept as they are written."""
LONGEST_KEPT: Final = 64
"""The longest text that is kept: names, words and cards, not lines or notes."""
HIGHS_KEPT: Final = 1024
"""The upper parts of times that are kept: each is of 134 seconds."""

LONG_MIN: Final = -(2**63)
LONG_MAX: Final = 2**63 - 1
NO: Final = b"\x00"
"""What is absent, false, or the end of an array."""
YES: Final = b"\x01"
PRESENT: Final = b"\x02"
"""The number of a union's second branch, the first being null."""

_LOW: Final = 0x3FFF
_PAIRS: Final = tuple(bytes((pair & 0x7F | 0x80, pair >> 7 | 0x80)) for pair in range(_LOW + 1))
"""Two bytes of a long of which more follow, by their fourteen bits."""
_PYTHON: Final = {"long": "int", "string": "str"}
"""The type that a value of a plain branch has."""


class Unfit(Exception):
    """A value is not of its type, or not within its range."""


def write_long(out: bytearray, value: int) -> None:
    """Append an integer of 64 bits with its sign."""
    rest = (value << 1) ^ (value >> 63)
    while rest > _LOW:
        out += _PAIRS[rest & _LOW]
        rest >>= 14
    if rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)


def long_bytes(value: int) -> bytes:
    """Return an integer of 64 bits with its sign."""
    out = bytearray()
    write_long(out, value)
    return bytes(out)


def string_bytes(value: str) -> bytes:
    """Return a text with its length before it."""
    data = value.encode()
    size = len(data)
    return (_SMALL[size] if size < SIZES else long_bytes(size)) + data


_SMALL: Final = tuple(map(long_bytes, range(SIZES)))
_PRESENT_SMALL: Final = tuple(PRESENT + small for small in _SMALL)


def _within(value: object, least: int, most: int) -> bytes:
    """Return a number of a range that is not looked up."""
    if type(value) is not int or not least <= value <= most:
        raise Unfit
    return long_bytes(value)


@lru_cache(maxsize=HIGHS_KEPT)
def _high(bits: int) -> bytes:
    """Return the last bytes of a long, of its bits above the lowest 28."""
    out = bytearray()
    while bits > 0x7F:
        out.append(bits & 0x7F | 0x80)
        bits >>= 7
    out.append(bits)
    return bytes(out)


def _unfit(*_: object) -> NoReturn:
    raise Unfit


def writer_of(struct: type[Struct], schema: Mapping[str, Any]) -> Callable[[Any], bytes]:
    """Return what checks a record and returns its bytes by a schema.

    Args:
        struct: the record's type. A field of the schema that it has no longer is written as null;
            one of its own that the schema does not know is not written.
        schema: what a released file holds.

    Raises:
        ValueError: the schema has a type that no released record has.
    """
    write = _Maker().function(struct, {**schema, "type": "record"})

    def written(record: object) -> bytes:
        parts: list[bytes] = []
        write(parts, record)
        return b"".join(parts)

    return written


class _Maker:
    """Writes out one function: it appends, for each record, a tuple of its fields' bytes.

    What a method puts down or returns is Python: ``value`` an expression of a value, ``depth`` how
    far a statement is indented. What is ``ready`` are expressions of bytes, not yet appended.
    """

    def __init__(self) -> None:
        self._lines = ["def write(parts, value):"]
        self._ready: list[str] = []
        self._numbers = count(1)
        self._names: dict[str, Any] = {
            "HIGH": _high,
            "LONG": long_bytes,
            "NO": NO,
            "PAIRS": _PAIRS,
            "PRESENT": PRESENT,
            "PRESENT_SMALL": _PRESENT_SMALL,
            "SMALL": _SMALL,
            "UNFIT": _unfit,
            "WITHIN": _within,
            "YES": YES,
        }

    def function(self, annotation: Any, schema: Any, before: bytes = b"") -> Write:  # noqa: ANN401  an annotation and Avro's JSON
        """Return what appends bytes and then a value."""
        self._ready.append(repr(before))
        self._value(1, annotation, schema, "value")
        self._flush(1)
        source = "\n".join(self._lines)
        exec(compile(source, "<made by schemas.avro_writer>", "exec"), self._names)  # noqa: S102  made of our own schemas
        write: Write = self._names["write"]
        return write

    def _line(self, depth: int, text: str) -> None:
        self._lines.append("    " * depth + text)

    def _flush(self, depth: int) -> None:
        """Put down that what is ready is appended."""
        if self._ready:
            self._line(depth, f"parts += ({', '.join(self._ready)},)")
            self._ready = []

    def _new(self) -> str:
        """Return a name that nothing has yet."""
        return f"v{next(self._numbers)}"

    def _named(self, value: object) -> str:
        """Return a name by which the function has a value."""
        name = self._new()
        self._names[name] = value
        return name

    def _value(self, depth: int, annotation: Any, schema: Any, value: str) -> None:  # noqa: ANN401  as function
        """Put down a value of any type that a record uses."""
        match schema:
            case ["null", "int" | "long" | "string" as plain]:
                self._plain(_present(annotation), plain, value, PRESENT)
            case ["null", inner]:
                self._optional(depth, _present(annotation), inner, value)
            case list():
                self._union(depth, get_args(annotation), schema, value)
            case "int" | "long" | "string":
                self._plain(annotation, schema, value, b"")
            case "boolean":
                one = self._new()
                false = f"NO if {one} is False else UNFIT()"
                self._ready.append(f"(YES if ({one} := {value}) is True else {false})")
            case "bytes":
                self._ready.append(f"{self._named(_octets)}({value})")
            case {"type": "record"}:
                self._record(depth, annotation, schema, value)
            case {"type": "array", "items": items}:
                self._array(depth, annotation, items, value)
            case {"type": "map", "values": values}:
                self._map(depth, annotation, values, value)
            case _:
                raise ValueError(f"expected a type that a record uses, found {schema!r}")

    def _record(self, depth: int, struct: type[Struct], schema: Any, value: str) -> None:  # noqa: ANN401  as function
        """Put down a record, its fields in the schema's order."""
        self._line(depth, f"if type({value}) is not {self._named(struct)}: UNFIT()")
        hints = get_type_hints(struct, include_extras=True)
        own = {each.encode_name: each.name for each in msgspec.structs.fields(struct)}
        for field in schema["fields"]:
            if field["name"] in own:
                name = own[field["name"]]
                self._value(depth, hints[name], field["type"], f"{value}.{name}")
            else:
                self._ready.append("NO")

    def _plain(self, annotation: Any, schema: str, value: str, before: bytes) -> None:  # noqa: ANN401  as function
        """Put down a number or a text; ``before`` are bytes where it may be absent."""
        if schema == "string":
            self._ready.append(f"{self._named(_texts(annotation, before))}({value})")
            return
        least, most = _range(annotation)
        if least >= 0 and most < FEW:
            self._ready.append(f"{self._named(_few(least, most, before))}[{value}]")
            return
        one = self._new()
        absent = f"NO if {one} is None else PRESENT + " if before else ""
        if least >= 1 << 27:
            # A time: its lowest 28 bits with the sign seldom come again, those above often do.
            taken = one if before else f"({one} := {value})"
            absent = f"NO if ({one} := {value}) is None else PRESENT + " if before else ""
            exact = f"type({taken}) is int and {least} <= {one} <= {most}"
            first = f"PAIRS[({one} << 1 if {exact} else UNFIT()) & {_LOW}]"
            rest = f"PAIRS[{one} >> 13 & {_LOW}] + HIGH({one} >> 27)"
            self._ready.append(f"({absent}{first} + {rest})")
            return
        small = "PRESENT_SMALL" if before else "SMALL"
        looked_up = (
            f"type({one} := {value}) is int and {max(least, 0)} <= {one} < {min(most + 1, SIZES)}"
        )
        other = f"{absent}WITHIN({one}, {least}, {most})"
        self._ready.append(f"({small}[{one}] if {looked_up} else {other})")

    def _optional(self, depth: int, annotation: Any, schema: Any, value: str) -> None:  # noqa: ANN401  as function
        one = self._new()
        self._flush(depth)
        self._line(depth, f"{one} = {value}")
        self._line(depth, f"if {one} is None: parts.append(NO)")
        self._line(depth, "else:")
        self._ready.append("PRESENT")
        self._value(depth + 1, annotation, schema, one)
        self._flush(depth + 1)

    def _array(self, depth: int, annotation: Any, items: Any, value: str) -> None:  # noqa: ANN401  as function
        """Put down an array; no record bounds how many entries one has."""
        every, one = self._new(), self._new()
        self._flush(depth)
        self._line(depth, f"{every} = {value}")
        self._line(depth, f"if type({every}) is not tuple: UNFIT()")
        self._line(depth, f"if {every}:")
        self._line(depth + 1, f"parts.append(LONG(len({every})))")
        self._line(depth + 1, f"for {one} in {every}:")
        self._value(depth + 2, get_args(_bare(annotation))[0], items, one)
        self._flush(depth + 2)
        self._ready.append("NO")

    def _map(self, depth: int, annotation: Any, values: Any, value: str) -> None:  # noqa: ANN401  as function
        """Put down a map, all of it compared with its type first: its size has a bound too."""
        every, name, one = self._new(), self._new(), self._new()
        name_type, value_type = get_args(_bare(annotation))
        self._flush(depth)
        self._line(depth, f"{every} = {self._named(_checked(annotation))}({value})")
        self._line(depth, f"if {every}:")
        self._line(depth + 1, f"parts.append(LONG(len({every})))")
        self._line(depth + 1, f"for {name}, {one} in {every}.items():")
        self._value(depth + 2, name_type, "string", name)
        self._value(depth + 2, value_type, values, one)
        self._flush(depth + 2)
        self._ready.append("NO")

    def _union(self, depth: int, parts: Sequence[Any], branches: Sequence[Any], value: str) -> None:
        """Put down a union: of records or of a long and a text, each by a function of its own."""
        writers: dict[type, Write] = {}
        for number, branch in enumerate(branches):
            name = branch["name"] if isinstance(branch, dict) else _PYTHON[branch]
            part = next(part for part in parts if _bare(part).__name__ == name)
            writers[_bare(part)] = _Maker().function(part, branch, long_bytes(number))
        one = self._new()
        self._flush(depth)
        self._line(depth, f"{one} = {value}")
        self._line(depth, f"{self._named(writers)}.get(type({one}), UNFIT)(parts, {one})")


def _present(annotation: Any) -> Any:  # noqa: ANN401  an annotation
    """Return the annotation of an optional field's value."""
    return next(part for part in get_args(annotation) if part is not NoneType)


def _bare(annotation: Any) -> Any:  # noqa: ANN401  an annotation
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _kind(annotation: Any) -> inspect.Type:  # noqa: ANN401  an annotation
    kind = inspect.type_info(annotation)
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    return kind


def _range(annotation: Any) -> tuple[int, int]:  # noqa: ANN401  an annotation
    """Return the least and the most that a number may be."""
    kind = _kind(annotation)
    least = kind.ge if isinstance(kind, inspect.IntType) else None
    most = kind.le if isinstance(kind, inspect.IntType) else None
    return LONG_MIN if least is None else least, LONG_MAX if most is None else most


def _few(least: int, most: int, before: bytes) -> dict[int | None, bytes]:
    """Return the bytes of every number of a small range, and of ``None`` if it may be absent."""
    numbers: dict[int | None, bytes] = {
        number: before + long_bytes(number) for number in range(least, most + 1)
    }
    return numbers | {None: NO} if before else numbers


def _checked(annotation: Any) -> Callable[[Any], Any]:  # noqa: ANN401  an annotation
    """Return what gives back a value of a type, made anew."""

    def checked(value: object) -> Any:  # noqa: ANN401  a value of the type
        try:
            return msgspec.convert(value, annotation)
        except msgspec.ValidationError as error:
            raise Unfit from error

    return checked


@cache  # of each type one, so that what is kept is bounded by the types, not by the fields
def _texts(annotation: Any, before: bytes) -> Callable[[str | None], bytes]:  # noqa: ANN401  an annotation
    """Return what checks a text and returns its bytes; ``before`` are bytes if it may be absent."""
    kind, checked = _kind(annotation), _checked(annotation)
    longest = kind.max_length if isinstance(kind, inspect.StrType) else 0

    def text(value: str | None) -> bytes:
        if before and value is None:
            return NO
        try:
            return before + string_bytes(checked(value))
        except UnicodeEncodeError as error:
            raise Unfit from error

    kept = longest is not None and longest <= LONGEST_KEPT
    return lru_cache(maxsize=TEXTS_KEPT)(text) if kept else text


def _octets(value: object) -> bytes:
    """Return bytes with their length before them."""
    if type(value) is not bytes:
        raise Unfit
    return long_bytes(len(value)) + value
