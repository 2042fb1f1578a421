"""What is written from the chart's schema; run as a program it writes all of it.

``values.schema.json`` says of each value what it is, what it may be and what it is where nothing is
said. From it come ``values.yaml`` with its comments, the chart's README, and, in the schema itself,
the names that each object may have: Helm names them to whoever misspells one.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from tests.architecture.source import ROOT

CHART: Final = ROOT / "helm" / "pitwatch"
SCHEMA: Final = CHART / "values.schema.json"
VALUES: Final = CHART / "values.yaml"
README: Final = CHART / "README.md"
INTRODUCTION: Final = CHART / "README.head.md"

WIDTH: Final = 100
INDENT: Final = "  "

Schema = Mapping[str, Any]
Key = tuple[tuple[str, ...], Schema]
"""A key's path, and what the schema says of it."""


def load_schema(path: Path = SCHEMA) -> dict[str, Any]:
    """Return the schema."""
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def completed(schema: Schema) -> dict[str, Any]:
    """Return a schema in which each object that takes no unknown key lists those it knows."""
    whole = {
        key: _completed_part(value) if key not in {"allOf", "default"} else value
        for key, value in schema.items()
        if key != "propertyNames"
    }
    if whole.get("additionalProperties") is False:
        whole["propertyNames"] = {"enum": list(whole["properties"])}
    return whole


def _completed_part(value: Any) -> Any:
    return completed(value) if isinstance(value, dict) else value


def written(value: Any, depth: int = 0) -> str:
    """Return JSON with each object and list that fits on a line on one."""
    short = json.dumps(value, ensure_ascii=False)
    leaf = not any(isinstance(each, dict) and "description" in each for each in _parts(value))
    if not value or not isinstance(value, dict | list):
        return short
    if leaf and (len(short) + depth * len(INDENT) <= 2 * WIDTH or "description" in value):
        return short
    rows = (
        [f"{json.dumps(key)}: {written(each, depth + 1)}" for key, each in value.items()]
        if isinstance(value, dict)
        else [written(each, depth + 1) for each in value]
    )
    begin, end = ("{", "}") if isinstance(value, dict) else ("[", "]")
    inner = f",\n{INDENT * (depth + 1)}".join(rows)
    return f"{begin}\n{INDENT * (depth + 1)}{inner}\n{INDENT * depth}{end}"


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
        yield from (part for each in value.values() for part in _parts(each))


def keys_of(schema: Schema, above: tuple[str, ...] = ()) -> Iterator[Key]:
    """Yield each key with its path, an object before what is in it."""
    for name, part in schema.get("properties", {}).items():
        path = (*above, name)
        yield path, part
        yield from keys_of(part, path)


def values_text(schema: Schema) -> str:
    """Return ``values.yaml``: each value where nothing is said, below what it is."""
    lines = ["# Written from values.schema.json, which says what each value may be."]
    for path, part in keys_of(schema):
        margin = INDENT * (len(path) - 1)
        if len(path) == 1:
            lines.append("")
        lines += [f"{margin}# {line}" for line in _comment(path[-1], part, WIDTH - len(margin) - 2)]
        default = "" if "properties" in part else " " + json.dumps(part["default"])
        lines.append(f"{margin}{path[-1]}:{default}")
    return "\n".join(lines) + "\n"


def _comment(name: str, part: Schema, width: int) -> list[str]:
    return wrap(f"{name}: {part['description']}", width, break_long_words=False)


def readme_text(schema: Schema, introduction: str) -> str:
    """Return the README: what a person wrote, then all values."""
    lines = [introduction.rstrip(), "", "## Values"]
    for name, part in schema["properties"].items():
        lines += ["", f"### `{name}`", part["description"], ""]
        if "properties" not in part:
            lines += _table([((name,), part)])
        else:
            lines += _table(
                [each for each in keys_of(part, (name,)) if "properties" not in each[1]]
            )
    return "\n".join(lines) + "\n"


def _table(rows: list[Key]) -> Iterator[str]:
    yield "| key | what it is | allowed | where nothing is said |"
    yield "|---|---|---|---|"
    for path, part in rows:
        default = json.dumps(part["default"], ensure_ascii=False)
        cells = (f"`{'.'.join(path)}`", part["description"], allowed(part), f"`{default}`")
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


REFERENCES: Final = {
    "texts": "names with texts",
    "object": "an object of Kubernetes",
    "objects": "a list of objects of Kubernetes",
    "resources": "`requests` and `limits`",
}


def allowed(part: Schema) -> str:
    """Return in words what a value may be."""
    if "$ref" in part:
        return REFERENCES[part["$ref"].rpartition("/")[2]]
    if "enum" in part:
        return ", ".join(f"`{each}`" for each in part["enum"])
    kinds = [part["type"]] if isinstance(part["type"], str) else part["type"]
    words = {"boolean": "true, false", "string": "text", "array": "a list", "object": "an object"}
    if "integer" in kinds or "number" in kinds:
        low = part.get("minimum", part.get("exclusiveMinimum"))
        more = "more than " if "exclusiveMinimum" in part else ""
        text = f"{more}{low} to {part['maximum']}"
        return f"{text}, null" if "null" in kinds else text
    pattern = part.get("pattern", part.get("items", {}).get("pattern"))
    return f"{words[kinds[0]]}: `{pattern}`" if pattern else words[kinds[0]]


def documents() -> dict[Path, str]:
    """Return each file that is written, with its text."""
    schema = completed(load_schema())
    return {
        SCHEMA: written(schema) + "\n",
        VALUES: values_text(schema),
        README: readme_text(schema, INTRODUCTION.read_text(encoding="utf-8")),
    }


if __name__ == "__main__":
    for file, text in documents().items():
        file.write_text(text, encoding="utf-8")
