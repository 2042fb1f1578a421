"""Device clocks: times that order nothing by themselves, but mislead whoever reads them."""

from collections.abc import Iterable
from typing import Final

from streams.core.events import Body, Event
from streams.core.judge import Check, Cleared, Observation, Once, Raised, Verdict

CLOCK_SKEW: Final = "clock_skew"
MICROS_IN_SECOND: Final = 1_000_000


def is_off(event: Event, seconds: int) -> bool:
    """Say whether an event's device time is more than so many seconds off its receipt."""
    return event.received is not None and abs(event.received - event.at) > (
        seconds * MICROS_IN_SECOND
    )


def clock_skew(seen: Observation, _: Body) -> Iterable[Verdict]:
    """Telemetry: a source's clock is off the gateway's; it stands until it is back.

    ``milliseconds`` are how far the device is ahead of the gateway, negative where it is behind.
    A recording has no time of receipt and raises nothing.
    """
    event = seen.event
    received = event.at if event.received is None else event.received
    if is_off(event, seen.book.rules[CLOCK_SKEW].parameters["seconds"]):
        ahead = (event.at - received) // 1000
        return (Raised(key=event.source, detail={"milliseconds": ahead}),)
    return (Cleared(key=event.source),)


CLOCK_CHECK: Final = Check(CLOCK_SKEW, (), clock_skew, once=Once.STANDING)
