"""What `pitwatch doctor` looks at: each a function from what it is told to checkups.

| verdict | means |
|---|---|
| ok | as it must be |
| warn | works, and is not as a floor in use should have it |
| fail | something of a floor cannot work, or would lose or miss something |
"""

import ctypes
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from deploy.local.lock import JarFault, missing, read_lock, verified
from deploy.local.ports import answers, taken
from deploy.local.supervisor import answers_ready
from schemas.catalog import Subject
from schemas.compat import breaks, shared_fingerprints
from streams.core.book import BookFault
from streams.rulebooks import load

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"

PINNED: Final = ("faust-streaming", "mode-streaming", "aiokafka", "kafka-python")
"""Libraries whose private names are used: another version is another program."""

LEAST_PYTHON: Final = (3, 11)
JAVA_SECONDS: Final = 30.0
MEBIBYTE: Final = 1024 * 1024
LEAST_SPACE: Final = 256 * MEBIBYTE
SPACE: Final = 2048 * MEBIBYTE
"""A full spool of the default size, and as much again for Kafka's newest segments."""
SLOW_SYNC_SECONDS: Final = 0.05
"""A device is answered after one sync: slower than this its answers are late."""
LEAST_FILES: Final = 1024
"""A gateway takes 512 connections, and Kafka opens three files a segment."""
TIME_ERROR: Final = 5
"""From linux/timex.h: the clock is not synchronised."""
TIMEX_BYTES: Final = 512
"""More than the kernel's struct timex on any machine; zeros in it ask and set nothing."""
BUILT: Final = 1_790_000_000
"""Seconds since 1970-01-01 UTC, September 2026: no right clock is before it."""


@dataclass(frozen=True, slots=True)
class Checkup:
    """One thing looked at.

    Attributes:
        name: what.
        verdict: ``ok``, ``warn`` or ``fail``.
        found: what is the case.
        todo: what to do about it; empty where it is right.
    """

    name: str
    verdict: str
    found: str
    todo: str = ""


def python(version: tuple[int, int, int]) -> Checkup:
    """Look at the version of Python."""
    right = version >= LEAST_PYTHON
    return Checkup(
        "python",
        OK if right else FAIL,
        f"{'.'.join(map(str, version))}, {sys.executable}",
        "" if right else "install Python 3.11 or newer and run `make setup` with it",
    )


def libraries(wanted: Mapping[str, str]) -> Checkup:
    """Look at the versions of the libraries that are pinned together, by their names."""
    wrong = [
        f"{name} {found} instead of {version}"
        for name, version in wanted.items()
        if (found := installed(name)) != version
    ]
    return Checkup(
        "libraries",
        FAIL if wrong else OK,
        ", ".join(wrong) or f"{', '.join(PINNED)} as pinned",
        "install the pinned requirements: `make setup`" if wrong else "",
    )


def pinned() -> dict[str, str]:
    """Return the versions that Pitwatch asks for of what is pinned together."""
    asked = (requirement.partition("==") for requirement in metadata.requires("pitwatch") or ())
    versions = {name.partition("[")[0].strip(): version for name, _, version in asked}
    return {name: versions[name] for name in PINNED}


def installed(name: str) -> str:
    """Return the version of an installed library."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def java(program: Path) -> Checkup:
    """Look at the Java machine that the embedded Kafka runs on."""
    todo = "install the pinned requirements: `make setup`"
    try:
        result = subprocess.run(  # noqa: S603  the Java machine of our own environment
            [program, "-version"], capture_output=True, check=False, text=True, timeout=JAVA_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Checkup("java", FAIL, str(error), todo)
    said = (result.stderr or result.stdout).partition("\n")[0]
    if result.returncode:
        return Checkup("java", FAIL, f"status {result.returncode}: {said}", todo)
    return Checkup("java", OK, said)


def jars(lock_file: Path, folder: Path) -> Checkup:
    """Compare the embedded Kafka's jars in a folder with the lock."""
    try:
        lock = read_lock(lock_file)
        absent = missing(lock, folder)
        if not absent:
            verified(lock, folder)
    except JarFault as fault:
        return Checkup("jars", FAIL, str(fault), "see there; no jar that differs is ever run")
    if absent:
        size = sum(jar.size for jar in absent) / 1e6
        return Checkup(
            "jars",
            WARN,
            f"{len(absent)} of {len(lock.jars)} are not in {folder}",
            f"connect this machine once: the first `pitwatch up` fetches {size:.0f} MB",
        )
    return Checkup("jars", OK, f"{len(lock.jars)} as locked, in {folder}")


