"""Settings come from flags, then the environment, then the settings file in the working folder."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import COMMANDS, SHARED, defaults_of, main, name_settings

RECORDINGS = Path(__file__).parents[1] / "recordings"


def rules(*arguments: str, **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, ["rules", *arguments])


def is_json(result: Result) -> bool:
    assert result.exit_code == 0, result.output
    return result.stdout.startswith("{")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_settings_file_is_read_from_the_working_folder(folder: Path) -> None:
    assert not is_json(rules())
    (folder / "pitwatch.toml").write_text('[rules]\nformat = "json"\n', encoding="utf-8")
    assert is_json(rules())


def test_environment_goes_before_the_settings_file(folder: Path) -> None:
    (folder / "pitwatch.toml").write_text('[rules]\nformat = "table"\n', encoding="utf-8")
    assert is_json(rules(PITWATCH_RULES_FORMAT="json"))


def test_flag_goes_before_the_environment() -> None:
    assert is_json(rules("--format", "json", PITWATCH_RULES_FORMAT="table"))


@pytest.mark.parametrize("key", ["tables", "no-simulator", "no_simulator"])
def test_keys_of_the_settings_file_are_flags(folder: Path, key: str) -> None:
    (folder / "pitwatch.toml").write_text(f"[up]\n{key} = 3\n", encoding="utf-8")
    assert CliRunner().invoke(main, ["up", "--help"]).exit_code == 0


def test_setting_of_a_repeatable_flag_is_a_list(folder: Path) -> None:
    (folder / "pitwatch.toml").write_text("[rounds]\nround = [2, 3]\n", encoding="utf-8")
    recording = RECORDINGS / "cs-legal-12-rounds.ndjson"
    printed = CliRunner().invoke(main, ["rounds", str(recording)]).stdout
    assert [json.loads(line)["round"] for line in printed.splitlines()] == [2, 3]


def test_unknown_key_of_the_settings_file_is_named(folder: Path) -> None:
    (folder / "pitwatch.toml").write_text('[rules]\nfromat = "json"\n', encoding="utf-8")
    result = rules()
    assert result.exit_code == 1
    assert (
        "pitwatch.toml: [rules] fromat: expected one of coverage, format, game,"
        " rulebook, found an unknown key" in result.stderr
    )


def test_tables_of_other_commands_are_not_looked_at(folder: Path) -> None:
    (folder / "pitwatch.toml").write_text("[worker]\nno = 1\n[odd]\nx = 1\n", encoding="utf-8")
    assert rules().exit_code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_flag_has_its_environment_variable(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option):
            flag = option.opts[-1].lstrip("-").replace("-", "_")
            own = f"PITWATCH_{name}_{flag}".upper()
            shared = [own, f"PITWATCH_{flag}".upper()]
            assert option.envvar == (shared if flag.replace("_", "-") in SHARED else own)


def test_settings_of_subcommands_are_named_by_both() -> None:
    @click.group()
    def group() -> None: ...

    @group.command("list")
    @click.option("--all", "everything", is_flag=True)
    def listing(everything: bool) -> None: ...

    name_settings(group, "PITWATCH_GROUP")
    assert listing.params[0].envvar == "PITWATCH_GROUP_LIST_ALL"
    assert defaults_of(group, {"list": {"all": True}}, "group") == {"list": {"everything": True}}
    with pytest.raises(click.ClickException, match=r"\[group.list\] some: expected one of all,"):
        defaults_of(group, {"list": {"some": True}}, "group")


def test_settings_file_that_is_no_toml_is_named(folder: Path) -> None:
    (folder / "pitwatch.toml").write_text("[rules\n", encoding="utf-8")
    result = rules()
    assert result.exit_code == 1
    assert "pitwatch.toml: expected TOML, found: " in result.stderr


def test_commands_are_listed_and_an_unknown_one_is_refused() -> None:
    listed = CliRunner().invoke(main, ["--help"]).stdout
    assert [line.split()[0] for line in listed.split("Commands:")[1].strip().splitlines()] == list(
        COMMANDS
    )
    assert CliRunner().invoke(main, ["gamble"]).exit_code == 2
