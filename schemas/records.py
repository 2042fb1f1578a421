"""The records that travel: what stands on each topic, as frozen structs of our own.

Times are integers, microseconds since 1970-01-01 UTC; money is integer minor units. An absent
optional field is ``None``. Vocabularies of the event contract are checked by ``schemas.fields``;
those of findings, rounds, views, alarms and commands are plain texts, for a reader shows them and
must not refuse a word that a later version adds.
"""

from msgspec import Struct

from schemas import fields as f
from schemas.kinds import AnyBody


class DealEvent(Struct, frozen=True, gc=False):
    """What one source said, with who said it and when: a value of the deal topic.

    ``at`` is the device's clock; ``received`` and ``gateway`` are the receiving gateway's clock
    and name, absent in recordings.
    """

    table: f.Table
    source: f.Source
    boot: f.Counter
    seq: f.Counter
    at: f.Micros
    body: AnyBody
    received: f.Micros | None = None
    gateway: f.Gateway | None = None

    @property
    def identity(self) -> str:
        """Return ``table/source/boot/seq``; no two events of a log share it."""
        return f"{self.table}/{self.source}/{self.boot}/{self.seq}"
