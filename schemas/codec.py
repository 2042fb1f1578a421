"""Records to bytes and back: Avro, with the writer's schema named before it.

    C3 01, fingerprint (8 bytes, little-endian), Avro      single-object encoding, Avro 1.12
    00, id (4 bytes, big-endian), Avro                     Confluent's format, ids by a registry

A reader takes both, told apart by the leading bytes. Bytes are read with the schema that wrote
them and resolved to the newest one; then every range is checked as for a JSON line. What cannot
be read is a ``CodecFault``, a value, whatever the bytes are. A record is checked while it is
written; one that is not exactly of its types is looked at again, slowly, to say what is wrong.
"""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any, Final, TypeVar

import fastavro
import msgspec
from msgspec import Struct

from schemas.avro_reader import DOUBTFUL, reader_of
from schemas.avro_writer import Unfit, writer_of
from schemas.catalog import BY_STRUCT, SUBJECTS, Mode, Release, Subject
from schemas.check import OTHER, FieldRule, first_fault, rules_of
from schemas.faults import (
    MALFORMED,
    OUT_OF_RANGE,
    TRAILING_BYTES,
    TRUNCATED,
    UNKNOWN_FINGERPRINT,
    UNKNOWN_FORMAT,
    UNKNOWN_ID,
    VALUE,
    WRONG_RECORD,
    CodecFault,
    LineFault,
    RecordFault,
)
from schemas.kinds import KINDS, TableOpened, entries_differ
from schemas.names import is_source, is_table
from schemas.records import AnyRecord, DealEvent

SINGLE_OBJECT: Final = b"\xc3\x01"
SINGLE_OBJECT_HEADER: Final = 10
CONFLUENT: Final = b"\x00"
CONFLUENT_HEADER: Final = 5

R = TypeVar("R", bound=AnyRecord)

_KINDS: Final = {f"pitwatch.{body.__name__}": kind for kind, body in KINDS.items()}
"""The kind of each record in the union that is a DealEvent's body, by the record's name."""
_ENVELOPE_RULES: Final[dict[str, FieldRule]] = {
    name: rule for name, rule in rules_of(DealEvent).items() if name != "body"
}

_UNCHECKED: Final[dict[str, Any]] = {"table": str, "source": str, "gateway": str | None}
_PLAIN_EVENT: Final = msgspec.defstruct(
    "PlainEvent",
    [
        (field.name, _UNCHECKED.get(field.name, field.type))
        for field in msgspec.structs.fields(DealEvent)
    ],
    gc=False,
)
"""A DealEvent whose names are not checked yet: that is left to ``schemas.names``."""


def _range_fault(struct: type[Struct], values: dict[str, Any]) -> CodecFault:
    """Return the first value that is out of range; ``values`` are the record's own, as builtins."""
    parts = [(rules_of(struct), values)]
    body = values.get("body")
    if isinstance(body, dict) and (kind := body.get("kind")) in KINDS:
        envelope = {name: value for name, value in values.items() if name != "body"}
        own = {name: value for name, value in body.items() if name != "kind"}
        parts = [(_ENVELOPE_RULES, envelope), (rules_of(KINDS[kind]), own)]
    faults = [first_fault(rules, _present(each), "the record") for rules, each in parts]
    whole = LineFault(VALUE, f"a {struct.__name__}", OTHER)
    fault = next((each for each in faults if each is not None), whole)
    return CodecFault(OUT_OF_RANGE, fault.field, fault.expected, fault.found)


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class _Reader:
    """Reads what one release wrote, as the newest record."""

    def __init__(self, subject: Subject, release: Release) -> None:
        newest = subject.newest
        self.struct = subject.struct
        self.name = subject.name
        self._written = fastavro.parse_schema(release.schema)
        self._newest = None if release is newest else fastavro.parse_schema(newest.schema)
        self._named = subject.struct is DealEvent
        # An older version's defaults, and a deal's union of bodies, are left to fastavro.
        plain = release is newest and not self._named
        self._quickly = reader_of(release.schema) if plain else None

    def read(self, data: bytes, start: int) -> Struct | CodecFault:
        """Return the record that stands from ``start`` to the end of the data."""
        if self._quickly is not None:
            try:
                values, end = self._quickly(data, start)
            except DOUBTFUL:
                return self._read(data, start)
            if end == len(data):
                return self._record(values)
        return self._read(data, start)

    def _read(self, data: bytes, start: int) -> Struct | CodecFault:
        """Return the record as fastavro reads it, or what is wrong with it."""
        stream = BytesIO(data)
        stream.seek(start)
        try:
            values: Any = fastavro.schemaless_reader(
                stream, self._written, self._newest, return_record_name=self._named
            )
        except Exception as error:  # fastavro has no list of what it raises on hostile bytes
            at_end = isinstance(error, EOFError) or stream.tell() >= len(data)
            found = f"{type(error).__name__} at byte {stream.tell()}"
            expected = f"the Avro of a {self.name}"
            return CodecFault(TRUNCATED if at_end else MALFORMED, VALUE, expected, found)
        if stream.tell() != len(data):
            left = f"{len(data) - stream.tell()} bytes after it"
            return CodecFault(TRAILING_BYTES, VALUE, "the end of the record", left)
        return self._record(values)

    def _record(self, values: Any) -> Struct | CodecFault:  # noqa: ANN401  what fastavro gives
        """Return the record of decoded values, every range checked."""
        try:
            return msgspec.convert(values, self.struct, builtin_types=(bytes,))
        except msgspec.ValidationError:
            return _range_fault(self.struct, values)


