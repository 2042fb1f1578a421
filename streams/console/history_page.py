"""The history page as values: bars by clause and hour, results, figures, and a round in full.

What the database answers, made into what the templates draw. A round in full is over: all of its
cards may be told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Final

import msgspec
from sqlalchemy import Engine

from schemas.records import Round, RoundEvent
from schemas.times import MICROS_IN_HOUR
from streams.console.felt import FeltHand, felt_card
from streams.console.history_search import Asked
from streams.console.inventory import Inventory
from streams.console.wording import (
    NOTHING,
    age_words,
    detail_words,
    event_words,
    place_words,
    stamp,
    where_words,
    words,
)
from streams.database.figures import Figures, figures, findings_by_clause, findings_by_hour
from streams.database.queries import (
    FindingRow,
    Page,
    RoundInFull,
    RoundRow,
    round_in_full,
    rounds_of,
    search_findings,
    search_rounds,
)

MOST_BARS: Final = 20
MOST_HOURS: Final = 168
"""Hours that are drawn, a week; of more the last are."""
PAGE: Final = 50

ENVELOPE: Final = frozenset({"table", "source", "boot", "seq", "at", "kind", "received"})

PLOT_WIDTH: Final = 940
PLOT_HEIGHT: Final = 60


@dataclass(frozen=True, slots=True)
class ClauseBar:
    """How many findings of a clause and code: its bar is a part of the longest, in percent."""

    clause: str
    code: str
    severity: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class HourBar:
    """How many findings in one hour, and where its bar stands."""

    begins: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FigureLine:
    """The figures of a table, a dealer or a shift; what is not known is a dash."""

    name: str
    rounds: int
    an_hour: str
    target: str
    findings: str
    acknowledged: str
    longest: str


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One hand of a round that is over: whose, its cards in order, what became of it."""

    label: str
    hand: FeltHand
    said: str


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """One event of a round in full."""

    at: str
    seq: int
    kind: str
    what: str


@dataclass(frozen=True, slots=True)
class WholeRound:
    """A round in full, with its neighbours and where its pictures are."""

    full: RoundInFull
    hands: tuple[PlayedHand, ...]
    others: tuple[tuple[str, FeltHand], ...]
    events: tuple[ToldEvent, ...]
    done: tuple[tuple[int, str, str | None], ...]
    previous: str | None
    following: str | None
    camera: str | None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """What a search found; what the page does not show is empty."""

    total: int
    bars: tuple[ClauseBar, ...]
    hours: tuple[HourBar, ...]
    findings: Page[FindingRow]
    rounds: Page[RoundRow]
    figures: tuple[FigureLine, ...]
    round: WholeRound | None

    @property
    def hours_told(self) -> str:
        """Return the hours for the plot: JSON, a pair of words and count for each."""
        return msgspec.json.encode([(bar.begins, bar.count) for bar in self.hours]).decode()


def history_page(
    engine: Engine, asked: Asked, *, inventory: Inventory, zone: tzinfo
) -> HistoryPage:
    """Return what a search found; blocks while the database answers.

    Raises:
        DatabaseFault: the database does not answer.
    """
    search = asked.search
    by_clause = findings_by_clause(engine, search)
    longest = max((each.count for each in by_clause), default=1)
    bars = tuple(
        ClauseBar(
            each.clause, each.code, each.severity, each.count, round(100 * each.count / longest, 1)
        )
        for each in by_clause[:MOST_BARS]
    )
    by_hour: dict[int, int] = {}
    for row in findings_by_hour(engine, search):
        by_hour[row.hour] = by_hour.get(row.hour, 0) + row.count
    nothing: Page[Any] = Page((), None)
    return HistoryPage(
        total=sum(each.count for each in by_clause),
        bars=bars,
        hours=hour_bars(by_hour, search.since, search.until, zone),
        findings=search_findings(engine, search, after=asked.after, size=PAGE)
        if asked.show == "findings"
        else nothing,
        rounds=search_rounds(engine, search, after=asked.after, size=PAGE)
        if asked.show == "rounds"
        else nothing,
        figures=tuple(
            figure_line(each, inventory, zone, of_table=asked.by == "table")
            for each in figures(engine, search, asked.by)
        )
        if asked.show == "figures"
        else (),
        round=whole_round(engine, asked, inventory=inventory, zone=zone),
    )


