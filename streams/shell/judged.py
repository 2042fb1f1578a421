"""What judging a fetch comes to: effects, states and counts, or the record that it fails at."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from streams.core.alarms.table_alarms import TableAlarms
from streams.core.findings import Finding
from streams.core.views import TableView
from streams.shell.ports import OutputRecord, SourceRecord
from streams.shell.store import Stored


@dataclass(slots=True)
class Judged:
    """What a fetch came to: what is to be written, and what is to be counted.

    ``effects`` go out before ``states``, which are by partition and key; ``views`` are by
    partition and key. ``withheld`` counts, by reason, the letters that a quarantine kept back.
    ``ages`` and ``delays`` are seconds from the device's clock and from the gateway's receipt
    until all was judged; ``seconds`` is how long judging and acknowledging took.
    """

    effects: list[OutputRecord] = field(default_factory=list)
    states: dict[tuple[int, bytes], Stored] = field(default_factory=dict)
    views: dict[int, dict[bytes, TableView]] = field(default_factory=dict)
    events: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    rounds: Counter[str] = field(default_factory=Counter)
    dead_letters: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    times: list[tuple[int, int | None]] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def alarms(self) -> Iterator[tuple[tuple[int, bytes], TableAlarms]]:
        """Iterate over the alarms of all tables that changed, by partition and key."""
        for place, stored in self.states.items():
            yield place, stored.alarms


class JudgeFailed(Exception):
    """Judging a record raised an error, which is this one's cause.

    Attributes:
        record: the record.
    """

    def __init__(self, record: SourceRecord) -> None:
        super().__init__(f"{record.topic}/{record.partition} at {record.offset}")
        self.record = record


class NothingRead(Exception):
    """Nothing of any source could be read: the topic or this program is not what it should be."""