class _DealReader(_Reader):
    """Reads the events that one release wrote."""

    def _record(self, values: Any) -> Struct | CodecFault:  # noqa: ANN401  what fastavro gives
        branch, body = values["body"]
        body["kind"] = _KINDS[branch]
        values["body"] = body
        try:
            event: Any = msgspec.convert(values, _PLAIN_EVENT)
        except msgspec.ValidationError:
            return _range_fault(DealEvent, values)
        own = event.body
        if (
            not is_table(event.table)
            or not is_source(event.source)
            or (event.gateway is not None and not is_source(event.gateway))
            or (type(own) is TableOpened and not entries_differ(own))
        ):
            return _range_fault(DealEvent, values)
        return DealEvent(
            event.table,
            event.source,
            event.boot,
            event.seq,
            event.at,
            own,
            event.received,
            event.gateway,
        )


class _Writer:
    """Writes one record in one version, with its header.

    What an older version has no place for is left out of records that versions read of each other;
    of an event it is refused, for it is what a device said.
    """

    def __init__(self, subject: Subject, release: Release, header: bytes) -> None:
        self._struct = subject.struct
        self._header = header
        self._name = release.name
        fields = {field["name"] for field in release.schema["fields"]}
        self._refused = {
            rule: field.name
            for rule, field in zip(
                rules_of(subject.struct), msgspec.structs.fields(subject.struct), strict=True
            )
            if rule not in fields and subject.mode is Mode.BACKWARD_TRANSITIVE
        }
        self._write = writer_of(subject.struct, release.schema)

    def write(self, record: Struct) -> bytes:
        """Return the record's bytes.

        Raises:
            RecordFault: it cannot be written.
        """
        for name, attribute in self._refused.items():
            if getattr(record, attribute) is not None:
                raise RecordFault(
                    CodecFault(OUT_OF_RANGE, name, f"nothing, for {self._name}", OTHER)
                )
        if type(record) is DealEvent and type(record.body) is TableOpened:
            self._checked(record)
        try:
            return self._header + self._write(record)
        except (Unfit, LookupError, TypeError):
            return self._slowly(record)

    def _slowly(self, record: Struct) -> bytes:
        """Return the bytes of what is not exactly of its types, or raise what is wrong with it."""
        try:
            return self._header + self._write(self._checked(record))
        except Unfit as error:
            expected = f"what {self._name} can hold"
            raise RecordFault(CodecFault(OUT_OF_RANGE, VALUE, expected, OTHER)) from error

    def _checked(self, record: Struct) -> Struct:
        """Return a record exactly of its types, made anew of its values, every range checked."""
        try:
            values: dict[str, Any] = msgspec.to_builtins(record, builtin_types=(bytes,))
        except TypeError as error:
            fault = CodecFault(OUT_OF_RANGE, VALUE, f"what {self._name} can hold", str(error))
            raise RecordFault(fault) from error
        try:
            checked = msgspec.convert(values, self._struct, builtin_types=(bytes,))
        except msgspec.ValidationError as error:
            raise RecordFault(_range_fault(self._struct, values)) from error
        if (
            isinstance(checked, DealEvent)
            and isinstance(checked.body, TableOpened)
            and not entries_differ(checked.body)
        ):
            raise RecordFault(_range_fault(self._struct, values))
        return checked


