"""Accounts in the database: the one place that changes them, each change with its audit.

All functions block; pages call them in a thread.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, insert, select, update
from sqlalchemy.exc import IntegrityError

from schemas.check import rules_of
from schemas.records import DealEvent
from streams.console.access.sessions import end_sessions
from streams.console.access.trail import By, note
from streams.core.alarms.commands import ROLES
from streams.database import writing
from streams.database.accounts import sessions, users


class AccountFault(ValueError):
    """An account cannot be made or changed as asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Account:
    """One account as it is listed."""

    name: str
    role: str
    pits: tuple[str, ...]
    disabled: bool
    created_at: int
    changed_at: int


def name_fault(name: str) -> str | None:
    """Return what is wrong with an account's name, or nothing."""
    fault = rules_of(DealEvent)["table"].fault(name)
    return None if fault is None else f"expected {fault.expected}, found {fault.found}"


class Accounts:
    """The accounts of one database.

    Args:
        engine: the database, with all tables.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def listed(self) -> tuple[Account, ...]:
        """Return all accounts by name."""
        with self._engine.connect() as connection:
            return tuple(self._accounts(connection))

    def _accounts(self, connection: Connection) -> Iterator[Account]:
        for row in connection.execute(select(users).order_by(users.c.name)):
            yield Account(
                row.name,
                row.role,
                tuple(json.loads(row.pits)),
                row.disabled,
                row.created_at,
                row.changed_at,
            )

    def add(self, name: str, encoded: str, role: str, pits: Sequence[str], by: By) -> None:
        """Make an account.

        Raises:
            AccountFault: there is one of that name, or name, role or pits are none.
        """
        if (fault := name_fault(name)) is not None:
            raise AccountFault(f"name: {fault}")
        self._checked(role, pits)
        row = {
            "name": name,
            "password": encoded,
            "role": role,
            "pits": json.dumps(list(pits)),
            "disabled": False,
            "created_at": by.at,
            "changed_at": by.at,
        }
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(users).values(row))
                note(connection, by, "account_added", f"{name}: {_granted(role, pits)}")
        except IntegrityError as error:
            raise AccountFault(f"{name}: expected a new name, found an account") from error

    def set_role(self, name: str, role: str, by: By) -> None:
        """Give an account another role, at once.

        Raises:
            AccountFault: there is no such account or role.
        """
        self._checked(role, ())
        self._change(name, by, "account_role", role, role=role)

    def set_pits(self, name: str, pits: Sequence[str], by: By) -> None:
        """Give an account other pits, at once; none is all.

        Raises:
            AccountFault: there is no such account, or a pit's name is none.
        """
        self._checked(ROLES[0], pits)
        shown = ", ".join(pits) or "all pits"
        self._change(name, by, "account_pits", shown, pits=json.dumps(list(pits)))

    def set_password(self, name: str, encoded: str, by: By) -> None:
        """Give an account another password, and end its sessions.

        Raises:
            AccountFault: there is no such account.
        """
        self._change(name, by, "account_password", None, ends=True, password=encoded)

    def set_disabled(self, name: str, *, disabled: bool, by: By) -> None:
        """Let nobody in with an account and end its sessions, or let its owner in again.

        Raises:
            AccountFault: there is no such account.
        """
        what = "account_disabled" if disabled else "account_enabled"
        self._change(name, by, what, None, ends=disabled, disabled=disabled)

    def _checked(self, role: str, pits: Sequence[str]) -> None:
        if role not in ROLES:
            raise AccountFault(f"role: expected one of {', '.join(ROLES)}, found {role}")
        for pit in pits:
            if (fault := name_fault(pit)) is not None:
                raise AccountFault(f"pit: {fault}")

    def _change(
        self, name: str, by: By, what: str, to: str | None, *, ends: bool = False, **values: object
    ) -> None:
        """Change an account's row, write the audit, and end the sessions if asked."""
        with writing(self._engine) as connection:
            changed = connection.execute(
                update(users).where(users.c.name == name).values(changed_at=by.at, **values)
            )
            if changed.rowcount == 0:
                raise AccountFault(f"{name}: expected an account, found none of that name")
            if ends:
                end_sessions(connection, sessions.c.user == name, at=by.at)
            note(connection, by, what, name if to is None else f"{name}: {to}")


def _granted(role: str, pits: Sequence[str]) -> str:
    """Return a role and its pits as the audit has them."""
    return f"{role}, {', '.join(pits) or 'all pits'}"
