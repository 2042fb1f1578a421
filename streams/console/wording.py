"""What happened, in words: cards, places, findings, events, acts and times as pages say them.

Pure functions. Everything that a page says of a finding comes from the rulebook and the finding's
own detail, which never names a card that lies face down; an event is told from the fields that the
caller has, so what the caller may not know cannot be said.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Final

from schemas.records import Alarm, AlarmAct, Finding, ViewMark
from streams.core.book import Book, Rule

NOTHING: Final = "–"  # noqa: RUF001  a dash is what a table of figures has there
"""What stands where a figure is not known."""

RANKS: Final[Mapping[str, str]] = {
    "A": "ace",
    "T": "ten",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    **{digit: digit for digit in "23456789"},
}
SUITS: Final[Mapping[str, str]] = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}

GAMES: Final[Mapping[str, str]] = {
    "blackjack": "Blackjack",
    "caribbean_stud": "Caribbean stud",
    "four_card_poker": "Four card poker",
    "chemin_de_fer": "Chemin de fer",
}

DISPOSITIONS: Final[Mapping[str, str]] = {
    "confirmed": "Confirmed",
    "device_error": "Device error",
    "no_fault_found": "No fault found",
}

_ACT_WORDS: Final[Mapping[str, str]] = {
    "acknowledge": "acknowledged",
    "shelve": "shelved",
    "unshelve": "put back on the list",
    "out_of_service": "taken out of service",
    "in_service": "put back in service",
    "comment": "commented",
}

_DETAIL_WORDS: Final[Mapping[str, str]] = {
    "expected": "{} expected",
    "counted": "{} counted",
    "dealt": "{} dealt",
    "rounds": "{} rounds",
    "missing": "{} missing",
    "copies": "seen {} times",
    "decks": "decks in use: {}",
    "count": "count {}",
    "milliseconds": "{} ms off",
    "seconds": "no event for {} s",
    "number": "card {}",
    "reason": "{}",
    "cards": "{} cards",
    "side": "{} side",
    "standing": "{} stands",
}

_PLACES: Final = (
    ("dealt_to", "dealt_position", "dealt to"),
    ("expected_to", "expected_position", "due to"),
)
"""The keys of a detail that name a place at the table, and what is said before it."""


def words(text: str) -> str:
    """Return a contract's word as people say it: ``four_card_poker`` is ``four card poker``."""
    return text.replace("_", " ")


def game_word(game: str | None) -> str:
    """Return a game's name, one unknown as it came."""
    return NOTHING if game is None else GAMES.get(game, words(game))


def card_words(card: str) -> str:
    """Return a card in words: ``TS`` is ``ten of spades``; what is no card is shown as it came."""
    rank, suit = RANKS.get(card[:1]), SUITS.get(card[1:])
    return f"{rank} of {suit}" if rank and suit else card


def place_words(to: str | None, position: object, hand: object) -> str:
    """Return a place at the table: ``position 3, hand 2``, ``dealer``, ``player's hand``."""
    if position is None:
        said = "player's hand" if to == "player" else to or ""
    else:
        said = f"position {position}"
    return f"{said}, hand {hand}" if hand not in {None, 1} else said


def where_words(finding: Finding | Alarm) -> str:
    """Return where at its table a finding lies: ``position 4``; nothing for the table itself."""
    return "" if finding.position is None else place_words(None, finding.position, finding.hand)


def detail_words(detail: Mapping[str, int | str]) -> str:
    """Return a finding's detail in words: ``11 expected, 10 counted``."""
    said = []
    told: set[str] = set()
    for to, position, before in _PLACES:
        if to in detail:
            said.append(f"{before} {place_words(str(detail[to]), detail.get(position), None)}")
            told |= {to, position}
    for key, value in detail.items():
        if key in told:
            continue
        shown = words(str(value))
        template = _DETAIL_WORDS.get(key)
        said.append(template.format(shown) if template else f"{words(key)} {shown}")
    return ", ".join(said)


