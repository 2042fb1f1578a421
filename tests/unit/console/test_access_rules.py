"""Roles, limits and lifetimes as pure rules."""

import itertools
from dataclasses import dataclass

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from schemas.times import MICROS_IN_SECOND
from streams.console.access.limits import (
    ADDRESS_TRIES,
    IDLE,
    LONGEST,
    NAME_TRIES,
    OWN_TRIES,
    WINDOW,
    Tries,
    free_at,
    left,
    over,
    to_touch,
)
from streams.console.access.passwords import Passwords, generated, password_fault
from streams.console.access.roles import ACCOUNTS, EXPORT, LOOK, User, refusal
from streams.core.alarms.commands import ACTS, ROLES
from streams.rulebooks import load


@dataclass(frozen=True)
class Weighed:
    class_: str
    severity: str


PLAIN = Weighed("breach", "high")
CRITICAL = Weighed("breach", "critical")
INTEGRITY = Weighed("integrity", "high")
HIDING = ("shelve", "out_of_service")

MAY = {
    "viewer": {LOOK},
    "operator": {LOOK, EXPORT, *ACTS},
    "surveillance": {LOOK, EXPORT, *ACTS},
    "admin": {LOOK, EXPORT, ACCOUNTS, *ACTS},
}


@pytest.mark.parametrize(
    ("role", "act"), list(itertools.product(ROLES, (LOOK, EXPORT, ACCOUNTS, "fly", *ACTS)))
)
def test_what_each_role_may_do_in_its_pits(role: str, act: str) -> None:
    for user in (User("u", role), User("u", role, ("main", "high"))):
        assert (refusal(user, act, PLAIN, "main") is None) is (act in MAY[role])


@pytest.mark.parametrize(("role", "act"), list(itertools.product(ROLES, ACTS)))
def test_acts_outside_own_pits_are_surveillances_alone(role: str, act: str) -> None:
    said = refusal(User("u", role, ("high",)), act, PLAIN, "main")
    assert (said is None) is (role == "surveillance")


@pytest.mark.parametrize(("role", "act"), list(itertools.product(ROLES, ACTS)))
@pytest.mark.parametrize("alarm", [CRITICAL, INTEGRITY, None])
def test_critical_and_integrity_alarms_are_hidden_by_surveillance_alone(
    role: str, act: str, alarm: Weighed | None
) -> None:
    allowed = refusal(User("u", role), act, alarm, "main") is None
    if role == "viewer":
        assert not allowed
    else:
        assert allowed is (role == "surveillance" or act not in HIDING)


def test_a_rule_is_as_grave_as_an_alarm() -> None:
    rules = load().rules
    operator = User("op", "operator")
    assert refusal(operator, "out_of_service", rules["stub_count_wrong"], "main") is not None
    assert refusal(operator, "out_of_service", rules["stub_count_overdue"], "main") is None


def test_a_role_of_another_version_may_nothing() -> None:
    assert refusal(User("u", "owner"), LOOK, None, None) == "this role may not do this"


def test_refusals_are_words() -> None:
    assert refusal(User("v", "viewer"), "comment", PLAIN, "a") == "a viewer may not do this"
    assert refusal(User("o", "operator"), ACCOUNTS, None, None) == "an operator may not do this"
    assert refusal(User("s", "surveillance"), ACCOUNTS, None, None) == (
        "surveillance may not do this"
    )
    assert refusal(User("o", "operator", ("a", "b")), "comment", PLAIN, "c") == (
        "pit c is not among your pits: a, b"
    )


NOW = 1_796_040_000 * MICROS_IN_SECOND
TIMES = st.lists(st.integers(NOW - WINDOW + 1, NOW), max_size=60).map(sorted)


@given(TIMES, TIMES, TIMES)
def test_a_try_is_taken_at_the_time_told_and_not_before(
    own: list[int], name: list[int], address: list[int]
) -> None:
    tries = Tries(own, name, address)
    assert (free_at(tries) == 0) is (left(tries) > 0)

    def later(now: int) -> Tries:
        return Tries(*([at for at in times if at > now - WINDOW] for times in (own, name, address)))

    if until := free_at(tries):
        assert until > NOW
        assert left(later(until)) > 0
        assert left(later(until - 1)) <= 0


def test_each_limit_holds() -> None:
    at = [NOW] * 100
    assert left(Tries([], [], [])) == OWN_TRIES
    assert left(Tries(at[:OWN_TRIES], [], [])) == 0
    assert left(Tries([], at[:NAME_TRIES], [])) == 0
    assert left(Tries([], [], at[:ADDRESS_TRIES])) == 0
    assert left(Tries([], at[: NAME_TRIES - 1], [])) == 1


@given(st.integers(0, LONGEST * 2), st.integers(0, LONGEST * 2))
def test_a_session_ends_when_idle_and_after_the_longest(used: int, rest: int) -> None:
    created, seen, now = NOW, NOW + used, NOW + used + rest
    assert over(created, seen, now) is (rest >= IDLE or used + rest >= LONGEST)


def test_the_last_use_is_written_at_most_every_30_seconds() -> None:
    assert not to_touch(NOW, NOW + 30 * MICROS_IN_SECOND - 1)
    assert to_touch(NOW, NOW + 30 * MICROS_IN_SECOND)


QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_a_password_is_known_by_its_hash() -> None:
    passwords = Passwords(QUICK)
    encoded = passwords.hash("correct horse")
    assert "correct" not in encoded
    assert passwords.verify(encoded, "correct horse").right
    assert not passwords.verify(encoded, "correct hors").right
    assert not passwords.verify("no hash", "correct horse").right
    assert not passwords.verify(None, "correct horse").right


def test_other_parameters_hash_anew() -> None:
    old = Passwords(QUICK).hash("correct horse")
    passwords = Passwords(PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    verdict = passwords.verify(old, "correct horse")
    assert verdict.right
    assert verdict.rehashed is not None
    assert verdict.rehashed.startswith("$argon2id$v=19$m=16,t=2,p=1$")
    assert passwords.verify(verdict.rehashed, "correct horse").rehashed is None


def test_the_shipped_parameters_are_those_of_rfc_9106() -> None:
    assert Passwords().hash("correct horse").startswith("$argon2id$v=19$m=65536,t=3,p=4$")


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("short", "expected 12 to 200 characters, found 5"),
        ("x" * 201, "expected 12 to 200 characters, found 201"),
        ("my OP-27 password", "expected a password without the account's name in it"),
        ("abababababab", "expected at least 6 different characters"),
        ("a long enough one", None),
    ],
)
def test_new_passwords_are_checked(password: str, said: str | None) -> None:
    assert password_fault("op-27", password) == said


def test_generated_passwords_are_random_and_pass() -> None:
    made = {generated() for _ in range(50)}
    assert len(made) == 50
    assert all(password_fault("op-27", each) is None for each in made)
