"""What stands before every page: origins, tokens, headers, names and lengths."""

from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Engine
from starlette.types import Message

from streams.console.access import guard
from streams.console.access.guard import LOOPBACK_NAMES
from streams.database import writing
from streams.database.accounts import audit, sessions
from tests.access_scene import ACT, PASSWORD, Door, entered, token_of

OTHER = "that of another session"


@pytest.fixture
def door(engine: Engine) -> Iterator[Door]:
    opened = Door(engine)
    yield opened
    opened.loop.close()


@pytest.mark.parametrize("token", [None, "", "x", "é", OTHER])
def test_an_act_without_its_sessions_token_is_refused(door: Door, token: str | None) -> None:
    door.add("op-27")
    browser, own = entered(door)
    _other, others = entered(door)
    assert own != others
    form = {} if token is None else {"csrf": others if token == OTHER else token}
    assert browser.post(f"/acts/{ACT}", form).status_code == 403
    assert browser.post(f"/acts/{ACT}?csrf={own}", form).status_code == 403
    assert browser.post(f"/acts/{ACT}", x_csrf_token=form.get("csrf")).status_code == 403
    assert door.done == []
    assert browser.post(f"/acts/{ACT}", {"csrf": own}).status_code == 200
    assert browser.post(f"/acts/{ACT}", x_csrf_token=own).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.test",
        "http://console.test:81",
        "http://console.test.evil.test",
        "ftp://console.test",
        "http://[",
        "",
    ],
)
def test_an_act_from_a_foreign_page_is_refused(door: Door, origin: str | None) -> None:
    door.add("op-27")
    browser, token = entered(door)
    assert browser.post(f"/acts/{ACT}", {"csrf": token}, Origin=origin).status_code == 403
    form = {"name": "op-27", "password": PASSWORD}
    assert browser.post("/sign-in", form, Origin=origin).status_code == 403
    assert door.done == []


def test_what_is_too_large_or_without_a_length_is_refused(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    assert browser.act(ACT, token, note="x" * 70_000).status_code == 413
    many = {"csrf": token, **{f"f{number}": "x" for number in range(2_001)}}
    assert browser.post(f"/acts/{ACT}", many).status_code == 413

    async def chunks() -> AsyncIterator[bytes]:
        yield f"csrf={token}".encode()

    sent = {"Origin": browser.base}
    client = browser.client
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    chunked = client.post(f"/acts/{ACT}", content=chunks(), headers={**sent, **kind})
    assert door.loop.run(chunked).status_code == 413
    json = client.post(f"/acts/{ACT}", json={"csrf": token}, headers=sent)
    assert door.loop.run(json).status_code == 403
    assert door.done == []


def test_a_feed_ends_with_its_session(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    monkeypatch.setattr(guard, "LOOK_SECONDS", 0.0)
    door.feeds_until = lambda: door.accounts.set_disabled("op-27", disabled=True, by=door.by())
    ended = browser.get("/feed", accept="text/event-stream")
    assert ended.status_code == 200
    assert ended.text == "data: frame\n\n" * 3
    assert browser.get("/feed", accept="text/event-stream").status_code == 401


POLICY = (
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)


def test_every_answer_has_the_safe_headers(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    answers = [
        browser.get("/"),
        door.browser().get("/"),
        browser.act(ACT, token),
        browser.act(ACT, "x"),
        browser.get("/nowhere"),
        browser.get("/static/console.css"),
    ]
    assert [each.status_code for each in answers] == [200, 303, 200, 403, 404, 200]
    for answer in answers:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert "strict-transport-security" not in answer.headers
    assert {each.headers["cache-control"] for each in answers[:-1]} == {"no-store"}
    assert answers[-1].headers["cache-control"] == "public"


def test_cookies_are_kept_from_scripts_and_from_other_sites(door: Door) -> None:
    door.add("op-27")
    browser = door.browser()
    given = browser.sign_in("op-27").headers.get_list("set-cookie")[0]
    name, *attributes = given.split("; ")
    assert name.startswith("pitwatch=")
    assert set(attributes) == {"HttpOnly", "Max-Age=43200", "Path=/", "SameSite=lax"}


def test_behind_tls_cookies_and_pages_come_over_tls_alone(door: Door) -> None:
    door.add("op-27")
    safe = Door(door.engine, secure=True, clock=door.clock, loop=door.loop)
    browser = safe.browser()
    answer = browser.sign_in("op-27")
    name, *attributes = answer.headers.get_list("set-cookie")[0].split("; ")
    assert name.startswith("__Host-pitwatch=")
    assert "Secure" in attributes
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    token = token_of(door, browser)
    assert browser.act(ACT, token).status_code == 200
    plain = browser.base.replace("https", "http")
    assert browser.post(f"/acts/{ACT}", {"csrf": token}, Origin=plain).status_code == 403


def test_a_name_that_is_not_ours_is_not_answered(door: Door) -> None:
    door.add("op-27")
    bound = Door(door.engine, hosts=LOOPBACK_NAMES, clock=door.clock, loop=door.loop)
    browser = bound.browser()
    for host in ("evil.test", "localhost.evil.test", "[", ""):
        assert browser.get("/", host=host).status_code == 421
    for host in ("localhost:7303", "127.0.0.1:7303", "[::1]:7303"):
        assert browser.get("/", host=host).status_code == 303


def test_a_database_that_is_away_lets_nobody_in(door: Door) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    with writing(door.engine) as connection:
        sessions.drop(connection)
    answer = browser.get("/")
    assert answer.status_code == 503
    assert answer.text == "expected a database that answers, found none; try again soon\n"
    assert door.browser().get("/").status_code == 303, "who has no cookie is not looked up"
    with writing(door.engine) as connection:
        audit.drop(connection)
    answer = door.browser().sign_in("op-27")
    assert answer.status_code == 503
    assert answer.headers["cache-control"] == "no-store"


def test_a_web_socket_is_closed(door: Door) -> None:
    sent: list[Message] = []

    async def opens() -> None:
        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        await door.app({"type": "websocket", "path": "/feed", "headers": []}, receive, send)

    door.loop.run(opens())
    assert sent == [{"type": "websocket.close"}]
