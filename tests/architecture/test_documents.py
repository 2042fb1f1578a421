"""What the documents promise to list is listed, and what they name exists."""

import ast
import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from deploy.cli.main import COMMANDS, main
from streams.core.events import GAMES
from streams.rulebooks import load
from tests.architecture.coverage_table import rendered, standing
from tests.architecture.source import ROOT, modules
from tests.regulation.test_recordings import WHOLE

README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
GUIDES = (
    "deploy/README.md",
    "producers/client/README.md",
    *(str(page.relative_to(ROOT)) for page in sorted((ROOT / "deploy/runbooks").glob("*.md"))),
)
GAME_NAMES = {
    "caribbean_stud": "Caribbean stud, dealt from the hand",
    "four_card_poker": "Four card poker, dealt from the hand",
    "chemin_de_fer": "Baccarat-chemin de fer",
    "blackjack": "Blackjack",
}
METRIC = re.compile(r"pitwatch_[a-z_]+")


def code_row(code: str) -> str:
    """Return a code's row of the table of what is watched."""
    rule = load().rules[code]
    parts = dict.fromkeys(rule.clauses[game] for game in rule.games if game in WHOLE)
    return f"| `{rule.code}` | {' '.join(parts)} | {rule.severity} | {rule.title} |"


def words(*parts: str) -> Iterator[str]:
    """Yield the string constants in the modules of some parts of the product."""
    for part in parts:
        for module in modules(part):
            if module.name != "streams.core.codes":
                for node in ast.walk(ast.parse(module.text)):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value


def codes_watched() -> list[str]:
    """Return the codes of the games judged whole that some code of the product raises."""
    raised = set(words("streams.core", "streams.shell"))
    rules = load().rules.values()
    return [rule.code for rule in rules if WHOLE & set(rule.games) and rule.code in raised]


def metric_names() -> set[str]:
    return {word for word in words("streams", "producers", "deploy") if METRIC.fullmatch(word)}


@pytest.mark.parametrize("game", GAMES)
def test_game_is_listed_as_judged_whole_only_if_it_is(game: str) -> None:
    (row,) = re.findall(rf"^\| {GAME_NAMES[game]} \|.*", README, re.MULTILINE)
    assert row.endswith("| whole |") is (game in WHOLE)


def test_the_table_of_codes_has_no_other() -> None:
    listed = re.findall(
        r"^\| `([a-z_]+)` \| \S+.* \| (?:critical|high|medium|low) \|", README, re.M
    )
    assert listed == codes_watched()


@pytest.mark.parametrize("code", codes_watched())
def test_code_is_listed_with_its_clause_and_title(code: str) -> None:
    assert code_row(code) in README, code_row(code)


def test_the_sentences_of_the_regulation_are_listed_as_the_rulebook_has_them() -> None:
    assert standing(README) == rendered(), "make readme writes them anew"


@pytest.mark.parametrize("name", sorted(metric_names()))
def test_metric_is_listed(name: str) -> None:
    assert re.search(rf"`{name}(?:_total)?[`{{]", README), name


@pytest.mark.parametrize("name", COMMANDS)
def test_command_is_listed_and_has_help_for_all_it_takes(name: str) -> None:
    assert f"`pitwatch {name}" in README
    command = main.get_command(click.Context(main), name)
    assert command is not None
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert command.help, f"pitwatch {name} says what it does"


def examples() -> list[tuple[str, list[str]]]:
    """Return each command that the README shows with the lines that it shows of its output."""
    shown = re.findall(r"^    \$ pitwatch (.+)\n((?:    .+\n)+)", README, re.MULTILINE)
    return [(command, [line[4:] for line in lines.splitlines()]) for command, lines in shown]


@pytest.mark.parametrize(("command", "lines"), examples())
def test_example_prints_what_is_shown(
    command: str, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, command.split())
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    if lines[-1] == "...":
        lines, printed = lines[:-1], printed[: len(lines) - 1]
    assert printed == lines


def shown_commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each document with the words of each command of Pitwatch that it shows."""
    for document in (*DOCUMENTS, *GUIDES):
        text = (ROOT / document).read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"(?:`|^    (?:\$ )?)pitwatch ([^\n`|]+)", text, re.MULTILINE):
            yield document, line.partition(" #")[0].split()


def named(words: list[str]) -> tuple[click.Command, set[str]]:
    """Return the command that words begin with, and all flags that it and its groups take."""
    command: click.Command = main
    flags = {"--help", "--version"}
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word) or command
        flags |= {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
    return command, flags


def test_commands_that_documents_show_exist_with_their_flags() -> None:
    shown = list(shown_commands())
    assert len(shown) > 100
    for document, words in shown:
        command, flags = named(words)
        assert command is not main, f"{document} shows pitwatch {' '.join(words)}"
        for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", " ".join(words)):
            assert flag in flags, f"{document} shows {flag} of pitwatch {' '.join(words)}"


def test_version_is_told() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert re.fullmatch(r"pitwatch, version \d+\.\d+\.\d+\n", result.stdout)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_tests_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for path, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text):
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in source, f"{document} names {path}::{name}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for name in re.findall(r"`([A-Za-z_.]+/[A-Za-z0-9_./-]+|[A-Z]+\.md|[a-z.]+\.toml)`", text):
        placeholder = "GAME" in name or "NAME" in name
        a_users_own = name in ("pitwatch.toml", "floor.toml")
        if not (placeholder or a_users_own or name.startswith("build/")):
            assert (ROOT / name).exists(), f"{document} names {name}"


def test_make_targets_that_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        for line in re.findall(r"(?:`|^    )make ([a-z -]+)", text, flags=re.MULTILINE):
            assert set(line.split()) <= targets, f"{document} names make {line}"
