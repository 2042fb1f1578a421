"""The dead letter of a refused line: its bytes untouched, and in the headers why it was refused.

The headers are named as Kafka Connect names its own (KIP-298), so that its tools read them; what
only Pitwatch says begins with `pitwatch.`. A line never came from a topic, so no header says one.
"""

from typing import Final

from producers.gateway.entries import Refused

CONNECT: Final = "__connect.errors."
OWN: Final = "pitwatch."
STAGE: Final = "VALUE_CONVERTER"


def headers_of(entry: Refused, *, gateway: str, version: str) -> list[tuple[str, bytes]]:
    """Return the headers of a dead letter.

    Args:
        entry: the refused line.
        gateway: the name of the gateway that refused it.
        version: of the program.
    """
    texts = {
        f"{CONNECT}connector.name": gateway,
        f"{CONNECT}task.id": "0",
        f"{CONNECT}class.name": "schemas.ndjson.decode_line",
        f"{CONNECT}exception.class.name": "schemas.faults.LineFault",
        f"{CONNECT}stage": STAGE,
        f"{CONNECT}exception.message": (
            f"{entry.field}: expected {entry.expected}, found {entry.found}"
        ),
        f"{OWN}reason": entry.reason,
        f"{OWN}field": entry.field,
        f"{OWN}expected": entry.expected,
        f"{OWN}found": entry.found,
        f"{OWN}version": version,
        f"{OWN}gateway": gateway,
    }
    if entry.length > len(entry.raw):
        texts[f"{OWN}length"] = str(entry.length)
    return [(name, text.encode("utf-8", "replace")) for name, text in texts.items()]
