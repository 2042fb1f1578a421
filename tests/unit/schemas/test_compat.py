"""A made-up second version of each record keeps its promise, or the break is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.catalog import BY_NAME, SUBJECTS, Mode, Release, Subject
from schemas.compat import (
    breaks,
    candidate_breaks,
    fingerprint_of,
    samples,
    shared_fingerprints,
    unreadable,
)

FULL = BY_NAME["finding"]
DEALS = BY_NAME["deal_event"]
BOTH = [FULL, DEALS]
SHIFT: dict[str, Any] = {"name": "shift", "type": ["null", "string"], "default": None}


def changed(subject: Subject, change: Callable[[list[dict[str, Any]]], object]) -> dict[str, Any]:
    """Return a copy of the newest schema after a change of its fields."""
    schema: dict[str, Any] = json.loads(subject.newest.text)
    change(schema["fields"])
    return schema


def problems(subject: Subject, change: Callable[[list[dict[str, Any]]], object]) -> str:
    return "\n".join(
        str(each) for each in candidate_breaks(subject, "v2", changed(subject, change))
    )


def field(fields: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(each for each in fields if each["name"] == name)


def body(fields: list[dict[str, Any]]) -> list[Any]:
    branches: list[Any] = field(fields, "body")["type"]
    return branches


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_what_is_released_keeps_its_promises(subject: Subject) -> None:
    assert breaks(subject) == []


@pytest.mark.parametrize("subject", BOTH, ids=lambda subject: subject.name)
def test_a_field_with_a_default_may_be_added(subject: Subject) -> None:
    assert problems(subject, lambda fields: fields.append(SHIFT)) == ""
    assert problems(subject, lambda fields: fields.insert(0, SHIFT)) == ""


@pytest.mark.parametrize("subject", BOTH, ids=lambda subject: subject.name)
def test_a_field_without_a_default_may_not_be_added(subject: Subject) -> None:
    found = problems(subject, lambda fields: fields.append({"name": "shift", "type": "string"}))
    assert "v2 cannot read what" in found
    assert "No default value for field shift" in found


def test_an_optional_field_may_be_removed() -> None:
    for subject, name in ((FULL, "position"), (DEALS, "gateway")):
        schema = changed(subject, lambda fields: None)
        schema["fields"].remove(field(schema["fields"], name))
        assert candidate_breaks(subject, "v2", schema) == []


def test_a_required_field_may_be_removed_only_where_old_readers_do_not_matter() -> None:
    assert problems(DEALS, lambda fields: fields.remove(field(fields, "source"))) == ""
    found = problems(FULL, lambda fields: fields.remove(field(fields, "clause")))
    assert "finding v1 cannot read what v2 wrote" in found


def test_a_kind_may_be_added_last_to_deals_alone() -> None:
    branch = {"type": "record", "name": "Shuffled", "fields": [{"name": "cards", "type": "int"}]}
    schema = changed(DEALS, lambda fields: body(fields).append(branch))
    assert candidate_breaks(DEALS, "v2", schema) == []
    full = Subject(DEALS.name, DEALS.struct, DEALS.topic, Mode.FULL_TRANSITIVE, DEALS.releases)
    found = "\n".join(str(each) for each in candidate_breaks(full, "v2", schema))
    assert "deal_event v1 cannot read what v2 wrote" in found


def test_a_kind_may_not_be_removed_nor_renamed() -> None:
    assert "v2 cannot read" in problems(DEALS, lambda fields: body(fields).pop())
    assert "v2 cannot read" in problems(
        DEALS, lambda fields: body(fields)[3].update(name="DealerGone")
    )


@pytest.mark.parametrize("subject", BOTH, ids=lambda subject: subject.name)
def test_a_type_may_not_change(subject: Subject) -> None:
    assert "v2 cannot read" in problems(
        subject, lambda fields: field(fields, "table").update(type="long")
    )
    assert "v2 cannot read" in problems(
        subject, lambda fields: field(fields, "at").update(type="int")
    )


def test_an_int_may_widen_only_where_old_readers_do_not_matter() -> None:
    def widen(fields: list[dict[str, Any]]) -> None:
        field(fields, "position")["type"] = ["null", "long"]

    def widen_decks(fields: list[dict[str, Any]]) -> None:
        field(body(fields)[0]["fields"], "decks")["type"] = "long"

    assert problems(DEALS, widen_decks) == ""
    assert "finding v1 cannot read what v2 wrote" in problems(FULL, widen)


def test_an_optional_field_may_not_become_required() -> None:
    def require(fields: list[dict[str, Any]]) -> None:
        field(fields, "position").update(type="int")
        del field(fields, "position")["default"]

    assert "v2 cannot read" in problems(FULL, require)


def test_documentation_and_defaults_alone_make_no_version() -> None:
    found = problems(FULL, lambda fields: field(fields, "id").update(doc="Other words."))
    assert "v2 has the fingerprint of a release" in found


def test_what_is_no_schema_is_a_break() -> None:
    assert "UnknownType" in problems(FULL, lambda fields: field(fields, "id").update(type="text"))
    assert len(problems(FULL, lambda fields: field(fields, "id").update(type="t" * 5000))) < 1000


def test_a_broken_release_is_found(tmp_path: Path) -> None:
    schema = changed(FULL, lambda fields: fields.append({"name": "shift", "type": "string"}))
    (tmp_path / "finding").mkdir()
    (tmp_path / "finding" / "v2.avsc").write_text(json.dumps(schema))
    second = Release("finding", 2, "0" * 64, fingerprint_of(schema), tmp_path)
    subject = Subject(FULL.name, FULL.struct, FULL.topic, FULL.mode, (FULL.newest, second))
    found = [str(each) for each in breaks(subject)]
    assert found[0].startswith("finding: finding v2 was changed: expected SHA-256 0000")
    assert found[1].startswith("finding: finding v2 cannot read what finding v1 wrote:")
    assert len(found) == 2


def test_a_shared_fingerprint_is_found() -> None:
    twin = Release("finding", 2, FULL.newest.sha256, FULL.newest.fingerprint)
    subject = Subject(FULL.name, FULL.struct, FULL.topic, FULL.mode, (FULL.newest, twin))
    assert [str(each) for each in shared_fingerprints((subject,))] == [
        "finding: finding v2 has the fingerprint of finding v1"
    ]
    assert shared_fingerprints(SUBJECTS) == []


def test_samples_hold_every_branch() -> None:
    inner = {"type": "record", "name": "p.Inner", "fields": []}
    schema = {
        "type": "record",
        "name": "p.Outer",
        "fields": [
            {"name": "a", "type": ["null", inner, "p.Inner", "int"]},
            {"name": "b", "type": {"type": "map", "values": ["long", "string"]}},
            {"name": "c", "type": {"type": "array", "items": {"type": "boolean"}}},
        ],
    }
    found = samples(schema, {"p.Inner": inner})
    assert [each["a"] for each in found] == [None, ("p.Inner", {}), {}, 1]
    assert [each["b"] for each in found[:2]] == [{}, {"0": 1, "1": 2**40, "2": "a"}]
    assert [each["c"] for each in found[:2]] == [[], [False, True]]


def test_a_schema_reads_itself_though_a_record_stands_in_it_twice() -> None:
    inner = {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "int"}]}
    schema = {
        "type": "record",
        "name": "Outer",
        "namespace": "p",
        "fields": [{"name": "a", "type": inner}, {"name": "b", "type": "Inner"}],
    }
    assert unreadable(schema, schema) is None
