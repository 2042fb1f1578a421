"""The released Avro schemas: one file a version, never changed after its release.

Each release is written here with the SHA-256 of its file, which a test compares, and with its
CRC-64-AVRO fingerprint, which stands in every message. The fingerprint leaves out documentation
and defaults, so two versions that differ only there may not both be released: a test compares
all fingerprints.

A DealEvent is BACKWARD_TRANSITIVE: a new reader reads every old event, but a new kind cannot be
read by an old reader, so workers are upgraded before gateways. All other records are
FULL_TRANSITIVE: every version reads what every other wrote.
"""

import json
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import resources
from importlib.abc import Traversable
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from schemas import records

AVRO: Final[Traversable] = resources.files("schemas") / "avro"
"""Where the released schemas stand: ``<record>/v<version>.avsc``."""


class Mode(Enum):
    """What a new version of a record promises towards all older ones."""

    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    """The new version reads what every older one wrote."""
    FULL_TRANSITIVE = "FULL_TRANSITIVE"
    """The new version reads what every older one wrote, and every older one what it writes."""


@dataclass(frozen=True)
class Release:
    """One released version of a record's schema.

    ``sha256`` is of the file; ``fingerprint`` is the CRC-64-AVRO of the schema's canonical form.
    """

    record: str
    version: int
    sha256: str
    fingerprint: int
    folder: Traversable = field(default=AVRO, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Return what people call it, such as ``deal_event v1``."""
        return f"{self.record} v{self.version}"

    @property
    def mark(self) -> bytes:
        """Return the fingerprint as a message has it: eight bytes, little-endian."""
        return self.fingerprint.to_bytes(8, "little")

    @cached_property
    def text(self) -> bytes:
        """Return the schema's file as it was released."""
        return (self.folder / self.record / f"v{self.version}.avsc").read_bytes()

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the schema as Avro's JSON."""
        schema: dict[str, Any] = json.loads(self.text)
        return schema


@dataclass(frozen=True, slots=True)
class Subject:
    """One record: the topic that it is the value of, without its prefix, and its releases."""

    name: str
    struct: type[Struct]
    topic: str
    mode: Mode
    releases: tuple[Release, ...]

    @property
    def newest(self) -> Release:
        """Return the last release."""
        return self.releases[-1]

    def release(self, version: int | None) -> Release:
        """Return the release of a version, the newest where none is named.

        Raises:
            ValueError: there is no such version.
        """
        if version is None:
            return self.newest
        for release in self.releases:
            if release.version == version:
                return release
        known = ", ".join(str(release.version) for release in self.releases)
        raise ValueError(f"{self.name}: expected one of the versions {known}, found {version}")


SUBJECTS: Final = (
    Subject(
        "deal_event",
        records.DealEvent,
        "deals.v1",
        Mode.BACKWARD_TRANSITIVE,
        (
            Release(
                "deal_event",
                1,
                "dddf372720cc47b060215c67611fbcc3c321eab29289ea6ab21f5209fca2801c",
                0xEF3D3FF7C074C677,
            ),
        ),
    ),
    Subject(
        "finding",
        records.Finding,
        "findings.v1",
        Mode.FULL_TRANSITIVE,
        (
            Release(
                "finding",
                1,
                "29de009c2f522d9683e30b201d99d43dd5b9db66dab14ac76a1c654a86707443",
                0x87BB19A5301D60CE,
            ),
        ),
    ),
    Subject(
        "round",
        records.Round,
        "rounds.v1",
        Mode.FULL_TRANSITIVE,
        (
            Release(
                "round",
                1,
                "a7f9c38e65504a321c8cde475da1df2d5e773641a467803787e05af7d25387f2",
                0xB9F969B83F4391A7,
            ),
        ),
    ),
    Subject(
        "table_view",
        records.TableView,
        "tables.v1",
        Mode.FULL_TRANSITIVE,
        (
            Release(
                "table_view",
                1,
                "1d7d6bd038c48be0bdbfbb1c3ec0ffadb98296627209439be72d917d8f7ebc43",
                0x197E90FEE973622E,
            ),
            Release(
                "table_view",
                2,
                "128b5ae1bc69333958b87f36b01189e2dd3bdfadfffe522f0d35b29d7b1bcefd",
                0x8C10868797696608,
            ),
        ),
    ),
    Subject(
        "alarm",
        records.Alarm,
        "alarms.v1",
        Mode.FULL_TRANSITIVE,
        (
            Release(
                "alarm",
                1,
                "f2ba658fc663fd297d877c9a03b609799e9fe0be569df3813033ff18a35d2147",
                0x1376D03338E1E845,
            ),
        ),
    ),
    Subject(
        "operator_command",
        records.OperatorCommand,
        "commands.v1",
        Mode.FULL_TRANSITIVE,
        (
            Release(
                "operator_command",
                1,
                "ee720c3e39270ed6d57e9762a1034a76103c4661d25c0559a213e8c4204e3b7c",
                0xB439F979C46E0B59,
            ),
        ),
    ),
)
"""Every record that is a topic's value."""

BY_NAME: Final = MappingProxyType({subject.name: subject for subject in SUBJECTS})
BY_STRUCT: Final = MappingProxyType({subject.struct: subject for subject in SUBJECTS})
