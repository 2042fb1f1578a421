"""Device clocks: times that order nothing by themselves, but mislead whoever reads them."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Body, Event
from streams.core.judge import Check, Cleared, Observation, Once, Raised, Verdict
from streams.core.receipts import MICROS_IN_SECOND

CLOCK_SKEW: Final = "clock_skew"


def ahead(event: Event) -> int:
    """Return by how many microseconds a device's clock is ahead of the gateway's.

    It is negative where the clock is behind, and 0 for a recording, which has no time of receipt.
    """
    return 0 if event.received is None else event.at - event.received


def is_off(event: Event, seconds: int) -> bool:
    """Say whether an event's device time is more than so many seconds off its receipt."""
    return abs(ahead(event)) > seconds * MICROS_IN_SECOND


def clock_skew(seen: Observation, _: Body) -> Iterable[Verdict]:
    """Telemetry: a source's clock is off the gateway's; it stands until it is back.

    ``milliseconds`` are how far the device is ahead of the gateway, negative where it is behind.
    """
    event = seen.event
    if is_off(event, seen.book.rules[CLOCK_SKEW].parameters["seconds"]):
        return (Raised(key=event.source, detail={"milliseconds": ahead(event) // 1000}),)
    return (Cleared(key=event.source),)


CLOCK_CHECK: Final = Check(CLOCK_SKEW, (), clock_skew, once=Once.STANDING)
