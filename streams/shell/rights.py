"""Who may do what at which table, as the floor's files say it at this moment.

A worker asks once for each fetch, so that a gateway that is taken out, a key that is added and a
table that moves to another pit hold from the next fetch on, without a restart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from schemas.keys import NamedKey

CLOCK: Final = "clock"
"""The name of the workers' own key; another of them is named ``clock.`` and something."""


def is_clock(name: str) -> bool:
    """Say whether a key of that name is the workers' own."""
    return name == CLOCK or name.startswith(f"{CLOCK}.")


@dataclass(frozen=True, slots=True)
class Grant:
    """One gateway: the tables it may speak for, and the keys it may sign with."""

    tables: frozenset[str]
    keys: tuple[NamedKey, ...]


@dataclass(frozen=True, slots=True)
class Grants:
    """Whose records are taken.

    Attributes:
        gateways: what each gateway may, by its name.
        clock: the workers' own keys, at least one; ticks are signed with the first.
    """

    gateways: Mapping[str, Grant]
    clock: tuple[NamedKey, ...]


@dataclass(frozen=True, slots=True)
class Rights:
    """Who may do what.

    Attributes:
        grants: whose records are taken; nothing where they are not signed, and all are.
        pits: the pit of each table; nothing where that is not known, and it is not asked for.
        command_keys: the keys that operators' commands may be signed with, by name.
    """

    grants: Grants | None = None
    pits: Callable[[str], str] | None = None
    command_keys: Mapping[str, bytes] = field(default_factory=dict, repr=False)


class RightsSource(Protocol):
    """Where rights are read from."""

    def current(self) -> Rights:
        """Return the rights at this moment; the same object while they are the same."""

    def tell(self, failed: Callable[[str], None]) -> None:
        """Have ``failed`` told which file cannot be used after it changed."""


@dataclass(frozen=True, slots=True)
class FixedRights:
    """Rights that stay as they were given."""

    rights: Rights = Rights()

    def current(self) -> Rights:
        """Return them."""
        return self.rights

    def tell(self, failed: Callable[[str], None]) -> None:
        """Tell nothing: there is no file."""
