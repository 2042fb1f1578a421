"""A schema registry, spoken to by Confluent's API: list, look up, check, register.

| asked | request |
|---|---|
| which subjects there are | ``GET /subjects`` |
| which versions a subject has | ``GET /subjects/S/versions`` |
| which id a schema has | ``POST /subjects/S`` |
| whether a schema is compatible | ``POST /compatibility/subjects/S/versions`` |
| to take a schema | ``POST /subjects/S/versions`` |
| to hold a subject to its promise | ``PUT /config/S`` |
| what a subject is held to | ``GET /config/S`` |

A subject is a topic's name with ``-value`` behind it, as other programs that read the topics expect
(Confluent's TopicNameStrategy). The address may name a user and a password; they are shown nowhere.
"""

from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx

from schemas.catalog import Mode, Release, Subject

MEDIA_TYPE: Final = "application/vnd.schemaregistry.v1+json"
TIMEOUT_SECONDS: Final = 5.0
LARGEST_ID: Final = 2**32 - 1
"""An id has four bytes in a message."""

NO_SUBJECT: Final = 40401
NO_VERSION: Final = 40402
NO_SCHEMA: Final = 40403
NO_PROMISE: Final = 40408


class RegistryFault(Exception):
    """A registry does not do what it is asked; the text says what was expected and found."""


class RegistryAway(RegistryFault):
    """No answer, or one that says to come again: nothing is known."""


class RegistryRefusal(RegistryFault):
    """The registry answers that it will not, or what no registry answers."""

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code


def subject_name(prefix: str, subject: Subject) -> str:
    """Return what a registry calls a record: its topic's name and ``-value``.

    Args:
        prefix: before the names of the topics.
        subject: the record.
    """
    return f"{prefix}{subject.topic}-value"


class Registry:
    """A registry at an address; a context manager.

    Args:
        url: its address, the path of its API included.
        client: what is asked with; one of its own where none is given.

    Raises:
        RegistryRefusal: it is no address.
    """

    def __init__(self, url: str, client: httpx.Client | None = None) -> None:
        named = _address(url)
        # Apart from the address, which httpx logs and errors name.
        self._auth = (named.username, named.password) if named.userinfo else None
        self._url = named.copy_with(username=None, password=None)
        self._client = client or httpx.Client(timeout=TIMEOUT_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    @property
    def shown(self) -> str:
        """Return the address without user and password."""
        return str(self._url)

    def subjects(self) -> list[str]:
        """Return the names of all subjects."""
        return _list_of(self._ask("GET", "/subjects"), str)

    def versions(self, subject: str) -> list[int]:
        """Return a subject's versions, none where there is no such subject."""
        try:
            return _list_of(self._ask("GET", f"/subjects/{_part(subject)}/versions"), int)
        except RegistryRefusal as refusal:
            if refusal.code == NO_SUBJECT:
                return []
            raise

    def id_of(self, subject: str, release: Release) -> int | None:
        """Return the id of a release, or nothing where the subject does not have it."""
        try:
            answer = self._ask("POST", f"/subjects/{_part(subject)}", _schema(release))
        except RegistryRefusal as refusal:
            if refusal.code in {NO_SUBJECT, NO_VERSION, NO_SCHEMA}:
                return None
            raise
        return _id(answer)

    def compatible(self, subject: str, release: Release) -> bool:
        """Say whether a release keeps what the subject's versions promise; one of none does."""
        path = f"/compatibility/subjects/{_part(subject)}/versions"
        try:
            answer = self._ask("POST", path, _schema(release))
        except RegistryRefusal as refusal:
            if refusal.code in {NO_SUBJECT, NO_VERSION}:
                return True
            raise
        match answer:
            case {"is_compatible": bool(compatible)}:
                return compatible
            case _:
                raise RegistryRefusal(f"compatibility: expected is_compatible, found {answer!r}")

    def register(self, subject: str, release: Release) -> int:
        """Have a release registered, and return its id; one that is registered keeps its own.

        Raises:
            RegistryRefusal: the registry says that it breaks what the subject promises.
        """
        return _id(self._ask("POST", f"/subjects/{_part(subject)}/versions", _schema(release)))

    def hold_to(self, subject: str, mode: Mode) -> None:
        """Have the registry refuse what breaks a promise, for a subject that is there."""
        self._ask("PUT", f"/config/{_part(subject)}", {"compatibility": mode.value})

    def held_to(self, subject: str) -> str | None:
        """Return the compatibility that a subject is held to, nothing where it has none."""
        try:
            answer = self._ask("GET", f"/config/{_part(subject)}")
        except RegistryRefusal as refusal:
            if refusal.code in {NO_SUBJECT, NO_PROMISE}:
                return None
            raise
        match answer:
            case {"compatibilityLevel": str(level)}:
                return level
            case _:
                raise RegistryRefusal(
                    f"{self.shown}: config: expected compatibilityLevel, found {answer!r}"[:300]
                )

    def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:  # noqa: ANN401  JSON
        """Return the answer's JSON.

        Raises:
            RegistryAway: there is no answer, or one that says to come again.
            RegistryRefusal: any other that is no success.
        """
        url = self._url.copy_with(path=f"{self._url.path.rstrip('/')}{path}")
        headers = {"accept": MEDIA_TYPE, "content-type": MEDIA_TYPE}
        try:
            answer = self._client.request(method, url, json=body, headers=headers, auth=self._auth)
        except httpx.HTTPError as error:
            found = str(error) or type(error).__name__
            raise RegistryAway(f"{self.shown}: expected a registry, found: {found}") from error
        if answer.status_code >= 500 or answer.status_code == 429:
            found = f"status {answer.status_code}"
            raise RegistryAway(f"{self.shown}: expected an answer, found {found}")
        try:
            said = answer.json()
        except ValueError:
            said = None
        if answer.is_success and said is not None:
            return said
        code, text = answer.status_code, answer.text[:200]
        if isinstance(said, dict) and isinstance(said.get("error_code"), int):
            code, text = said["error_code"], str(said.get("message"))[:500]
        place = f"{self.shown}: {method} {path}"
        raise RegistryRefusal(f"{place}: expected success, found {code}: {text}", code)


def _address(url: str) -> httpx.URL:
    """Return an address, which may have a secret in it, so that no error shows it."""
    try:
        named = httpx.URL(url.rstrip("/"))
    except httpx.InvalidURL:
        named = httpx.URL()
    if named.scheme not in {"http", "https"} or not named.host:
        raise RegistryRefusal("registry: expected http://HOST:PORT/PATH, found something else")
    return named


def _part(subject: str) -> str:
    return quote(subject, safe="")


def _schema(release: Release) -> dict[str, str]:
    return {"schema": release.text.decode(), "schemaType": "AVRO"}


def _id(answer: object) -> int:
    match answer:
        case {"id": int(number)} if 0 <= number <= LARGEST_ID:
            return number
        case _:
            raise RegistryRefusal(f"id: expected one of four bytes, found {answer!r}"[:200])


def _list_of(answer: object, kind: type[Any]) -> list[Any]:
    if not isinstance(answer, list) or not all(isinstance(each, kind) for each in answer):
        raise RegistryRefusal(f"expected a list of {kind.__name__}, found {answer!r}"[:200])
    return answer
