"""What released versions wrote is read for ever, to the same records."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from schemas.catalog import SUBJECTS, Release, Subject
from schemas.codec import CODEC
from schemas.faults import CodecFault
from schemas.kinds import KINDS
from tests.contract.make_golden import GOLDEN, golden, read

RELEASES = [(subject, release) for subject in SUBJECTS for release in subject.releases]


def path_of(release: Release) -> Path:
    return GOLDEN / f"{release.record}.v{release.version}.ndjson"


def missing(held: Any, found: Any) -> Any:
    """Return what was written and is not found; a later version may have added fields."""
    if isinstance(held, dict) and isinstance(found, dict):
        return {
            name: (value, found.get(name))
            for name, value in held.items()
            if missing(value, found.get(name))
        }
    if isinstance(held, list) and isinstance(found, list) and len(held) == len(found):
        return [pair for pair in zip(held, found, strict=True) if missing(*pair)]
    return None if held == found else (held, found)


@pytest.mark.parametrize(("subject", "release"), RELEASES, ids=lambda each: each.name)
def test_every_golden_message_is_read_to_what_was_written(
    subject: Subject, release: Release
) -> None:
    lines = read(path_of(release))
    assert lines
    for line in lines:
        record = CODEC.decode(bytes.fromhex(line["bytes"]), subject.struct)  # type: ignore[type-var]  # a record
        assert not isinstance(record, CodecFault), line["name"]
        found = msgspec.json.decode(msgspec.json.encode(record))
        assert not missing(line["record"], found), line["name"]


@pytest.mark.parametrize(("subject", "release"), RELEASES, ids=lambda each: each.name)
def test_every_golden_message_names_its_release(subject: Subject, release: Release) -> None:
    del subject
    for line in read(path_of(release)):
        assert line["bytes"].startswith("c301" + release.mark.hex())


def test_every_record_of_the_newest_versions_has_its_golden_messages() -> None:
    for file, records in golden().items():
        assert [line["name"] for line in read(GOLDEN / file)] == list(records)
    kinds = {line["name"] for line in read(GOLDEN / "deal_event.v1.ndjson")}
    assert set(KINDS) <= kinds


def test_the_newest_version_still_writes_the_golden_bytes() -> None:
    for file, records in golden().items():
        written = {line["name"]: line["bytes"] for line in read(GOLDEN / file)}
        assert {name: CODEC.encode(record).hex() for name, record in records.items()} == written


@pytest.mark.parametrize(
    ("held", "found", "lost"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1}, {"a": 2}, True),
        ({"a": 1}, {}, True),
        ([{"a": 1}], [{"a": 1, "b": 2}], False),
        ([1], [1, 2], True),
        ([1, 2], [2, 1], True),
    ],
)
def test_a_lost_value_is_seen(held: Any, found: Any, *, lost: bool) -> None:
    assert bool(missing(held, found)) is lost
