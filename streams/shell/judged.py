"""What judging a fetch comes to: effects, states and counts, or the record that it fails at."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from streams.core.alarms.table_alarms import TableAlarms
from streams.core.findings import Finding
from streams.core.table import TableState
from streams.shell.alarming import Alarmed
from streams.shell.ports import OutputRecord, SourceRecord
from streams.shell.store import Stored
from streams.wire.snapshot import encode_snapshot


@dataclass(slots=True)
class Judged:
    """What a fetch came to: what is to be written, and what is to be counted.

    ``effects`` go out before ``states``, which are by partition and key; ``changed`` names the
    tables to be shown. ``withheld`` counts, by reason, the letters that a quarantine kept back.
    ``ages`` and ``delays`` are seconds from the device's clock and from the gateway's receipt
    until all was judged; ``seconds`` is how long judging and acknowledging took.
    """

    effects: list[OutputRecord] = field(default_factory=list)
    states: dict[tuple[int, bytes], Stored] = field(default_factory=dict)
    changed: dict[tuple[int, bytes], None] = field(default_factory=dict)
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

    def keep(
        self,
        partition: int,
        key: bytes,
        state: TableState,
        offsets: Mapping[str, int],
        alarmed: Alarmed,
    ) -> Stored:
        """Note a table's state, and what tells of its alarms."""
        value = encode_snapshot(state, offsets, alarmed.alarm_bytes)
        after = Stored(value, state, offsets, alarmed.alarms, alarmed.alarm_bytes)
        self.states[partition, key] = after
        self.effects += alarmed.records
        return after

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
