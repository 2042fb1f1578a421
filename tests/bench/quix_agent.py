"""The same job in Quix Streams: our codec and core in its dataframe, its store for the states.

Run with broker, prefix, partitions and a folder for the store, by the environment that
`tests.bench.quix` makes, it prints how many events it has judged, every thousand. It is spared
what our worker does besides: states are read back from the process's memory and not from the
store, and no views are written.
"""

import os
import sys
import time
from typing import Any

from quixstreams import Application, State
from quixstreams.models import TopicConfig

from streams.core.advance import advance
from streams.core.events import Event
from streams.core.findings import FindingRaised, RoundEnded
from streams.core.table import TableState, new_table
from streams.rulebooks import load
from streams.shell.translate import Writer, read_event
from streams.wire.snapshot import encode_snapshot

BOOTSTRAP, PREFIX, PARTITIONS, FOLDER = sys.argv[1:]
WRITER = Writer(BOOK := load(), "bench")
STATES: dict[str, TableState] = {}
FINDING, ROUND = "finding", "round"

app = Application(
    broker_address=BOOTSTRAP,
    consumer_group=f"{PREFIX}quix",
    auto_offset_reset="earliest",
    state_dir=FOLDER,
    loglevel="WARNING",
)
PLACE = TopicConfig(num_partitions=int(PARTITIONS), replication_factor=1)
RAW: Any = {"key_serializer": "bytes", "value_serializer": "bytes", "config": PLACE}
deals = app.topic(
    f"{PREFIX}deals.v1", key_deserializer="bytes", value_deserializer="bytes", config=PLACE
)
judged = 0


def judge(value: bytes, state: State) -> list[tuple[str, bytes]]:
    """Judge one event, store its table's state, and return what is to be written."""
    global judged  # noqa: PLW0603  the one count of a process that does nothing else
    event = read_event(value)
    assert isinstance(event, Event)
    step = advance(STATES.get(event.table) or new_table(event.table), event, BOOK)
    STATES[event.table] = step.state
    written = []
    for effect in step.effects:
        match effect:
            case FindingRaised(finding):
                written.append((FINDING, WRITER.finding(finding)))
            case RoundEnded(ended):
                written.append((ROUND, WRITER.round(ended)))
    state.set_bytes("table", encode_snapshot(step.state, {}))
    judged += 1
    if judged % 1000 == 0:
        os.write(1, f"{judged} {time.monotonic()}\n".encode())
    return written


effects = app.dataframe(deals).apply(judge, stateful=True, expand=True)
for kind, name in ((FINDING, "findings.v1"), (ROUND, "rounds.v1")):
    chosen = effects.filter(lambda effect, kind=kind: effect[0] == kind)
    chosen.apply(lambda effect: effect[1]).to_topic(app.topic(f"{PREFIX}{name}", **RAW))
app.run()
