"""What `pitwatch doctor` looks at of a schema registry: whether a process could use it now.

| looked at | fails where |
|---|---|
| the registry | it does not answer, or refuses to |
| subjects | one lacks a release, so that no process starts |
| compatibility | releases break what a registered version promises, or nothing holds others to it |
| ids | it gives others than this machine kept: what is in Kafka cannot be read by them |
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from schemas.catalog import SUBJECTS, Release, Subject
from schemas.registry import Registry, RegistryAway, RegistryFault, subject_name
from schemas.registry_ids import IdCache

REGISTER: Final = "run `pitwatch schemas register`"


def registry(url: str, prefix: str, folder: Path) -> Iterator[Checkup]:
    """Look at a registry.

    Args:
        url: its address.
        prefix: before the names of the topics.
        folder: where ids are kept on this machine.
    """
    try:
        with Registry(url) as one:
            yield Checkup("registry", OK, f"{one.shown} answers, {len(one.subjects())} subjects")
            yield from _subjects(one, prefix)
            yield from _ids(one, prefix, IdCache(folder, one.shown, prefix))
    except RegistryAway as away:
        yield Checkup(
            "registry",
            FAIL,
            str(away),
            "start it, or see --registry; until then only processes start that kept its ids on "
            "disk, see PITWATCH_CACHE",
        )
    except RegistryFault as fault:
        yield Checkup(
            "registry",
            FAIL,
            str(fault),
            "see --registry: the address of Confluent's API with its path, and who may ask it",
        )


def _subjects(one: Registry, prefix: str) -> Iterator[Checkup]:
    """Look at whether each subject has each release, and is held to what it promises."""
    well = True
    for subject in SUBJECTS:
        name = subject_name(prefix, subject)
        for found in (_releases(one, name, subject), _promise(one, name, subject)):
            if found is not None:
                well = False
                yield found
    if well:
        yield Checkup("subjects", OK, f"{len(SUBJECTS)} with every release, held to their promises")


def _releases(one: Registry, name: str, subject: Subject) -> Checkup | None:
    """Return what is wrong with the versions of a subject."""
    there = len(one.versions(name))
    lacking = [each for each in subject.releases if one.id_of(name, each) is None]
    breaking = [each.name for each in lacking if there and not one.compatible(name, each)]
    if breaking:
        return Checkup(
            "subjects",
            FAIL,
            f"{name}: {', '.join(breaking)} breaks what its {there} versions promise",
            "see who registered them: another program's records are under this name, so use "
            "another --topic-prefix or registry",
        )
    if lacking:
        names = ", ".join(each.name for each in lacking)
        return Checkup("subjects", FAIL, f"{name}: {names} is not registered", REGISTER)
    if there > len(subject.releases):
        return Checkup(
            "subjects",
            WARN,
            f"{name}: {there} versions, of which this program knows {len(subject.releases)}",
            "a newer Pitwatch or another program registered them; upgrade where it was Pitwatch",
        )
    return None


def _promise(one: Registry, name: str, subject: Subject) -> Checkup | None:
    """Return what is wrong with what a subject is held to."""
    if not one.versions(name):
        return None
    level = one.held_to(name)
    if level == subject.mode.value:
        return None
    found = (
        f"{name}: expected compatibility {subject.mode.value}, found {level or 'none of its own'}"
    )
    return Checkup("compatibility", FAIL, found, f"{REGISTER}, which holds it to that")


def _ids(one: Registry, prefix: str, cache: IdCache) -> Iterator[Checkup]:
    """Look at whether the ids are those that this machine kept."""
    releases: list[tuple[str, Release]] = [
        (subject_name(prefix, subject), each) for subject in SUBJECTS for each in subject.releases
    ]
    kept = cache.read([each for _, each in releases])
    if not kept:
        yield Checkup("registry ids", OK, f"none kept in {cache.path.parent} by processes of here")
        return
    moved = [
        f"{each.name} is {found} and was {kept[each]}"
        for name, each in releases
        if each in kept and (found := one.id_of(name, each)) not in {None, kept[each]}
    ]
    if moved:
        yield Checkup(
            "registry ids",
            FAIL,
            "; ".join(moved),
            f"the registry was made anew, and what is in Kafka has the old ids: restore it, or "
            f"delete {cache.path} if those messages are not needed",
        )
        return
    yield Checkup("registry ids", OK, f"{len(kept)} of {len(releases)} kept in {cache.path}")
