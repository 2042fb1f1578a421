"""Who may do what: as the page on face-down cards says, and nothing for a user that has no role."""

import pytest

from streams.wire.acls import (
    DESCRIBE,
    GROUP,
    READ,
    USERS,
    WRITE,
    Acl,
    floor_acls,
    floor_users,
    gateway_user,
)
from streams.wire.topics import changelog, floor_topics

GATEWAYS = ("east", "west/2")
ACLS = floor_acls(GATEWAYS, prefix="p.", application="a")
HIDDEN = ("p.deals.v1", "p.deals.dead.v1", changelog("a"))
"""The topics that hold cards that lie face down."""


def who(operation: str, topic: str) -> set[str]:
    return {each.user for each in ACLS if (each.operation, each.name) == (operation, topic)}


def test_only_the_worker_and_the_administrator_read_cards_that_lie_face_down() -> None:
    for topic in HIDDEN:
        assert who(READ, topic) <= {"worker", "admin"}
    assert who(READ, "p.deals.v1") == {"worker", "admin"}


def test_gateways_write_deals_and_dead_letters_and_do_nothing_else() -> None:
    for gateway in GATEWAYS:
        own = [each for each in ACLS if each.user == gateway_user(gateway)]
        assert own == [
            Acl(gateway_user(gateway), "topic", "p.deals.dead.v1", WRITE),
            Acl(gateway_user(gateway), "topic", "p.deals.v1", WRITE),
        ]


def test_the_console_alone_writes_commands() -> None:
    assert who(WRITE, "p.commands.v1") == {"console"}


def test_the_console_is_told_no_more_of_the_deals_than_where_they_end() -> None:
    of_deals = {each.operation for each in ACLS if (each.user, each.name) == ("console", HIDDEN[0])}
    assert of_deals == {DESCRIBE}


def test_the_worker_alone_writes_what_comes_of_deals() -> None:
    for topic in ("findings.v1", "rounds.v1", "tables.v1", "alarms.v1"):
        assert who(WRITE, f"p.{topic}") == {"worker"}
    assert who(WRITE, changelog("a")) == {"worker"}


def test_every_topic_of_a_floor_is_on_the_list_and_no_other() -> None:
    topics = {each.name for each in floor_topics(prefix="p.", application="a")}
    assert {each.name for each in ACLS if each.resource == "topic"} == topics
    assert {each.name for each in ACLS if each.resource == GROUP} == {"a"}


@pytest.mark.parametrize("user", floor_users(GATEWAYS))
def test_every_user_may_do_something(user: str) -> None:
    assert any(each.user == user for each in ACLS)


def test_no_gateway_is_called_as_another_user() -> None:
    assert not {gateway_user(name) for name in USERS} & set(USERS)
