"""Clauses (j) to (p) of 2.15: the card reader, multiple action's up card, lights and bonuses."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import (
    CardDealt,
    DeviceFault,
    DeviceRestored,
    HoleCardRead,
    RoundClosed,
    RoundVoided,
    UpCardDiscarded,
    WagerPlaced,
    WagerSettled,
)
from streams.core.fold import READER_AT_FAULT
from streams.core.games.blackjack.counts import READ_FIRST
from streams.core.games.blackjack.seeing import play_of
from streams.core.judge import Check, Cleared, Observation, Once, Raised, RestsOn, Verdict

RAISED: Final = (Raised(),)
CLEARED: Final = (Cleared(),)

BONUS_UNKNOWN: Final = ("bonus_amount_unknown", "")
"""The standing finding while which a bonus is paid at a fixed rate."""

GOES_ON: Final = ("wrong_side", "reader_misused", "up_card_not_moved", "double_card_face_up")
"""Irregularities after which the round goes on; the second only where no player learns the card."""


def raised_codes(seen: Observation) -> list[str]:
    """Return the codes raised in the open round so far."""
    return [code for code, _ in seen.round.findings] if seen.round is not None else []


def reader_misused(seen: Observation, body: HoleCardRead) -> Iterable[Verdict]:
    """2.15(j): the hole card is read though the dealer's first card is no ace and counts no 10."""
    play = play_of(seen)
    first = play.dealer_first if play is not None else None
    if first is None or first[0] in READ_FIRST:
        return ()
    return (Raised(detail={"result": body.result}),)


