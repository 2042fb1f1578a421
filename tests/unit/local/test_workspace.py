"""A floor has its folder for itself; what a killed one left is used again or removed."""

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from deploy.local.workspace import InUse, workspace


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_named_folder_is_made_and_kept(tmp_path: Path) -> None:
    data = tmp_path / "a" / "b"
    with workspace(data) as folder:
        assert folder == data
        (folder / "deals").write_text("kept")

    with workspace(data):
        assert (data / "deals").read_text() == "kept"


def test_a_temporary_folder_is_removed_at_the_end(temporary: Path) -> None:
    with workspace(None) as folder:
        assert folder.parent == temporary
        (folder / "log").mkdir()

    assert list(temporary.iterdir()) == []


def test_a_second_floor_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    program = textwrap.dedent(
        f"""
        import os, sys
        from pathlib import Path
        from deploy.local.workspace import workspace
        with workspace(Path({str(tmp_path)!r})):
            print(os.getpid(), flush=True)
            sys.stdin.read()
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        pid = first.stdout.readline().strip()
        with (
            pytest.raises(InUse, match=rf"found another `pitwatch up` \(process {pid}\) there"),
            workspace(tmp_path),
        ):
            pass
        first.kill()
        first.wait()
        with workspace(tmp_path):
            assert (tmp_path / "pitwatch.lock").read_text() != f"{pid}\n"


def test_what_killed_floors_left_is_removed_and_what_runs_is_not(temporary: Path) -> None:
    left = temporary / "pitwatch-up-left"
    left.mkdir()
    (left / "kafka").mkdir()
    other = temporary / "pitwatch-elsewhere"
    other.mkdir()

    with workspace(None) as first, workspace(None) as second:
        assert first.is_dir()
        assert second.is_dir()
        assert first != second
        assert not left.exists()

    assert list(temporary.iterdir()) == [other]
