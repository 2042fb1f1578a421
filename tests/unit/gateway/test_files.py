import errno
import os
import stat
from pathlib import Path

import pytest

from producers.gateway.files import OsFiles, SpoolInUse
from tests.synced_files import synced_files


def test_files_are_written_read_cut_and_removed(tmp_path: Path) -> None:
    files = OsFiles(tmp_path / "spool")
    files.create("a")
    files.append("a", b"one")
    files.append("a", b"two")
    files.sync("a")
    assert files.read("a", 1, 100) == b"netwo"
    files.overwrite("a", 10, b"!")
    assert files.read("a", 0, 100) == b"onetwo\0\0\0\0!"
    files.truncate("a", 3)
    assert (files.size("a"), files.names()) == (3, ["a"])
    files.close()
    again = OsFiles(tmp_path / "spool")
    assert again.read("a", 0, 100) == b"one"
    again.remove("a")
    assert again.names() == []
    again.create("b")
    again.close()


def test_nobody_else_may_read_the_spool(tmp_path: Path) -> None:
    files = OsFiles(tmp_path / "spool")
    files.create("a")
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "spool").iterdir()
    }
    assert modes == {"a": 0o600, "lock": 0o600}
    assert stat.S_IMODE((tmp_path / "spool").stat().st_mode) == 0o700
    files.close()


def test_a_sync_is_an_fdatasync_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = OsFiles(tmp_path)
    files.create("a")
    synced: list[str] = []
    real = os.fdatasync

    def noting(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(os, "fdatasync", noting)
    files.append("a", b"one")
    assert synced == []
    files.sync("a")
    assert synced == ["a"]
    files.close()


def open_descriptors(folder: Path) -> list[str]:
    """Return the names of the files of a folder that this process has open, sorted."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            path = each.readlink()
        except FileNotFoundError:
            continue  # the one that lists the folder itself
        if path.parent == folder:
            found.append(path.name)
    return sorted(found)


def test_a_folder_that_is_made_is_certain_in_the_one_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = synced_files(monkeypatch)
    OsFiles(tmp_path / "site" / "spool").close()
    assert set(synced) == {tmp_path, tmp_path / "site"}


def test_a_file_that_is_made_is_certain_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = OsFiles(tmp_path)
    synced = synced_files(monkeypatch)
    files.create("a")
    assert synced == [tmp_path]
    files.close()


def test_only_what_is_written_stays_open(tmp_path: Path) -> None:
    files = OsFiles(tmp_path)
    for name in ("a", "b"):
        files.create(name)
        files.append(name, b"one")
        files.sync(name)
    files.release("a")
    assert files.read("a", 0, 9) + files.read("b", 0, 9) == b"oneone"
    assert open_descriptors(tmp_path) == ["b", "lock"]
    files.append("a", b"two")
    assert files.read("a", 0, 9) == b"onetwo"
    files.close()
    assert open_descriptors(tmp_path) == []


def test_a_file_that_its_folder_did_not_keep_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = OsFiles(tmp_path)

    def failing(_descriptor: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(OSError, match="input/output error"):
            files.create("a")
    assert files.names() == []
    assert open_descriptors(tmp_path) == ["lock"]
    files.create("a")
    files.close()


def test_a_spool_that_is_in_use_is_refused_until_it_is_given_free(tmp_path: Path) -> None:
    files = OsFiles(tmp_path)
    with pytest.raises(SpoolInUse, match="in use"):
        OsFiles(tmp_path)
    files.close()
    OsFiles(tmp_path).close()


def test_a_short_write_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = OsFiles(tmp_path)
    files.create("a")
    real = os.pwrite
    monkeypatch.setattr(
        os, "pwrite", lambda descriptor, data, offset: real(descriptor, data[:2], offset)
    )
    files.append("a", b"seven b")
    assert files.read("a", 0, 10) == b"seven b"
    files.close()
