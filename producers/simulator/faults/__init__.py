"""Faults to plant, by the code of the finding that each must cause.

A fault asks the dealer for legal turns and spoils them. It declares, when it spoils, every finding
that must come of it: code, round, and whether it is raised or cleared. The declarations follow
from what the findings' definitions say of the thing done, not from judging the events. Where the
table's devices cannot see what a finding rests on, that finding is not due.
"""

from typing import Final

from producers.simulator.faults import (
    blackjack_dealing,
    blackjack_devices,
    blackjack_errors,
    blackjack_hands,
    blackjack_shoe,
    chemin_announcements,
    chemin_cards,
    poker_cards,
    poker_dealing,
    poker_stub,
    poker_table,
    shoe_cards,
    telemetry,
)
from producers.simulator.faults.registry import (
    FAULTS,
    Due,
    Fault,
    Scene,
    fault_for,
    games_of,
)

FAMILIES: Final = (
    blackjack_shoe,
    blackjack_dealing,
    blackjack_hands,
    blackjack_errors,
    blackjack_devices,
    chemin_announcements,
    chemin_cards,
    poker_table,
    poker_dealing,
    poker_stub,
    poker_cards,
    shoe_cards,
    telemetry,
)
"""The modules whose import registers the faults."""

__all__ = ["FAMILIES", "FAULTS", "Due", "Fault", "Scene", "fault_for", "games_of"]
