"""The released schemas stay as they were released, and say what the records say."""

from types import NoneType
from typing import Any, get_args

import avro.schema
import msgspec
import pytest
from msgspec import inspect

from schemas import records
from schemas.catalog import AVRO, BY_NAME, BY_STRUCT, SUBJECTS, Mode, Release, Subject
from schemas.compat import changed, fingerprint_of
from schemas.kinds import BODIES

RELEASES = [release for subject in SUBJECTS for release in subject.releases]
AVRO_TYPES = {
    inspect.IntType: {"int", "long"},
    inspect.StrType: {"string"},
    inspect.LiteralType: {"string"},
    inspect.BoolType: {"boolean"},
    inspect.BytesType: {"bytes"},
}


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_a_released_schema_does_not_change(release: Release) -> None:
    assert changed(release) is None


def test_a_changed_file_is_seen() -> None:
    release = Release("finding", 1, "0" * 64, 1)
    assert "finding v1 was changed" in str(changed(release))


def test_a_wrong_fingerprint_is_seen() -> None:
    release = Release("finding", 1, BY_NAME["finding"].newest.sha256, 1)
    assert str(changed(release)).startswith("finding v1: expected fingerprint 0000000000000001")


def test_all_fingerprints_differ() -> None:
    assert len({release.fingerprint for release in RELEASES}) == len(RELEASES)


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.name)
def test_the_official_library_computes_the_same_fingerprint(release: Release) -> None:
    parsed = avro.schema.parse(release.text.decode())
    assert parsed.fingerprint("CRC-64-AVRO") == release.mark


def test_the_fingerprint_is_that_of_the_specification() -> None:
    # Avro 1.12, "Schema Fingerprints": the CRC of the schema "int"
    assert f"{fingerprint_of('int'):016x}" == "7275d51a3f395c8f"  # type: ignore[arg-type]  # a schema may be a name


def test_every_schema_in_the_package_is_in_the_catalogue() -> None:
    files = {f"{folder.name}/{file.name}" for folder in AVRO.iterdir() for file in folder.iterdir()}
    assert files == {f"{release.record}/v{release.version}.avsc" for release in RELEASES}


def test_deals_alone_cannot_be_read_by_older_readers() -> None:
    modes = {subject.name: subject.mode for subject in SUBJECTS}
    assert modes.pop("deal_event") is Mode.BACKWARD_TRANSITIVE
    assert set(modes.values()) == {Mode.FULL_TRANSITIVE}


def test_every_record_has_a_subject() -> None:
    assert set(BY_STRUCT) == set(get_args(records.AnyRecord))


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_version_that_was_not_released_is_named(version: int) -> None:
    with pytest.raises(ValueError, match=f"round: expected one of the versions 1, found {version}"):
        BY_NAME["round"].release(version)


def test_a_version_is_found() -> None:
    subject = BY_NAME["round"]
    assert subject.release(1) is subject.newest is subject.release(None)


def says_the_same(kind: inspect.Type, schema: Any, named: dict[str, Any]) -> None:
    """Compare a record's type with an Avro schema, all the way down."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(schema, str):
        schema = named.get(schema, schema)
    match kind:
        case inspect.StructType(cls=struct, fields=fields):
            assert (schema["type"], schema["name"]) == ("record", struct.__name__)
            named[schema["name"]] = schema
            assert [field["name"] for field in schema["fields"]] == [f.encode_name for f in fields]
            for field, written in zip(fields, schema["fields"], strict=True):
                optional = isinstance(written["type"], list) and written["type"][0] == "null"
                if optional:
                    assert written["default"] is None
                elif "default" in written:  # a field added by a later version
                    assert written["default"] in ([], 0, False)
                assert written["doc"]
                says_the_same(field.type, written["type"], named)
        case inspect.VarTupleType(item_type=item):
            assert schema["type"] == "array"
            says_the_same(item, schema["items"], named)
        case inspect.DictType():
            assert schema == {"type": "map", "values": ["long", "string"]}
        case inspect.UnionType(types=types):
            left = [each for each in types if not isinstance(each, inspect.NoneType)]
            bare = schema if len(left) == len(types) else schema[1:]
            assert len(left) == len(bare)
            assert (schema[0] == "null") is (len(left) < len(types))
            for each, branch in zip(left, bare, strict=True):
                says_the_same(each, branch, named)
        case _:
            assert schema in AVRO_TYPES[type(kind)]
            if isinstance(kind, inspect.IntType) and schema == "int":
                assert kind.le is not None
                assert kind.le < 2**31


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_the_newest_schema_says_what_the_record_says(subject: Subject) -> None:
    says_the_same(inspect.type_info(subject.struct), subject.newest.schema, {})
    assert subject.newest.schema["namespace"] == "pitwatch"


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_field_has_a_default_that_the_first_version_had_not(subject: Subject) -> None:
    first = {each["name"] for each in subject.release(1).schema["fields"]}
    added = [each for each in subject.newest.schema["fields"] if each["name"] not in first]
    assert all("default" in each for each in added)


def test_only_a_deals_body_is_a_union_of_records() -> None:
    fields = {field["name"]: field for field in BY_NAME["deal_event"].newest.schema["fields"]}
    assert [branch["name"] for branch in fields["body"]["type"]] == [
        body.__name__ for body in BODIES
    ]


def test_an_optional_field_is_absent_by_default_in_every_body() -> None:
    for body in BODIES:
        for field in msgspec.structs.fields(body):
            assert field.required is (NoneType not in get_args(field.type))