def rule_of(book: Book, code: str) -> Rule | None:
    """Return a code's row, nothing for one that this version's book does not have."""
    return book.rules.get(code)


def title_of(book: Book, code: str) -> str:
    """Return a code's title, the code in words where the book does not have it."""
    rule = rule_of(book, code)
    return rule.title if rule is not None else words(code).capitalize()


def steps(response: str) -> tuple[str, ...]:
    """Return a response as steps: its sentences and what semicolons part, each with a capital."""
    parts = response.replace("; ", ". ").rstrip(".").split(". ")
    return tuple(f"{part[:1].upper()}{part[1:]}." for part in parts if part)


def supervisor_steps(book: Book, code: str) -> tuple[str, ...]:
    """Return what the supervisor is to do about a code, step by step."""
    rule = rule_of(book, code)
    return steps(rule.supervisor) if rule is not None else ()


def dealer_steps(book: Book, code: str) -> tuple[str, ...]:
    """Return what the dealer is to do about a code, step by step."""
    rule = rule_of(book, code)
    return steps(rule.dealer) if rule is not None else ()


def clause_words(clause: str) -> str:
    """Return a clause as it is cited: ``N.J.A.C. 13:69F-16.8(e)``; a word stays a word."""
    return f"N.J.A.C. 13:69F-{clause}" if clause[:1].isdigit() else clause


def disposition_word(disposition: str) -> str:
    """Return a disposition as it is shown."""
    return DISPOSITIONS.get(disposition, words(disposition))


def act_words(act: AlarmAct, zone: tzinfo) -> str:
    """Return what a person did: ``acknowledged by op-27: device error``."""
    said = f"{_ACT_WORDS.get(act.act, words(act.act))} by {act.by}"
    if act.until is not None:
        said += f" until {clock(act.until, zone)}"
    if act.disposition is not None:
        said += f": {disposition_word(act.disposition).lower()}"
    return said


def clock(micros: int, zone: tzinfo, *, fraction: bool = False) -> str:
    """Return a time of day in a zone: ``14:32:07``, with milliseconds where asked for."""
    text = datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%H:%M:%S")
    return f"{text}.{micros // 1000 % 1000:03d}" if fraction else text


def zone_name(micros: int, zone: tzinfo) -> str:
    """Return what a zone is called at a time: ``EST``."""
    return datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%Z")


def hour_minute(micros: int, zone: tzinfo) -> str:
    """Return a time of day to the minute: ``14:32``."""
    return datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%H:%M")


def stamp(micros: int, zone: tzinfo) -> str:
    """Return a day and time in a zone: ``30 Nov 14:32:07``."""
    return datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%-d %b %H:%M:%S")


