"""Ids are a registry's while it is there, those on disk while it is away, and never others."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from schemas.catalog import SUBJECTS, Release
from schemas.registry import Registry, RegistryAway, RegistryFault, RegistryRefusal
from schemas.registry_ids import PAUSE_SECONDS, IdCache, known_ids, registered

RELEASES = [release for subject in SUBJECTS for release in subject.releases]
ADDRESS = "http://registry.casino/apis"


class Answers:
    """A registry that has ids, or is away for so many requests."""

    def __init__(self, ids: dict[str, int], away: float = 0) -> None:
        self.ids = ids
        self.away = away
        self.asked = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.asked <= self.away:
            raise httpx.ConnectError("refused")
        number = self.ids.get(json.loads(request.content)["schema"])
        if number is None:
            return httpx.Response(404, json={"error_code": 40403, "message": "none"})
        return httpx.Response(200, json={"id": number})

    def registry(self) -> Registry:
        return Registry(ADDRESS, httpx.Client(transport=httpx.MockTransport(self)))


def numbered(start: int) -> dict[str, int]:
    return {release.text.decode(): number for number, release in enumerate(RELEASES, start)}


def by_id(start: int) -> dict[int, Release]:
    return dict(enumerate(RELEASES, start))


def file(folder: Path) -> Path:
    return IdCache(folder, ADDRESS, "p.").path


def test_ids_are_the_registrys_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    known = known_ids(Answers(numbered(3)).registry(), "p.", folder)
    assert (known.ids, known.away) == (by_id(3), None)
    assert [path.name for path in folder.iterdir()] == [file(folder).name]
    again = known_ids(Answers(numbered(3)).registry(), "p.", folder)
    assert (again.ids, again.away) == (by_id(3), None)


def test_a_registry_that_is_away_is_not_waited_for_where_all_is_kept(tmp_path: Path) -> None:
    known_ids(Answers(numbered(3)).registry(), "p.", tmp_path)
    away = Answers({}, away=1e9)
    known = known_ids(away.registry(), "p.", tmp_path)
    assert known.ids == by_id(3)
    assert known.away == f"{ADDRESS}: expected a registry, found: refused"
    assert away.asked == 1


def test_without_ids_a_registry_is_waited_for(tmp_path: Path) -> None:
    slept: list[float] = []
    late = Answers(numbered(1), away=3)
    known = known_ids(late.registry(), "p.", tmp_path, sleep=slept.append)
    assert (known.ids, known.away) == (by_id(1), None)
    assert slept == [PAUSE_SECONDS] * 3


def test_without_ids_a_registry_that_stays_away_is_an_end(tmp_path: Path) -> None:
    slept: list[float] = []
    never = Answers({}, away=1e9)
    with pytest.raises(RegistryAway):
        known_ids(never.registry(), "p.", tmp_path, patience=2, sleep=slept.append)
    assert sum(slept) == 2
    assert not file(tmp_path).exists()


def test_other_ids_than_before_are_refused_and_those_kept_stand(tmp_path: Path) -> None:
    known_ids(Answers(numbered(3)).registry(), "p.", tmp_path)
    with pytest.raises(RegistryFault, match=r"expected the id 3 for deal_event v1 as before"):
        known_ids(Answers(numbered(4)).registry(), "p.", tmp_path)
    assert known_ids(Answers({}, away=1e9).registry(), "p.", tmp_path).ids == by_id(3)


def test_a_release_that_is_not_registered_is_named() -> None:
    ids = numbered(1)
    del ids[RELEASES[2].text.decode()]
    with pytest.raises(RegistryRefusal, match=f"expected {RELEASES[2].name}, found it not"):
        registered(Answers(ids).registry(), "p.")


def damaged() -> Iterator[str]:
    yield ""
    yield "[]"
    yield "{"
    whole = {f"{each.name} {each.fingerprint:016x}": 1 for each in RELEASES}
    first = next(iter(whole))
    for value in ("1", -1, 2**32, None):
        yield json.dumps({**whole, first: value})
    # another schema under the release's name
    del whole[first]
    yield json.dumps({**whole, f"{RELEASES[0].name} {0:016x}": 1})


@pytest.mark.parametrize("text", list(damaged()))
def test_a_file_that_is_not_whole_is_as_none(tmp_path: Path, text: str) -> None:
    file(tmp_path).write_text(text)
    with pytest.raises(RegistryAway):
        known_ids(Answers({}, away=1e9).registry(), "p.", tmp_path, patience=0)


def test_registries_and_prefixes_have_files_of_their_own(tmp_path: Path) -> None:
    paths = {IdCache(tmp_path, url, prefix).path for url in "ab" for prefix in "cd"}
    assert len(paths) == 4
