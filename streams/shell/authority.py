"""Whose a deal record is: judged by its signature before anything of it is read.

| the record | is |
|---|---|
| has the signature of a gateway that may speak for its table | taken |
| has the signature of the workers' own key, and is a tick | taken |
| anything else | set aside, and the finding ``gateway_not_authorised`` says so |

One comes to a table from few gateways with few keys, so what is looked up for a record is a place
by gateway and key; then there is one HMAC. Without keys nothing is asked of any record.
"""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final

from schemas.keys import NamedKey
from schemas.record_signing import (
    GATEWAY,
    KEY,
    SIGNATURE,
    Headers,
    RecordSigner,
    Signing,
    place_of,
)
from streams.core.events import CLOCK_SOURCE
from streams.shell.deadletters import (
    FORGED_RECORD,
    NOT_ITS_KEY,
    NOT_ITS_TABLE,
    UNKNOWN_GATEWAY,
    UNSIGNED_RECORD,
    Refusal,
    shown_key,
)
from streams.shell.ports import SourceRecord
from streams.shell.rights import Grants

MOST_TABLES: Final = 16_384
"""Tables whose places are remembered; then all are looked up anew."""

Place = tuple[Signing, bool]
"""What signs there, and whether with the workers' own key."""
Places = Mapping[tuple[bytes | None, bytes | None], Place]
"""By the names of the gateway and of its key."""


class Authority:
    """Judges whose the records of the deal topic are.

    Args:
        topic: the deal topic.
        grants: whose records are taken.
    """

    def __init__(self, topic: str, grants: Grants) -> None:
        self._topic = topic
        self._grants = grants
        self._places: dict[tuple[int, bytes | None], Places] = {}

    def places(self, partition: int, key: bytes | None) -> Places:
        """Return by whom and with which key records of a table may be signed."""
        known = self._places.get((partition, key))
        if known is None:
            if len(self._places) >= MOST_TABLES:
                self._places.clear()
            known = self._places[partition, key] = self._looked_up(partition, key)
        return known

    def _looked_up(self, partition: int, key: bytes | None) -> Places:
        table = None if key is None else key.decode("utf-8", "replace")
        found: dict[tuple[bytes | None, bytes | None], Place] = {
            (CLOCK_SOURCE.encode(), each.name.encode()): self._place(partition, CLOCK_SOURCE, each)
            for each in self._grants.clock
        }
        for gateway, grant in self._grants.gateways.items():
            if table in grant.tables:
                for each in grant.keys:
                    place = self._place(partition, gateway, each)
                    found[gateway.encode(), each.name.encode()] = place
        return found

    def _place(self, partition: int, gateway: str, key: NamedKey) -> Place:
        signed = place_of(self._topic, partition, gateway, key.name)
        return Signing(key.key, signed), gateway == CLOCK_SOURCE

    def refusal(self, record: SourceRecord, said: Mapping[str, bytes | None]) -> Refusal:
        """Return why a record is not taken whose signature does not bear out.

        Args:
            record: the record.
            said: its headers.
        """
        gateway, key = said.get(GATEWAY), said.get(KEY)
        if not said.get(SIGNATURE) or not gateway or not key:
            return Refusal(UNSIGNED_RECORD, SIGNATURE, "a gateway's signature", "none")
        name = gateway.decode("utf-8", "replace")
        grant = self._grants.gateways.get(name)
        if grant is None and gateway != CLOCK_SOURCE.encode():
            expected = "a gateway of the floor file"
            return Refusal(UNKNOWN_GATEWAY, GATEWAY, expected, shown_key(gateway))
        if grant is not None and shown_key(record.key) not in grant.tables:
            expected = f"a gateway that may speak for {shown_key(record.key)}"
            return Refusal(NOT_ITS_TABLE, GATEWAY, expected, shown_key(gateway))
        if (gateway, key) not in self.places(record.partition, record.key):
            expected = f"a key of {shown_key(gateway)}"
            return Refusal(NOT_ITS_KEY, KEY, expected, shown_key(key))
        expected = f"what {shown_key(gateway)} signs here with the key {shown_key(key)}"
        return Refusal(FORGED_RECORD, SIGNATURE, expected, "another signature")

    def check(self, record: SourceRecord, places: Places) -> bool | Refusal:
        """Return whether a record is signed with the workers' own key, or why it is not taken.

        Args:
            record: the record.
            places: those of its table.
        """
        said: dict[str, bytes | None] = dict(record.headers)
        place = places.get((said.get(GATEWAY), said.get(KEY)))
        if place is not None:
            signing, own = place
            if compare_digest(signing.of(record.value or b""), said.get(SIGNATURE) or b""):
                return own
        return self.refusal(record, said)

    def tick_headers(self, partition: int, value: bytes) -> Headers:
        """Return the headers of a tick that a worker writes."""
        key = self._grants.clock[0]
        return RecordSigner(self._topic, partition, CLOCK_SOURCE, key).headers(value)
