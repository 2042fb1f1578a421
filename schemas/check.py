"""The fields of a record as rules: what each must be, in words, and whether a value is that.

The rules are read from the records' own annotations, so that JSON lines and Avro keep one set of
ranges. This is the slow way, taken to say what is wrong; good input is checked by msgspec alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

import msgspec
from msgspec import Struct, inspect

from schemas.faults import LineFault, found_text, shown_name

NOTHING: Final = "nothing"
OTHER: Final = "another value"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """One field of a record: its type, and the type in words."""

    name: str
    type: inspect.Type
    annotation: Any
    required: bool
    expected: str

    def fault(self, value: object) -> LineFault | None:
        """Return why the field cannot have this value, or ``None`` where it can."""
        try:
            msgspec.convert(value, self.annotation, builtin_types=(bytes,))
        except msgspec.ValidationError as error:
            return self._wrong(value, error)
        if isinstance(value, str) and has_surrogate(value):
            return LineFault(self.name, "whole Unicode characters", "half of a surrogate pair")
        if isinstance(self.type, inspect.VarTupleType) and isinstance(value, list | tuple):
            return self._repeated(self.type, value)
        return None

    def _wrong(self, value: object, error: msgspec.ValidationError) -> LineFault:
        """Return the fault of a value that msgspec refused, named by its place within the field."""
        said, _, path = str(error).removesuffix("`").partition(" - at `$")
        if not path:
            return LineFault(self.name, self.expected, found_text(self.name, value))
        place = re.fullmatch(r"\[([0-9]+)\]", path)
        if place is None or not isinstance(self.type, inspect.VarTupleType):
            expected = "a word of its list" if "enum" in said else said.replace("`", "")
            return LineFault(self.name + path, expected.removeprefix("Expected "), OTHER)
        wrong = value[int(place[1])] if isinstance(value, list | tuple) else value
        expected = in_words(self.type.item_type)
        return LineFault(self.name + path, expected, found_text(self.name, wrong))

    def _repeated(
        self, kind: inspect.VarTupleType, values: list[object] | tuple[object, ...]
    ) -> LineFault | None:
        """Return the fault of a list of words that names one twice."""
        if not isinstance(kind.item_type, inspect.LiteralType):
            return None
        for place, value in enumerate(values):
            if value in values[:place]:
                found = f"{found_text(self.name, value)} again"
                return LineFault(f"{self.name}[{place}]", "each entry once", found)
        return None


def has_surrogate(text: str) -> bool:
    """Say whether a text holds half of a surrogate pair, which UTF-8 cannot write."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def in_words(kind: inspect.Type) -> str:
    """Return what a field's type allows, in words."""
    match kind:
        case inspect.Metadata(inner, extra_json_schema):
            return str((extra_json_schema or {}).get("description") or in_words(inner))
        case inspect.IntType(ge=least, le=most):
            return f"an integer from {least} to {most}"
        case inspect.StrType(min_length=least, max_length=most):
            return f"a text of {least} to {most} characters"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values) if len(values) == 52:
            return "a card, rank A23456789TJQK then suit SHDC"
        case inspect.LiteralType(values):
            return f"one of {', '.join(str(value) for value in values)}"
        case inspect.VarTupleType(item):
            return f"a list, each {in_words(item)}"
        case _:
            return f"a {type(kind).__name__.removesuffix('Type').lower()}"


def without_none(hint: object) -> object:
    """Return an annotation without the ``None`` of an optional field."""
    parts = get_args(hint)
    if NoneType not in parts:
        return hint
    (kept,) = (part for part in parts if part is not NoneType)
    return kept


@cache
def rules_of(record: type[Struct]) -> dict[str, FieldRule]:
    """Return a record's fields by name, in the record's order; ``None`` is no value of theirs."""
    hints = get_type_hints(record, include_extras=True)
    rules = {}
    for each in msgspec.structs.fields(record):
        annotation = without_none(hints[each.name])
        kind = inspect.type_info(annotation)
        words = in_words(kind)
        while isinstance(kind, inspect.Metadata):
            kind = kind.type
        rules[each.encode_name] = FieldRule(
            each.encode_name, kind, annotation, each.required, words
        )
    return rules


def first_fault(
    rules: Mapping[str, FieldRule], values: Mapping[str, object], where: str
) -> LineFault | None:
    """Return the first thing wrong with values by field name: unknown, missing, then wrong.

    ``where`` names in words what has these fields, such as a kind.
    """
    for name in values:
        if name not in rules:
            allowed = ", ".join(rules)
            return LineFault(shown_name(name), f"a field of {where}: {allowed}", "an unknown field")
    for name, rule in rules.items():
        if name not in values:
            if rule.required:
                return LineFault(name, rule.expected, NOTHING)
        elif (fault := rule.fault(values[name])) is not None:
            return fault
    return None
