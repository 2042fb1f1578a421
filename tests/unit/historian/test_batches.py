"""Whatever the batches are, and whatever is read again, the rows in the end are the same."""

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from streams.database import history, writing
from streams.historian.rows import Message
from streams.historian.writer import positions
from tests.historian_harness import night
from tests.history_database import keep, rows_in
from tests.history_records import messages

TABLES = (
    history.rounds,
    history.round_findings,
    history.findings,
    history.alarms,
    history.acts,
    history.offsets,
)


def partitions_of(seed: int) -> list[list[Message]]:
    """Return what stands in each partition of each topic after a night of three tables."""
    records = night(random.Random(seed), tables=3, rounds=6)
    lanes: dict[tuple[str, int], list[Message]] = {}
    for partition, table in enumerate(("T-00", "T-01", "T-02")):
        own = [record for record in records if record.table == table]
        for message in messages(*own, partition=partition):
            lanes.setdefault((message.topic, partition), []).append(message)
    return list(lanes.values())


def contents(engine: Engine) -> list[list[dict[str, Any]]]:
    return [rows_in(engine, table) for table in TABLES]


def emptied(engine: Engine) -> Engine:
    with writing(engine) as connection:
        for table in TABLES:
            connection.execute(table.delete())
    return engine


def turns(engine: Engine, lanes: list[list[Message]], chance: random.Random) -> Iterator[None]:
    """Write batches of any partitions until all is written, from where the database says."""
    while True:
        with engine.connect() as connection:
            known = positions(connection)
        left = [
            lane[known.get((f"pitwatch.{lane[0].topic}", lane[0].partition), 0) :] for lane in lanes
        ]
        left = [lane for lane in left if lane]
        if not left:
            return
        batch = [
            message
            for lane in chance.sample(left, chance.randint(1, len(left)))
            for message in lane[: chance.randint(1, 12)]
        ]
        keep(engine, batch)
        yield


@settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(seed=st.integers(0, 2**32), often=st.booleans())
def test_any_batches_and_repeats_give_the_same_rows(engine: Engine, seed: int, often: bool) -> None:
    chance = random.Random(seed)
    lanes = partitions_of(seed)
    for lane in lanes:
        keep(emptied(engine) if lane is lanes[0] else engine, lane)
    wanted = contents(engine)
    for _ in turns(emptied(engine), lanes, chance):
        if often and chance.random() < 0.4:
            # what was written already is read again, from somewhere: the topics repeat themselves
            lane = chance.choice(lanes)
            place = f"pitwatch.{lane[0].topic}", lane[0].partition
            with writing(engine) as connection:
                end = positions(connection).get(place, 0)
                connection.execute(
                    history.offsets.delete().where(
                        history.offsets.c.topic == place[0],
                        history.offsets.c.partition == place[1],
                    )
                )
                if end > 1:
                    again = {"topic": place[0], "partition": place[1], "next": end // 2}
                    connection.execute(history.offsets.insert().values(**again))
    assert contents(engine) == wanted
