"""Faults of 2.15(a) to (d), (f), (h) and (i): wrong cards, a short shoe, missed requests."""

from dataclasses import replace

from producers.simulator.faults.blackjack_scene import (
    BLACKJACK,
    card_at,
    dealer_of,
    dealt_to,
    decisions_of,
    drawing,
    extra_card,
    quiet,
    shoe_of,
    side_of,
)
from producers.simulator.faults.blackjack_shoe import OTHER, knows_sides
from producers.simulator.faults.registry import Scene, fault
from producers.simulator.setups import Setup
from producers.simulator.turns import Item, Turn, find
from streams.core.cards import RANKS, Card
from streams.core.events import (
    Announced,
    Burned,
    Decision,
    DiscardsShuffledIn,
    DrawnInError,
    FaceUpCardFound,
    ShoeExhausted,
)


def burn_place(scene: Scene) -> str:
    """Return where a card taken out of play goes."""
    return "segregated_area" if scene.setup.double_shoe else "discard_rack"


def face_up_card(scene: Scene, turn: Turn, place: str) -> None:
    """Find a card face up in the shoe during the round."""
    card = shoe_of(scene, turn).draw()
    found = FaceUpCardFound(place=place, card=card, side=side_of(turn))
    turn.during.insert(scene.rng.choice(turn.deals()) + 1, found)
    scene.raised("face_up_card_in_shoe", turn.number)


@fault("face_up_card_in_shoe", BLACKJACK)
def face_up_card_in_shoe(scene: Scene) -> list[Turn]:
    """Find a card face up in the shoe, and take it out of play."""
    turn = quiet(scene)
    for _ in range(scene.rng.choice((1, 1, 2))):
        face_up_card(scene, turn, burn_place(scene))
    return [turn]


@fault("face_up_card_used", BLACKJACK)
def face_up_card_used(scene: Scene) -> list[Turn]:
    """Find a card face up in the shoe, and use it."""
    turn = quiet(scene)
    face_up_card(scene, turn, "table")
    scene.raised("face_up_card_used", turn.number)
    return [turn]


def other_rank(scene: Scene, turn: Turn, card: Card | None) -> Card:
    """Draw a card of another rank than this one's."""
    ranks = "".join(rank for rank in RANKS if card is None or rank != card[0])
    return shoe_of(scene, turn).draw(ranks)


@fault("card_drawn_in_error", BLACKJACK)
def card_drawn_in_error(scene: Scene) -> list[Turn]:
    """Draw a card in error, unseen, and use it as the next card."""
    turn, _ = drawing(scene, scene.rng.randrange(2))
    at = scene.rng.choice(turn.deals()[2:])
    drawn = DrawnInError(exposed=False, card=card_at(turn, at).card, side=side_of(turn))
    turn.during.insert(at, drawn)
    scene.raised("card_drawn_in_error", turn.number)
    return [turn]


@fault("error_card_not_used", BLACKJACK, ("cards",))
def error_card_not_used(scene: Scene) -> list[Turn]:
    """Draw a card in error, and deal another one next."""
    turn, _ = drawing(scene, scene.rng.randrange(2))
    at = scene.rng.choice(turn.deals()[2:])
    card = other_rank(scene, turn, card_at(turn, at).card)
    turn.during.insert(at, DrawnInError(exposed=False, card=card, side=side_of(turn)))
    scene.raised("card_drawn_in_error", turn.number)
    scene.raised("error_card_not_used", turn.number)
    return [turn]


@fault("exposed_card_drawn_in_error", BLACKJACK)
def exposed_card_drawn_in_error(scene: Scene) -> list[Turn]:
    """Draw a card in error and show it, and deal it as the next card."""
    turn, position = drawing(scene, scene.rng.randrange(2))
    at = dealt_to(turn, position)[2]
    drawn = DrawnInError(exposed=True, card=card_at(turn, at).card, side=side_of(turn))
    turn.during.insert(at, drawn)
    scene.raised("exposed_card_drawn_in_error", turn.number)
    return [turn]


def refused(scene: Scene, turn: Turn, position: int, card: Card) -> list[Item]:
    """Return a card drawn in error and shown, and its refusal by a player."""
    return [
        DrawnInError(exposed=True, card=card, side=side_of(turn)),
        Decision(position=position, action="refuse_card", hand=1),
    ]


def burns_sent(setup: Setup) -> bool:
    """Return whether the table's devices send burns."""
    return setup.sends("burns")


@fault("card_after_refusal", BLACKJACK, ("decisions",), fits=burns_sent)
def card_after_refusal(scene: Scene) -> list[Turn]:
    """Deal a player a card after he refused the one drawn in error."""
    turn, position = drawing(scene, scene.rng.randrange(2))
    at = decisions_of(turn, position)[0]
    card = shoe_of(scene, turn).draw("TJQK")
    burned = Burned(place=burn_place(scene), card=card, exposed=True, side=side_of(turn))
    turn.during[at:at] = [*refused(scene, turn, position, card), burned]
    scene.raised("exposed_card_drawn_in_error", turn.number)
    scene.raised("card_after_refusal", turn.number)
    return [turn]


