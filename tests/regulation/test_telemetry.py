"""What devices' sequences and out-of-place events are made of, in the games dealt from the hand."""

from dataclasses import replace
from hashlib import blake2b

import pytest

from streams.core import events as e
from streams.core.advance import Step, advance_all
from streams.core.events import Event
from streams.core.findings import EventSetAside, Finding, FindingRaised
from streams.core.table import RECENT_IDENTITIES, new_table
from streams.wire.snapshot import encode_snapshot
from tests.traces import (
    BOOK,
    CARIBBEAN,
    FOUR_CARD,
    SECOND,
    SHUFFLE,
    START,
    before,
    events,
    legal,
    opened,
    raised,
)


def judged(stream: list[Event]) -> Step:
    return advance_all(new_table("T"), stream, BOOK)


def found(stream: list[Event]) -> list[Finding]:
    return [each.finding for each in judged(stream).effects if isinstance(each, FindingRaised)]


def set_aside(stream: list[Event]) -> list[tuple[int, str]]:
    return [
        (each.event.seq, each.reason)
        for each in judged(stream).effects
        if isinstance(each, EventSetAside)
    ]


def night(rounds: int = 1) -> list[Event]:
    trace: list[e.Body] = [opened(CARIBBEAN)]
    for _ in range(rounds):
        trace += [SHUFFLE, *legal(CARIBBEAN)]
    return events(trace)


# sequence_gap


def test_a_jump_in_seq_is_a_gap_and_the_events_after_it_are_applied() -> None:
    stream = night()
    (gap,) = found([*stream[:2], *stream[4:]])
    assert (gap.code, gap.clause, gap.detail) == ("sequence_gap", "telemetry", {"missing": 2})
    assert gap.events == (stream[4].identity,)
    assert judged([*stream[:2], *stream[4:]]).state.round_number == 1


def test_each_jump_is_a_finding() -> None:
    stream = night()
    cut = [event for event in stream if event.seq not in (3, 6)]
    assert [each.code for each in found(cut)] == ["sequence_gap", "sequence_gap"]


def test_the_first_event_seen_of_a_source_is_no_gap() -> None:
    stream = [replace(event, boot=7, seq=event.seq + 40) for event in night()]
    assert found(stream) == []


def test_a_later_boot_that_begins_above_one_is_a_gap() -> None:
    stream = night(2)
    half = len(stream) // 2 + 1
    again = [replace(each, boot=2, seq=each.seq - half) for each in stream[half:]]
    assert found([*stream[:half], *again]) == []
    (gap,) = found([*stream[:half], *(replace(each, seq=each.seq + 3) for each in again)])
    assert gap.detail == {"missing": 3}


