"""Passwords: argon2id with the second recommended parameters of RFC 9106 (64 MiB, 3 passes).

What an account has is the encoded hash, with its parameters in it, so that a password is hashed
anew at the next sign-in after they changed. An unknown name takes as long as a known one.
"""

import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from argon2.profiles import RFC_9106_LOW_MEMORY

SHORTEST: Final = 12
LONGEST: Final = 200
"""Characters; beyond it a sign-in would be a way to make the console work."""

ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""What generated passwords are made of: nothing that is read as something else."""

GROUPS: Final = 5
GROUP: Final = 4
"""Five groups of four of 31 letters are 99 bits."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a password is right, and what its account is to have from now on, if another hash."""

    right: bool
    rehashed: str | None = None


class Passwords:
    """Hashes and verifies; takes about 50 ms and 64 MiB a call, so callers bound how many at once.

    Args:
        hasher: with what parameters new hashes are made.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)

    @cached_property
    def nobodys(self) -> str:
        """Return the hash that an unknown name's password is compared with; made once."""
        return self._hasher.hash(secrets.token_hex(16))

    def hash(self, password: str) -> str:
        """Return the encoded hash of a password."""
        return self._hasher.hash(password)

    def verify(self, encoded: str | None, password: str) -> Verdict:
        """Return whether a password is that of an account.

        Args:
            encoded: the account's hash; nothing where there is no such account, which takes the
                same time and is never right.
            password: what was typed.
        """
        try:
            self._hasher.verify(encoded or self.nobodys, password[: LONGEST + 1])
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return Verdict(right=False)
        if encoded is None:
            return Verdict(right=False)
        stale = self._hasher.check_needs_rehash(encoded)
        return Verdict(right=True, rehashed=self.hash(password) if stale else None)


def password_fault(name: str, password: str) -> str | None:
    """Return what is wrong with a new password of an account, or nothing."""
    if not SHORTEST <= len(password) <= LONGEST:
        return f"expected {SHORTEST} to {LONGEST} characters, found {len(password)}"
    if name.casefold() in password.casefold():
        return "expected a password without the account's name in it"
    if len(set(password)) < SHORTEST // 2:
        return f"expected at least {SHORTEST // 2} different characters"
    return None


def generated() -> str:
    """Return a new random password, easy to read out."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(GROUP)) for _ in range(GROUPS))
