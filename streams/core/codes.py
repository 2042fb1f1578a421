"""Every code that can be raised, with what a rulebook cannot change about it.

When a finding is raised is code; its title, clause, class, severity, response and parameters are
data (``streams.core.book``). A code's state, the games it can arise in, the keys of its detail and
the ranges of its parameters are what the judge and those who read findings rely on, so they stand
here, and a rulebook that lacks a code or contradicts its row is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from streams.core.events import GAMES

BLACKJACK: Final = ("blackjack",)
CARIBBEAN_STUD: Final = ("caribbean_stud",)
CHEMIN_DE_FER: Final = ("chemin_de_fer",)
POKER: Final = ("caribbean_stud", "four_card_poker")

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Code:
    """What is fixed about one code.

    ``state`` is ``point`` or ``standing``, ``games`` where it can arise, ``detail`` the keys its
    detail may have, ``parameters`` each parameter's least and greatest value.
    """

    state: str
    games: tuple[str, ...]
    detail: tuple[str, ...] = ()
    parameters: Mapping[str, Range] = field(default_factory=dict)


CODES: Final[Mapping[str, Code]] = {
    "shuffler_not_used": Code("point", POKER, ("last_shuffle",)),
    "deck_not_in_hand": Code("point", POKER),
    "dealing_hand_changed": Code("point", POKER, ("chosen", "used")),
    "deck_out_of_area": Code("point", POKER),
    "bets_not_closed": Code("point", POKER),
    "lockout_not_pressed": Code("point", CARIBBEAN_STUD),
    "wager_after_close": Code("point", POKER, ("wager", "closed_by")),
    "deal_order": Code(
        "point",
        POKER + BLACKJACK,
        ("expected_to", "expected_position", "dealt_to", "dealt_position"),
    ),
    "wrong_face": Code("point", GAMES, ("number", "expected", "dealt")),
    "wrong_card_count": Code("point", POKER, ("expected", "counted")),
    "card_without_wager": Code("point", POKER + BLACKJACK),
    "stub_exposed": Code("point", POKER),
    "stub_not_placed": Code("point", POKER),
    "stub_count_overdue": Code("standing", POKER, ("rounds",), {"rounds": (1, 1000)}),
    "stub_count_wrong": Code("standing", POKER, ("expected", "counted")),
    "dealt_from_hand": Code("point", BLACKJACK, ("hand",)),
    "wrong_hand_used": Code("point", POKER + BLACKJACK, ("drawn_with", "placed_with")),
    "burn_missing": Code("point", BLACKJACK, ("reason",)),
    "burn_exposed": Code("point", BLACKJACK),
    "burn_wrong_place": Code("point", BLACKJACK, ("expected", "placed")),
    "determinant_missing": Code("point", BLACKJACK),
    "determinant_misused": Code("point", BLACKJACK, ("reason",)),
    "total_not_announced": Code("point", BLACKJACK, ("action",)),
    "total_misannounced": Code("point", BLACKJACK, ("announced",)),
    "decision_order": Code("point", BLACKJACK, ("after",)),
    "card_without_decision": Code("point", BLACKJACK),
    "dealers_card_not_announced": Code("point", BLACKJACK),
    "dealer_second_card_early": Code("point", BLACKJACK),
    "pickup_order": Code("point", BLACKJACK, ("after",)),
    "hole_card_seen_early": Code("point", BLACKJACK),
    "reader_check_missing": Code("point", BLACKJACK),
    "card_after_dealer_blackjack": Code("point", BLACKJACK),
    "hole_card_with_progressive": Code("standing", BLACKJACK, ("hole_card",)),
    "sevens_card_not_offered": Code("point", BLACKJACK),
    "settlement_wrong": Code("point", BLACKJACK, ("wager", "expected", "settled", "pays")),
    "action_not_available": Code("point", BLACKJACK, ("action",)),
    "double_not_permitted": Code("point", BLACKJACK, ("count",)),
    "resplit_not_permitted": Code("point", BLACKJACK),
    "shuffle_overdue": Code("point", BLACKJACK, ("side",)),
    "shoe_not_emptied": Code("point", BLACKJACK, ("side",)),
    "cards_missing": Code("standing", BLACKJACK, ("expected", "counted")),
    "wrong_side_shuffled": Code("point", BLACKJACK, ("due", "shuffled")),
    "bart_carter_overdue": Code("point", BLACKJACK, ("cards",), {"cards": (1, 416)}),
    "bart_carter_stacks": Code("point", BLACKJACK, ("stacks",), {"stacks": (1, 52)}),
    "cards_touched": Code("point", BLACKJACK, ("by",)),
    "face_up_card_in_shoe": Code("point", BLACKJACK, ("place",)),
    "face_up_card_used": Code("point", BLACKJACK),
    "card_drawn_in_error": Code("point", BLACKJACK),
    "error_card_not_used": Code("point", BLACKJACK),
    "exposed_card_drawn_in_error": Code("point", BLACKJACK),
    "card_after_refusal": Code("point", BLACKJACK),
    "refused_card_not_burned": Code("point", BLACKJACK),
    "dealer_drew_on_seventeen": Code("point", BLACKJACK, ("count",)),
    "seventeen_card_not_burned": Code("point", BLACKJACK),
    "dealer_card_missed": Code("point", BLACKJACK, ("cards",)),
    "dealer_card_not_made_up": Code("point", BLACKJACK, ("expected", "cards")),
    "shoe_exhausted": Code("point", BLACKJACK, ("side",)),
    "exhaustion_remedy_incomplete": Code("point", BLACKJACK, ("missing",)),
    "position_missed": Code("point", BLACKJACK, ("cards",)),
    "card_to_dead_hand": Code("point", BLACKJACK),
    "wrong_side": Code("point", BLACKJACK, ("expected", "dealt")),
    "requested_card_missed": Code("point", BLACKJACK),
    "missed_card_not_made_up": Code("point", BLACKJACK),
    "reader_misused": Code("point", BLACKJACK, ("result",)),
    "supervisor_not_notified": Code("point", BLACKJACK, ("after",)),
    "hands_not_voided": Code("point", BLACKJACK, ("reason",)),
    "voided_without_cause": Code("point", BLACKJACK, ("after",)),
    "reader_malfunction": Code("standing", BLACKJACK),
    "reader_used_after_malfunction": Code("point", BLACKJACK, ("result",)),
    "up_card_not_moved": Code("point", BLACKJACK),
    "up_card_discarded": Code("point", BLACKJACK),
    "up_card_not_restored": Code("point", BLACKJACK),
    "progressive_light_out": Code("standing", BLACKJACK, ("code",)),
    "progressive_wager_without_light": Code("point", BLACKJACK),
    "bonus_amount_unknown": Code("standing", BLACKJACK, ("code",)),
    "bonus_payout_wrong": Code("point", BLACKJACK, ("expected", "pays"), {"pays": (1, 999)}),
    "double_card_face_up": Code("point", BLACKJACK),
    "player_must_draw": Code("point", CHEMIN_DE_FER, ("count",)),
    "player_must_stay": Code("point", CHEMIN_DE_FER, ("count",)),
    "stay_not_announced": Code("point", CHEMIN_DE_FER, ("count",)),
    "player_natural_not_announced": Code("point", CHEMIN_DE_FER, ("count",)),
    "card_not_requested": Code("point", CHEMIN_DE_FER),
    "requested_card_not_dealt": Code("point", CHEMIN_DE_FER),
    "banker_natural_not_announced": Code("point", CHEMIN_DE_FER, ("count",)),
    "under_eight_not_announced": Code("point", CHEMIN_DE_FER),
    "false_announcement": Code("point", CHEMIN_DE_FER, ("by", "count")),
    "card_after_natural": Code("point", CHEMIN_DE_FER, ("natural",)),
    "card_beyond_third": Code("point", CHEMIN_DE_FER, ("cards",)),
    "hands_not_turned": Code("point", CHEMIN_DE_FER),
    "banker_hand_not_turned": Code("point", CHEMIN_DE_FER),
    "banker_card_early": Code("point", CHEMIN_DE_FER),
    "banker_must_draw": Code("point", CHEMIN_DE_FER, ("count", "third")),
    "banker_must_stay": Code("point", CHEMIN_DE_FER, ("count", "third")),
    "announcement_not_repeated": Code("point", CHEMIN_DE_FER, ("by", "what")),
    "duplicate_card": Code("point", GAMES, ("copies", "decks")),
    "shuffler_count_wrong": Code("standing", GAMES, ("expected", "counted")),
    "suspect_cards_in_play": Code("point", GAMES, ("standing",)),
    "unshuffled_shoe": Code("point", BLACKJACK + CHEMIN_DE_FER, ("side",)),
    "ordered_cards": Code(
        "point", GAMES, ("reason", "cards"), {"run": (5, 52), "first": (10, 416)}
    ),
    "sequence_gap": Code("point", GAMES, ("missing",)),
    "late_event": Code("point", GAMES, ("last_boot", "last_seq")),
    "clock_skew": Code("standing", GAMES, ("milliseconds",), {"seconds": (1, 3600)}),
    "deals_lost": Code("point", GAMES, ("first", "last")),
    "conflicting_event": Code("point", GAMES, ("first", "second")),
    "event_out_of_place": Code("point", GAMES, ("kind", "reason")),
    "round_stalled": Code("standing", GAMES, ("seconds",), {"seconds": (10, 86400)}),
    "gateway_not_authorised": Code("point", GAMES, ("gateway", "reason")),
    "judge_error": Code("point", GAMES, ("partition", "offset")),
}
