"""Set-ups of blackjack tables, over every choice that `table_opened` can tell."""

from random import Random
from typing import Final

from producers.simulator.setups import PREFIXES, Setup, random_observes

NO_PROGRESSIVE: Final = ("down", "up")
"""2.6(j)2, (k): with these hole cards the progressive wager is not offered."""


def random_offers(rng: Random, hole_card: str | None) -> tuple[str, ...]:
    """Draw what a table offers besides the main wager."""
    offers = [name for name in ("sevens", "bonus") if rng.random() < 0.3]
    if hole_card not in NO_PROGRESSIVE:
        offers += [name for name in ("progressive", "multiple_action") if rng.random() < 0.25]
    return tuple(offers)


def random_setup(game: str, number: int, rng: Random, width: int = 2) -> Setup:
    """Draw the set-up of a blackjack table."""
    double = rng.random() < 0.35
    hole_card = rng.choice((None, "none", "down", "down", "up"))
    reader = hole_card == "down" and rng.random() < 0.6
    observes = random_observes(rng)
    offers = random_offers(rng, hole_card)
    return Setup(
        table=f"{PREFIXES[game]}-{number:0{width}d}",
        game=game,
        dealt_from="double_shoe" if double else "shoe",
        decks=rng.choice((6, 8)) if double else rng.choice((4, 6, 8)),
        positions=rng.choice((5, 6, 7)),
        observes=observes,
        hole_card=hole_card,
        card_reader=True if reader else rng.choice((None, False)),
        reader_reveals_to_players=rng.random() < 0.3 if reader else None,
        double_face=rng.choice((None, "up", "down")),
        soft_seventeen=rng.choice((None, "stand", "draw")),
        bart_carter=True if not double and rng.random() < 0.2 else None,
        offers=offers or None,
        red_side=rng.choice(("left", "right")) if double else None,
        shuffler_counts=rng.random() < 0.8,
        leaves_out=observes != ("*",) and rng.random() < 0.7,
        unread=rng.choice((0.0, 0.0, 0.0, 0.004)),
    )