class Codec:
    """Writes and reads records.

    Args:
        subjects: the records, with their releases.
        ids: a registry's ids and the releases they stand for; messages in Confluent's format are
            read with them.
        confluent: whether that format is written; every release that is written needs an id.
        versions: the version to write of a record, by its name, where it is not the newest one.

    Raises:
        ValueError: a version is not released, or Confluent's format is to be written and a
            release has no id.
    """

    def __init__(
        self,
        *,
        subjects: Iterable[Subject] = SUBJECTS,
        ids: Mapping[int, Release] | None = None,
        confluent: bool = False,
        versions: Mapping[str, int] | None = None,
    ) -> None:
        self._heads: dict[bytes, _Reader] = {}
        self._written: dict[Subject, Release] = {}
        self._writers: dict[type[Struct], _Writer] = {}
        self.ids: Mapping[int, Release] = {}
        self.newest_deals: frozenset[bytes] = frozenset()
        """What begins a message in Confluent's format that holds the newest deal event."""
        for subject in subjects:
            for release in subject.releases:
                read = _DealReader if subject.struct is DealEvent else _Reader
                self._heads[SINGLE_OBJECT + release.mark] = read(subject, release)
            release = subject.release((versions or {}).get(subject.name))
            self._written[subject] = release
        self.learn(ids or {}, confluent=confluent)

    def learn(self, ids: Mapping[int, Release], *, confluent: bool) -> None:
        """Take a registry's ids, in place of those known; before the first record is written.

        Args:
            ids: the ids and the releases they stand for, to be read from now on.
            confluent: whether Confluent's format is written from now on.

        Raises:
            ValueError: Confluent's format is to be written and a release has no id; nothing is
                changed.
        """
        numbers = {release: number for number, release in ids.items()}
        headers = {}
        for subject, release in self._written.items():
            headers[subject] = SINGLE_OBJECT + release.mark
            if confluent:
                if release not in numbers:
                    raise ValueError(f"{release.name}: expected a registry's id, found none")
                headers[subject] = _confluent_head(numbers[release])
        self.ids = dict(ids)
        self._writers = {
            subject.struct: _Writer(subject, self._written[subject], header)
            for subject, header in headers.items()
        }
        self._heads = {head: each for head, each in self._heads.items() if head[:1] != CONFLUENT}
        for number, release in ids.items():
            self._heads[_confluent_head(number)] = self._heads[SINGLE_OBJECT + release.mark]
        newest = BY_STRUCT[DealEvent].newest
        self.newest_deals = frozenset(
            _confluent_head(number) for number, release in ids.items() if release == newest
        )

    def writing(self, versions: Mapping[str, int]) -> "Codec":
        """Return a codec that writes these versions, with the ids that this one knows, if any."""
        return Codec(ids=self.ids, confluent=bool(self.ids), versions=versions)

    def encode(self, record: AnyRecord) -> bytes:
        """Return a record's bytes, its schema named before them.

        Raises:
            RecordFault: a value is out of range or of a wrong type, or the version to be written
                has no place for it.
        """
        return self._writers[type(record)].write(record)

    def decode(self, data: bytes, struct: type[R]) -> R | CodecFault:
        """Return the record that bytes hold, or why they hold none of this type. Never raises."""
        start = SINGLE_OBJECT_HEADER
        reader = self._heads.get(data[:start])
        if reader is None:
            start = CONFLUENT_HEADER
            reader = self._heads.get(data[:start])
        if reader is None:
            return _unknown(data)
        if reader.struct is not struct:
            return CodecFault(WRONG_RECORD, VALUE, f"a {struct.__name__}", f"a {reader.name}")
        return reader.read(data, start)  # type: ignore[return-value]  # the struct was compared


def _confluent_head(number: int) -> bytes:
    return CONFLUENT + number.to_bytes(4, "big")


def _unknown(data: bytes) -> CodecFault:
    """Return why no schema is known by the leading bytes."""
    if data.startswith(SINGLE_OBJECT):
        head, unknown, length = SINGLE_OBJECT, UNKNOWN_FINGERPRINT, SINGLE_OBJECT_HEADER
    elif data.startswith(CONFLUENT):
        head, unknown, length = CONFLUENT, UNKNOWN_ID, CONFLUENT_HEADER
    else:
        found = f"0x{data[:2].hex()}" if data else "no bytes"
        return CodecFault(UNKNOWN_FORMAT, VALUE, "leading bytes c301 or 00", found)
    if len(data) < length:
        return CodecFault(TRUNCATED, VALUE, f"a header of {length} bytes", f"{len(data)} bytes")
    named = data[len(head) : length].hex()
    return CodecFault(unknown, VALUE, "a schema that this version knows", named)


CODEC: Final = Codec()
"""The newest version of every record, in single-object encoding; in Confluent's format from where a
process learns a registry's ids, which it does before anything else."""
