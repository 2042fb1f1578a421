"""The ids that a registry has given to the releases, kept on disk for when it is away.

| the registry | what the disk has | a process |
|---|---|---|
| answers | nothing, or the same | takes the ids, and keeps what is new |
| answers with another id | the id it had | ends: messages in Kafka have the old ids |
| answers, but lacks a release | anything | ends: it is to be registered first |
| is away | every release | takes the ids that were kept |
| is away | not every release | ends, and is started again until the registry is there |

A registry is asked at the start alone, so what happens to it later touches no message. A process
that ends here has taken no event and read no record: devices and Kafka have them.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from schemas.catalog import SUBJECTS, Release, Subject
from schemas.registry import (
    LARGEST_ID,
    Registry,
    RegistryAway,
    RegistryFault,
    RegistryRefusal,
    subject_name,
)

PATIENCE_SECONDS: Final = 20.0
"""How long a registry that starts beside this process is waited for, where nothing is kept."""
PAUSE_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Known:
    """The ids of all releases, and why they were not asked for but taken from the disk, if so."""

    ids: Mapping[int, Release]
    away: str | None = None


class IdCache:
    """The ids of one registry on disk.

    Args:
        folder: where the caches of all registries are.
        registry: its address without secrets.
        prefix: of the topics' names, which the subjects' begin with.
    """

    def __init__(self, folder: Path, registry: str, prefix: str) -> None:
        self.path = folder / f"{sha256(f'{registry} {prefix}'.encode()).hexdigest()[:32]}.json"

    def read(self, releases: Sequence[Release]) -> dict[Release, int]:
        """Return the ids that are kept of these releases; none where the file is not whole."""
        try:
            values = json.loads(self.path.read_bytes())
        except (OSError, ValueError):
            return {}
        kept = values if isinstance(values, dict) else {}
        found = {release: kept.get(_key(release)) for release in releases}
        return {
            release: number
            for release, number in found.items()
            if isinstance(number, int) and 0 <= number <= LARGEST_ID
        }

    def write(self, ids: Mapping[Release, int]) -> None:
        """Keep ids, the file replaced as a whole.

        Raises:
            OSError: the disk does not write.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Several processes of a machine may write the same; each file is whole.
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with new.open("w", encoding="utf-8") as file:
            json.dump({_key(release): number for release, number in ids.items()}, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)


def registered(
    registry: Registry, prefix: str, subjects: Sequence[Subject] = SUBJECTS
) -> dict[Release, int]:
    """Return the id of every release.

    Raises:
        RegistryAway: the registry does not answer.
        RegistryRefusal: it lacks a release.
    """
    ids: dict[Release, int] = {}
    for subject in subjects:
        name = subject_name(prefix, subject)
        for release in subject.releases:
            number = registry.id_of(name, release)
            if number is None:
                raise RegistryRefusal(
                    f"{registry.shown}: {name}: expected {release.name}, found it not registered: "
                    "run pitwatch schemas register"
                )
            ids[release] = number
    return ids


def known_ids(
    registry: Registry,
    prefix: str,
    folder: Path,
    *,
    subjects: Sequence[Subject] = SUBJECTS,
    patience: float = PATIENCE_SECONDS,
    sleep: Callable[[float], None] = time.sleep,
) -> Known:
    """Return the ids of all releases: the registry's, or while it is away those kept on disk.

    Args:
        registry: who gives ids.
        prefix: before the names of the topics.
        folder: where ids are kept.
        subjects: the records.
        patience: seconds for which a registry is waited for of which not all is kept.
        sleep: lets so many seconds pass.

    Raises:
        RegistryFault: there are no ids, or others than before.
        OSError: they cannot be kept.
    """
    releases = [release for subject in subjects for release in subject.releases]
    cache = IdCache(folder, registry.shown, prefix)
    kept = cache.read(releases)
    whole = len(kept) == len(releases)
    tries = 1 if whole else 1 + int(patience / PAUSE_SECONDS)
    while True:
        try:
            ids = registered(registry, prefix, subjects)
            break
        except RegistryAway as away:
            if whole:
                return Known(_by_id(kept), str(away))
            tries -= 1
            if not tries:
                raise
            sleep(PAUSE_SECONDS)
    for release, number in kept.items():
        if ids[release] != number:
            raise RegistryFault(
                f"{registry.shown}: expected the id {number} for {release.name} as before, found "
                f"{ids[release]}: the registry was made anew, and what is in Kafka has the old "
                f"ids; restore it, or delete {cache.path} if those messages are not needed"
            )
    if ids != kept:
        cache.write(ids)
    return Known(_by_id(ids))


def _by_id(ids: Mapping[Release, int]) -> dict[int, Release]:
    return {number: release for release, number in ids.items()}


def _key(release: Release) -> str:
    """Return what names a release in the file: also by its fingerprint, which proves it."""
    return f"{release.name} {release.fingerprint:016x}"