def test_sources_have_their_own_sequences() -> None:
    stream = night()
    mixed = [
        replace(event, source=f"gw/{event.seq % 2}", seq=(event.seq + 1) // 2) for event in stream
    ]
    assert found(mixed) == []


def test_clocks_never_reorder() -> None:
    stream = night()
    assert found([replace(event, at=START - event.seq * SECOND) for event in stream]) == []


# duplicates, conflicting_event, late_event


def test_an_identity_among_the_last_64_is_a_duplicate_and_otherwise_ignored() -> None:
    stream = night(3)[: RECENT_IDENTITIES + 6]
    oldest = stream[-RECENT_IDENTITIES]
    assert found([*stream, oldest]) == []
    assert set_aside([*stream, oldest]) == [(oldest.seq, "duplicate")]


def test_an_older_identity_is_late_and_set_aside() -> None:
    stream = night(3)[: RECENT_IDENTITIES + 6]
    older = stream[-RECENT_IDENTITIES - 1]
    (late,) = found([*stream, older])
    assert (late.code, late.detail) == ("late_event", {"last_boot": 1, "last_seq": stream[-1].seq})
    assert set_aside([*stream, older]) == [(older.seq, "late_event")]


def test_late_events_are_one_finding_for_each_source_and_boot() -> None:
    stream = [replace(event, boot=3) for event in night()]
    late = [replace(stream[0], boot=boot, seq=seq) for boot in (1, 2) for seq in (1, 2)]
    assert [each.code for each in found([*stream, *late])] == ["late_event", "late_event"]
    assert len(set_aside([*stream, *late])) == 4


def test_late_events_change_nothing_but_what_is_known_of_their_source() -> None:
    stream = [replace(event, boot=3) for event in night()]
    late = replace(stream[-1], boot=1, body=e.StubCounted(9))
    before, after = judged(stream).state, judged([*stream, late]).state
    assert (before.round, before.last_round, before.standing) == (
        after.round,
        after.last_round,
        after.standing,
    )


def test_an_identity_with_other_content_is_a_conflict_and_the_first_stands() -> None:
    stream = night()
    other = replace(stream[10], body=e.StubPlaced(exposed=True))
    (conflict,) = found([*stream[:12], other, other, *stream[12:]])
    assert (conflict.code, conflict.events[-1]) == ("conflicting_event", other.identity)
    assert [reason for _, reason in set_aside([*stream[:12], other, other])] == [
        "conflicting_event",
        "conflicting_event",
    ]


def test_another_receive_time_is_no_other_content() -> None:
    stream = night()
    assert found([*stream, replace(stream[-1], received=START)]) == []


# event_out_of_place

FOREIGN: list[e.Body] = [
    e.Burned("discard_rack"),
    e.CardsLoaded(52),
    e.CutCardReached(),
    e.DeterminantDrawn("left"),
    e.HoleCardRead("blackjack"),
    e.RackCounted(52),
    e.ShoeEmptied(3),
    e.ShoeExhausted(),
    e.UpCardDiscarded(),
    e.UpCardMoved(),
    e.UpCardRestored(),
    e.ShuffleCompleted("automatic", side="left"),
    e.CardDealt("banker", "down"),
    e.CardDealt("player", "down", 1, side="left"),
    e.CardDealt("player", "down", 8),
    e.CardDealt("player", "down"),
    e.CardExposed("banker"),
    e.Announced("banker", "natural"),
    e.WagerPlaced(8, "ante"),
    e.Decision(8, "raise"),
    e.CardsCollected("player", 9),
    e.HandDeclaredDead(12, wager_returned=True),
    e.WagerSettled(8, "ante", "win"),
    e.DeviceFault("card_reader"),
    e.DeviceFault("shoe"),
]


@pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
@pytest.mark.parametrize("body", FOREIGN, ids=str)
def test_what_a_table_dealt_from_the_hand_cannot_have_is_told_and_not_applied(
    game: str, body: e.Body
) -> None:
    stream = events([opened(game), SHUFFLE, *legal(game)[:9]])
    odd = replace(stream[-1], seq=stream[-1].seq + 1, body=body)
    (finding,) = found([*stream, odd])
    assert finding.code == "event_out_of_place"
    assert finding.detail["kind"] == body.kind
    before, after = judged(stream).state, judged([*stream, odd]).state
    for state in (before, after):
        state.sources.clear()
        state.last_event_at = 0
    assert state.round is not None
    for state in (before, after):
        assert state.round is not None
        state.round.findings.clear()
    assert encode_snapshot(after, {}) == encode_snapshot(before, {})


@pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])
def test_only_a_card_dealt_needs_the_position_of_its_player(game: str) -> None:
    seen: list[e.Body] = [
        e.CardExposed("player"),
        e.CardsCollected("player"),
        e.WagerPlaced(1, "ante"),
    ]
    trace = [opened(game), SHUFFLE, *before(legal(game), e.RoundClosed, *seen)]
    assert raised(trace) == []
    late = [*trace[: trace.index(seen[1])], *trace[trace.index(seen[1]) + 1 :]]
    assert raised(late) == ["wager_after_close"]


def test_each_event_out_of_place_is_a_finding() -> None:
    trace: list[e.Body] = [opened(CARIBBEAN), e.UpCardMoved(), e.UpCardMoved()]
    assert raised(trace) == ["event_out_of_place", "event_out_of_place"]


@pytest.mark.parametrize("body", [SHUFFLE, e.WagerPlaced(1, "ante"), e.TableClosed()], ids=str)
def test_before_the_first_opening_anything_is_out_of_place(body: e.Body) -> None:
    (finding,) = found(events([body]))
    assert (finding.code, finding.game, finding.round) == ("event_out_of_place", None, 0)
    assert judged(events([body])).state.setup is None


# ids


def test_the_id_is_a_digest_of_what_the_finding_is_of() -> None:
    stream = night()
    cut = [event for event in stream if event.seq != 3]
    (finding,) = found(cut)
    digest = blake2b(digest_size=16)
    for part in ("T", "T/gw/deck/1/1", "1", "sequence_gap", "", "", "T/gw/deck/1/4"):
        digest.update(len(part.encode()).to_bytes(4, "big") + part.encode())
    assert finding.id == digest.hexdigest()
