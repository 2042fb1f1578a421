"""Jars are fetched once, from the user's Maven repository, and none gets in unverified."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.local.jars import Advance, class_path, fetch, resolve, stderr_meter
from deploy.local.lock import Jar, JarFault, lock_path, read_lock

CONTENT = b"the bytes of a jar" * 1000
JAR = Jar("org.example", "one", "1.0", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>{artifact}</artifactId><version>1.0</version>
{dependencies}</project>"""


class Quiet(SimpleHTTPRequestHandler):
    """A static file server that says nothing."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A Maven repository on this machine, which the user's jgo.conf names; yields its folder."""
    root = tmp_path / "repository"
    root.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        settings = tmp_path / "jgo.conf"
        settings.write_text(
            f"[repositories]\ncentral = http://127.0.0.1:{server.server_address[1]}\n"
        )
        monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
        yield root
        server.shutdown()
        thread.join()


def publish(repository: Path, artifact: str, content: bytes, dependencies: str = "") -> None:
    folder = repository / "org" / "example" / artifact / "1.0"
    folder.mkdir(parents=True)
    (folder / f"{artifact}-1.0.jar").write_bytes(content)
    pom = POM.format(artifact=artifact, dependencies=dependencies)
    (folder / f"{artifact}-1.0.pom").write_text(pom)


@contextmanager
def ignore(_label: str, _total: int) -> Iterator[Advance]:
    yield lambda _count: None


def test_a_jar_is_fetched_and_every_byte_counted(repository: Path, tmp_path: Path) -> None:
    publish(repository, "one", CONTENT)
    seen: list[tuple[str, int]] = []
    counted: list[int] = []

    @contextmanager
    def meter(label: str, total: int) -> Iterator[Advance]:
        seen.append((label, total))
        yield counted.append

    fetch([JAR], tmp_path / "cache", meter)

    assert (tmp_path / "cache" / "one-1.0.jar").read_bytes() == CONTENT
    assert seen == [("Kafka, 1 jars", len(CONTENT))]
    assert sum(counted) == len(CONTENT)


def test_other_bytes_than_the_locks_do_not_get_into_the_cache(
    repository: Path, tmp_path: Path
) -> None:
    publish(repository, "one", CONTENT + b"!")

    with pytest.raises(JarFault, match=r"expected org\.example:one:1\.0 with SHA-256"):
        fetch([JAR], tmp_path / "cache", ignore)

    assert list((tmp_path / "cache").iterdir()) == []


def test_an_unreachable_repository_is_told(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(JarFault, match=r"one:1\.0: expected to fetch it .* Connect this machine"):
        fetch([JAR], tmp_path / "cache", ignore)

    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.usefixtures("repository")
def test_the_class_path_fetches_what_the_cache_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PITWATCH_CACHE", str(tmp_path / "cache"))

    with pytest.raises(JarFault, match="expected to fetch it"):
        class_path()

    jars = len(read_lock(lock_path()).jars)
    assert f"fetching Kafka, {jars} jars, 56 MB" in capfd.readouterr().err


def test_without_a_terminal_progress_is_two_lines(capfd: pytest.CaptureFixture[str]) -> None:
    with stderr_meter("Kafka", 2_000_000) as advance:
        advance(1_000_000)
        advance(1_000_000)

    assert capfd.readouterr().err == "fetching Kafka, 2 MB\nfetched Kafka\n"


def test_resolving_finds_what_is_needed_at_run_time(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = """<dependencies><dependency><groupId>org.example</groupId>
    <artifactId>{}</artifactId><version>1.0</version><scope>{}</scope></dependency></dependencies>"""
    publish(repository, "one", CONTENT, needs.format("two", "runtime"))
    publish(repository, "two", b"two", needs.format("three", "test"))

    lock = resolve(["org.example:one:1.0"], tmp_path / "download")

    assert lock.roots == ("org.example:one:1.0",)
    assert [jar.coordinate for jar in lock.jars] == ["org.example:one:1.0", "org.example:two:1.0"]
    assert lock.jars[0] == JAR
