"""Every command that the operations guide names is there, with the flags that it is given."""

import re
import shlex
import subprocess
from itertools import pairwise

import click
import pytest

from deploy.cli.main import main
from tests.chart.documents import CHART
from tests.chart.rendering import KUBERNETES
from tests.cluster.readme import read
from tests.guide import GUIDE, SCRIPTS
from tests.require import require

TEXT = GUIDE.read_text(encoding="utf-8")
LINES = [line for block in read(TEXT).commands.values() for line in block.splitlines()]
OWN = [line for line in LINES if line.startswith("pitwatch ")]
QUOTED: list[str] = re.findall(r"`(pitwatch [^`]+)`", TEXT.replace("\n", " "))
OTHERS = ("helm", "kubectl", "pg_dump", "pg_restore", "python3", "rm", *SCRIPTS)


@pytest.mark.parametrize("line", OWN)
def test_a_command_takes_its_flags(line: str) -> None:
    parsed(shlex.split(line)[1:])


@pytest.mark.parametrize("text", QUOTED)
def test_a_command_that_is_named_in_passing_exists(text: str) -> None:
    words = [word for word in text.split()[1:] if not word.startswith("-")]
    command: click.Command = main
    for word in words:
        if isinstance(command, click.Group):
            found = command.get_command(click.Context(command), word)
            assert found is not None, text
            command = found


def test_all_others_are_known() -> None:
    firsts = {line.split()[0] for line in LINES}
    assert {first for first in firsts if "=" not in first} <= {"pitwatch", *OTHERS}


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("helm upgrade ")])
def test_the_chart_takes_the_values_that_are_set(line: str) -> None:
    words = shlex.split(line)
    values = [word for name, word in pairwise(words) if name == "--set"]
    sets = [word for value in values for word in ("--set", value)]
    case = ["-f", str(CHART / "ci" / "trial-values.yaml"), "--kube-version", KUBERNETES]
    done = subprocess.run(
        [require("helm"), "template", "pitwatch", str(CHART), *case, *sets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for value in values:
        name, _, version = value.partition("=")
        if name.startswith("writeVersions."):
            flag = f"--write-version={name.removeprefix('writeVersions.')}={version}"
            assert done.stdout.count(flag) >= 3, "gateways, workers and consoles"


def test_links_within_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
        for text in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= headings


@pytest.mark.parametrize("line", ["topics --nope", "topics copi", "topic"])
def test_a_command_that_is_not_there_is_seen(line: str) -> None:
    with pytest.raises(click.UsageError):
        parsed(line.split())


def parsed(words: list[str]) -> None:
    """Parse a command line as `pitwatch` does, down to the subcommand; run nothing.

    Raises:
        click.UsageError: there is no such command or flag.
    """
    command: click.Command = main
    context = click.Context(main)
    while True:
        with command.make_context(command.name, list(words), parent=context) as context:
            if not isinstance(command, click.Group) or not context._protected_args:
                return
            words = [*context._protected_args, *context.args]
            name, found, words = command.resolve_command(context, words)
            assert found is not None, name
            command = found
