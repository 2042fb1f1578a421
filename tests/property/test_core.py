"""The core is deterministic and a function of its input, and its states are values."""

from collections.abc import Sequence
from random import Random

import pytest

from streams.core.advance import advance, advance_all
from streams.core.events import CAPABILITIES, Event, TableOpened
from streams.core.findings import Effect, EventSetAside, FindingCleared, FindingRaised
from streams.core.table import TableState, new_table
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.traces import BOOK
from tests.wandering import recorded, wander

RECORDED = list(recorded())


def bytes_of(state: TableState) -> bytes:
    return encode_snapshot(state, {})


def walked(seed: int) -> list[Event]:
    """Return a recording's events, wandered from."""
    rng = Random(f"walk/{seed}")
    return list(wander(RECORDED[seed % len(RECORDED)], rng))


@pytest.mark.parametrize("seed", range(60))
def test_all_at_once_is_one_by_one_with_a_snapshot_cut_between_any_two(seed: int) -> None:
    events = walked(seed)
    at_once = advance_all(new_table(events[0].table), events, BOOK)
    state = new_table(events[0].table)
    effects: list[Effect] = []
    causes: list[int] = []
    for place, event in enumerate(events):
        step = advance(state, event, BOOK)
        effects += step.effects
        causes += [place] * len(step.effects)
        state, offsets = decode_snapshot(encode_snapshot(step.state, {"deals": place}))
        assert offsets == {"deals": place}
        assert state == step.state
    assert tuple(effects) == at_once.effects
    assert tuple(causes) == at_once.causes
    assert bytes_of(state) == bytes_of(at_once.state)


@pytest.mark.parametrize("seed", range(60))
def test_events_sent_again_change_nothing_and_are_counted(seed: int) -> None:
    rng = Random(f"again/{seed}")
    events = RECORDED[seed % len(RECORDED)]
    again: list[Event] = []
    for place, event in enumerate(events):
        again.append(event)
        if rng.random() < 0.1:
            first = max(0, place - rng.randint(0, 50))
            again += [each for each in events[first : place + 1] if each.source == event.source]
    plain = advance_all(new_table("T"), events, BOOK)
    repeated = advance_all(new_table("T"), again, BOOK)
    assert kept(repeated.effects) == kept(plain.effects)
    assert len(repeated.effects) - len(plain.effects) == len(again) - len(events)
    assert bytes_of(repeated.state) == bytes_of(plain.state)


def kept(effects: Sequence[Effect]) -> list[Effect]:
    return [effect for effect in effects if not isinstance(effect, EventSetAside)]


@pytest.mark.parametrize("capability", [each for each in CAPABILITIES if each != "wagers"])
def test_a_capability_that_is_absent_silences_what_needs_it_and_nothing_else(
    capability: str,
) -> None:
    """Wagers are left out: without them the positions in play are others."""
    follows = {"suspect_cards_in_play"} if capability in ("stub", "shuffles") else set()
    rest = tuple(each for each in CAPABILITIES if each != capability)
    for seed in range(12):
        events = [event for event in walked(seed) if not isinstance(event.body, TableOpened)]
        game = ("caribbean_stud", "four_card_poker")[seed % 2]
        found = {}
        for observes in (CAPABILITIES, rest):
            setup = TableOpened(game, "hand", 1, 7, observes)
            opening = Event(events[0].table, "op", 1, 1, events[0].at, setup)
            step = advance_all(new_table(events[0].table), [opening, *events], BOOK)
            found[observes] = [
                effect.finding
                for effect in step.effects
                if isinstance(effect, FindingRaised | FindingCleared)
                and effect.finding.code not in follows
            ]
        assert found[rest] == [
            finding
            for finding in found[CAPABILITIES]
            if capability not in BOOK.rules[finding.code].needs
        ]
