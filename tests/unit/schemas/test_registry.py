"""What a schema registry is asked, and what becomes of every answer that it may give."""

import json
from collections.abc import Callable

import httpx
import pytest

from schemas.catalog import BY_NAME, Mode
from schemas.registry import (
    Registry,
    RegistryAway,
    RegistryFault,
    RegistryRefusal,
    subject_name,
)

FINDING = BY_NAME["finding"].newest
NAME = "pitwatch.findings.v1-value"
ADDRESS = "http://user:hidden@registry.casino:8080/apis/ccompat/v7/"


def registry(answer: Callable[[httpx.Request], httpx.Response]) -> Registry:
    return Registry(ADDRESS, httpx.Client(transport=httpx.MockTransport(answer)))


def answering(status: int, body: object) -> Registry:
    return registry(lambda _request: httpx.Response(status, json=body))


def test_a_subject_is_the_topics_value() -> None:
    assert subject_name("pitwatch.", BY_NAME["finding"]) == NAME


def test_it_is_asked_by_confluents_api() -> None:
    asked: list[tuple[str, str, object]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        asked.append((request.method, str(request.url), body))
        assert request.headers["authorization"].startswith("Basic ")
        assert request.headers["accept"] == "application/vnd.schemaregistry.v1+json"
        if "config" in request.url.path and request.method == "GET":
            return httpx.Response(200, json={"compatibilityLevel": "FULL_TRANSITIVE"})
        if "compatibility" in request.url.path:
            return httpx.Response(200, json={"is_compatible": False})
        named = request.method == "GET" and request.url.path.endswith("/subjects")
        known: object = [NAME] if named else [1, 2] if request.method == "GET" else {"id": 7}
        return httpx.Response(200, json=known)

    with registry(answer) as one:
        assert one.subjects() == [NAME]
        assert one.versions(NAME) == [1, 2]
        assert one.id_of(NAME, FINDING) == 7
        assert one.compatible(NAME, FINDING) is False
        assert one.register(NAME, FINDING) == 7
        one.hold_to("odd/name", Mode.FULL_TRANSITIVE)
        assert one.held_to("odd/name") == "FULL_TRANSITIVE"
    base = "http://registry.casino:8080/apis/ccompat/v7"
    schema = {"schema": FINDING.text.decode(), "schemaType": "AVRO"}
    assert asked == [
        ("GET", f"{base}/subjects", None),
        ("GET", f"{base}/subjects/{NAME}/versions", None),
        ("POST", f"{base}/subjects/{NAME}", schema),
        ("POST", f"{base}/compatibility/subjects/{NAME}/versions", schema),
        ("POST", f"{base}/subjects/{NAME}/versions", schema),
        ("PUT", f"{base}/config/odd%2Fname", {"compatibility": "FULL_TRANSITIVE"}),
        ("GET", f"{base}/config/odd%2Fname", None),
    ]


def test_user_and_password_are_shown_nowhere() -> None:
    one = answering(500, {})
    with pytest.raises(RegistryAway) as raised:
        one.subjects()
    assert one.shown == "http://registry.casino:8080/apis/ccompat/v7"
    assert "hidden" not in str(raised.value) + repr(one) + repr(vars(one)["_url"])


@pytest.mark.parametrize(("code", "status"), [(40401, 404), (40403, 404)])
def test_what_is_not_there_has_no_id(code: int, status: int) -> None:
    one = answering(status, {"error_code": code, "message": "not found"})
    assert one.id_of(NAME, FINDING) is None


@pytest.mark.parametrize("code", [40401, 40408])
def test_what_is_not_there_is_held_to_nothing(code: int) -> None:
    assert answering(404, {"error_code": code, "message": "not found"}).held_to(NAME) is None


def test_a_subject_that_is_not_there_has_no_version_and_takes_all() -> None:
    one = answering(404, {"error_code": 40401, "message": "not found"})
    assert one.versions(NAME) == []
    assert one.compatible(NAME, FINDING)


@pytest.mark.parametrize("url", ["", "registry:8080", "ftp://r", "http://", "http://u:hidden@:x/"])
def test_what_is_no_address_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(RegistryRefusal, match="expected http://HOST:PORT/PATH") as raised:
        Registry(url)
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_registry_that_is_ill_is_away(status: int) -> None:
    with pytest.raises(RegistryAway, match=f"found status {status}"):
        answering(status, {}).subjects()


def test_no_answer_is_away() -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("")

    with pytest.raises(RegistryAway, match="expected a registry, found: ConnectTimeout"):
        registry(refuse).subjects()


ALL: dict[str, Callable[[Registry], object]] = {
    "subjects": lambda one: one.subjects(),
    "versions": lambda one: one.versions(NAME),
    "id_of": lambda one: one.id_of(NAME, FINDING),
    "compatible": lambda one: one.compatible(NAME, FINDING),
    "register": lambda one: one.register(NAME, FINDING),
    "hold_to": lambda one: one.hold_to(NAME, Mode.FULL_TRANSITIVE),
    "held_to": lambda one: one.held_to(NAME),
}


@pytest.mark.parametrize("ask", ALL.values(), ids=ALL)
def test_a_refusal_is_told_with_its_code(ask: Callable[[Registry], object]) -> None:
    one = answering(409, {"error_code": 409, "message": "it breaks"})
    with pytest.raises(RegistryRefusal, match="expected success, found 409: it breaks") as raised:
        ask(one)
    assert raised.value.code == 409


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(404, text="<html>no such page"),
        httpx.Response(403, json=["no"]),
        httpx.Response(200, text="<html>"),
    ],
)
@pytest.mark.parametrize("ask", ALL.values(), ids=ALL)
def test_what_no_registry_answers_is_a_fault(
    answer: httpx.Response, ask: Callable[[Registry], object]
) -> None:
    with pytest.raises(RegistryFault, match="expected success, found "):
        ask(registry(lambda _request: answer))


@pytest.mark.parametrize("body", [{}, [], {"id": "7"}, {"id": -1}, {"id": 2**32}, 7])
@pytest.mark.parametrize("name", [name for name in ALL if name != "hold_to"])
def test_an_answer_of_another_shape_is_a_fault(body: object, name: str) -> None:
    if body == [] and name in {"subjects", "versions"}:
        body = [None]
    with pytest.raises(RegistryRefusal, match="expected"):
        ALL[name](answering(200, body))