def hour_bars(
    counts: Mapping[int, int], since: int, until: int, zone: tzinfo
) -> tuple[HourBar, ...]:
    """Return a bar for each hour of a time, a week at most; the axis starts at zero.

    Args:
        counts: Findings by when their hour begins, microseconds.
        since: When the time begins.
        until: When it ends.
        zone: The zone of the labels.
    """
    last = (until - 1) // MICROS_IN_HOUR
    first = max(since // MICROS_IN_HOUR, last - MOST_HOURS + 1)
    many = last - first + 1
    top = max([*counts.values(), 1])
    step = PLOT_WIDTH / many
    found = []
    for place in range(many):
        begins = (first + place) * MICROS_IN_HOUR
        count = counts.get(begins, 0)
        height = round((PLOT_HEIGHT - 4) * count / top, 1)
        found.append(
            HourBar(
                begins=stamp(begins, zone)[:-3],
                count=count,
                x=round(place * step, 1),
                y=round(PLOT_HEIGHT - height, 1),
                width=round(max(step - 1, 0.5), 1),
                height=height,
            )
        )
    return tuple(found)


def figure_line(each: Figures, inventory: Inventory, zone: tzinfo, *, of_table: bool) -> FigureLine:
    """Return figures in words; a table has its target beside them."""
    name = each.name or NOTHING
    if each.start is not None:
        name = stamp(each.start, zone)[:-3]
    target = inventory.table(each.name).rounds_an_hour if of_table else None
    waited = each.seconds_to_acknowledge
    return FigureLine(
        name=name,
        rounds=each.rounds,
        an_hour=_decimal(each.rounds_an_hour),
        target=NOTHING if target is None else str(target),
        findings=_decimal(each.findings_a_hundred_rounds),
        acknowledged=NOTHING if waited is None else age_words(int(waited * 1_000_000)),
        longest=age_words(each.longest) if each.acknowledged else NOTHING,
    )


def _decimal(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def finding_detail(row: FindingRow) -> str:
    """Return a finding's place and detail, and when it was cleared, in words."""
    said = [where_words(row.record), detail_words(row.record.detail)]
    if row.cleared_at is not None:
        said.append(f"cleared in {age_words(row.cleared_at - row.at)}")
    return ", ".join(part for part in said if part)


def whole_round(
    engine: Engine, asked: Asked, *, inventory: Inventory, zone: tzinfo
) -> WholeRound | None:
    """Return the round in full that is asked for, if one is and there is such a round."""
    opened_by = asked.opened_by
    table, number = asked.search.table, asked.number
    if opened_by is None and table is not None and number is not None:
        rows = rounds_of(engine, table, number)
        opened_by = rows[0].opened_by if rows else None
    full = round_in_full(engine, opened_by) if opened_by is not None else None
    if full is None:
        return None
    record = full.round
    before = [
        row
        for row in rounds_of(engine, record.table, record.number - 1)
        if row.opened_at < record.opened_at
    ]
    after = [
        row
        for row in rounds_of(engine, record.table, record.number + 1)
        if row.opened_at > record.opened_at
    ]
    return WholeRound(
        full=full,
        hands=played_hands(record),
        others=other_cards(record),
        events=told_events(record),
        done=things_done(full),
        previous=before[0].opened_by if before else None,
        following=after[-1].opened_by if after else None,
        camera=inventory.table(record.table).camera_link(record.opened_at, record.closed_at),
    )


def played_hands(record: Round) -> tuple[PlayedHand, ...]:
    """Return the hands of a round that is over, the dealer's or banker's first."""
    cards: dict[tuple[str, int | None, int], list[int]] = {}
    for place, card in enumerate(record.cards):
        if card.place == "dealt" and card.to is not None:
            cards.setdefault((card.to, card.position, card.hand or 1), []).append(place)
    said = _said(record)
    return tuple(
        PlayedHand(
            label=_label(key),
            hand=FeltHand(
                place_words(*key).capitalize(),
                tuple(
                    felt_card(record.cards[place].card, up=True, number=place + 1)
                    for place in places
                ),
            ),
            said=", ".join(said.get((key[1], key[2]), ())) if key[1] is not None else "",
        )
        for key, places in sorted(
            cards.items(), key=lambda item: (item[0][0] == "player", item[0][1] or 0, item[0][2])
        )
    )


def _label(key: tuple[str, int | None, int]) -> str:
    to, position, hand = key
    name = str(position) if position is not None else to[:1].upper()
    return f"{name}.{hand}" if hand > 1 else name


def _said(record: Round) -> dict[tuple[int | None, int], list[str]]:
    """Return what was decided of each hand and how its wagers were settled."""
    said: dict[tuple[int | None, int], list[str]] = {}
    for fields in map(_fields, record.events):
        key = (fields.get("position"), fields.get("hand") or 1)
        match fields.get("kind"):
            case "decision":
                said.setdefault(key, []).append(words(str(fields.get("action"))))
            case "wager_settled":
                pays = f" {fields['pays']}" if fields.get("pays") else ""
                wager = words(str(fields.get("wager")))
                said.setdefault(key, []).append(f"{wager} {fields.get('outcome')}{pays}")
            case _:
                pass
    return said


def other_cards(record: Round) -> tuple[tuple[str, FeltHand], ...]:
    """Return the cards that left the deck or shoe otherwise: burned, drawn in error, found."""
    by_place: dict[str, list[int]] = {}
    for place, card in enumerate(record.cards):
        if card.place != "dealt":
            by_place.setdefault(card.place, []).append(place)
    return tuple(
        (
            words(how).capitalize(),
            FeltHand(
                words(how).capitalize(),
                tuple(
                    felt_card(record.cards[place].card, up=True, number=place + 1)
                    for place in places
                ),
            ),
        )
        for how, places in by_place.items()
    )


def _fields(event: RoundEvent) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(event.line)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def told_events(record: Round) -> tuple[ToldEvent, ...]:
    """Return every event of a round that is over, in order."""
    told = []
    for event in record.events:
        fields = _fields(event)
        kind = str(fields.get("kind", ""))
        own = {key: value for key, value in fields.items() if key not in ENVELOPE}
        seq = fields.get("seq")
        told.append(
            ToldEvent(
                at=str(fields.get("at", ""))[11:23],
                seq=seq if isinstance(seq, int) else 0,
                kind=kind,
                what=event_words(kind, own),
            )
        )
    return tuple(told)


def things_done(full: RoundInFull) -> tuple[tuple[int, str, str | None], ...]:
    """Return what was done about a round's alarms, in order: when, in words, and the note."""
    done: list[tuple[int, str, str | None]] = []
    for act in full.acts:
        if act.at is not None and act.act is not None:
            refused = f", refused: {words(act.reason or '')}" if act.accepted is False else ""
            done.append((act.at, f"{words(act.act)} by {act.by}{refused}", act.note))
    return tuple(sorted(done, key=lambda each: each[0]))
