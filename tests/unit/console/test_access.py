"""Who gets in, how long he stays and what he may do: each promise, with what breaks it."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from schemas.times import MICROS_IN_SECOND
from streams.console.access.cookies import Cookies
from streams.console.access.sessions import Sessions
from tests.access_scene import ACT, NOW, PASSWORD, Door, entered


@pytest.fixture
def door(engine: Engine) -> Iterator[Door]:
    opened = Door(engine)
    yield opened
    opened.loop.close()


def test_nobody_comes_in_without_a_session(door: Door) -> None:
    browser = door.browser()
    sent = browser.get("/")
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in")
    sent = browser.get("/acts?x=1&y=/z")
    assert sent.headers["location"] == "/sign-in?next=/acts%3Fx%3D1%26y%3D/z"
    for headers in (
        {"accept": "text/event-stream"},
        {"hx_request": "true"},
        {"x_background": "1"},
    ):
        refused = browser.get("/", **headers)
        assert (refused.status_code, refused.headers["hx-redirect"]) == (401, "/sign-in")
    assert browser.post(f"/acts/{ACT}").status_code == 401
    assert door.done == []


def test_someone_who_is_signed_in_acts_and_it_is_recorded(door: Door) -> None:
    door.add("op-27", pits=("main",))
    door.clock.pass_(1)
    browser, token = entered(door)
    assert browser.get("/").text == "op-27 operator main"
    door.clock.pass_(6)
    assert browser.act(ACT, token, note="seen on camera").text == "done"
    assert door.audited("at", "who", "what", "target", "why", "address") == [
        (NOW, "boss", "account_added", "op-27: operator, main", None, None),
        (NOW + MICROS_IN_SECOND, "op-27", "signed_in", None, None, "10.0.0.1"),
        (
            NOW + 7 * MICROS_IN_SECOND,
            "op-27",
            "acknowledge",
            "stub_count_overdue",
            "seen on camera",
            "10.0.0.1",
        ),
    ]


@pytest.mark.parametrize("part", ["id", "signature", "all", "unsigned", "long", "bytes"])
def test_a_forged_cookie_opens_nothing(door: Door, part: str) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    session_id, _, signature = browser.cookie().rpartition(".")
    turned = "A" if session_id[0] != "A" else "B"
    forged = {
        "id": f"{turned}{session_id[1:]}.{signature}",
        "signature": f"{session_id}.{signature[::-1]}",
        "all": "x.y",
        "unsigned": session_id,
        "long": browser.cookie() + "x" * 5_000,
        "bytes": f"{session_id}\u00e9.{signature}",
    }[part]
    other = door.browser()
    assert other.get("/", cookie=f"pitwatch={forged}").status_code == 303
    assert other.get("/", cookie=f"pitwatch={browser.cookie()}").status_code == 200


def test_a_signed_cookie_of_no_session_opens_nothing(door: Door) -> None:
    door.add("op-27")
    secret = Sessions(door.engine).cookie_secret(NOW)
    cookies = Cookies(secret, secure=False, now=door.clock)
    signed = cookies._sessions.sign("A" * 43).decode()
    assert door.browser().get("/", cookie=f"pitwatch={signed}").status_code == 303


def test_an_idle_session_is_over(door: Door) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    for _ in range(4):
        door.clock.pass_(29 * 60)
        assert browser.get("/").status_code == 200
    door.clock.pass_(30 * 60)
    assert browser.get("/").status_code == 303


@pytest.mark.parametrize("headers", [{"accept": "text/event-stream"}, {"x_background": "1"}])
def test_what_a_page_asks_by_itself_does_not_keep_a_session_from_being_idle(
    door: Door, headers: dict[str, str]
) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    door.clock.pass_(29 * 60)
    assert browser.get("/", **headers).status_code == 200
    door.clock.pass_(60)
    assert browser.get("/").status_code == 303


def test_a_session_lasts_twelve_hours_at_most(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    for _ in range(12 * 3 - 1):
        door.clock.pass_(20 * 60)
        assert browser.get("/").status_code == 200
    door.clock.pass_(20 * 60)
    assert browser.act(ACT, token).status_code == 401
    assert door.done == []


def test_who_signed_out_is_out(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    cookie = browser.cookie()
    assert browser.post("/sign-out", {"csrf": "x"}).status_code == 403
    assert browser.get("/").status_code == 200
    door.clock.pass_(1)
    assert browser.post("/sign-out", {"csrf": token}).status_code == 204
    assert browser.get("/").status_code == 303
    assert door.browser().get("/", cookie=f"pitwatch={cookie}").status_code == 303
    assert door.audited("who", "what")[-1] == ("op-27", "signed_out")


def test_who_is_disabled_is_out_at_once_and_cannot_come_in(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    door.accounts.set_disabled("op-27", disabled=True, by=door.by())
    assert browser.act(ACT, token).status_code == 401
    assert browser.get("/").status_code == 303
    assert browser.sign_in("op-27").status_code == 401
    door.accounts.set_disabled("op-27", disabled=False, by=door.by())
    assert browser.get("/").status_code == 303, "the sessions ended with the account"
    assert browser.sign_in("op-27").status_code == 204


def test_a_new_password_ends_the_sessions(door: Door) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    door.accounts.set_password("op-27", door.access.passwords.hash("another one!"), door.by())
    assert browser.get("/").status_code == 303
    assert browser.sign_in("op-27").status_code == 401
    assert browser.sign_in("op-27", "another one!").status_code == 204


def test_a_lowered_role_acts_no_more(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    assert browser.act(ACT, token).status_code == 200
    door.accounts.set_role("op-27", "viewer", door.by())
    assert browser.act(ACT, token).text == "a viewer may not do this"
    assert browser.get("/").text == "op-27 viewer "


def test_pits_that_were_taken_are_taken_at_once(door: Door) -> None:
    door.add("op-27", pits=("main",))
    browser, token = entered(door)
    assert browser.act(ACT, token).status_code == 200
    door.accounts.set_pits("op-27", ("high",), door.by())
    assert browser.act(ACT, token).text == "pit main is not among your pits: high"


def test_surveillance_alone_hides_critical_alarms(door: Door) -> None:
    door.add("op-27")
    door.add("sv-01", "surveillance", ("high",))
    grave = "shelve/main/stub_count_wrong"
    browser, token = entered(door)
    assert browser.act(grave, token).status_code == 403
    assert browser.act("shelve/main/duplicate_card", token).status_code == 403
    assert browser.act("shelve/main/stub_count_overdue", token).status_code == 200
    watching, token = entered(door, "sv-01", "10.0.0.2")
    assert watching.act(grave, token).status_code == 200
    assert door.done == ["shelve", "shelve"]


def test_a_session_holds_over_replicas(door: Door) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    other = Door(door.engine, clock=door.clock, loop=door.loop)
    cookie = f"pitwatch={browser.cookie()}"
    assert other.browser().get("/", cookie=cookie).status_code == 200


def test_an_id_given_to_a_browser_is_not_the_one_it_signs_in_with(door: Door) -> None:
    door.add("op-27")
    door.add("evil")
    planted, _token = entered(door, "evil")
    victim = door.browser()
    cookie = planted.cookie()
    form = {"name": "op-27", "password": PASSWORD}
    assert victim.post("/sign-in", form, cookie=f"pitwatch={cookie}").status_code == 204
    assert victim.cookie() != cookie
    assert victim.get("/").text == "op-27 operator "
    assert door.browser().get("/", cookie=f"pitwatch={cookie}").status_code == 303, "it is over"


def test_every_sign_in_has_an_id_of_its_own(door: Door) -> None:
    door.add("op-27")
    browser = door.browser()
    seen = set()
    for _ in range(3):
        assert browser.sign_in("op-27").status_code == 204
        seen.add(browser.cookie())
    assert len(seen) == 3
