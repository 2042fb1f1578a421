"""A table's findings, events and rounds as lines of its page: pure functions of its records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.records import Alarm, Finding, Round, TableView, ViewCard, ViewMark
from streams.console.alarm_list import shape, state_class, state_word
from streams.console.felt import felt_card
from streams.console.wording import NOTHING, mark_words, place_words, title_of, words
from streams.core.book import Book


@dataclass(frozen=True, slots=True)
class FindingMark:
    """A finding where it is shown small: shape, state of its alarm, clause, and all of it in words.

    ``live`` says that its alarm is open, and so that it has a hue.
    """

    shape: int
    state: str
    clause: str
    title: str
    words: str

    @property
    def live(self) -> bool:
        """Return whether its alarm is open."""
        return self.state != "past"


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event of the round: the device's time, its number, kind, what it says, what it caused."""

    at: int
    seq: int
    kind: str
    what: str
    findings: tuple[FindingMark, ...]


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One of the last rounds."""

    number: int
    opened_by: str
    closed_at: int
    hands: int
    out: str
    stub: str
    ended: str
    findings: tuple[FindingMark, ...]


def states_by_finding(alarms: Iterable[Alarm]) -> dict[str, str]:
    """Return the state of each finding's alarm by the finding's id."""
    return {finding: alarm.state for alarm in alarms for finding in alarm.findings}


def round_findings(findings: Iterable[Finding], view: TableView) -> list[Finding]:
    """Return the findings raised in the open round, in order."""
    if view.round_opened_at is None:
        return []
    found = [
        each
        for each in findings
        if each.table == view.table
        and each.state == "raised"
        and each.round == view.round
        and each.at >= view.round_opened_at
    ]
    return sorted(found, key=lambda each: (each.at, each.id))


def finding_mark(
    code: str, id_: str, *, severity: str, clause: str, book: Book, states: Mapping[str, str]
) -> FindingMark:
    """Return a finding as it is shown small."""
    state = states.get(id_, "normal")
    title = title_of(book, code)
    said = f"{severity.capitalize()}, {state_word(state).lower()}: {title}"
    return FindingMark(shape(severity), state_class(state), clause, title, said)


def marks_by_event(
    findings: Sequence[Finding], book: Book, states: Mapping[str, str]
) -> dict[str, list[FindingMark]]:
    """Return findings by the identity of the event that caused each, the gravest first."""
    by_event: dict[str, list[FindingMark]] = {}
    for each in findings:
        if each.events:
            made = finding_mark(
                each.code,
                each.id,
                severity=each.severity,
                clause=each.clause,
                book=book,
                states=states,
            )
            by_event.setdefault(each.events[-1], []).append(made)
    for marks in by_event.values():
        marks.sort(key=lambda mark: mark.shape)
    return by_event


def event_rows(view: TableView, marks: Mapping[str, Sequence[FindingMark]]) -> list[EventRow]:
    """Return the events of the round, the newest first; a card that lies face down has no name."""
    rows: list[tuple[tuple[int, int], EventRow]] = []
    all_told: list[ViewCard | ViewMark] = [*view.cards, *view.marks]
    for told in all_told:
        at, seq = told.at, told.seq
        if at is None or seq is None:
            continue
        kind = "card_dealt" if isinstance(told, ViewCard) else told.kind
        what = _dealt_words(told) if isinstance(told, ViewCard) else mark_words(told)
        found = tuple(marks.get(view.identity(told) or "", ()))
        rows.append(((at, seq), EventRow(at, seq, kind, what, found)))
    return [row for _, row in sorted(rows, key=lambda each: each[0], reverse=True)]


def _dealt_words(card: ViewCard) -> str:
    drawn = felt_card(card.card, up=card.face == "up", number=None)
    face = f", {drawn.words}" if drawn.back or card.card is None else f", face up, {drawn.words}"
    number = f", card {card.number} of the round" if card.number else ""
    return f"{place_words(card.to, card.position, card.hand)}{face}{number}"


def round_lines(rounds: Sequence[Round], book: Book, states: Mapping[str, str]) -> list[RoundLine]:
    """Return the last rounds, the newest first."""
    return [
        RoundLine(
            number=round_.number,
            opened_by=round_.opened_by,
            closed_at=round_.closed_at,
            hands=len(round_.positions),
            out=str(len(round_.cards)) if round_.cards else NOTHING,
            stub=_stub(round_),
            ended=words(round_.ended),
            findings=tuple(
                finding_mark(
                    each.code,
                    each.id,
                    severity=book.rules[each.code].severity,
                    clause=book.clause(each.code, round_.game),
                    book=book,
                    states=states,
                )
                for each in round_.findings
                if each.code in book.rules
            ),
        )
        for round_ in reversed(rounds)
    ]


def _stub(round_: Round) -> str:
    if round_.counted_stub is None:
        return NOTHING
    expected = NOTHING if round_.expected_stub is None else round_.expected_stub
    return f"{round_.counted_stub} of {expected}"