@fault("refused_card_not_burned", BLACKJACK, ("decisions", "burns"))
def refused_card_not_burned(scene: Scene) -> list[Turn]:
    """Draw one card too many at the end, have it refused, and do not burn it."""
    turn = quiet(scene)
    at = max(turn.deals()[-1], decisions_of(turn, turn.positions[-1])[-1]) + 1
    card = shoe_of(scene, turn).draw()
    turn.during[at:at] = refused(scene, turn, scene.rng.choice(turn.positions), card)
    scene.raised("exposed_card_drawn_in_error", turn.number)
    scene.raised("refused_card_not_burned", turn.number)
    return [turn]


def draw_on_eighteen(scene: Scene) -> tuple[Turn, int]:
    """Let the dealer draw on eighteen; return the turn and the place after the card."""
    turn = quiet(scene)
    at = find(turn.during, Announced, turn.deals()[-1])
    told = [
        place for place in range(at, len(turn.during)) if isinstance(turn.during[place], Announced)
    ][-1]
    turn.during.insert(told + 1, extra_card(scene, turn, "TJQK", None))
    scene.raised("dealer_drew_on_seventeen", turn.number)
    return turn, told + 2


@fault("dealer_drew_on_seventeen", BLACKJACK, ("cards",))
def dealer_drew_on_seventeen(scene: Scene) -> list[Turn]:
    """Let the dealer draw on eighteen, and burn the card."""
    turn, after = draw_on_eighteen(scene)
    drawn = card_at(turn, after - 1)
    turn.during.insert(
        after,
        Burned(place=burn_place(scene), card=drawn.card, exposed=True, side=drawn.side),
    )
    return [turn]


@fault("seventeen_card_not_burned", BLACKJACK, ("cards", "burns"))
def seventeen_card_not_burned(scene: Scene) -> list[Turn]:
    """Let the dealer draw on eighteen, and keep the card."""
    turn, _ = draw_on_eighteen(scene)
    scene.raised("seventeen_card_not_burned", turn.number)
    return [turn]


def run_out(scene: Scene, *, shuffled: bool, burned: bool) -> Turn:
    """Let the shoe run out before a further card, with all or some of the remedy."""
    turn, position = drawing(scene, scene.rng.randrange(2))
    side = side_of(turn)
    items: list[Item] = [ShoeExhausted(side=side)]
    if shuffled:
        items.append(DiscardsShuffledIn(side=side))
    if burned:
        shoe_of(scene, turn).draw()
        items.append(Burned(place=burn_place(scene), exposed=False, side=side))
    at = dealt_to(turn, position)[2]
    turn.during[at:at] = items
    scene.raised("shoe_exhausted", turn.number)
    return turn


@fault("shoe_exhausted", BLACKJACK)
def shoe_exhausted(scene: Scene) -> list[Turn]:
    """Let the shoe run out; shuffle the discards in, burn one, and go on."""
    return [run_out(scene, shuffled=True, burned=True)]


@fault("exhaustion_remedy_incomplete", BLACKJACK, ("shuffles", "burns"))
def exhaustion_remedy_incomplete(scene: Scene) -> list[Turn]:
    """Let the shoe run out, and go on without the shuffle or without the burn."""
    shuffled = scene.rng.random() < 0.5
    turn = run_out(scene, shuffled=shuffled, burned=not shuffled)
    scene.raised("exhaustion_remedy_incomplete", turn.number)
    return [turn]


@fault("wrong_side", BLACKJACK, fits=knows_sides)
def wrong_side(scene: Scene) -> list[Turn]:
    """Take a card from the side of the shoe that the determinant did not name."""
    turn = other_side_turn(scene)
    scene.raised("wrong_side", turn.number)
    return [turn]


def other_side_turn(scene: Scene) -> Turn:
    """Deal a turn in which a card comes from the other side."""
    turn = quiet(scene)
    at = scene.rng.choice(turn.deals()[1:])
    dealt = card_at(turn, at)
    side = OTHER[str(dealt.side)]
    card = dealer_of(scene).shoes[side].draw(str(dealt.card)[0])
    turn.during[at] = replace(dealt, side=side, card=card)
    return turn


@fault("requested_card_missed", BLACKJACK, ("decisions",))
def requested_card_missed(scene: Scene) -> list[Turn]:
    """Miss a card that a player asked for, and make it up after the others."""
    turn, first = drawing(scene)
    drawn = dealt_to(turn, first)[2]
    stand = decisions_of(turn, first)[1]
    moved = turn.during[drawn : stand + 1]
    del turn.during[drawn : stand + 1]
    after = decisions_of(turn, turn.positions[1])[-1] + 1
    turn.during[after:after] = moved
    scene.raised("requested_card_missed", turn.number)
    return [turn]


@fault("missed_card_not_made_up", BLACKJACK, ("decisions",))
def missed_card_not_made_up(scene: Scene) -> list[Turn]:
    """Miss a card that a player asked for, and go on to the dealer's cards."""
    turn, last = drawing(scene, -1, dealer=["6", "TJQK", "5"])
    drawn = dealt_to(turn, last)[2]
    del turn.during[drawn : decisions_of(turn, last)[1]]
    scene.raised("requested_card_missed", turn.number)
    scene.raised("missed_card_not_made_up", turn.number)
    return [turn]
