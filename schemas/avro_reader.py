"""Records from Avro binary, fast: a function made of a schema, once.

fastavro looks at the schema for each value, half a microsecond each, and a table's view has four
hundred: 210 µs. A function written out for one schema reads what this program writes in a quarter
of that. It gives what fastavro gives, which a property test compares; of bytes that are no whole
record, or are in a form that this program does not write, it raises one of `DOUBTFUL`, and fastavro
has the word.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import count
from typing import Any, Final

Read = Callable[[bytes, int], tuple[Any, int]]
"""Returns the value that stands in bytes from a place on, and where it ends."""

TEXTS_KEPT: Final = 16384
"""Texts and times that are kept, by their bytes."""
LONGEST_KEPT: Final = 48
"""The longest text that is kept, in bytes: names, words and ids, not lines or notes."""

MORE: Final = 0x80
"""A byte of a long from here on has another behind it."""
LONGEST_LONG: Final = 10


_ONE: Final = tuple((byte >> 1) ^ -(byte & 1) if byte < MORE else None for byte in range(256))
"""The integer that one byte is, by its value."""


class Doubt(Exception):
    """The bytes are not read here."""


DOUBTFUL: Final = (Doubt, IndexError, UnicodeDecodeError)
"""What a function raises of bytes that it does not read."""


def _long(data: bytes, start: int) -> tuple[int, int]:
    """Return an integer and where it ends."""
    value, shift, place = 0, 0, start
    while (byte := data[place]) >= MORE:
        value |= (byte & 0x7F) << shift
        shift += 7
        place += 1
    value |= byte << shift
    if place - start >= LONGEST_LONG or value >> 64:
        raise Doubt
    return (value >> 1) ^ -(value & 1), place + 1


@lru_cache(maxsize=TEXTS_KEPT)
def _time(data: bytes) -> int | None:
    """Return the integer that eight bytes are, as a time is; nothing where they are not one."""
    value, end = _long(data + bytes(1), 0)
    return value if end == len(data) else None


@lru_cache(maxsize=TEXTS_KEPT)
def _kept(data: bytes) -> str:
    return data.decode()


def _doubt() -> None:
    raise Doubt


def reader_of(schema: Any) -> Read:  # noqa: ANN401  Avro's JSON
    """Return what reads a record written by a schema, as builtins.

    Raises:
        ValueError: the schema has a type that no released record has.
    """
    return _Maker().function(schema)


class _Maker:
    """Writes out one function. What a method puts down sets the variable ``to``, from ``p`` on."""

    def __init__(self) -> None:
        self._lines = ["def read(d, p):"]
        self._numbers = count(1)
        self._names: dict[str, Any] = {
            "DOUBT": _doubt,
            "KEPT": _kept,
            "LONG": _long,
            "ONE": _ONE,
            "TIME": _time,
        }

    def function(self, schema: Any) -> Read:  # noqa: ANN401  Avro's JSON
        """Return what reads a value."""
        self._value(1, schema, "v")
        self._line(1, "return v, p")
        exec(compile("\n".join(self._lines), "<made by schemas.avro_reader>", "exec"), self._names)  # noqa: S102  made of our own schemas
        read: Read = self._names["read"]
        return read

    def _line(self, depth: int, text: str) -> None:
        self._lines.append("    " * depth + text)

    def _new(self) -> str:
        return f"v{next(self._numbers)}"

    def _value(self, depth: int, schema: Any, to: str) -> None:  # noqa: ANN401  Avro's JSON
        match schema:
            case ["null", inner]:
                self._line(depth, "b = d[p]; p += 1")
                self._line(depth, f"if not b: {to} = None")
                self._line(depth, "elif b == 2:")
                self._value(depth + 1, inner, to)
                self._line(depth, "else: DOUBT()")
            case "int" | "long":
                self._number(depth, to)
            case "string":
                self._text(depth, to)
            case "bytes":
                self._size(depth)
                self._line(depth, f"{to} = d[p:p + n]; p += n")
            case "boolean":
                self._line(depth, "b = d[p]; p += 1")
                self._line(depth, "if b > 1: DOUBT()")
                self._line(depth, f"{to} = b == 1")
            case list():
                self._union(depth, schema, to)
            case {"type": "array", "items": items}:
                self._array(depth, items, to)
            case {"type": "map", "values": values}:
                self._map(depth, values, to)
            case {"type": "record", "fields": fields}:
                names = [(field["name"], self._new()) for field in fields]
                for (_, one), field in zip(names, fields, strict=True):
                    self._value(depth, field["type"], one)
                entries = ", ".join(f"{name!r}: {one}" for name, one in names)
                self._line(depth, f"{to} = {{{entries}}}")
            case _:
                raise ValueError(f"expected a type that a record uses, found {schema!r}")

    def _text(self, depth: int, to: str) -> None:
        """Put down a text, whose length is of one byte more often than not."""
        self._line(depth, "n = d[p]")
        self._line(depth, f"if n <= {2 * LONGEST_KEPT} and not n & 1:")
        self._line(depth + 1, "e = p + 1 + (n >> 1)")
        self._line(depth + 1, f"{to} = KEPT(d[p + 1:e]); p = e")
        self._line(depth, "else:")
        self._size(depth + 1)
        self._line(depth + 1, f"{to} = d[p:p + n].decode(); p += n")

    def _number(self, depth: int, to: str) -> None:
        """Put down an integer of one byte, of two, of eight as a time has, or of any other size."""
        self._line(depth, f"{to} = ONE[d[p]]")
        self._line(depth, f"if {to} is not None: p += 1")
        self._line(depth, f"elif d[p + 1] < {MORE}:")
        self._line(depth + 1, f"{to} = d[p] & 127 | d[p + 1] << 7")
        self._line(depth + 1, f"{to} = ({to} >> 1) ^ -({to} & 1); p += 2")
        self._line(depth, f"elif d[p + 2] >= {MORE} and ({to} := TIME(d[p:p + 8])): p += 8")
        self._line(depth, f"else: {to}, p = LONG(d, p)")

    def _size(self, depth: int) -> None:
        """Put down how many bytes or items follow, as ``n``."""
        self._number(depth, "n")
        self._line(depth, "if n < 0: DOUBT()")

    def _union(self, depth: int, branches: list[Any], to: str) -> None:
        """Put down a union by its branch's number."""
        number, word = self._new(), "if"
        self._number(depth, number)
        for place, branch in enumerate(branches):
            self._line(depth, f"{word} {number} == {place}:")
            self._value(depth + 1, branch, to)
            word = "elif"
        self._line(depth, "else: DOUBT()")

    def _array(self, depth: int, items: Any, to: str) -> None:  # noqa: ANN401  Avro's JSON
        one = self._new()
        self._line(depth, f"{to} = []")
        inner = self._block(depth)
        self._value(inner, items, one)
        self._line(inner, f"{to}.append({one})")
        self._end(depth)

    def _map(self, depth: int, values: Any, to: str) -> None:  # noqa: ANN401  Avro's JSON
        name, one = self._new(), self._new()
        self._line(depth, f"{to} = {{}}")
        inner = self._block(depth)
        self._value(inner, "string", name)
        self._value(inner, values, one)
        self._line(inner, f"{to}[{name}] = {one}")
        self._end(depth)

    def _block(self, depth: int) -> int:
        """Put down a loop over the items of one block; return how deep its statements stand."""
        self._size(depth)
        self._line(depth, "if n:")
        self._line(depth + 1, f"for {self._new()} in range(n):")
        return depth + 2

    def _end(self, depth: int) -> None:
        """Put down that no other block follows."""
        self._line(depth + 1, "if d[p]: DOUBT()")
        self._line(depth + 1, "p += 1")
