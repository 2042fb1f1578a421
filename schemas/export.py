"""JSON Schema of each kind of event, for those who write a device's software."""

from typing import Any, Final

import msgspec

from schemas.lines import LINES

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of a kind's line: every field with its range, and no other.

    What JSON Schema cannot say is left to the codec: a field that stands twice, a line's length,
    that a day is one of its month, and that no device has the clock's source.
    """
    record = LINES[kind]
    _, definitions = msgspec.json.schema_components([record])
    schema: dict[str, Any] = {"$schema": DIALECT, **definitions[record.__name__], "title": kind}
    for field in schema["properties"].values():
        field.pop("default", None)
    return schema
