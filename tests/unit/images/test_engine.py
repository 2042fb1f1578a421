"""Where there is no engine, or it does not do what it is asked, it is said what to do."""

import os
from pathlib import Path

import pytest

from deploy.images.debian import debian_image, sources
from deploy.images.engine import Engine, EngineFault, answers, engine, started

NOBODY = Engine("unix:///nonexistent/docker.sock")


def program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_no_docker_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineFault, match="expected the program docker, found none"), engine():
        pass


def test_no_engine_and_none_to_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "docker", "echo cannot connect >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineFault, match="expected a Docker engine that answers"), engine():
        pass


def test_what_a_failed_command_said_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "docker", "echo no space left >&2; exit 3")
    monkeypatch.setenv("PATH", str(tmp_path))
    expected = "expected `docker image ls` to succeed, found status 3:\nno space left"
    with pytest.raises(EngineFault, match=expected):
        NOBODY.run("image", "ls")
    assert not answers(NOBODY)


def test_an_engine_is_spoken_to_where_it_is() -> None:
    assert NOBODY.environment["DOCKER_HOST"] == NOBODY.host
    assert Engine(None).environment == dict(os.environ)


def test_an_engine_that_ends_is_told_with_the_end_of_its_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "docker", "exit 1")
    program(tmp_path, "daemon", "echo no cgroups here; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    daemon = [str(tmp_path / "daemon")]
    with (
        pytest.raises(EngineFault, match=r"(?s)expected dockerd to answer.*no cgroups here"),
        started(daemon, tmp_path, tmp_path),
    ):
        pass


def test_an_image_is_made_once_for_the_same_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program(tmp_path, "docker", '[ "$1" = images ] && echo 07a95ec3ea6b')
    monkeypatch.setenv("PATH", str(tmp_path))
    debian_image(NOBODY, "base:1", ("python3",))
    with pytest.raises(EngineFault, match="expected the program mmdebstrap"):
        debian_image(NOBODY, "base:1", ("python3",), anew=True)


def test_apt_without_debian_12_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineFault, match="expected apt on this machine to have Debian bookworm"):
        sources()
    program(tmp_path, "apt-get", "echo 'http://mirror/debian trixie main'")
    with pytest.raises(EngineFault, match="expected apt on this machine to have Debian bookworm"):
        sources()
    program(tmp_path, "apt-get", "echo 'http://mirror/debian bookworm-updates main'")
    (line,) = sources()
    assert line.startswith("deb ")
    assert line.endswith("http://mirror/debian bookworm-updates main")
