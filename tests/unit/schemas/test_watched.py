"""Files that are read again when they change, however they are changed."""

import logging
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from schemas.watched import Watched


@dataclass
class Scene:
    """A file with a number, and a clock."""

    path: Path
    now: float = 0.0
    loads: int = 0
    failed: list[str] = field(default_factory=list)

    def load(self) -> int:
        self.loads += 1
        return int(self.path.read_text())

    def watch(self) -> Watched[int]:
        watched = Watched("number", [self.path], self.load, now=lambda: self.now)
        watched.failed = self.failed.append
        return watched

    def write(self, text: str) -> None:
        """Replace the file as a careful writer does."""
        new = self.path.with_name("new")
        new.write_text(text)
        new.replace(self.path)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    path = tmp_path / "number"
    path.write_text("1")
    return Scene(path)


def test_a_change_is_seen_within_a_second_and_nothing_is_read_without_one(scene: Scene) -> None:
    watched = scene.watch()
    scene.write("2")
    assert watched.current() == 1
    scene.now += 1
    assert watched.current() == 2
    for _ in range(10):
        scene.now += 1
        assert watched.current() == 2
    assert scene.loads == 2


def test_what_cannot_be_used_changes_nothing_and_is_told_once(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    watched = scene.watch()
    with caplog.at_level(logging.ERROR):
        for text in ("secret", None, "3"):
            if text is None:
                scene.path.unlink()
            else:
                scene.write(text)
            for _ in range(3):
                scene.now += 1
                watched.current()
    assert watched.current() == 3
    assert scene.failed == ["number", "number"]
    assert len(caplog.records) == 2


def test_nobody_needs_to_be_told(scene: Scene) -> None:
    watched = scene.watch()
    watched.failed = None
    scene.write("x")
    scene.now += 1
    assert watched.current() == 1


def test_a_link_that_points_elsewhere_is_a_change(scene: Scene, tmp_path: Path) -> None:
    """As Kubernetes replaces a secret: a folder behind a link."""
    for name, text in (("a", "1"), ("b", "2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "number").write_text(text)
        os.utime(tmp_path / name / "number", ns=(1, 1))
    (tmp_path / "data").symlink_to("a")
    scene.path = tmp_path / "data" / "number"
    watched = scene.watch()
    (tmp_path / "next").symlink_to("b")
    (tmp_path / "next").replace(tmp_path / "data")
    scene.now += 1
    assert watched.current() == 2


def test_at_the_start_it_must_be_usable(scene: Scene) -> None:
    scene.write("x")
    with pytest.raises(ValueError, match="invalid literal"):
        scene.watch()
    scene.path.unlink()
    with pytest.raises(OSError, match="No such file"):
        scene.watch()
