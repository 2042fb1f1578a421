"""Dead letters as a worker and a gateway write them, without a Kafka."""

from collections.abc import Sequence
from dataclasses import dataclass

from producers.gateway.deadletter import headers_of
from producers.gateway.entries import Refused
from streams.core.events import Event
from streams.shell.deadletters import Refusal, dead_letter
from streams.shell.letters import Letter, read_letter
from streams.shell.ports import OutputRecord
from streams.shell.translate import event_bytes
from tests.shell_models import TOPICS, Record


@dataclass(frozen=True, slots=True)
class Written:
    """A record of the topic of dead letters, as a consumer hands it out."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]
    timestamp: int = 1_796_040_000_000


def written(output: OutputRecord, offset: int = 0) -> Written:
    return Written(output.topic, output.partition, offset, output.key, output.value, output.headers)


def letter_of(
    event: Event | bytes | None,
    *,
    reason: str = "unknown_fingerprint",
    offset: int = 0,
    topic: str = TOPICS.deals,
    key: bytes | None = None,
    version: str = "0.0.9",
    stack: str | None = None,
) -> Letter:
    """Return the letter of a deal, or of bytes that are none."""
    value = event_bytes(event) if isinstance(event, Event) else event
    own = event.table.encode() if isinstance(event, Event) and key is None else key
    record = Record(offset, own, value, topic)
    refusal = Refusal(reason, "value", "a schema that this version knows", "ff")
    output = dead_letter(TOPICS.dead, record, refusal, "VALUE_CONVERTER", version, stack)
    return read_letter(written(output, offset))


def line_letter(raw: bytes, *, length: int | None = None) -> Letter:
    """Return the letter of a line that a gateway refused."""
    refused = Refused(
        "CS-01", 1, raw, length or len(raw), "bad_field", "kind", "a kind", '"fanned"'
    )
    headers = headers_of(refused, gateway="gw-7", version="0.0.9")
    return read_letter(Written(TOPICS.dead, 3, 17, b"CS-01", raw, headers))
