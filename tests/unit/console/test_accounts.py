"""Accounts in the database: what is kept of them, and that every change is recorded."""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine, select

from streams.console.access.access import SignedIn
from streams.console.access.accounts import AccountFault
from streams.console.access.sessions import MOST_SESSIONS, Sessions, hashed
from streams.database.accounts import audit, secrets, sessions, sign_ins, users
from tests.access_scene import ACT, NOW, PASSWORD, Door, entered, session_id_in


@pytest.fixture
def door(engine: Engine) -> Iterator[Door]:
    opened = Door(engine)
    yield opened
    opened.loop.close()


def test_the_database_holds_no_session_id_and_no_password(door: Door) -> None:
    door.add("op-27")
    browser, _token = entered(door)
    assert door.browser().sign_in(PASSWORD, "op-27").status_code == 401
    held = []
    with door.engine.connect() as connection:
        for table in (users, sessions, sign_ins, audit, secrets):
            held += [str(value) for row in connection.execute(select(table)) for value in row]
    assert not [value for value in held if session_id_in(browser.cookie()) in value]
    assert not [value for value in held if PASSWORD in value]
    assert len([value for value in held if value.startswith("$argon2id$")]) == 1


def test_an_account_has_sixteen_sessions_at_most(door: Door) -> None:
    door.add("op-27")
    browsers = []
    for number in range(MOST_SESSIONS + 2):
        door.clock.pass_(1)
        browsers.append(entered(door, address=f"10.0.0.{number}")[0])
    assert [each.get("/").status_code for each in browsers] == [303] * 2 + [200] * MOST_SESSIONS


def test_old_sessions_are_deleted(door: Door) -> None:
    door.add("op-27")
    entered(door)
    door.clock.pass_(91 * 24 * 3600)
    entered(door)
    with door.engine.connect() as connection:
        assert len(connection.execute(select(sessions)).all()) == 1


def test_a_password_of_old_parameters_is_hashed_anew(door: Door) -> None:
    old = "$argon2id$v=19$m=8,t=2,p=1$"
    door.add("op-27")
    encoded = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
    assert encoded.startswith(old)
    door.accounts.set_password("op-27", encoded, door.by())
    entered(door)
    with door.engine.connect() as connection:
        (now,) = connection.execute(select(users.c.password)).scalars()
    assert now.startswith("$argon2id$v=19$m=8,t=1,p=1$")
    entered(door)


def test_no_password_is_logged(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    door.add("op-27")
    caplog.set_level(logging.DEBUG)
    entered(door)
    door.browser().sign_in("op-27", f"{PASSWORD} wrong")
    assert PASSWORD not in caplog.text


def test_the_same_secret_signs_on_every_replica(door: Door) -> None:
    made = Sessions(door.engine).cookie_secret(NOW)
    assert len(made) == 32
    assert Sessions(door.engine).cookie_secret(NOW + 1) == made


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda door: door.add("op-27"), "op-27: expected a new name, found an account"),
        (lambda door: door.add("-"), 'name: expected 1 to 64 characters .*, found "-"'),
        (lambda door: door.add("op-1", "owner"), "role: expected one of viewer, .*, found owner"),
        (lambda door: door.add("op-1", pits=("a b",)), 'pit: expected .*, found "a b"'),
        (
            lambda door: door.accounts.set_role("op-9", "viewer", door.by()),
            "op-9: expected an account, found none of that name",
        ),
    ],
)
def test_accounts_that_cannot_be(door: Door, change: Callable[[Door], None], said: str) -> None:
    door.add("op-27")
    with pytest.raises(AccountFault, match=said):
        change(door)
    assert [each.name for each in door.accounts.listed()] == ["op-27"]


def test_every_change_of_an_account_is_recorded(door: Door) -> None:
    steps: list[Callable[[], None]] = [
        lambda: door.add("op-27", pits=("main", "high")),
        lambda: door.accounts.set_role("op-27", "surveillance", door.by("moved")),
        lambda: door.accounts.set_pits("op-27", (), door.by()),
        lambda: door.accounts.set_password("op-27", "hash", door.by()),
        lambda: door.accounts.set_disabled("op-27", disabled=True, by=door.by("left")),
        lambda: door.accounts.set_disabled("op-27", disabled=False, by=door.by()),
    ]
    for step in steps:
        door.clock.pass_(1)
        step()
    assert door.audited("who", "what", "target", "why") == [
        ("boss", "account_added", "op-27: operator, main, high", None),
        ("boss", "account_role", "op-27: surveillance", "moved"),
        ("boss", "account_pits", "op-27: all pits", None),
        ("boss", "account_password", "op-27", None),
        ("boss", "account_disabled", "op-27", "left"),
        ("boss", "account_enabled", "op-27", None),
    ]
    (account,) = door.accounts.listed()
    assert (account.role, account.pits, account.disabled) == ("surveillance", (), False)
    assert account.changed_at > account.created_at


def test_no_secret_is_shown_by_what_holds_it(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    id_ = session_id_in(browser.cookie())
    session = Sessions(door.engine).session(hashed(id_), door.clock.now, touch=False)
    assert token not in repr(session)
    assert id_ not in repr(SignedIn(id_))


def test_consoles_that_start_at_once_agree_on_the_secret(engine: Engine) -> None:
    start = Barrier(6)

    def first(_number: int) -> bytes:
        start.wait(30)
        return Sessions(engine).cookie_secret(NOW)

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(first, range(6)))) == 1


def test_no_words_keep_an_act_out_of_the_audit(door: Door) -> None:
    door.add("op-27")
    browser, token = entered(door)
    door.clock.pass_(1)
    assert browser.act(ACT, token, note="a\x00b" + "c" * 5_000).status_code == 200
    what, why = door.audited("what", "why")[-1]
    assert what == "acknowledge"
    assert why == "a\ufffdb" + "c" * 997
