"""Reading and decoding alone: aiokafka's getmany and fastavro, the practical limit of any worker.

Run with broker, prefix and partitions, it prints how many records it has decoded, after each fetch.
"""

import asyncio
import os
import sys
import time
from io import BytesIO
from typing import Final

import fastavro
from aiokafka import AIOKafkaConsumer, TopicPartition

from schemas.catalog import BY_STRUCT
from schemas.records import DealEvent

HEADER: Final = 10
"""Bytes of single-object encoding before the record."""


async def read(bootstrap: str, topic: str, partitions: int) -> None:
    """Read a topic from its start, until killed."""
    schema = fastavro.parse_schema(BY_STRUCT[DealEvent].newest.schema)
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    consumer.assign([TopicPartition(topic, number) for number in range(partitions)])
    await consumer.seek_to_beginning()
    decoded = 0
    while True:
        os.write(1, f"{decoded} {time.monotonic()}\n".encode())
        for records in (await consumer.getmany(timeout_ms=1000)).values():
            for record in records:
                fastavro.schemaless_reader(BytesIO(record.value[HEADER:]), schema, None)
            decoded += len(records)


if __name__ == "__main__":
    asyncio.run(read(sys.argv[1], f"{sys.argv[2]}deals.v1", int(sys.argv[3])))
