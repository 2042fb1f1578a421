"""Which headers the effects of a step go on with: those of the deals that caused them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from streams.core.advance import Step
from streams.core.alarms.alarm import Alarm
from streams.core.findings import EventSetAside, FindingCleared, FindingRaised
from streams.shell.ports import Headers, SourceRecord

Trace = Callable[[SourceRecord], Headers]
"""Records that a deal was judged; returns the headers that go on with it."""


@dataclass(frozen=True, slots=True)
class Traced:
    """Headers by the place of the causing event and by the finding's id; none where untraced."""

    by_cause: Mapping[int, Headers] = field(default_factory=dict)
    by_finding: Mapping[str, Headers] = field(default_factory=dict)

    def of(self, cause: int) -> Headers:
        """Return the headers of what an event caused, by its place in the step."""
        return self.by_cause.get(cause, ())

    def of_alarm(self, alarm: Alarm) -> Headers:
        """Return the headers of an alarm: those of its last finding of the step, if it has one."""
        by_finding = self.by_finding
        return next((by_finding[each] for each in alarm.findings[::-1] if each in by_finding), ())


UNTRACED: Final = Traced()


def traced(step: Step, records: Sequence[SourceRecord], trace: Trace | None) -> Traced:
    """Return the headers of a step's effects; each event that caused one is recorded once.

    Args:
        step: of a table's events.
        records: those events as they were read.
        trace: nothing where no collector is named.
    """
    if trace is None:
        return UNTRACED
    by_cause: dict[int, Headers] = {}
    by_finding: dict[str, Headers] = {}
    for effect, cause in zip(step.effects, step.causes, strict=True):
        if isinstance(effect, EventSetAside):
            continue
        if cause not in by_cause:
            by_cause[cause] = trace(records[cause])
        if isinstance(effect, FindingRaised | FindingCleared):
            by_finding[effect.finding.id] = by_cause[cause]
    return Traced(by_cause, by_finding)
