"""How often someone may try to sign in, and how long a session lasts: rules of times alone.

| limit | counted by | failed tries in 15 min | against |
|---|---|---|---|
| own | name and address | 5 | one who guesses a password |
| name | name | 20 | many who guess the same one |
| address | address | 50 | one who guesses a password of many |

A try is counted before the password is looked at and taken back if it is right, so that tries at
once, at however many consoles, are no more than those one after another. What was refused for its
number is not counted, so that whoever goes on trying is let in as soon as the oldest is 15 min
old.

A session ends 30 min after its last request, and 12 h after its first in any case. When it was
last used is written at most every 30 s, so that a request costs no write; it can end by so much
earlier.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.times import MICROS_IN_HOUR, MICROS_IN_MINUTE, MICROS_IN_SECOND

WINDOW: Final = 15 * MICROS_IN_MINUTE
OWN_TRIES: Final = 5
NAME_TRIES: Final = 20
ADDRESS_TRIES: Final = 50

IDLE: Final = 30 * MICROS_IN_MINUTE
LONGEST: Final = 12 * MICROS_IN_HOUR
TOUCH: Final = 30 * MICROS_IN_SECOND


@dataclass(frozen=True, slots=True)
class Tries:
    """When the failed tries of the window were, oldest first, as each limit counts them."""

    own: Sequence[int]
    name: Sequence[int]
    address: Sequence[int]


def left(tries: Tries) -> int:
    """Return how many more tries may fail before the next is refused."""
    return min(
        most - len(times)
        for times, most in (
            (tries.own, OWN_TRIES),
            (tries.name, NAME_TRIES),
            (tries.address, ADDRESS_TRIES),
        )
    )


def free_at(tries: Tries) -> int:
    """Return from when on one more try is taken, microseconds; 0 where it is at once.

    That is when so many of the oldest have left the window that every limit has room for one.
    """
    release = 0
    for times, most in (
        (tries.own, OWN_TRIES),
        (tries.name, NAME_TRIES),
        (tries.address, ADDRESS_TRIES),
    ):
        if len(times) >= most:
            release = max(release, times[len(times) - most] + WINDOW)
    return release


def over(created: int, seen: int, now: int) -> bool:
    """Say whether a session is over by its times, all microseconds."""
    return now - seen >= IDLE or now - created >= LONGEST


def to_touch(seen: int, now: int) -> bool:
    """Say whether a session's last use is old enough to be written anew."""
    return now - seen >= TOUCH
