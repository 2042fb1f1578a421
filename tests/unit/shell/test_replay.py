"""A letter is replayed when its source wants it next, whoever asks and however often."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.core.advance import advance_all
from streams.core.events import CLOCK_SOURCE, Event, RoundClosed, Tick
from streams.core.sequence import Place, sequence
from streams.core.table import SourceState, new_table
from streams.shell.letters import Letter
from streams.shell.replay import REPLAYED, Fate, Places, Replay
from streams.shell.store import TableStore
from streams.wire.snapshot import encode_snapshot
from tests.letter_models import letter_of, line_letter
from tests.shell_models import TOPICS, book, recorded


def event(
    seq: int, *, boot: int = 2, source: str = "gw/1", table: str = "T-1", at: int = 0
) -> Event:
    return Event(table, source, boot, seq, 1_796_040_000_000_000 + at, RoundClosed(), None)


def places(*events: Event) -> Places:
    found = Places(TOPICS.deals)
    for offset, one in enumerate(events):
        found.take_deal(offset, one)
    return found


def replayed(found: Places, letters: Sequence[Letter]) -> tuple[Replay, list[Event]]:
    """Return a whole replay and what it wrote."""
    replay = Replay(found, dead=TOPICS.dead, commands=TOPICS.commands, version="1.0.0")
    wrote: list[Event] = []
    while True:
        replay.begin()
        wrote += [
            replay.deal(judged).event
            for judged in replay.judge(letters)
            if judged.fate is Fate.NEXT
        ]
        if not replay.again:
            return replay, wrote


@pytest.mark.parametrize(
    ("letter", "fate"),
    [
        (event(4), Fate.NEXT),
        (event(3), Fate.APPLIED),
        (event(3, at=1), Fate.CONFLICT),
        (event(2), Fate.BEHIND),
        (event(5), Fate.AHEAD),
        (event(9, boot=1), Fate.BEHIND),
        (event(1, boot=3), Fate.NEXT),
        (event(2, boot=3), Fate.AHEAD),
        (event(9, source="gw/new"), Fate.NEXT),
        (event(9, table="T-new"), Fate.NEXT),
        (replace(event(1), source=CLOCK_SOURCE, body=Tick()), Fate.TICK),
    ],
)
def test_the_fate_of_an_event_is_its_place(letter: Event, fate: Fate) -> None:
    assert places(event(1), event(3)).fate(letter) is fate


def test_places_are_those_of_the_states_and_of_the_deals_beyond_them() -> None:
    events = recorded("fc-deal-order")
    state = advance_all(new_table("FC-01"), events[:8], book()).state
    read_back = TableStore()
    read_back.absorb(0, b"FC-01", encode_snapshot(state, {TOPICS.deals: 7}))
    read_back.absorb(0, b"T-broken", b"no state")
    found = Places(TOPICS.deals)

    found.take_states(0, read_back)

    assert found.fate(events[7]) is Fate.APPLIED
    assert found.fate(events[8]) is Fate.NEXT
    assert found.fate(event(1, table="T-broken")) is Fate.UNKNOWN
    assert read_back.partitions() == []
    # Offset 7 is in the state; a deal that stands there now is another's and changes nothing.
    found.take_deal(7, events[8])
    assert found.fate(events[8]) is Fate.NEXT
    found.take_deal(8, events[8])
    assert found.fate(events[8]) is Fate.APPLIED


def test_a_replayed_deal_names_its_letter_and_keeps_its_bytes() -> None:
    letter = letter_of(event(1), offset=17)
    replay = Replay(places(), dead=TOPICS.dead, commands=TOPICS.commands, version="1.0.0")
    (judged,) = replay.judge([letter])
    deal = replay.deal(judged)
    assert (deal.event, deal.value) == (event(1), letter.value)
    assert deal.headers == ((REPLAYED, b"dead/0/17"),)


def test_what_is_no_event_is_left_and_counted() -> None:
    letters = [
        letter_of(b"", topic=TOPICS.commands),
        letter_of(event(1), topic=TOPICS.commands),
        letter_of(b"no avro"),
        line_letter(b"{}\n{"),
    ]
    replay, wrote = replayed(places(), letters)
    assert wrote == []
    assert replay.left == {Fate.COMMAND: 2, Fate.UNREADABLE: 3}
    (unreadable,) = replay.judge(letters[2:3])
    with pytest.raises(TypeError, match="expected an event"):
        replay.deal(unreadable)


def test_what_ended_workers_of_this_version_is_left_to_a_later_one() -> None:
    letter = letter_of(event(1), reason="judge_error", version="1.0.0", stack="Traceback")
    replay, wrote = replayed(places(), [letter])
    assert (wrote, replay.left) == ([], {Fate.UNJUDGED: 1})
    assert replayed(places(event(1)), [letter])[0].left == {Fate.APPLIED: 1}
    older = letter_of(event(1), reason="judge_error", version="0.9.0")
    assert replayed(places(), [older])[1] == [event(1)]


def test_letters_that_wait_for_one_another_are_replayed_in_order() -> None:
    letters = [letter_of(event(seq), offset=at) for at, seq in enumerate((4, 6, 3, 5, 2, 9))]
    found = places(event(1))
    replay, wrote = replayed(found, letters)
    assert [one.seq for one in wrote] == [2, 3, 4, 5, 6]
    assert replay.replayed == 5
    assert replay.left == {Fate.AHEAD: 1}
    again, more = replayed(found, letters)
    assert more == []
    assert again.left == {Fate.APPLIED: 5, Fate.AHEAD: 1}


def test_more_than_a_source_remembers_is_told_as_replayed_in_all_passes() -> None:
    letters = [letter_of(event(seq)) for seq in (99, *range(2, 99))]
    replay, wrote = replayed(places(event(1)), letters)
    assert [one.seq for one in wrote] == list(range(2, 100))
    assert not replay.left


IDENTITIES = st.tuples(
    st.sampled_from(["T-1", "T-2"]), st.sampled_from(["gw/1", "gw/2"]), st.integers(1, 3)
)


@given(
    said=st.lists(st.tuples(IDENTITIES, st.integers(1, 12)), unique=True, max_size=40),
    aside=st.sets(st.integers(0, 39)),
    shuffled=st.randoms(use_true_random=False),
)
def test_a_replay_makes_no_gap_and_nothing_late_and_a_second_does_nothing(
    said: list[tuple[tuple[str, str, int], int]], aside: set[int], shuffled: Random
) -> None:
    events = [
        event(seq, table=table, source=source, boot=boot) for (table, source, boot), seq in said
    ]
    applied = [one for at, one in enumerate(events) if at not in aside]
    letters = [letter_of(one) for at, one in enumerate(events) if at in aside]
    shuffled.shuffle(letters)
    found = places(*applied)
    worker: dict[str, dict[str, SourceState]] = {}
    for one in applied:
        sequence(worker.setdefault(one.table, {}), one)

    _, wrote = replayed(found, letters)

    for one in wrote:
        assert sequence(worker.setdefault(one.table, {}), one).place is Place.FRESH
    for one in (*wrote, *applied):
        assert found.fate(one) in {Fate.APPLIED, Fate.BEHIND}
    assert replayed(found, letters)[1] == []
    for one in wrote:
        assert sequence(worker[one.table], one).place is Place.DUPLICATE
