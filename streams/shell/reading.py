"""A batch's records of one table, read: its events, and what was set aside and why.

Whose a record is comes first, before anything of it is read; then its bytes; then how much of the
table's records could not be taken (``poison.py``), which bounds the letters they become.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from streams.core.events import Event, Tick
from streams.shell.authority import Authority, Places
from streams.shell.deadletters import CLOCK_SOURCE, STRANGERS, Refusal
from streams.shell.poison import Poison
from streams.shell.ports import Headers, SourceRecord
from streams.shell.rights import Rights, RightsSource
from streams.shell.translate import read_own_event


@dataclass(slots=True)
class Group:
    """Records of one table as they were read.

    Attributes:
        events: what they hold, in order.
        records: the record of each event.
        refused: the records that become dead letters, each with why.
        withheld: how many more would, by reason, if the table were not quarantined.
        stranger: the first of them that came from one who may not speak for the table.
    """

    events: list[Event] = field(default_factory=list)
    records: list[SourceRecord] = field(default_factory=list)
    refused: list[tuple[SourceRecord, Refusal]] = field(default_factory=list)
    withheld: Counter[str] = field(default_factory=Counter)
    stranger: tuple[SourceRecord, Refusal] | None = None


class Reader:
    """Reads records of the deal topic by the rights of the fetch they are in.

    Args:
        deals: the deal topic.
        rights: whose records are taken.
        poison: counts what cannot be taken, and bounds its dead letters.
    """

    def __init__(self, deals: str, rights: RightsSource, poison: Poison) -> None:
        self._deals = deals
        self._source = rights
        self._poison = poison
        self._authority: Authority | None = None
        self.rights = Rights()
        self.begin()

    def begin(self) -> None:
        """Take the rights that hold at this moment, for all of a fetch."""
        rights = self._source.current()
        if rights is not self.rights:
            self.rights = rights
            grants = rights.grants
            self._authority = None if grants is None else Authority(self._deals, grants)

    def tick_headers(self, partition: int, value: bytes) -> Headers:
        """Return the headers of a tick that this worker writes."""
        authority = self._authority
        return () if authority is None else authority.tick_headers(partition, value)

    def read(self, partition: int, key: bytes | None, records: Sequence[SourceRecord]) -> Group:
        """Read records of one key."""
        group = Group()
        authority, poison = self._authority, self._poison
        places = None if authority is None else authority.places(partition, key)
        for record in records:
            if authority is None or places is None:
                event = read_own_event(key, record.value)
            else:
                event = _signed_event(record, authority, places)
            if not isinstance(event, Refusal):
                group.events.append(event)
                group.records.append(record)
            elif poison.refused(key):
                group.refused.append((record, _with_withheld(event, poison.withheld(key))))
                if group.stranger is None and event.reason in STRANGERS:
                    group.stranger = record, event
            else:
                group.withheld[event.reason] += 1
        poison.read(key, len(group.events))
        return group


def _with_withheld(refusal: Refusal, count: int) -> Refusal:
    """Return why a record is refused, with how many before it have no letter and why."""
    if not count:
        return refusal
    more = (
        f"; {count} before it have no letter and are not replayed, for the table is quarantined: "
        "their bytes stand in the deals"
    )
    return replace(refusal, found=refusal.found + more)


def _signed_event(record: SourceRecord, authority: Authority, places: Places) -> Event | Refusal:
    """Return the event of a record that is signed, or why it is not taken."""
    own = authority.check(record, places)
    if isinstance(own, Refusal):
        return own
    event = read_own_event(record.key, record.value)
    if not isinstance(event, Refusal) and (type(event.body) is Tick) is not own:
        found = f"{event.source} signed by {'a worker' if own else 'a gateway'}"
        expected = "ticks signed by workers, all else by gateways"
        return Refusal(CLOCK_SOURCE, "source", expected, found)
    return event