def full_stamp(micros: int, zone: tzinfo) -> str:
    """Return a time with its zone, and UTC beside it where that is another."""
    moment = datetime.fromtimestamp(micros // 1_000_000, zone)
    text = moment.strftime("%-d %b %Y %H:%M:%S %Z")
    if not moment.utcoffset():
        return text
    return f"{text} ({moment.astimezone(UTC).strftime('%H:%M:%S')} UTC)"


def iso(micros: int) -> str:
    """Return a time for a ``datetime`` attribute."""
    return datetime.fromtimestamp(micros // 1_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def age_words(micros: int) -> str:
    """Return an age: ``38 s``, ``2 m``, ``3 h 5 m``, ``2 d``; one in the future is ``0 s``."""
    seconds = max(0, micros // 1_000_000)
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    if minutes < 60:
        return f"{minutes} m"
    hours, rest = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {rest} m" if rest else f"{hours} h"
    return f"{hours // 24} d"


def money(amount: int) -> str:
    """Return minor units as an amount: 2500 is ``25``, 2550 is ``25.50``."""
    whole, minor = divmod(amount, 100)
    return f"{whole:,}.{minor:02d}" if minor else f"{whole:,}"


def event_words(kind: str, fields: Mapping[str, object]) -> str:
    """Return what an event says, beside its kind.

    Args:
        kind: The kind by the event contract.
        fields: The kind's own fields; what is absent is not told.
    """
    place = place_words(_text(fields, "to"), fields.get("position"), fields.get("hand"))
    teller = _TELLERS.get(kind)
    if teller is not None:
        return ", ".join(part for part in teller(fields, place) if part)
    said = [place, *(_plain(key, value) for key, value in fields.items() if key not in _PLACE)]
    return ", ".join(part for part in said if part)


def mark_words(mark: ViewMark) -> str:
    """Return what a mark of a view says, beside its kind."""
    fixed = _TELLERS[mark.kind]({}, "") if mark.kind in _FIXED else ()
    figure = "" if mark.figure is None else str(mark.figure)
    if mark.kind == "wager_placed" and mark.figure is not None:
        figure = money(mark.figure)
    said = (
        place_words(mark.to, mark.position, mark.hand),
        words(mark.of or ""),
        words(mark.word or ""),
        figure,
        card_words(mark.card) if mark.card else "",
        *fixed,
    )
    return ", ".join(part for part in said if part)


_FIXED: Final = frozenset({"no_more_bets", "lockout_pressed"})
_PLACE: Final = frozenset({"to", "position", "hand"})


def _text(fields: Mapping[str, object], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) else None


def _plain(key: str, value: object) -> str:
    match value:
        case None | False:
            return ""
        case True:
            return words(key)
        case str():
            return card_words(value) if key == "card" else f"{words(key)} {words(value)}"
        case list() | tuple():
            return f"{words(key)} {', '.join(words(str(each)) for each in value)}"
        case _:
            return f"{words(key)} {value}"


def _card(fields: Mapping[str, object]) -> str:
    card = _text(fields, "card")
    return card_words(card) if card else ""


def _dealt(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    face = _text(fields, "face")
    drawn = _text(fields, "drawn_with")
    return (
        place,
        f"face {face}" if face else "",
        _card(fields),
        f"with the {drawn} hand" if drawn else "",
        _side(fields),
    )


def _side(fields: Mapping[str, object]) -> str:
    side = _text(fields, "side")
    return f"{side} side" if side else ""


def _wager(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    amount = fields.get("amount")
    wager = words(_text(fields, "wager") or "")
    return place, f"{wager} {money(amount)}" if isinstance(amount, int) else wager


def _settled(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    pays = _text(fields, "pays")
    outcome = words(_text(fields, "outcome") or "")
    return (
        place,
        words(_text(fields, "wager") or ""),
        f"{outcome} {pays.replace(':', ' to ')}" if pays else outcome,
    )


def _announced(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    total = fields.get("total")
    what = words(_text(fields, "what") or "")
    by = words(_text(fields, "by") or "")
    return place, f"{what} {total}" if total is not None else what, f"by the {by}" if by else ""


def _decided(fields: Mapping[str, object], place: str) -> tuple[str, ...]:
    return place, words(_text(fields, "action") or "")


def _in_hand(fields: Mapping[str, object], _place: str) -> tuple[str, ...]:
    hand, deck = _text(fields, "hand"), _text(fields, "deck")
    return f"deck in {hand} hand" if hand else "deck in hand", f"deck {deck}" if deck else ""


Teller = Callable[[Mapping[str, object], str], tuple[str, ...]]
"""Tells an event's parts from its fields and its place in words."""

_TELLERS: Final[Mapping[str, Teller]] = {
    "card_dealt": _dealt,
    "card_exposed": lambda fields, place: (place, "turned up", _card(fields)),
    "wager_placed": _wager,
    "wager_settled": _settled,
    "announced": _announced,
    "decision": _decided,
    "deck_in_hand": _in_hand,
    "no_more_bets": lambda _fields, _place: ("announced by the dealer",),
    "lockout_pressed": lambda _fields, _place: ("progressive wagers locked",),
    "hole_card_read": lambda fields, _place: (words(_text(fields, "result") or ""),),
    "stub_counted": lambda fields, _place: (f"{fields.get('cards', NOTHING)} cards",),
}
