"""Numbers and times of events, and what goes wrong between a table and its readers."""

from random import Random

from producers.simulator.floor import draw_setup
from producers.simulator.stamp import Stamper
from producers.simulator.turns import Again, Altered, BadLine, Found, Item, Lost, Restarted
from streams.core.cards import CARDS
from streams.core.events import (
    CardDealt,
    Event,
    NoMoreBets,
    RoundClosed,
    SupervisorCalled,
    TableClosed,
)

DEALT = CardDealt(to="dealer", face="up", card=CARDS["AS"])


def stamped(*items: Item) -> list[Event | bytes]:
    setup = draw_setup("caribbean_stud", 1, Random(1), [])
    return list(Stamper(setup, Random(1), 0).stamp(items))


def events(*items: Item) -> list[Event]:
    return [what for what in stamped(*items) if isinstance(what, Event)]


def test_a_lost_event_has_its_number_and_can_be_found() -> None:
    sent = events(NoMoreBets(), Lost(DEALT), RoundClosed(), Found())
    assert [(event.seq, event.body) for event in sent] == [
        (1, NoMoreBets()),
        (3, RoundClosed()),
        (2, DEALT),
    ]


def test_nothing_is_found_where_nothing_was_lost() -> None:
    assert len(events(NoMoreBets(), Found())) == 1


def test_an_event_comes_again_as_it_was() -> None:
    first, second, again = events(NoMoreBets(), RoundClosed(), Again(2))
    assert again == first != second


def test_an_identity_gets_other_content() -> None:
    for body in (DEALT, NoMoreBets(), SupervisorCalled()):
        first, other = events(body, Altered(1))
        assert other.identity == first.identity
        assert other.body != first.body
    assert events(SupervisorCalled(), Altered(1))[1].body == TableClosed()


def test_a_restart_begins_a_boot_at_its_number() -> None:
    numbers = [(event.boot, event.seq) for event in events(DEALT, Restarted(), DEALT, DEALT)]
    assert numbers == [(1, 1), (2, 1), (2, 2)]
    assert events(DEALT, Restarted(4), DEALT)[1].seq == 4


def test_a_bad_line_has_no_number() -> None:
    assert stamped(BadLine(b"?\n"))[0] == b"?\n"
    assert [event.seq for event in events(DEALT, BadLine(b"?\n"), DEALT)] == [1, 2]
