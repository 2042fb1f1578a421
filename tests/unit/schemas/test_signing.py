"""A command is signed in the oldest version that holds it, so that releases agree on the bytes."""

import json
from pathlib import Path

import msgspec

from schemas.catalog import BY_STRUCT, Release, Subject
from schemas.codec import Codec
from schemas.compat import fingerprint_of
from schemas.records import OperatorCommand
from schemas.signing import encoded

PLAIN = OperatorCommand(
    id="c1",
    act="comment",
    table="BJ-01",
    alarm="0" * 32,
    code=None,
    by="ada",
    role="operator",
    pits=(),
    at=1_790_000_000_000_000,
    until=None,
    disposition=None,
    note=None,
    key="console",
    signature=b"",
)
SUBJECT = BY_STRUCT[OperatorCommand]


def without_note(folder: Path) -> Release:
    """Return a made-up release before all others, whose commands have no note."""
    schema = SUBJECT.releases[0].schema
    fields = [field for field in schema["fields"] if field["name"] != "note"]
    path = folder / SUBJECT.name / "v0.avsc"
    path.parent.mkdir()
    path.write_text(json.dumps(schema := schema | {"fields": fields}))
    return Release(SUBJECT.name, 0, "", fingerprint_of(schema), folder)


def test_a_release_that_knows_more_fields_signs_the_same_until_one_is_used(tmp_path: Path) -> None:
    older = without_note(tmp_path)
    releases = (older, SUBJECT.releases[0])
    both = Subject(SUBJECT.name, SUBJECT.struct, SUBJECT.topic, SUBJECT.mode, releases)
    codecs = [Codec(subjects=[both], versions={both.name: each.version}) for each in releases]
    assert encoded(PLAIN, codecs)[2:10] == older.mark
    noted = msgspec.structs.replace(PLAIN, note="seen on camera 4")
    assert encoded(noted, codecs)[2:10] == releases[1].mark
