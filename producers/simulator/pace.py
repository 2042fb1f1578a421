"""How long things take on a floor, in milliseconds.

With five players these times give about 50 rounds of Caribbean stud and 60 of blackjack an hour,
the pace that casinos reckon with.
"""

from typing import Final

PACE: Final[dict[str, tuple[int, int]]] = {
    "table_opened": (3_000, 5_000),
    "table_closed": (5_000, 20_000),
    "dealer_arrived": (4_000, 6_000),
    "dealer_left": (2_000, 3_000),
    "supervisor_called": (2_000, 5_000),
    "device_fault": (1_000, 3_000),
    "device_restored": (10_000, 50_000),
    "cards_loaded": (5_000, 10_000),
    "shuffle_completed": (3_000, 5_000),
    "cards_cut": (4_000, 6_000),
    "deck_in_hand": (900, 1_200),
    "burned": (700, 800),
    "shoe_emptied": (4_000, 4_000),
    "rack_counted": (20_000, 20_000),
    "discards_shuffled_in": (60_000, 60_000),
    "stub_placed": (700, 600),
    "stub_counted": (9_000, 6_000),
    "deck_removed": (5_000, 10_000),
    "wager_placed": (500, 1_500),
    "no_more_bets": (1_200, 1_800),
    "lockout_pressed": (300, 500),
    "determinant_drawn": (600, 600),
    "card_dealt": (350, 350),
    "card_exposed": (150, 250),
    "announced": (400, 500),
    "decision": (1_200, 3_000),
    "hole_card_read": (800, 800),
    "wager_settled": (600, 900),
    "cards_collected": (500, 600),
    "round_voided": (5_000, 10_000),
    "round_closed": (500, 800),
}
"""Of each kind, the shortest time after the event before it and the most that is added to it."""

OTHER: Final = (500, 1_000)