def supervisor_not_notified(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.15(j), (m): no supervisor is called after the reader's misuse or the up card's discard."""
    play = play_of(seen)
    if play is None or play.supervisor_due not in raised_codes(seen):
        return ()
    return (Raised(detail={"after": play.supervisor_due}),)


def round_not_voided(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.15(j)1: players could learn the hole card, and the round was played to its end."""
    play = play_of(seen)
    if play is None or not play.setup.reader_reveals_to_players or play.voided:
        return ()
    if "reader_misused" not in raised_codes(seen):
        return ()
    return (Raised(detail={"reason": "not_voided"}),)


def wager_not_returned(seen: Observation, _: RoundClosed) -> Iterable[Verdict]:
    """2.15(j)1: players could learn the hole card, and a wager was not returned."""
    play = play_of(seen)
    if play is None or not play.setup.reader_reveals_to_players or not play.settled_other:
        return ()
    if "reader_misused" not in raised_codes(seen):
        return ()
    return (Raised(detail={"reason": "settled"}),)


def voided_without_cause(seen: Observation, _: RoundVoided) -> Iterable[Verdict]:
    """2.15(h), (j)2, (l), (p): a round is voided for an irregularity after which it goes on."""
    setup = seen.table.setup
    if setup is None:
        return ()
    rules = seen.book.rules
    irregular = [code for code in raised_codes(seen) if rules[code].class_ == "irregularity"]
    reveals = bool(setup.reader_reveals_to_players)
    for code in irregular:
        if code not in GOES_ON or (code == "reader_misused" and reveals):
            return ()
    return (Raised(detail={"after": irregular[0]}),) if irregular else ()


def reader_malfunction(_: Observation, body: DeviceFault | DeviceRestored) -> Iterable[Verdict]:
    """2.15(k): the card reader is at fault, until it is restored."""
    if body.device != "card_reader":
        return ()
    return RAISED if isinstance(body, DeviceFault) else CLEARED


def reader_used_after_malfunction(seen: Observation, body: HoleCardRead) -> Iterable[Verdict]:
    """2.15(k): the card reader is used though it is at fault."""
    if READER_AT_FAULT not in seen.table.standing:
        return ()
    return (Raised(detail={"result": body.result}),)


def up_card_not_moved(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(l): the up card is not moved to the next hand of multiple action before its cards."""
    play, action = play_of(seen), body.hand or 1
    if play is None or body.to != "dealer" or action == 1 or action in play.dealer:
        return ()
    if "multiple_action" not in (play.setup.offers or ()) or play.up_card_moved:
        return ()
    return (Raised(None, action),)


def up_card_discarded(_: Observation, __: UpCardDiscarded) -> Iterable[Verdict]:
    """2.15(m): the up card is put in the discard rack before the last hand is complete."""
    return RAISED


def up_card_not_restored(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(m): the dealer is dealt a card though the discarded up card was not restored."""
    play = play_of(seen)
    return RAISED if play is not None and play.up_card_discarded and body.to == "dealer" else ()


def _fault(body: DeviceFault | DeviceRestored, key: str) -> Iterable[Verdict]:
    """Return a standing finding of a device's fault, or the end of it."""
    if isinstance(body, DeviceRestored):
        return (Cleared(key),)
    return (Raised(body.position, None, {} if body.code is None else {"code": body.code}, key),)


def progressive_light_out(_: Observation, body: DeviceFault | DeviceRestored) -> Iterable[Verdict]:
    """2.15(n): the light of the progressive wager at a betting area is out."""
    return _fault(body, light(body.position)) if body.device == "progressive_light" else ()


def light(position: int | None) -> str:
    """Return the key of a position's light."""
    return "" if position is None else str(position)


def progressive_wager_without_light(seen: Observation, body: WagerPlaced) -> Iterable[Verdict]:
    """2.15(n): a progressive wager is taken where the light is out."""
    if body.wager != "progressive":
        return ()
    out = ("progressive_light_out", light(body.position)) in seen.table.standing
    return (Raised(body.position),) if out else ()


def bonus_amount_unknown(_: Observation, body: DeviceFault | DeviceRestored) -> Iterable[Verdict]:
    """2.15(o): the bonus system does not select or show an amount, until it is restored."""
    return _fault(body, "") if body.device == "bonus_system" else ()


def bonus_payout_wrong(seen: Observation, body: WagerSettled) -> Iterable[Verdict]:
    """2.15(o): a bonus is paid at another rate than the fixed one while its amount is unknown."""
    if body.wager != "bonus" or body.outcome != "win" or body.pays is None:
        return ()
    if BONUS_UNKNOWN not in seen.table.standing or seen.table.bonus_ascertained:
        return ()
    rate = seen.book.parameter("bonus_payout_wrong", "pays")
    won, staked = (int(part) for part in body.pays.split(":"))
    if won == rate * staked:
        return ()
    detail: dict[str, int | str] = {"expected": f"{rate}:1", "pays": body.pays}
    return (Raised(body.position, None, detail),)


def double_card_face_up(seen: Observation, body: CardDealt) -> Iterable[Verdict]:
    """2.15(p): a double-down card is dealt up where the house deals it down."""
    play = play_of(seen)
    if play is None or play.setup.double_face != "down" or body.face != "up":
        return ()
    hand = play.hands.get((body.position or 0, body.hand or 1))
    if body.to != "player" or hand is None or not hand.doubled or hand.double_dealt:
        return ()
    return (Raised(body.position, body.hand or 1),)


CHECKS: Final = (
    Check("reader_misused", (HoleCardRead,), reader_misused, RestsOn.NUMBER),
    Check("supervisor_not_notified", (RoundClosed,), supervisor_not_notified, RestsOn.ABSENCE),
    Check("hands_not_voided", (RoundClosed,), round_not_voided, RestsOn.ABSENCE),
    Check("hands_not_voided", (RoundClosed,), wager_not_returned),
    Check("voided_without_cause", (RoundVoided,), voided_without_cause, RestsOn.ABSENCE),
    Check(
        "reader_malfunction",
        (DeviceFault, DeviceRestored),
        reader_malfunction,
        once=Once.STANDING,
    ),
    Check("reader_used_after_malfunction", (HoleCardRead,), reader_used_after_malfunction),
    Check("up_card_not_moved", (CardDealt,), up_card_not_moved, RestsOn.ABSENCE),
    Check("up_card_discarded", (UpCardDiscarded,), up_card_discarded),
    Check("up_card_not_restored", (CardDealt,), up_card_not_restored, RestsOn.ABSENCE),
    Check(
        "progressive_light_out",
        (DeviceFault, DeviceRestored),
        progressive_light_out,
        once=Once.STANDING,
    ),
    Check("progressive_wager_without_light", (WagerPlaced,), progressive_wager_without_light),
    Check(
        "bonus_amount_unknown",
        (DeviceFault, DeviceRestored),
        bonus_amount_unknown,
        once=Once.STANDING,
    ),
    Check("bonus_payout_wrong", (WagerSettled,), bonus_payout_wrong, RestsOn.ABSENCE),
    Check("double_card_face_up", (CardDealt,), double_card_face_up),
)
"""In the order of the clauses."""
