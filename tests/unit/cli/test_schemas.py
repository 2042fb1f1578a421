"""`pitwatch schemas` lists, checks and exports."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from schemas.catalog import AVRO, SUBJECTS
from schemas.lines import LINES
from schemas.ndjson import decode_line
from schemas.records import DealEvent

FINDING = json.loads((AVRO / "finding" / "v1.avsc").read_text(encoding="utf-8"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["schemas", *arguments])


RELEASES = [(subject, release) for subject in SUBJECTS for release in subject.releases]


def test_every_release_is_listed() -> None:
    result = run("list")
    assert result.exit_code == 0
    listed = [row.split() for row in result.stdout.splitlines()]
    for subject, release in RELEASES:
        assert [
            subject.name,
            str(release.version),
            f"{release.fingerprint:016x}",
            subject.topic,
            subject.mode.value,
        ] in listed


def test_what_is_released_passes() -> None:
    result = run("check")
    assert result.exit_code == 0
    said = f"{len(RELEASES)} released schemas of {len(SUBJECTS)} records keep their promises\n"
    assert result.stdout == said


def test_the_same_releases_elsewhere_pass(tmp_path: Path) -> None:
    for subject, release in RELEASES:
        put(tmp_path, subject.name, f"v{release.version}", release.text.decode())
    assert run("check", "--against", str(tmp_path)).exit_code == 0


def put(folder: Path, record: str, version: str, text: str) -> None:
    (folder / record).mkdir(exist_ok=True)
    (folder / record / f"{version}.avsc").write_text(text, encoding="utf-8")


def changed(*fields: object) -> str:
    return json.dumps({**FINDING, "fields": [*FINDING["fields"], *fields]})


@pytest.mark.parametrize(
    ("record", "version", "text", "said"),
    [
        ("finding", "v1", changed(), "finding/v1.avsc: expected the released file, found another"),
        (
            "finding",
            "v2",
            changed({"name": "shift", "type": "string"}),
            "finding: finding/v2.avsc cannot read what finding v1 wrote",
        ),
        ("finding", "v2", changed(), "finding/v2.avsc has the fingerprint of a release"),
        ("finding", "v2", "{", "finding/v2.avsc: expected an Avro record in JSON, found Expecting"),
        ("finding", "v2", "[]", "finding/v2.avsc: expected an Avro record in JSON, found a list"),
        ("findings", "v1", "{}", "findings/v1.avsc: expected a folder named as one of deal_event"),
    ],
)
def test_a_break_is_named(tmp_path: Path, record: str, version: str, text: str, said: str) -> None:
    put(tmp_path, record, version, text)
    result = run("check", "--against", str(tmp_path))
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stdout == ""


def test_a_compatible_candidate_passes(tmp_path: Path) -> None:
    shift = {"name": "shift", "type": ["null", "string"], "default": None}
    put(tmp_path, "finding", "v2", changed(shift))
    assert run("check", "--against", str(tmp_path)).exit_code == 0


def test_a_folder_without_schemas_is_no_pass(tmp_path: Path) -> None:
    result = run("check", "--against", str(tmp_path))
    assert result.exit_code == 1
    assert "expected files named RECORD/vN.avsc, found none" in result.stderr


def test_the_schema_of_each_kind_is_exported(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = run("export", str(folder))
    assert result.exit_code == 0
    assert result.stdout == f"{len(LINES)} schemas in {folder}\n"
    assert {path.name for path in folder.iterdir()} == {f"{kind}.schema.json" for kind in LINES}
    schema = json.loads((folder / "wager_settled.schema.json").read_text(encoding="utf-8"))
    assert schema["title"] == "wager_settled"
    assert schema["additionalProperties"] is False
    assert schema["required"] == [
        "kind",
        "table",
        "source",
        "boot",
        "seq",
        "at",
        "position",
        "wager",
        "outcome",
    ]
    assert schema["properties"]["position"] == {"type": "integer", "minimum": 1, "maximum": 12}
    assert schema["properties"]["hand"] == {"type": "integer", "minimum": 1, "maximum": 4}
    assert "null" not in json.dumps(schema)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("export", str(tmp_path / "file" / "folder"))
    assert result.exit_code == 1
    assert "expected a folder that can be written, found: Not a directory" in result.stderr


def test_the_recordings_hold_what_the_exported_schemas_allow() -> None:
    folder = Path(__file__).parents[2] / "recordings"
    for path in sorted(folder.glob("*.ndjson")):
        for raw in path.read_bytes().splitlines():
            event = decode_line(raw)
            if isinstance(event, DealEvent):
                kind = json.loads(raw)["kind"]
                assert msgspec.json.decode(raw, type=LINES[kind])