def port(name: str, number: int) -> Checkup:
    """Look at the port of one of Pitwatch's own servers: free, or its own."""
    if not taken(number):
        return Checkup(f"{name} port", OK, f"{number} is free")
    if answers_ready(number):
        return Checkup(f"{name} port", OK, f"a server on {number} says that it is ready")
    if answers(number):
        return Checkup(
            f"{name} port",
            WARN,
            f"a server on {number} does not say that it is ready",
            f"if it is the {name}: ask http://127.0.0.1:{number}/readyz why; "
            "if not: stop it, or choose another port",
        )
    return Checkup(
        f"{name} port", FAIL, f"{number} is taken and nobody answers", "see who has it: `ss -ltnp`"
    )


def folder(path: Path, *, own: bool) -> Iterator[Checkup]:
    """Look at a folder that is to keep data: permissions, space, and how long a sync takes.

    Args:
        path: the folder, which need not exist yet.
        own: whether it is Pitwatch's own, so that nobody else should look into it.
    """
    there = path
    while not there.exists() and there != there.parent:
        there = there.parent
    try:
        seconds = sync_seconds(there)
    except OSError as error:
        yield Checkup(
            "folder",
            FAIL,
            f"{there}: {error.strerror}",
            "give Pitwatch's user a folder that it can write, with --data",
        )
        return
    yield permissions(path, there, own=own)
    yield space(there, shutil.disk_usage(there).free)
    slow = seconds > SLOW_SYNC_SECONDS
    yield Checkup(
        "disk",
        WARN if slow else OK,
        f"a write with its sync takes {seconds * 1000:.1f} ms in {there}",
        "devices are answered after a sync: use a faster disk for the spool" if slow else "",
    )


def sync_seconds(path: Path) -> float:
    """Write, sync and remove a small file; return how long the fastest of three syncs took.

    Raises:
        OSError: the folder cannot be written.
    """
    times = []
    with tempfile.TemporaryFile(dir=path) as file:
        for _ in range(3):
            began = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return min(times)


def permissions(path: Path, there: Path, *, own: bool) -> Checkup:
    """Look at who can read a folder: a spool has cards that lie face down."""
    if path != there:
        return Checkup("folder", OK, f"{path} can be made, for its owner alone")
    mode = stat.S_IMODE(path.stat().st_mode)
    if own and mode & 0o077:
        return Checkup(
            "folder",
            WARN,
            f"{path} has mode {mode:04o}: others may look into it",
            f"cards that lie face down are kept there: chmod 700 {path}",
        )
    return Checkup("folder", OK, f"{path} can be written, and has mode {mode:04o}")


def space(path: Path, free: int) -> Checkup:
    """Look at the room on a folder's disk, in bytes."""
    todo = "make room, or choose another --data: a full spool tells devices to wait"
    found = f"{free / MEBIBYTE:,.0f} MiB free in {path}"
    if free >= SPACE:
        return Checkup("space", OK, found)
    return Checkup("space", WARN if free >= LEAST_SPACE else FAIL, found, todo)


def files(most: int) -> Checkup:
    """Look at how many files a process may have open; below 0 for no limit."""
    few = 0 <= most < LEAST_FILES
    return Checkup(
        "open files",
        WARN if few else OK,
        "without a limit" if most < 0 else f"{most} at most",
        f"raise it to {LEAST_FILES} or more: `ulimit -n`, or LimitNOFILE" if few else "",
    )


def clock(now: float, state: int) -> Checkup:
    """Look at the machine's clock, by which received events are stamped.

    Args:
        now: what it says, in seconds since 1970-01-01 UTC.
        state: what the kernel says of it.
    """
    todo = "set it, and let chrony or another NTP client keep it"
    said = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    if now < BUILT:
        return Checkup("clock", FAIL, f"{said}: before this program was written", todo)
    if state == TIME_ERROR:
        return Checkup("clock", WARN, f"{said}, and the kernel says: not synchronised", todo)
    if state < 0:
        return Checkup("clock", OK, f"{said}; whether it is synchronised is not told here")
    return Checkup("clock", OK, f"{said}, synchronised")


def kernel_clock() -> int:
    """Return the kernel's clock state by adjtimex(2); below 0 where it says none."""
    if sys.platform != "linux":
        return -1
    return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES)))


def schemas(subjects: tuple[Subject, ...]) -> Checkup:
    """Look at whether released schemas keep their promises."""
    problems = [*shared_fingerprints(subjects)]
    for subject in subjects:
        problems += breaks(subject)
    if problems:
        found = "; ".join(str(problem) for problem in problems)
        return Checkup("schemas", FAIL, found, "restore the package: releases never change")
    releases = sum(len(subject.releases) for subject in subjects)
    return Checkup("schemas", OK, f"{releases} releases of {len(subjects)} records")


def rulebook(name: str) -> Checkup:
    """Look at a rulebook."""
    try:
        book = load(name)
    except BookFault as fault:
        found = "; ".join(str(problem) for problem in fault.problems)
        return Checkup("rulebook", FAIL, f"{name}: {found}", "put it right: no worker starts so")
    return Checkup("rulebook", OK, f"{book.name}, {len(book.rules)} rules, {book.sha256[:12]}")
