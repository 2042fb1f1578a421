"""A stock Faust agent for the same job: an event at a time, a table write for each.

Run with broker, prefix and partitions, it prints how many events it has judged, every thousand.
"""

import os
import sys
import time
from typing import Any

import faust

from streams.core.advance import advance
from streams.core.events import Event
from streams.core.findings import FindingRaised, RoundEnded
from streams.core.table import TableState, new_table
from streams.rulebooks import load
from streams.shell.translate import Writer, read_event
from streams.wire.snapshot import encode_snapshot

BOOTSTRAP, PREFIX, PARTITIONS = sys.argv[1], sys.argv[2], int(sys.argv[3])
WRITER = Writer(BOOK := load(), "bench")
RAW: Any = {"value_serializer": "raw", "key_type": bytes, "value_type": bytes}
PLACE: Any = {"topic_partitions": PARTITIONS, "topic_replication_factor": 1}

app = faust.App(f"{PREFIX}stock", broker=f"aiokafka://{BOOTSTRAP}", store="memory://", **PLACE)
deals = app.topic(f"{PREFIX}deals.v1", **RAW)
findings = app.topic(f"{PREFIX}findings.v1", **RAW)
rounds = app.topic(f"{PREFIX}rounds.v1", **RAW)
tables = app.Table("tables", partitions=PARTITIONS, key_type=bytes, value_type=bytes)
states: dict[str, TableState] = {}


@app.agent(deals)
async def judge(stream: Any) -> None:
    judged = 0
    async for record in stream.events():
        event = read_event(record.value)
        assert isinstance(event, Event)
        step = advance(states.get(event.table) or new_table(event.table), event, BOOK)
        states[event.table] = step.state
        for effect in step.effects:
            match effect:
                case FindingRaised(finding):
                    await findings.send(key=record.key, value=WRITER.finding(finding))
                case RoundEnded(ended):
                    await rounds.send(key=record.key, value=WRITER.round(ended))
        tables[record.key] = encode_snapshot(step.state, {"deals": record.message.offset})
        judged += 1
        if judged % 1000 == 0:
            os.write(1, f"{judged} {time.monotonic()}\n".encode())


sys.argv[1:] = ["worker", "--without-web", "-l", "error"]
app.main()
