"""Whether versions of a schema keep what their record promises, found without a registry.

Each pair of versions that the mode names is tried with the decoder that the product runs: the
reader reads records of the writer's schema that have each optional field and none, and every
branch of every union. What the rules of schema resolution forbid, the decoder refuses.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any, Final

import fastavro
from fastavro.schema import fingerprint, to_parsing_canonical_form

from schemas.catalog import Mode, Release, Subject

LONGEST_PROBLEM: Final = 200

PLAIN: Final[dict[str, tuple[object, ...]]] = {
    "null": (None,),
    "boolean": (False, True),
    "int": (1,),
    "long": (1, 2**40),
    "float": (0.5,),
    "double": (0.5,),
    "string": ("a",),
    "bytes": (b"a",),
}
"""Values of each plain type that stand in the samples."""


@dataclass(frozen=True, slots=True)
class Break:
    """What does not keep its promise: one version, or a pair of which one cannot read the other."""

    record: str
    problem: str

    def __str__(self) -> str:
        return f"{self.record}: {self.problem}"


def fingerprint_of(schema: dict[str, Any]) -> int:
    """Return the CRC-64-AVRO of a schema's parsing canonical form."""
    digits: str = fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO")
    return int.from_bytes(bytes.fromhex(digits), "little")


def samples(schema: Any, named: dict[str, Any]) -> list[Any]:  # noqa: ANN401  any JSON
    """Return values of a parsed schema that hold every branch of its unions at least once.

    Args:
        schema: the schema, with full names.
        named: the definitions that names stand for.
    """
    if isinstance(schema, str):
        return list(PLAIN[schema]) if schema in PLAIN else samples(named[schema], named)
    if isinstance(schema, list):
        return [
            (each["name"], value) if isinstance(each, dict) and "name" in each else value
            for each in schema
            for value in samples(each, named)
        ]
    match schema["type"]:
        case "array":
            return [[], samples(schema["items"], named)]
        case "map":
            values = samples(schema["values"], named)
            return [{}, {str(place): value for place, value in enumerate(values)}]
        case "record":
            fields = {field["name"]: samples(field["type"], named) for field in schema["fields"]}
            most = max((len(values) for values in fields.values()), default=1)
            return [
                {name: values[place % len(values)] for name, values in fields.items()}
                for place in range(most)
            ]
        case plain:
            return samples(plain, named)


def unreadable(reader: dict[str, Any], writer: dict[str, Any]) -> str | None:
    """Return why a reader's schema cannot read what a writer's schema wrote, if it cannot."""
    try:
        named: dict[str, Any] = {}
        reading, writing = fastavro.parse_schema(reader), fastavro.parse_schema(writer, named)
        for value in samples(writing, named):
            stream = BytesIO()
            fastavro.schemaless_writer(stream, writing, value)
            stream.seek(0)
            fastavro.schemaless_reader(stream, writing, reading)
    except Exception as error:  # fastavro has no list of what it raises on schemas
        return f"{type(error).__name__}: {error}"[:LONGEST_PROBLEM]
    return None


def _pair(
    mode: Mode, newer: tuple[str, dict[str, Any]], older: tuple[str, dict[str, Any]]
) -> Iterator[str]:
    """Yield what breaks the mode's promise between two versions, each a name and a schema."""
    pairs = [(newer, older)]
    if mode is Mode.FULL_TRANSITIVE:
        pairs.append((older, newer))
    for (reader, reading), (writer, writing) in pairs:
        if (problem := unreadable(reading, writing)) is not None:
            yield f"{reader} cannot read what {writer} wrote: {problem}"


def changed(release: Release) -> str | None:
    """Return how a released schema differs from what was released, if it does."""
    found = sha256(release.text).hexdigest()
    if found != release.sha256:
        return f"{release.name} was changed: expected SHA-256 {release.sha256}, found {found}"
    mark = fingerprint_of(release.schema)
    if mark != release.fingerprint:
        return f"{release.name}: expected fingerprint {release.fingerprint:016x}, found {mark:016x}"
    return None


def breaks(subject: Subject) -> list[Break]:
    """Return everything that is wrong with a record's releases."""
    problems = [problem for release in subject.releases if (problem := changed(release))]
    for place, newer in enumerate(subject.releases):
        for older in subject.releases[:place]:
            problems += _pair(subject.mode, (newer.name, newer.schema), (older.name, older.schema))
    return [Break(subject.name, problem) for problem in problems]


def candidate_breaks(subject: Subject, name: str, schema: dict[str, Any]) -> list[Break]:
    """Return what a schema that is to be released next would break.

    Args:
        subject: the record it is of.
        name: what to call it, such as its file.
        schema: the schema as Avro's JSON.
    """
    problems: list[str] = []
    for release in subject.releases:
        problems += _pair(subject.mode, (name, schema), (release.name, release.schema))
    if not problems and fingerprint_of(schema) in {each.fingerprint for each in subject.releases}:
        problems.append(
            f"{name} has the fingerprint of a release: expected another name, type or order of "
            "fields, found a difference in documentation or defaults alone"
        )
    return [Break(subject.name, problem) for problem in problems]


def shared_fingerprints(subjects: tuple[Subject, ...]) -> list[Break]:
    """Return each release whose fingerprint another one before it has."""
    first: dict[int, str] = {}
    found = []
    for subject in subjects:
        for release in subject.releases:
            other = first.setdefault(release.fingerprint, release.name)
            if other != release.name:
                problem = f"{release.name} has the fingerprint of {other}"
                found.append(Break(subject.name, problem))
    return found
