"""A release after this one, made up: a copy of the packages with what a release may change changed.

| in the copy | is |
|---|---|
| a table's state | of version 2, with a field that version 1 has not; version 1 is read as well |
| ``deal_event`` | of version 2, with the kind ``table_cleaned``, the last of the union |
| ``finding`` | of version 2, with the optional ``shift``, which its worker fills in |
| ``operator_command`` | of version 2, with the optional ``witness``, which nobody fills in |

It is run as processes of its own from the copy; nothing of it is known to the packages themselves.
Each change names text that stands in the source once, so that one that no longer fits fails here.
"""

import hashlib
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from schemas.catalog import BY_NAME
from schemas.compat import candidate_breaks, fingerprint_of

PACKAGES: Final = ("schemas", "streams", "producers", "deploy")
ROOT: Final = Path(__file__).parents[2]

OPTIONAL: Final[dict[str, Any]] = {"type": ["null", "string"], "default": None}
CLEANED: Final[dict[str, Any]] = {
    "type": "record",
    "name": "TableCleaned",
    "doc": "The felt is cleaned.",
    "fields": [{"name": "by", **OPTIONAL}],
}
ADDED: Final = {"finding": "shift", "operator_command": "witness"}
"""The optional text that a record has gained."""
PINNED: Final = ("deal_event=1", "finding=1", "operator_command=1")
"""The versions that are written until all who read them are of the next release."""

CHANGES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "streams/wire/snapshot.py": (
        ("VERSION: Final = 1\n", "VERSION: Final = 2\n"),
        ("if data[3] != VERSION:", "if data[3] not in (1, VERSION):"),
        (
            "        msgspec.Raw(alarms),\n",
            '        ["cleaned", 0],\n        msgspec.Raw(alarms),\n',
        ),
        (
            "    table, offsets, setup, *rest = payload\n",
            "    table, offsets, setup, *rest = payload\n"
            '    if rest[-2] == ["cleaned", 0]:\n'
            "        rest.pop(-2)\n",
        ),
    ),
    "streams/core/events.py": (
        (
            "Body = (\n",
            "@dataclass(frozen=True, slots=True)\n"
            "class TableCleaned:\n"
            '    kind: ClassVar[str] = "table_cleaned"\n'
            "    by: str | None = None\n\n\n"
            "Body = (\n",
        ),
        ("    | RoundClosed\n)\n", "    | RoundClosed\n    | TableCleaned\n)\n"),
    ),
    "schemas/kinds.py": (
        (
            "AnyBody = (\n",
            "class TableCleaned(Body, frozen=True):\n"
            "    by: f.Text | None = None\n\n\n"
            "AnyBody = (\n",
        ),
        ("    | RoundClosed\n)\n", "    | RoundClosed\n    | TableCleaned\n)\n"),
    ),
    "schemas/records.py": (
        (
            "    detail: f.Detail\n    book: BookName\n    version: f.Text\n",
            "    detail: f.Detail\n    book: BookName\n    version: f.Text\n"
            "    shift: f.Text | None = None\n",
        ),
        (
            "    key: f.Text\n    signature: bytes\n",
            "    key: f.Text\n    signature: bytes\n    witness: f.Text | None = None\n",
        ),
    ),
    "streams/wire/outbound.py": (
        (
            "        detail=dict(finding.detail),\n",
            '        detail=dict(finding.detail),\n        shift="day",\n',
        ),
    ),
}
"""What is changed in each file: a text, and what stands in its place."""


@dataclass(frozen=True, slots=True)
class NextRelease:
    """The copy, in a folder of its own."""

    folder: Path

    def program(self, command: str) -> tuple[str, ...]:
        """Return what runs one of its commands."""
        return (sys.executable, str(self.folder / "run.py"), command)


def make_next_release(folder: Path) -> NextRelease:
    """Make the copy in an empty folder."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name, pairs in CHANGES.items():
        change(folder / name, *pairs)
    marks = {
        name: release_schema(folder, name, changed)
        for name, changed in {
            "deal_event": with_a_kind(),
            **{name: with_a_text(name, text) for name, text in ADDED.items()},
        }.items()
    }
    change(
        folder / "schemas/catalog.py",
        (
            "\nBY_NAME: Final =",
            f"\n_NEXT = {marks!r}\n"
            "SUBJECTS = tuple(\n"
            "    replace(each, releases=(*each.releases, Release(each.name, 2, *_NEXT[each.name])))"
            " if each.name in _NEXT else each for each in SUBJECTS\n"
            ")\n\nBY_NAME: Final =",
        ),
        (
            "from dataclasses import dataclass, field\n",
            "from dataclasses import dataclass, field, replace\n",
        ),
    )
    (folder / "run.py").write_text("from deploy.cli.main import main\n\nmain()\n")
    return NextRelease(folder)


def change(path: Path, *pairs: tuple[str, str]) -> None:
    """Put texts of a file into the place of others, each of which stands there once."""
    text = path.read_text()
    for old, new in pairs:
        assert text.count(old) == 1, f"{path.name}: expected once, found {text.count(old)}: {old}"
        text = text.replace(old, new)
    path.write_text(text)


def with_a_kind() -> dict[str, Any]:
    """Return version 1 of an event with one more kind."""
    schema: dict[str, Any] = json.loads(BY_NAME["deal_event"].newest.text)
    body = next(each for each in schema["fields"] if each["name"] == "body")
    body["type"].append(CLEANED)
    return schema


def with_a_text(record: str, name: str) -> dict[str, Any]:
    """Return version 1 of a record with one more optional text."""
    schema: dict[str, Any] = json.loads(BY_NAME[record].newest.text)
    schema["fields"].append({"name": name, **OPTIONAL})
    return schema


def release_schema(folder: Path, record: str, schema: dict[str, Any]) -> tuple[str, int]:
    """Write a schema's version 2; return its file's digest and its fingerprint."""
    assert candidate_breaks(BY_NAME[record], "v2", schema) == []
    text = json.dumps(schema, indent=2).encode()
    (folder / "schemas" / "avro" / record / "v2.avsc").write_bytes(text)
    return hashlib.sha256(text).hexdigest(), fingerprint_of(schema)
