"""Every two values of two options of `table_opened` meet at a table, where the rules let them."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import combinations

import pytest

from producers.simulator.pairs import TABLES, paired_setups
from streams.core.events import CAPABILITIES, TableOpened

Option = tuple[str, object]

SCALARS = (
    "dealt_from",
    "decks",
    "positions",
    "jurisdiction",
    "hole_card",
    "card_reader",
    "reader_reveals_to_players",
    "double_face",
    "soft_seventeen",
    "bart_carter",
    "red_side",
)
POKER_VALUES: dict[str, tuple[object, ...]] = {"positions": (6, 7), "jurisdiction": (None, "nj")}
VALUES: dict[str, dict[str, tuple[object, ...]]] = {
    "caribbean_stud": {**POKER_VALUES, "offers progressive": (True, False)},
    "four_card_poker": POKER_VALUES,
    "chemin_de_fer": {
        "decks": (6, 8),
        "positions": (8, 10, 12),
        "jurisdiction": (None, "nj"),
    },
    "blackjack": {
        "dealt_from": ("shoe", "double_shoe"),
        "decks": (4, 6, 8),
        "positions": (5, 6, 7),
        "jurisdiction": (None, "nj"),
        "hole_card": (None, "none", "down", "up"),
        "card_reader": (None, False, True),
        "reader_reveals_to_players": (None, False, True),
        "double_face": (None, "up", "down"),
        "soft_seventeen": (None, "stand", "draw"),
        "bart_carter": (None, False, True),
        "red_side": (None, "left", "right"),
        **{
            f"offers {each}": (True, False)
            for each in ("progressive", "multiple_action", "sevens", "bonus")
        },
    },
}


def options_of(opened: TableOpened) -> dict[str, object]:
    """Return what a table says of itself, each capability and side wager apart."""
    said = asdict(opened)
    told: dict[str, object] = {name: said[name] for name in SCALARS}
    star = "*" in opened.observes
    told["observes *"] = star
    for each in CAPABILITIES:
        told[f"observes {each}"] = star or each in opened.observes
    for each in ("progressive", "multiple_action", "sevens", "bonus"):
        told[f"offers {each}"] = each in (opened.offers or ())
    return told


def cannot_meet(game: str) -> Callable[[dict[str, object]], bool]:
    """Return what says of two options that no table of the game has both."""

    def poker(told: dict[str, object]) -> bool:
        return False

    def blackjack(told: dict[str, object]) -> bool:
        hole = told.get("hole_card", "none") in ("down", "up")
        reader = told.get("card_reader") is True
        reveals = told.get("reader_reveals_to_players") is not None
        double = told.get("dealt_from") == "double_shoe"
        sided = told.get("red_side") is not None
        return (
            (hole and bool(told.get("offers progressive") or told.get("offers multiple_action")))
            or (reader and told.get("hole_card", "down") != "down")
            or (reveals and told.get("card_reader", True) is not True)
            or (reveals and told.get("hole_card", "down") != "down")
            or (reader and told.get("reader_reveals_to_players", True) is None)
            or (
                (reader or reveals)
                and bool(told.get("offers progressive") or told.get("offers multiple_action"))
            )
            or (double and told.get("decks") == 4)
            or (double and told.get("bart_carter") is True)
            or (double and "red_side" in told and not sided)
            or (sided and told.get("dealt_from", "double_shoe") == "shoe")
            or (sided and told.get("decks") == 4)
            or (sided and told.get("bart_carter") is True)
        )

    return blackjack if game == "blackjack" else poker


def wanted(game: str) -> Iterator[tuple[Option, Option]]:
    """Yield every two values of two options that can meet."""
    values = dict(VALUES[game])
    values["observes *"] = (True, False)
    values.update({f"observes {each}": (True, False) for each in CAPABILITIES})
    apart = cannot_meet(game)
    for one, other in combinations(values, 2):
        for first in values[one]:
            for second in values[other]:
                blind = one == "observes *" and first is True and second is False
                if not blind and not apart({one: first, other: second}):
                    yield (one, first), (other, second)


@pytest.mark.parametrize("game", TABLES)
def test_every_two_options_meet_at_a_table(game: str) -> None:
    met = {
        pair
        for setup in paired_setups(game)
        for pair in combinations(options_of(setup.opened()).items(), 2)
    }
    both_ways = met | {(other, one) for one, other in met}
    assert [pair for pair in wanted(game) if pair not in both_ways] == []


@pytest.mark.parametrize("game", TABLES)
def test_few_tables_are_enough_and_none_has_what_cannot_be(game: str) -> None:
    setups = paired_setups(game)
    assert len(setups) <= 40
    assert len({setup.table for setup in setups}) == len(setups)
    apart = cannot_meet(game)
    for setup in setups:
        for one, other in combinations(options_of(setup.opened()).items(), 2):
            assert not apart(dict((one, other))), setup


def test_what_the_devices_send_and_how_well_they_read_is_among_the_options() -> None:
    for game in TABLES:
        setups = paired_setups(game)
        for each in CAPABILITIES:
            kept = {(setup.sees(each), setup.leaves_out) for setup in setups}
            assert kept == {(seen, out) for seen in (True, False) for out in (True, False)}
    assert {bool(setup.unread) for setup in paired_setups("blackjack")} == {True, False}
    assert {bool(setup.deck_names) for setup in paired_setups("caribbean_stud")} == {True, False}
