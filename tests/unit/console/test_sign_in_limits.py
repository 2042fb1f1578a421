"""Signing in is limited in the database: by name, by address, over replicas and at once."""

import asyncio
from collections.abc import Iterator
from typing import Literal

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine, select

from streams.console.access import access
from streams.console.access.passwords import Passwords
from streams.database.accounts import sign_ins
from tests.access_scene import Door


@pytest.fixture
def door(engine: Engine) -> Iterator[Door]:
    opened = Door(engine)
    yield opened
    opened.loop.close()


def test_five_tries_and_the_release_of_the_oldest(door: Door) -> None:
    door.add("op-27")
    browser = door.browser()
    for left in (4, 3, 2, 1, 0):
        assert browser.sign_in("op-27", "wrong").text == f"{left} left"
        door.clock.pass_(60)
    for _ in range(3):
        assert browser.sign_in("op-27").text == "600 s", "not counted, so not made longer"
    assert door.browser("10.0.0.2").sign_in("op-27").status_code == 204, "another address"
    assert browser.sign_in("sv-01", "wrong").text == "4 left", "another name"
    door.clock.pass_(600)
    assert browser.sign_in("op-27").status_code == 204
    assert browser.sign_in("op-27", "wrong").text == "4 left", "the right password released it"
    said = [row for row in door.audited("what", "who", "address") if row[0] == "sign_in_limited"]
    assert said == [("sign_in_limited", "op-27", "10.0.0.1")], "once a window"


def test_many_addresses_do_not_guess_one_name(door: Door) -> None:
    door.add("op-27")
    for number in range(20):
        assert door.browser(f"10.0.1.{number}").sign_in("op-27", "wrong").status_code == 401
    assert door.browser("10.0.2.1").sign_in("op-27").status_code == 429
    door.clock.pass_(15 * 60)
    assert door.browser("10.0.2.1").sign_in("op-27").status_code == 204


def test_one_address_does_not_guess_many_names(door: Door) -> None:
    door.add("op-27")
    browser = door.browser()
    for number in range(50):
        assert browser.sign_in(f"name-{number}", "wrong").status_code == 401
    assert browser.sign_in("op-27").status_code == 429
    assert door.browser("10.0.0.2").sign_in("op-27").status_code == 204


def test_the_limits_hold_over_replicas(door: Door) -> None:
    door.add("op-27")
    other = Door(door.engine, clock=door.clock, loop=door.loop)
    for number in range(5):
        asked = (door, other)[number % 2].browser()
        assert asked.sign_in("op-27", "wrong").status_code == 401
    assert other.browser().sign_in("op-27").status_code == 429
    assert door.browser().sign_in("op-27").status_code == 429


def test_unknown_and_disabled_names_are_answered_as_wrong_passwords(door: Door) -> None:
    door.add("op-27")
    door.accounts.set_disabled("op-27", disabled=True, by=door.by())
    for name in ("op-27", "nobody", "", "x" * 500, "\x00", "é", "' or 1=1 --"):
        assert door.browser().sign_in(name).text == "4 left"
    assert {row for row in door.audited("what", "who") if row[0] == "sign_in_failed"} == {
        ("sign_in_failed", "op-27"),
        ("sign_in_failed", "unknown name"),
    }


def test_tries_that_left_the_window_are_deleted(door: Door) -> None:
    for number in range(10):
        door.browser(f"10.0.0.{number}").sign_in("nobody", "wrong")
    door.clock.pass_(15 * 60)
    door.browser().sign_in("nobody", "wrong")
    with door.engine.connect() as connection:
        assert len(connection.execute(select(sign_ins)).all()) == 1


def test_sign_ins_at_once_are_bounded(door: Door) -> None:
    door.add("op-27")
    browser = door.browser()
    form = {"name": "op-27", "password": "wrong"}
    headers = {"Origin": browser.base}

    async def at_once() -> list[int]:
        answers = [browser.client.post("/sign-in", data=form, headers=headers) for _ in range(20)]
        return [answer.status_code for answer in await asyncio.gather(*answers)]

    statuses = door.loop.run(at_once())
    assert statuses.count(401) <= 5, "no more passwords are looked at than one after another"
    assert set(statuses) <= {401, 429}


class Counting(PasswordHasher):
    """Argon2, which says with what it was asked to compare."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.compared: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.compared.append(str(hash).rpartition("$")[0].rpartition("$")[0])
        return super().verify(hash, password)


def test_an_unknown_name_costs_as_much_as_a_known_one(door: Door) -> None:
    counting = Counting()
    door.access.passwords = Passwords(counting)
    door.add("op-27")
    door.add("op-14")
    door.accounts.set_disabled("op-14", disabled=True, by=door.by())
    for name in ("op-27", "op-14", "nobody", "\x00"):
        assert door.browser().sign_in(name, "wrong").status_code == 401
    assert counting.compared == ["$argon2id$v=19$m=8,t=1,p=1"] * 4


def test_more_sign_ins_than_can_wait_are_told_to_come_back(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.add("op-27")
    monkeypatch.setattr(access, "WAITING", 0)
    assert door.browser().sign_in("op-27").status_code == 503
    monkeypatch.undo()
    assert door.browser().sign_in("op-27").status_code == 204
