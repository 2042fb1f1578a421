"""What each role may do, as a table.

| act | viewer | operator | surveillance | admin |
|---|---|---|---|---|
| look at the whole floor | yes | yes | yes | yes |
| acknowledge, unshelve, put back in service, comment | | in own pits | everywhere | in own pits |
| shelve, take out of service | | in own pits | everywhere | in own pits |
| the same, of a critical or integrity alarm | | | everywhere | |
| download history and evidence | | yes | yes | yes |
| accounts | | | | yes |

An account without pits has all of them. Whoever may sign in sees the whole floor: pits bound what
a person may do, not what he may know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streams.core.alarms.commands import ACTS as ALARM_ACTS
from streams.core.alarms.commands import (
    ADMIN,
    OPERATOR,
    REFUSALS,
    ROLES,
    SHELVE,
    SURVEILLANCE,
    SURVEILLANCE_ALONE,
    TAKE_OUT,
    VIEWER,
    Grave,
    grave,
)

LOOK: Final = "look"
EXPORT: Final = "export"
ACCOUNTS: Final = "accounts"

_ACTING: Final = frozenset({LOOK, EXPORT, *ALARM_ACTS})
PERMITTED: Final[Mapping[str, frozenset[str]]] = {
    VIEWER: frozenset({LOOK}),
    OPERATOR: _ACTING,
    SURVEILLANCE: _ACTING,
    ADMIN: _ACTING | {ACCOUNTS},
}
"""What each role may do at all."""

OUT_OF_SIGHT: Final = frozenset({SHELVE, TAKE_OUT})
"""Acts that take an alarm from the operators' eyes."""


@dataclass(frozen=True, slots=True)
class User:
    """Someone who is signed in; without ``pits`` all are theirs."""

    name: str
    role: str
    pits: tuple[str, ...] = ()


def refusal(user: User, act: str, alarm: Grave | None, pit: str | None) -> str | None:
    """Return why a person may not do something, in words, or nothing where he may.

    Args:
        user: who.
        act: what: one of the acts on alarms, ``look``, ``export`` or ``accounts``.
        alarm: the alarm that it is done to, or its rule; nothing where it is done to none.
        pit: the pit of the alarm's table; nothing where it is about none.
    """
    if act not in PERMITTED.get(user.role, frozenset()):
        return f"{article(user.role)} may not do this"
    if act in OUT_OF_SIGHT and user.role != SURVEILLANCE and (alarm is None or grave(alarm)):
        return REFUSALS[SURVEILLANCE_ALONE]
    if act in ALARM_ACTS and user.role != SURVEILLANCE and user.pits and pit not in user.pits:
        return f"pit {pit} is not among your pits: {', '.join(user.pits)}"
    return None


def article(role: str) -> str:
    """Return a role with its article, as a sentence begins with it."""
    if role not in ROLES:
        return "this role"
    if role == SURVEILLANCE:
        return "surveillance"
    return f"an {role}" if role in (OPERATOR, ADMIN) else f"a {role}"
