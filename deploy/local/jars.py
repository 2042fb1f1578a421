"""Fetch Kafka's jars once, through jgo, and hand out the class path.

Run as a program (``python -m deploy.local.jars``) it resolves the roots anew and writes the lock.
"""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from deploy.local.caches import cache_folder
from deploy.local.lock import (
    Jar,
    JarFault,
    Lock,
    lock_path,
    missing,
    read_lock,
    sha256_of,
    verified,
    verify,
    write_lock,
)

if TYPE_CHECKING:
    from jgo.maven import MavenContext

ROOTS: Final = (
    "org.apache.kafka:kafka_2.13:4.4.0",
    "org.apache.kafka:kafka-tools:4.4.0",
    # Kafka's POMs leave the slf4j binding to the distribution; without it nothing is logged.
    # "!": its parent manages versions of Kafka's own jars, which must not be taken.
    "org.apache.logging.log4j:log4j-slf4j-impl:2.25.5!",
)
CONNECTIONS: Final = 8
"""Jars fetched at a time: they are 92 and mostly small, so the round trips dominate."""

TIMEOUT_SECONDS: Final = 60

Advance = Callable[[int], None]
"""Takes the bytes that have come since the last call."""


Meter = Callable[[str, int], AbstractContextManager[Advance]]
"""Shows a download of so many bytes, under a label, while its context is open."""


def class_path() -> tuple[Path, ...]:
    """Return Kafka's jars, every one compared with the lock; fetch those not in the cache.

    With all jars in place this opens no connection. Progress goes to stderr.

    Raises:
        JarFault: a jar differs from the lock, or could not be fetched.
    """
    lock = read_lock(lock_path())
    folder = cache_folder() / "kafka"
    absent = missing(lock, folder)
    if absent:
        fetch(absent, folder, stderr_meter)
    return verified(lock, folder)


def fetch(jars: Sequence[Jar], folder: Path, meter: Meter) -> None:
    """Download `jars` into `folder`; each gets its name there only when it equals the lock.

    Raises:
        JarFault: a download failed or brought something else than the lock says.
    """
    folder.mkdir(parents=True, exist_ok=True)
    total = sum(jar.size for jar in jars)
    # A download cut short stays in this folder, which the next one does not read.
    incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=folder))
    try:
        with meter(f"Kafka, {len(jars)} jars", total) as advance:
            _download(jars, folder, incoming, advance)
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


def _download(jars: Sequence[Jar], folder: Path, incoming: Path, advance: Advance) -> None:
    @contextmanager
    def count(_name: str, _size: int) -> Iterator[Advance]:
        yield advance

    context = maven(incoming, count)

    def one(jar: Jar) -> None:
        artifact = context.project(jar.group, jar.artifact).at_version(jar.version).artifact()
        try:
            path = artifact.resolve()
        except (OSError, RuntimeError) as error:  # requests' errors are OSErrors
            raise JarFault(
                f"{jar.coordinate}: expected to fetch it from the Maven repository, "
                f"found: {error}. Connect this machine once; later starts need no network."
            ) from error
        verify(jar, path).replace(folder / jar.file_name)

    with ThreadPoolExecutor(CONNECTIONS, "jars") as pool:
        pending = [pool.submit(one, jar) for jar in jars]
        try:
            for future in pending:
                future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def maven(
    folder: Path, count: Callable[[str, int], AbstractContextManager[Advance]] | None = None
) -> "MavenContext":
    """Return jgo's view of the user's Maven repositories, downloads going to `folder`."""
    # jgo and its HTTP client take 0.3 s to import: only a start that downloads pays for them.
    from jgo.config import GlobalSettings  # noqa: PLC0415  see above
    from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415  see above
    from jgo.maven import MavenContext, PythonResolver  # noqa: PLC0415  see above

    return MavenContext(
        resolver=PythonResolver(progress_callback=count),
        repo_cache=folder,
        # As jgo's own command: a mirror in the user's jgo.conf takes the place of its name.
        remote_repos={"central": MAVEN_CENTRAL_URL, **GlobalSettings.load().repositories},
        timeout=TIMEOUT_SECONDS,
    )


@contextmanager
def stderr_meter(label: str, total: int) -> Iterator[Advance]:
    """Show a bar on stderr where it is a terminal, else a line at the start and one at the end."""
    console = Console(stderr=True)
    size = f"{total / 1e6:.0f} MB"
    if not console.is_terminal:
        console.print(f"fetching {label}, {size}")
        yield lambda _count: None
        console.print(f"fetched {label}")
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(f"fetching {label}", total=total)
        yield lambda count: progress.advance(task, count)


def resolve(roots: Sequence[str], folder: Path) -> Lock:
    """Resolve `roots` with all they need at run time, download into `folder`, return the lock."""
    from dataclasses import replace  # noqa: PLC0415  only the maintainer's command needs these

    from jgo.parse import Coordinate  # noqa: PLC0415  as above

    context = maven(folder)
    wanted = [
        context.create_dependency(replace(Coordinate.parse(root), scope="compile"))
        for root in roots
    ]
    direct, transitive = context.resolver.resolve(wanted)
    needed = [*direct, *(one for one in transitive if one.scope in {"compile", "runtime"})]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        paths = list(pool.map(lambda one: one.artifact.resolve(), needed))
    return Lock(
        roots=tuple(roots),
        jars=tuple(
            Jar(one.groupId, one.artifactId, one.version, path.stat().st_size, sha256_of(path))
            for one, path in zip(needed, paths, strict=True)
        ),
    )


def main() -> None:
    """Resolve the roots anew and write the lock."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with tempfile.TemporaryDirectory() as folder:
        lock = resolve(ROOTS, Path(folder))
    path = lock_path()
    path.write_text(write_lock(lock), encoding="utf-8")
    logging.getLogger(__name__).info("%s: %d jars, %d bytes", path, len(lock.jars), lock.size)


if __name__ == "__main__":
    main()
