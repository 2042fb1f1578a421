"""Who is let in: which device a request comes from, what it may say, and how much of it.

| a request | is answered | counted as |
|---|---|---|
| has neither a token nor a certificate | 401 | ``no_credentials`` |
| has a token that is not known, or was revoked | 401 | ``unknown_token`` |
| has a token whose time is over | 401 | ``expired_token`` |
| has a certificate of a device that is not known, or was revoked | 401 | ``unknown_device`` |
| names a table that is not its device's | 403, and nothing of it is kept | ``other_table`` |
| comes from a device that has said too much | 429 with ``Retry-After`` | ``rate`` |
| comes from a device of which enough are under way | 429 with ``Retry-After`` | ``at_once`` |

What a device may say is a number of lines a second; it may save up as many as BURST_SECONDS of
them, as it must after an outage. A body whose size is not known before it is read is paid
afterwards, so that a device may be in debt, and waits until it is paid. What has few lines and many
bytes is paid by its bytes: else a line of 1 MiB, twice a second, would fill the spool for all.
"""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from producers.gateway.devices import (
    LONGEST_TOKEN,
    Device,
    DeviceFile,
    digest_of,
)

NO_CREDENTIALS: Final = "no_credentials"
UNKNOWN_TOKEN: Final = "unknown_token"  # noqa: S105  a reason's name
EXPIRED_TOKEN: Final = "expired_token"  # noqa: S105  as above
UNKNOWN_DEVICE: Final = "unknown_device"
OTHER_TABLE: Final = "other_table"
RATE: Final = "rate"
AT_ONCE: Final = "at_once"
TURNED: Final = (
    NO_CREDENTIALS,
    UNKNOWN_TOKEN,
    EXPIRED_TOKEN,
    UNKNOWN_DEVICE,
    OTHER_TABLE,
    RATE,
    AT_ONCE,
)
"""Why a request is turned away."""

BEARER: Final = "bearer"
BURST_SECONDS: Final = 20.0
BYTES_OF_A_LINE: Final = 1024
"""What is paid as one line; a table's own have some 200 bytes."""
MOST_RETRY: Final = 300
RETRY_AT_ONCE: Final = 1

TOLD_SECONDS: Final = 60.0
MOST_TOLD: Final = 1024
"""What is turned away is told once a minute of each reason and device, and counted always."""

MOST_TABLES_SHOWN: Final = 8

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Turned:
    """A request is turned away."""

    status: int
    reason: str
    text: str
    retry_after: int | None = None


@dataclass(slots=True)
class _Account:
    lines: float
    at: float


class Known:
    """The devices of a file, by what they are known by."""

    def __init__(self, file: DeviceFile) -> None:
        self.by_name = {device.name: device for device in file.devices}
        self.by_digest = {
            token.digest: (device, token.ends_at)
            for device in file.devices
            for token in device.tokens
        }
        self.tables = {device.name: frozenset(device.tables) for device in file.devices}


