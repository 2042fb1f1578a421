"""Who may do what as a floor's files say it: for a worker, and as `pitwatch floor` checks it."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_IMODE

import click
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.cli.rights import FloorRights, rights_from
from deploy.secure.files import write_private
from deploy.secure.floor_keys import FloorKeys, new_key
from schemas.keys import NamedKey, key_line, load_keys
from schemas.watched import LOOK_SECONDS

FLOOR = """
[[pits]]
name = "east"
[[pits.tables]]
name = "BJ-01"
[[pits.tables]]
name = "BJ-02"
[[gateways]]
name = "gw-1"
key = ["gw-1.b", "gw-1.a"]
tables = ["BJ-01", "BJ-02"]
"""


@dataclass
class Files:
    """A floor's files in a folder."""

    folder: Path
    keys: FloorKeys = field(init=False)

    def __post_init__(self) -> None:
        self.floor = self.folder / "floor.toml"
        self.floor.write_text(FLOOR)
        self.keys = FloorKeys(self.folder / "keys")
        self.keys.prepare({"gw-1": ["gw-1.b", "gw-1.a"]}, {})

    def write(self, *keys: NamedKey) -> None:
        write_private(self.keys.gateway_keys, "".join(map(key_line, keys)).encode())

    def rights(self) -> FloorRights:
        return rights_from(self.floor, self.keys.gateway_keys, {}, self.keys.command_keys)

    def check(self) -> Result:
        arguments = ["floor", str(self.floor), "--gateway-keys", str(self.keys.gateway_keys)]
        return CliRunner().invoke(main, arguments)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_worker_is_told_gateways_pits_and_the_keys_of_acts(files: Files) -> None:
    source = files.rights()
    rights = source.current()
    assert source.current() is rights
    assert rights.grants is not None
    assert {key.name for key in rights.grants.gateways["gw-1"].keys} == {"gw-1.a", "gw-1.b"}
    assert rights.grants.gateways["gw-1"].tables == {"BJ-01", "BJ-02"}
    assert rights.pits is not None
    assert rights.pits("BJ-01") == "east"
    assert list(rights.command_keys) == ["console"]


def test_keys_that_are_given_stand_beside_those_of_the_file(files: Files) -> None:
    rights = rights_from(None, None, {"given": b"k"}, files.keys.command_keys).current()
    assert list(rights.command_keys) == ["given", "console"]
    assert rights.grants is None
    assert rights.pits is None
    assert rights_from(None, None, {}, None).current().command_keys == {}


def test_a_floor_without_keys_asks_for_pits_alone(files: Files) -> None:
    rights = rights_from(files.floor, None, {}, None).current()
    assert rights.grants is None
    assert rights.pits is not None


def test_what_changes_holds_and_what_cannot_be_used_does_not(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("schemas.watched.LOOK_SECONDS", -LOOK_SECONDS)
    source, failed = files.rights(), list[str]()
    source.tell(failed.append)
    before = source.current()
    kept = {key.name: key for key in load_keys(files.keys.gateway_keys)}
    files.write(kept["gw-1.a"])
    assert source.current() is before
    assert failed == ["floor"]
    files.write(kept["clock"], kept["gw-1.a"])
    after = source.current()
    assert after.grants is not None
    assert after.grants.gateways["gw-1"].keys == (kept["gw-1.a"],)
    write_private(files.keys.command_keys, b"nothing")
    assert source.current() is after
    assert failed == ["floor", "command_keys"]


@pytest.mark.parametrize(
    ("floor", "keys", "acts", "said"),
    [
        (None, "keys", None, "--gateway-keys: expected --floor beside it"),
        ("absent", None, None, "absent cannot be used"),
        ("floor", "absent", None, "absent: expected a file of keys, found: No such file"),
        ("floor", "clockless", None, "expected the workers' own key clock, found none"),
        ("floor", "wrong", None, "line 1: expected NAME:HEX"),
        (None, None, "wrong", "line 1: expected NAME:HEX"),
    ],
)
def test_what_cannot_be_used_at_the_start_is_said(
    files: Files, floor: str | None, keys: str | None, acts: str | None, said: str
) -> None:
    (files.folder / "wrong").write_text("secret words")
    (files.folder / "clockless").write_text(key_line(new_key("gw-1.a")))
    paths = {"floor": files.floor, "keys": files.keys.gateway_keys}
    chosen = [
        None if name is None else paths.get(name, files.folder / name)
        for name in (floor, keys, acts)
    ]
    with pytest.raises(click.ClickException) as caught:
        rights_from(chosen[0], chosen[1], {}, chosen[2])
    assert said in caught.value.format_message()
    assert "secret words" not in caught.value.format_message()


def test_the_floor_file_is_checked_with_its_keys(files: Files) -> None:
    assert files.check().exit_code == 0


def test_every_problem_of_the_keys_is_named_and_no_key(files: Files) -> None:
    text = FLOOR + '[[gateways]]\nname = "gw-2"\ntables = []\n'
    files.floor.write_text(text.replace('tables = ["BJ-01", "BJ-02"]', 'tables = ["BJ-01"]'))
    stray = new_key("stray")
    files.write(stray)
    os.chmod(files.keys.gateway_keys, 0o644)
    result = files.check()
    assert result.exit_code == 2
    for said in (
        "expected the workers' own key clock, found none",
        "gateway gw-1: expected its key gw-1.a among the keys",
        "gateway gw-1: expected its key gw-1.b among the keys",
        "gateway gw-2: expected a key, found none",
        "key stray: expected a gateway that has it, found none",
        "table BJ-02: expected a gateway that speaks for it, found none",
        "found one that everyone can read",
    ):
        assert said in result.output
    assert stray.key.hex() not in result.output


def test_a_floor_without_gateways_and_files_that_are_none_are_named(files: Files) -> None:
    files.floor.write_text(FLOOR.partition("[[gateways]]")[0])
    assert "the floor file: expected a gateway, found none" in files.check().output
    files.floor.write_text(FLOOR)
    files.keys.gateway_keys.write_text("nothing")
    assert "line 1: expected NAME:HEX" in files.check().output
    files.keys.gateway_keys.unlink()
    assert "expected a file of keys, found: No such file" in files.check().output


def test_the_keys_of_a_floor_are_made_by_a_command(files: Files, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    arguments = ["floor", "keys", str(files.floor), "--folder", str(folder)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    made = [key.name for key in load_keys(folder / "gateway-gw-1.key")]
    assert made == ["gw-1.b", "gw-1.a"]
    assert S_IMODE((folder / "gateway-keys").stat().st_mode) == 0o600
    for path in (folder / "gateway-keys", folder / "command-keys"):
        for key in load_keys(path):
            assert key.key.hex() not in result.output
    (folder / "command-keys").write_text("nothing")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert "line 1: expected NAME:HEX" in result.output
    blocked = tmp_path / "file"
    blocked.write_text("")
    result = CliRunner().invoke(main, [*arguments[:-1], str(blocked / "keys")])
    assert result.exit_code == 1
    assert "expected a folder for secrets" in result.output
