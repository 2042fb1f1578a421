"""What a historian is told at its start."""

from dataclasses import dataclass
from typing import Final

from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.wire.topics import PREFIX

PORT: Final = 7304

AWAY_SECONDS: Final = 600.0
"""How long Kafka or the database may be away before the historian ends, to be started again."""

BATCH_RECORDS: Final = 500
"""What is written in one transaction at most; a round of 512 events has up to 200 KB."""

FETCH_BYTES: Final = 8 * 1024 * 1024
"""What is fetched of all partitions at once; with the batch it bounds the historian's memory."""


@dataclass(frozen=True, slots=True)
class HistorianSettings:
    """One historian's settings.

    ``bootstrap`` is ``host:port,…``, and ``access`` who the historian is there; ``prefix`` names
    the topics. ``host`` and ``port`` are where health and metrics are served; port 0 takes a free
    one. Rows older than ``keep_days`` are deleted; 0 keeps all. ``away_seconds`` is how long Kafka
    or the database may be away.
    """

    bootstrap: str
    version: str
    access: KafkaAccess = PLAINTEXT
    prefix: str = PREFIX
    host: str = "127.0.0.1"
    port: int = PORT
    keep_days: int = 0
    away_seconds: float = AWAY_SECONDS
    batch_records: int = BATCH_RECORDS