class Gate:
    """Lets devices in.

    Args:
        known: returns the devices that are known at this moment.
        lines_a_second: what one device may say, in the long run.
        at_once: how many requests of one device may be under way.
        turned: told the reason for each request that is turned away.
        clock: microseconds since 1970-01-01 UTC.
        monotonic: seconds, never going back.
    """

    def __init__(
        self,
        known: Callable[[], Known],
        *,
        lines_a_second: float,
        at_once: int,
        turned: Callable[[str], None],
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        self._known = known
        self._rate = lines_a_second
        self._at_once = at_once
        self._turned = turned
        self._clock = clock
        self._monotonic = monotonic
        self._accounts: dict[str, _Account] = {}
        self._under_way: Counter[str] = Counter()
        self._told: dict[tuple[str, str], float] = {}

    def enter(self, authorization: str | None, certified: str | None) -> Device | Turned:
        """Return the device of a request, or why it is turned away; one let in must leave.

        Args:
            authorization: the header of that name.
            certified: the common name of the connection's certificate, which was verified.
        """
        device = self._identified(authorization, certified)
        if isinstance(device, Turned):
            return self._turn(device, "" if certified is None else certified)
        wait = self._wait(device.name)
        if wait:
            text = (
                f"lines: expected at most {self._rate:g} a second, of {BYTES_OF_A_LINE} bytes "
                "each, found more"
            )
            return self._turn(Turned(429, RATE, text, min(wait, MOST_RETRY)), device.name)
        if self._under_way[device.name] >= self._at_once:
            text = f"requests: expected at most {self._at_once} at once, found more"
            return self._turn(Turned(429, AT_ONCE, text, RETRY_AT_ONCE), device.name)
        self._under_way[device.name] += 1
        return device

    def leave(self, device: Device) -> None:
        """Take that a request of a device is answered."""
        self._under_way[device.name] -= 1
        if not self._under_way[device.name]:
            del self._under_way[device.name]

    def stranger(self, device: Device, tables: Iterable[str]) -> Turned | None:
        """Return why a request is turned away that names these tables, if it is."""
        allowed = self._known().tables.get(device.name, frozenset())
        for table in tables:
            if table not in allowed:
                some = ", ".join(sorted(allowed)[:MOST_TABLES_SHOWN]) or "none any more"
                more = ", …" if len(allowed) > MOST_TABLES_SHOWN else ""
                text = f"table: expected one of {device.name}'s, {some}{more}, found {table}"
                return self._turn(Turned(403, OTHER_TABLE, text), device.name)
        return None

    def charge(self, device: Device, lines: int, size: int) -> None:
        """Take from what a device may say.

        Args:
            device: it was let in.
            lines: those of its request.
            size: bytes of its request's body.
        """
        now = self._monotonic()
        account = self._account(device.name, now)
        account.lines -= max(lines, size / BYTES_OF_A_LINE)

    def _identified(self, authorization: str | None, certified: str | None) -> Device | Turned:
        known = self._known()
        if authorization is None and certified is not None:
            device = known.by_name.get(certified)
            if device is None:
                found = certified if certified.isprintable() else ascii(certified)
                text = f"certificate: expected a device that is known, found {found[:64]}"
                return Turned(401, UNKNOWN_DEVICE, text)
            return device
        if authorization is None:
            text = "Authorization: expected Bearer and the device's token, found none"
            return Turned(401, NO_CREDENTIALS, text)
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != BEARER or not token:
            text = "Authorization: expected Bearer and the device's token, found something else"
            return Turned(401, NO_CREDENTIALS, text)
        token = token.strip()
        found_by = None
        if len(token) <= LONGEST_TOKEN and token.isascii():
            found_by = known.by_digest.get(digest_of(token))
        if found_by is None:
            text = "Authorization: expected a token that is known, found one that is not"
            return Turned(401, UNKNOWN_TOKEN, text)
        device, ends_at = found_by
        if ends_at is not None and ends_at <= self._clock():
            text = f"Authorization: expected a newer token of {device.name}, found one that ended"
            return Turned(401, EXPIRED_TOKEN, text)
        return device

    def _wait(self, name: str) -> int:
        account = self._account(name, self._monotonic())
        return 0 if account.lines > 0 else max(1, math.ceil(-account.lines / self._rate))

    def _account(self, name: str, now: float) -> _Account:
        most = self._rate * BURST_SECONDS
        account = self._accounts.get(name)
        if account is None:
            if len(self._accounts) > len(self._known().by_name):
                # devices that were taken out; none that is known pays for them
                self._accounts.clear()
            account = self._accounts[name] = _Account(most, now)
        account.lines = min(most, account.lines + (now - account.at) * self._rate)
        account.at = now
        return account

    def _turn(self, turned: Turned, device: str) -> Turned:
        self._turned(turned.reason)
        now = self._monotonic()
        last = self._told.get((turned.reason, device))
        if last is None or now - last >= TOLD_SECONDS:
            if len(self._told) >= MOST_TOLD:
                self._told.clear()
            self._told[turned.reason, device] = now
            _log.warning(
                "a request was turned away",
                extra={"reason": turned.reason, "device": device[:64], "said": turned.text},
            )
        return turned
