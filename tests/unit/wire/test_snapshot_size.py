"""Snapshots are small where tables are busiest: 2 KiB between rounds and 6 KiB in one."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import pytest

from producers.simulator.floor import Floor
from streams.core.advance import advance_all
from streams.core.events import Body, Event, RoundClosed, StubCounted, TableClosed
from streams.core.table import MOST_LATE_BOOTS, RECENT_IDENTITIES, TableState, new_table
from streams.wire.snapshot import decode_snapshot, encode_snapshot
from tests.traces import BOOK, CARIBBEAN, FOUR_CARD, SHUFFLE, START, legal, opened

SOURCES: Final = ("gw-2/shoe-1", "gw-2/shuffler-1", "gw-2/lockout", "gw-2/cage")
BOOT: Final = 1_790_000_000
IDLE: Final = 2 * 1024
OPEN: Final = 6 * 1024
OFFSETS: Final = {"pitwatch.deals.v1": 2**40, "pitwatch.commands.v1": 2**20}
SEATS: Final = (1, 2, 3, 4, 5, 6, 7)

both = pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD])


def spread(bodies: Iterable[tuple[int, Body]]) -> Iterator[Event]:
    """Yield bodies and their times as events of four sources in turn, on their way for 15 ms."""
    for number, (at, body) in enumerate(bodies):
        seq, source = divmod(number, len(SOURCES))
        yield Event("CS-03", SOURCES[source], BOOT, seq + 1, at, body, at + 15_000)


def night(game: str) -> list[Event]:
    trace: list[Body] = [opened(game)]
    for _ in range(8):
        trace += [SHUFFLE, *legal(game, SEATS)]
    return list(spread((START + place * 900_000, body) for place, body in enumerate(trace)))


def size(state: TableState) -> int:
    """Return the bytes of a state all of whose sources have as many identities as are kept."""
    assert [len(source.recent) for source in state.sources.values()] == [RECENT_IDENTITIES] * 4
    snapshot = encode_snapshot(state, OFFSETS)
    assert decode_snapshot(snapshot) == (state, OFFSETS)
    return len(snapshot)


@both
def test_an_idle_table_whose_sources_all_repeated_and_contradicted_themselves(game: str) -> None:
    said = night(game)
    boots = range(BOOT - MOST_LATE_BOOTS, BOOT)
    late = [replace(event, boot=boot) for boot in boots for event in said[:4]]
    other = [replace(event, body=TableClosed()) for event in said[-4 * RECENT_IDENTITIES :]]
    state = advance_all(new_table("CS-03"), [*said, *late, *other], BOOK).state
    for source in state.sources.values():
        assert len(source.late_boots) == MOST_LATE_BOOTS
        assert len(source.conflicts) == RECENT_IDENTITIES
    assert size(state) <= IDLE


@both
def test_an_idle_table_all_of_whose_findings_stand(game: str) -> None:
    said = night(game)
    wrong: list[Body] = [StubCounted(9), replace(SHUFFLE, cards=51), *legal(game, SEATS)]
    at = said[-1].at
    more = [
        replace(event, seq=said[-1].seq + event.seq)
        for event in spread((at + place, body) for place, body in enumerate(wrong))
    ]
    state = advance_all(new_table("CS-03"), [*said, *more], BOOK).state
    assert {code for code, _ in state.standing} == {"stub_count_wrong", "shuffler_count_wrong"}
    assert state.round is None
    assert size(state) <= IDLE


@pytest.mark.parametrize("game", [CARIBBEAN, FOUR_CARD, "chemin_de_fer", "blackjack"])
def test_tables_of_simulated_nights_before_and_after_each_rounds_end(game: str) -> None:
    """Up to seven players with every wager, raise, card, settlement: 150 events in a round."""
    largest = {"idle": 0, "open": 0}
    for seed in range(3):
        said = [
            (what.at, what.body)
            for what in Floor([game], 1, 40, seed, START).stream()
            if isinstance(what, Event)
        ]
        state, waiting = new_table("CS-03"), list[Event]()
        for event in spread(said):
            if not isinstance(event.body, RoundClosed):
                waiting.append(event)
                continue
            state = advance_all(state, waiting, BOOK).state
            closed = advance_all(state, [event], BOOK).state
            waiting = [event]
            if min(len(source.recent) for source in state.sources.values()) == RECENT_IDENTITIES:
                largest["open"] = max(largest["open"], size(state))
                largest["idle"] = max(largest["idle"], size(closed))
    assert 0 < largest["idle"] <= IDLE
    assert largest["idle"] < largest["open"] <= OPEN
