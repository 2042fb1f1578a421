"""What a worker finds of itself: each such finding is written, and an alarm is made of it."""

from collections.abc import Mapping

from schemas.record_signing import GATEWAY
from streams.core.book import Book
from streams.core.findings import Finding
from streams.core.notices import deals_lost, gateway_not_authorised
from streams.core.receipts import heard_at
from streams.core.table import new_table
from streams.shell.alarming import Alarming
from streams.shell.deadletters import Refusal, shown_key
from streams.shell.judged import Judged
from streams.shell.ports import OutputRecord, SourceRecord, Topics
from streams.shell.store import Stored
from streams.shell.translate import Writer, table_of


class Noticing:
    """Writes findings that no event of a table causes.

    Args:
        book: the rulebook.
        topics: the names of the topics.
        writer: writes records.
        alarming: makes alarms of findings.
    """

    def __init__(self, book: Book, topics: Topics, writer: Writer, alarming: Alarming) -> None:
        self._book = book
        self._topics = topics
        self._writer = writer
        self._alarming = alarming

    def write(self, judged: Judged, partition: int, finding: Finding) -> None:
        """Note a finding's record."""
        key, value = finding.table.encode(), self._writer.finding(finding)
        judged.effects.append(OutputRecord(self._topics.findings, partition, key, value))

    def told(
        self,
        judged: Judged,
        partition: int,
        stored: Stored,
        finding: Finding,
        now: int,
        offsets: Mapping[str, int],
    ) -> Stored:
        """Note the alarm of a finding in its table's state; return that.

        Args:
            judged: what a fetch comes to.
            partition: the table's partition.
            stored: its state.
            finding: the finding.
            now: when it was raised, microseconds since 1970-01-01 UTC.
            offsets: what the state has applied with it.
        """
        alarmed = self._alarming.after_finding(partition, stored, finding, now)
        key = finding.table.encode()
        return judged.keep(partition, key, stored.state, offsets, alarmed)

    def lost(self, judged: Judged, partition: int, stored: Stored, lost: tuple[int, int]) -> None:
        """Find that records which may be of a table were deleted before they were judged.

        Args:
            judged: what it comes to.
            partition: the table's partition.
            stored: its state.
            lost: the offsets of the first and the last record lost.
        """
        finding = deals_lost(stored.state, lost, self._book)
        self.write(judged, partition, finding)
        self.told(judged, partition, stored, finding, heard_at(stored.state), stored.offsets)

    def stranger(
        self,
        judged: Judged,
        stored: Stored | None,
        refused: tuple[SourceRecord, Refusal],
        last: int,
        now: int,
    ) -> None:
        """Find that a record was set aside because of whose it is, once for a round.

        Args:
            judged: what a fetch comes to.
            stored: the table's state; nothing of it is kept where it was not known, for a table is
                known by what was judged of it.
            refused: the record, and why.
            last: the offset up to which all of the table is judged.
            now: the time, where the table knows none.
        """
        record, refusal = refused
        table = table_of(record.key)
        if table is None:
            return
        state, at = new_table(table), now
        if stored is not None:
            state, at = stored.state, heard_at(stored.state)
        gateway = shown_key(dict(record.headers).get(GATEWAY) or None)
        finding = gateway_not_authorised(state, gateway, refusal.reason, at, self._book)
        if stored is not None:
            if any(finding.id in alarm.findings for alarm in stored.alarms.alarms):
                return
            offsets = {**stored.offsets, record.topic: last}
            self.told(judged, record.partition, stored, finding, at, offsets)
        judged.findings.append(finding)
        self.write(judged, record.partition, finding)
