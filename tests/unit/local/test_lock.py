"""Kafka's jars: only what the lock lists, byte for byte, ever gets on the class path."""

import hashlib
import tomllib
from pathlib import Path

import pytest

from deploy.local.caches import cache_folder
from deploy.local.lock import (
    Jar,
    JarFault,
    Lock,
    lock_path,
    missing,
    read_lock,
    verified,
    write_lock,
)


def jar_of(name: str, content: bytes) -> Jar:
    digest = hashlib.sha256(content).hexdigest()
    return Jar("org.example", name, "1.0", len(content), digest)


ONE = jar_of("one", b"first jar")
TWO = jar_of("two", b"second jar")
LOCK = Lock(roots=("org.example:one:1.0",), jars=(ONE, TWO))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one-1.0.jar").write_bytes(b"first jar")
    (tmp_path / "two-1.0.jar").write_bytes(b"second jar")
    return tmp_path


def test_jars_as_locked_are_the_class_path_in_order(folder: Path) -> None:
    assert missing(LOCK, folder) == []
    assert verified(LOCK, folder) == (folder / "one-1.0.jar", folder / "two-1.0.jar")


def test_a_jar_with_other_bytes_is_refused(folder: Path) -> None:
    (folder / "two-1.0.jar").write_bytes(b"second jar, and more")
    found = hashlib.sha256(b"second jar, and more").hexdigest()

    with pytest.raises(JarFault) as refusal:
        verified(LOCK, folder)

    text = str(refusal.value)
    assert f"{folder}/two-1.0.jar: expected org.example:two:1.0 with SHA-256 {TWO.sha256}" in text
    assert f"found {found}; it is not run" in text
    assert "delete it: the next start fetches and compares it again" in text


def test_a_jar_that_is_missing_is_named(folder: Path) -> None:
    (folder / "one-1.0.jar").unlink()

    assert missing(LOCK, folder) == [ONE]
    with pytest.raises(JarFault, match=r"one-1\.0\.jar: expected org\.example:one:1\.0, found"):
        verified(LOCK, folder)


def test_a_jar_that_the_lock_does_not_list_is_never_on_the_class_path(folder: Path) -> None:
    (folder / "aaa-1.0.jar").write_bytes(b"not ours")

    assert folder / "aaa-1.0.jar" not in verified(LOCK, folder)


def test_a_lock_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "kafka.lock.toml"
    path.write_text(write_lock(LOCK))

    assert read_lock(path) == LOCK
    assert LOCK.size == 19


def test_the_lock_of_the_checkout_lists_kafka_and_all_it_needs() -> None:
    lock = read_lock(lock_path())
    coordinates = {jar.coordinate for jar in lock.jars}

    assert {root.rstrip("!") for root in lock.roots} <= coordinates
    assert {"org.apache.kafka:kafka_2.13:4.4.0", "org.apache.kafka:kafka-clients:4.4.0"} <= (
        coordinates
    )
    assert {jar.version for jar in lock.jars if jar.group == "org.apache.kafka"} == {"4.4.0"}
    assert write_lock(lock) == lock_path().read_text()


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.update(sha256="00"),
        lambda entry: entry.update(sha256=entry["sha256"].upper()),
        lambda entry: entry.update(sha256="x" * 64),
        lambda entry: entry.update(size=0),
        lambda entry: entry.update(size="9"),
        lambda entry: entry.update(coordinate="org.example:one"),
        lambda entry: entry.update(coordinate=7),
        lambda entry: entry.pop("sha256"),
        lambda entry: entry.update(coordinate=TWO.coordinate),
    ],
)
def test_a_lock_of_another_shape_is_refused(tmp_path: Path, change: object) -> None:
    assert callable(change)
    entries = tomllib.loads(write_lock(LOCK))["jars"]
    change(entries[0])
    lines = ["roots = []"]
    for entry in entries:
        lines += ["[[jars]]", *(f"{key} = {value!r}" for key, value in entry.items())]
    path = tmp_path / "kafka.lock.toml"
    path.write_text("\n".join(lines))

    with pytest.raises(JarFault, match=r"kafka\.lock\.toml: expected .*restore the file"):
        read_lock(path)


def test_a_lock_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kafka.lock.toml"
    path.write_text("roots = [")
    with pytest.raises(JarFault, match="restore the file"):
        read_lock(path)


def test_an_absent_lock_is_told(tmp_path: Path) -> None:
    with pytest.raises(JarFault, match=r"expected the lock of Kafka's jars, found: .*No such file"):
        read_lock(tmp_path / "kafka.lock.toml")


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv("PITWATCH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/someone/.cache/pitwatch")

    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache_folder() == Path("/home/someone/.cache/pitwatch")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "pitwatch"

    monkeypatch.setenv("PITWATCH_CACHE", "~/elsewhere")
    assert cache_folder() == Path("/home/someone/elsewhere")
