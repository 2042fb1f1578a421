"""Kafka's jars as `kafka.lock.toml` lists them, and the check of every one before it is run.

jgo writes a lock of its own but neither resolves from it nor verifies it. This lock is read, not
resolved: it names each jar by its Maven coordinate with its size and SHA-256, so that a start with
all jars in place needs no resolver and no connection, and a jar that differs is never run.
"""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

LOCK_NAME: Final = "kafka.lock.toml"


class JarFault(Exception):
    """Kafka's jars are not what the lock says; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar.

    Attributes:
        group: Maven group, ``org.apache.kafka``.
        artifact: Maven artifact, ``kafka_2.13``.
        version: Maven version, ``4.4.0``.
        size: length in bytes, for the progress of a download.
        sha256: SHA-256 of the whole file, 64 hexadecimal digits.
    """

    group: str
    artifact: str
    version: str
    size: int
    sha256: str

    @property
    def coordinate(self) -> str:
        """The Maven coordinate, ``group:artifact:version``."""
        return f"{self.group}:{self.artifact}:{self.version}"

    @property
    def file_name(self) -> str:
        """The jar's name in Maven's repository and in the cache."""
        return f"{self.artifact}-{self.version}.jar"


@dataclass(frozen=True, slots=True)
class Lock:
    """All jars of one Kafka, in class path order.

    Attributes:
        roots: the coordinates that were resolved to get the jars, as jgo takes them.
        jars: every jar, the transitive ones too.
    """

    roots: tuple[str, ...]
    jars: tuple[Jar, ...]

    @property
    def size(self) -> int:
        """The bytes of all jars."""
        return sum(jar.size for jar in self.jars)


def lock_path() -> Path:
    """Return the lock's path: beside this package in a wheel, else at the root of the checkout."""
    here = Path(__file__).resolve()
    packaged = here.with_name(LOCK_NAME)
    return packaged if packaged.exists() else here.parents[2] / LOCK_NAME


def read_lock(path: Path) -> Lock:
    """Return the lock at `path`.

    Raises:
        JarFault: the file is absent, no TOML, or not of the lock's shape.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return Lock(
            roots=tuple(_text(root) for root in content["roots"]),
            jars=_unique(tuple(_jar(entry) for entry in content["jars"])),
        )
    except OSError as error:
        raise JarFault(f"{path}: expected the lock of Kafka's jars, found: {error}") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise JarFault(
            f"{path}: expected roots and jars with coordinate, size and sha256, found: {error}; "
            f"restore the file as released, or write it anew with `python -m deploy.local.jars`"
        ) from error


def write_lock(lock: Lock) -> str:
    """Return the lock as the text of its file."""
    lines = [
        "# The jars that make up the embedded Kafka; each is compared before every start.",
        "# Written by `python -m deploy.local.jars`, which resolves the roots anew.",
        "roots = [",
        *(f'    "{root}",' for root in lock.roots),
        "]",
    ]
    for jar in lock.jars:
        lines += [
            "",
            "[[jars]]",
            f'coordinate = "{jar.coordinate}"',
            f"size = {jar.size}",
            f'sha256 = "{jar.sha256}"',
        ]
    return "\n".join(lines) + "\n"


def missing(lock: Lock, folder: Path) -> list[Jar]:
    """Return the lock's jars that are not in `folder`."""
    return [jar for jar in lock.jars if not (folder / jar.file_name).exists()]


def verified(lock: Lock, folder: Path) -> tuple[Path, ...]:
    """Return the paths of all jars after comparing each with the lock.

    Nothing else in `folder` is on the class path: it is made from the lock alone.

    Raises:
        JarFault: a jar is absent or differs.
    """
    return tuple(verify(jar, folder / jar.file_name) for jar in lock.jars)


def verify(jar: Jar, path: Path) -> Path:
    """Return `path` after comparing the file there with `jar`.

    Raises:
        JarFault: the file is absent or differs.
    """
    try:
        found = sha256_of(path)
    except OSError as error:
        raise JarFault(f"{path}: expected {jar.coordinate}, found: {error}") from error
    if found != jar.sha256:
        raise JarFault(
            f"{path}: expected {jar.coordinate} with SHA-256 {jar.sha256}, found {found}; "
            f"it is not run. Find out who changed it, then delete it: "
            f"the next start fetches and compares it again."
        )
    return path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the file at `path` as 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _jar(entry: dict[str, Any]) -> Jar:
    group, artifact, version = _text(entry["coordinate"]).split(":")
    digest = _text(entry["sha256"])
    if len(bytes.fromhex(digest)) != hashlib.sha256().digest_size or digest != digest.lower():
        raise ValueError(f"sha256 of {artifact}: expected 64 lower-case hexadecimal digits")
    size = entry["size"]
    if not isinstance(size, int) or size <= 0:
        raise ValueError(f"size of {artifact}: expected bytes, a positive integer")
    return Jar(group, artifact, version, size, digest)


def _unique(jars: Sequence[Jar]) -> tuple[Jar, ...]:
    names = [jar.file_name for jar in jars]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not jars:
        raise ValueError(f"expected some jars, each name once, found twice: {twice}")
    return tuple(jars)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}")
    return value
