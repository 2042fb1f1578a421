"""Table 3 of 4.9: whether the banker's hand draws a third card.

A row is the banker's count after two cards; a column the value of the player's third card, the
first column a player's hand without one. D draws, S stays, O is the banker's own choice.
"""

from typing import Final

DRAW: Final = "D"
STAY: Final = "S"
OPTION: Final = "O"

TABLE_3: Final[tuple[str, ...]] = (
    # none and 0 to 9
    "DDDDDDDDDDD",  # 0
    "DDDDDDDDDDD",  # 1
    "DDDDDDDDDDD",  # 2
    "DDDDDDDDDSO",  # 3
    "DSSDDDDDDSS",  # 4
    "DSSSSODDDSS",  # 5
    "SSSSSSSDDSS",  # 6
    "SSSSSSSSSSS",  # 7
    "SSSSSSSSSSS",  # 8
    "SSSSSSSSSSS",  # 9
)


def banker_does(banker: int, player_third: int | None) -> str:
    """Return D, S or O for the banker's count and the value of the player's third card."""
    return TABLE_3[banker][0 if player_third is None else player_third + 1]
