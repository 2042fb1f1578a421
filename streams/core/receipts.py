"""When things are told to have happened: by the gateway's receipt, where there is one.

A recording has no receipts, only the devices' clocks.
"""

from typing import Final, Protocol

from streams.core.events import Event

MICROS_IN_SECOND: Final = 1_000_000


class Heard(Protocol):
    """A table as it was heard of last: its state, its view, or the record of its view."""

    @property
    def last_event_at(self) -> int:
        """Return the device's time of its last event, microseconds since 1970-01-01 UTC."""

    @property
    def last_received(self) -> int | None:
        """Return the gateway's time of it."""


def told_at(event: Event) -> int:
    """Return when an event was told, microseconds since 1970-01-01 UTC."""
    return event.at if event.received is None else event.received


def heard_at(table: Heard) -> int:
    """Return when a table was last heard of, microseconds since 1970-01-01 UTC."""
    return table.last_event_at if table.last_received is None else table.last_received
