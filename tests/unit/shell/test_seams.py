"""The overrides of Faust and the wraps of aiokafka, without a broker."""

import asyncio
import contextlib
from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from faust.types import TP

from streams.core.table import new_table
from streams.shell.app import Worker, build_app
from streams.shell.batching import BatchScheduler, ReadOffsets
from streams.shell.config import WorkerSettings
from streams.shell.contiguity import Partition
from streams.shell.ending import SEAT_LOST
from streams.shell.lease import Lease, Seat
from streams.shell.seams import (
    BatchConsumer,
    guard_coordinator,
    guard_sender,
)
from streams.wire.snapshot import encode_snapshot
from tests.shell_models import Record, book

DEALS = TP("pitwatch.deals.v1", 0)
STATES = TP("pitwatch-worker-tables-changelog", 0)
SEAT = Seat(3, "me")


@pytest.fixture
def worker() -> Iterator[Worker]:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    made = build_app(WorkerSettings(bootstrap="127.0.0.1:1", book=book(), version="test", port=0))
    yield made
    made.health.close()
    asyncio.set_event_loop(None)
    loop.close()


@pytest.fixture
def consumer(worker: Worker) -> BatchConsumer:
    return cast(BatchConsumer, worker.app.consumer)


def test_the_records_of_all_source_partitions_come_at_once_and_states_as_lists() -> None:
    scheduler = BatchScheduler(frozenset({"deals"}))
    fetched: dict[TP, list[Any]] = {
        TP("deals", 0): [1, 2, 3],
        TP("states", 0): [4, 5],
        TP("deals", 1): [],
        TP("deals", 2): [6],
    }
    assert list(scheduler.iterate(fetched)) == [
        (TP("states", 0), [4, 5]),
        (TP("deals", 0), {TP("deals", 0): [1, 2, 3], TP("deals", 2): [6]}),
    ]


def test_nothing_counts_as_read_of_source_partitions() -> None:
    offsets = ReadOffsets(frozenset({"deals"}))
    offsets[TP("deals", 0)] = 7
    offsets.update({TP("deals", 1): 7, TP("states", 0): 9})
    assert offsets[TP("deals", 0)] is None
    assert offsets[TP("deals", 1)] is None
    assert offsets[TP("states", 0)] == 9


def test_a_fetch_becomes_one_message_that_ends_where_its_first_partition_does(
    consumer: BatchConsumer,
) -> None:
    records = [
        SimpleNamespace(
            topic=DEALS.topic, partition=0, offset=n, timestamp=5000 + n, timestamp_type=0
        )
        for n in range(10, 13)
    ]
    fetch = {DEALS: records, TP(DEALS.topic, 1): records[:1]}
    message = consumer._to_message(DEALS, fetch)
    assert (message.offset, message.tp, message.timestamp) == (12, DEALS, 5.012)
    assert message.value == b""
    assert consumer.app.arrivals.take() == fetch
    states = consumer._to_message(STATES, records)
    assert (states.offset, states.tp, states.value) == (12, STATES, cast(bytes, records))


def ack(consumer: BatchConsumer, tp: TP, *offsets: int) -> None:
    consumer._acked[tp].extend(offsets)
    consumer._acked_index[tp].update(offsets)


def test_a_batch_that_failed_is_acked_by_faust_and_not_committed(
    worker: Worker, consumer: BatchConsumer
) -> None:
    consumer.progress.start({Partition(*DEALS): 0})
    ack(consumer, DEALS, 99)
    assert consumer._new_offset(DEALS) is None
    consumer.progress.finish(Partition(*DEALS), 49)
    assert consumer._new_offset(DEALS) == 50


def test_what_is_done_is_committed_also_where_faust_kept_no_ack(consumer: BatchConsumer) -> None:
    consumer.progress.start({Partition(*DEALS): 0})
    consumer.progress.finish(Partition(*DEALS), 49)
    assert list(consumer._filter_tps_with_pending_acks()) == [DEALS]
    assert consumer._new_offset(DEALS) == 50


def test_no_commit_goes_back(consumer: BatchConsumer) -> None:
    consumer._taken[DEALS] = 60
    assert not consumer._should_commit(DEALS, 50)
    assert not consumer._should_commit(DEALS, 60)
    assert consumer._should_commit(DEALS, 61)


def test_asking_what_to_commit_does_not_use_it_up_and_does_not_grow(
    consumer: BatchConsumer,
) -> None:
    consumer.progress.start({Partition(*DEALS): 0})
    for last in range(1000):
        ack(consumer, DEALS, last)
        consumer.progress.finish(Partition(*DEALS), last)
        assert consumer._new_offset(DEALS) == last + 1
    assert consumer._new_offset(DEALS) == 1000
    assert consumer._acked[DEALS] == [999]
    assert consumer._acked_index[DEALS] == {999}


def test_a_commit_is_tried_until_the_broker_takes_it(
    consumer: BatchConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])

    async def commit(offsets: object) -> bool:
        return next(answers)

    monkeypatch.setattr(consumer._thread, "commit", commit)
    assert consumer._should_commit(DEALS, 50)
    assert not asyncio.get_event_loop().run_until_complete(consumer._commit({DEALS: 50}))
    assert consumer._should_commit(DEALS, 50)
    assert asyncio.get_event_loop().run_until_complete(consumer._commit({DEALS: 50}))
    assert not consumer._should_commit(DEALS, 50)


def test_a_gap_of_a_source_topic_is_not_processed(consumer: BatchConsumer) -> None:
    asyncio.get_event_loop().run_until_complete(consumer._add_gap(DEALS, 5, 9))
    assert not consumer._gap[DEALS]


def test_a_full_queue_takes_no_partition_out(consumer: BatchConsumer) -> None:
    consumer._active_partitions = {DEALS}
    consumer.on_buffer_full(DEALS)
    assert consumer._active_partitions == {DEALS}


def test_records_read_back_go_to_the_store_and_junk_is_no_error(worker: Worker) -> None:
    table = worker.app.tables["tables"]
    value = encode_snapshot(new_table("T-1"), {DEALS.topic: 4})
    messages = [
        Record(0, b"T-1", value, STATES.topic),
        Record(1, b"T-2", b"junk", STATES.topic),
        Record(2, None, b"junk", STATES.topic),
    ]
    cast(Any, table).apply_changelog_batch(
        [SimpleNamespace(message=SimpleNamespace(value=messages))]
    )
    assert worker.app.store.get(0, b"T-1") is not None
    assert worker.app.store.unreadable(0) == [(b"T-2", {})]


def test_partitions_that_left_or_are_new_are_purged_and_kept_ones_stay(worker: Worker) -> None:
    table = worker.app.tables["tables"]
    value = encode_snapshot(new_table("T-1"), {DEALS.topic: 4})
    for partition in range(4):
        worker.app.store.absorb(partition, b"T-1", value)
    topic = STATES.topic
    asyncio.get_event_loop().run_until_complete(
        table.on_rebalance(
            {TP(topic, 0), TP(topic, 3), TP(DEALS.topic, 0)},
            {TP(topic, 1), TP(DEALS.topic, 2)},
            {TP(topic, 3)},
            1,
        )
    )
    assert worker.app.store.partitions() == [0, 2]
    assert worker.runtime.owned == {0, 3}


class Fetched:
    """An aiokafka consumer that has fetched what it is told, and is sought."""

    def __init__(self, *partitions: TP) -> None:
        self._closed = False
        self._fetcher = self
        self._subscriptions = self
        self.assigned = {DEALS, STATES}
        self.records = {tp: [Record(7, b"k", b"v"), Record(8, b"k", b"v")] for tp in partitions}
        self.sought: list[tuple[TP, int]] = []

    def fetch_context(self) -> contextlib.nullcontext[None]:
        return contextlib.nullcontext()

    async def fetched_records(self, *_: object, **__: object) -> dict[TP, list[Record]]:
        return self.records

    def assignment(self) -> set[TP]:
        return self.assigned

    def seek(self, tp: TP, offset: int) -> None:
        self.sought.append((tp, offset))


@pytest.mark.parametrize("flows", [True, False])
@pytest.mark.parametrize("active", [set(), {DEALS}, {DEALS, STATES}])
def test_what_is_fetched_and_not_taken_is_fetched_again(
    consumer: BatchConsumer, *, flows: bool, active: set[TP]
) -> None:
    """A recovery that has sought its states waits for them for ever if they are dropped."""
    gone = TP("pitwatch-worker-tables-changelog", 1)
    far = Fetched(DEALS, STATES, gone)

    async def fetched_records(*_: object, **__: object) -> dict[TP, list[Record]]:
        consumer.flow_active = flows
        return far.records

    far.fetched_records = fetched_records  # type: ignore[method-assign]  # the flow ends meanwhile
    consumer.flow_active = True
    fetch = consumer._thread._fetch_records(far, active, timeout=1.0)
    taken = asyncio.get_event_loop().run_until_complete(fetch)
    assert taken == ({tp: far.records[tp] for tp in active} if flows else {})
    dropped = [tp for tp in far.records if tp not in taken]
    assert far.sought == [(tp, 7) for tp in dropped if tp != gone]


class Coordinator:
    """A group coordinator that answers heartbeats as it is told."""

    def __init__(self, instance: str | None = None) -> None:
        self.accepts = True
        self.joins: list[tuple[object, ...]] = []
        self.resets = 0
        self._group_instance_id = instance
        self._closing: Future[None] = Future()

    def reset_generation(self) -> None:
        self.resets += 1

    async def _do_heartbeat(self) -> bool:
        return self.accepts

    async def _on_join_complete(
        self, generation: int, member_id: str, protocol: str, member_assignment_bytes: bytes
    ) -> None:
        self.joins.append((generation, member_id, protocol, member_assignment_bytes))


class Sender:
    def __init__(self) -> None:
        self.sent: list[object] = []

    async def _send_produce_req(self, node_id: int, batches: object) -> None:
        self.sent.append(batches)


def test_a_heartbeat_that_is_accepted_renews_the_lease() -> None:
    clock = [100.0]
    lease = Lease(10.0, lambda: clock[0])
    coordinator = Coordinator()
    guard_coordinator(coordinator, lease)
    coordinator.accepts = False
    assert not asyncio.run(coordinator._do_heartbeat())
    assert lease.left() < 0
    coordinator.accepts = True
    assert asyncio.run(coordinator._do_heartbeat())
    assert lease.left() == 10.0


def test_a_join_takes_the_seat_and_renews_the_lease_at_once() -> None:
    lease = Lease(10.0, lambda: 100.0)
    coordinator = Coordinator()
    guard_coordinator(coordinator, lease)
    asyncio.run(coordinator._on_join_complete(3, "me", "faust", b""))
    assert coordinator.joins == [(3, "me", "faust", b"")]
    assert lease.check(SEAT).value == "write"


def test_a_join_at_a_seat_that_another_may_have_waits_for_its_last_write() -> None:
    lease = Lease(0.01, lambda: 100.0, static=True)
    coordinator = Coordinator("worker-0")
    guard_coordinator(coordinator, lease)

    async def scenario() -> None:
        joining = asyncio.ensure_future(coordinator._on_join_complete(3, "me", "faust", b""))
        await asyncio.sleep(0)
        assert coordinator.joins == []
        await joining
        assert coordinator.joins == [(3, "me", "faust", b"")]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("instance", "after", "statuses"),
    [("worker-0", 9.9, [SEAT_LOST]), ("worker-0", 10.1, []), (None, 9.9, [])],
    ids=["its id is taken", "its session is over", "it has no id"],
)
def test_a_worker_whose_id_another_took_ends(
    instance: str | None, after: float, statuses: list[int]
) -> None:
    clock = [100.0]
    lease = Lease(10.0, lambda: clock[0])
    lease.renew(100.0)
    coordinator = Coordinator(instance)
    ended: list[int] = []
    guard_coordinator(coordinator, lease, ended.append)
    clock[0] += after
    coordinator.reset_generation()
    assert ended == statuses
    assert coordinator.resets == 1


def test_a_worker_that_is_closed_leaves_its_group_in_peace() -> None:
    lease = Lease(10.0, lambda: 100.0)
    lease.renew(100.0)
    coordinator = Coordinator("worker-0")
    ended: list[int] = []
    guard_coordinator(coordinator, lease, ended.append)
    coordinator._closing.set_result(None)
    coordinator.reset_generation()
    assert ended == []
    assert coordinator.resets == 1


def test_a_write_waits_for_the_lease() -> None:
    clock = [100.0]
    lease = Lease(10.0, lambda: clock[0])
    lease.assign(SEAT)
    sender = Sender()
    guard_sender(sender, lease, lambda: SEAT)

    async def scenario() -> None:
        waiting = asyncio.ensure_future(sender._send_produce_req(1, "batch"))
        await asyncio.sleep(0)
        assert sender.sent == []
        lease.renew(clock[0])
        await waiting
        assert sender.sent == ["batch"]

    asyncio.run(scenario())


def test_a_worker_without_its_seat_ends_before_it_writes() -> None:
    lease = Lease(10.0, lambda: 100.0)
    lease.assign(SEAT)
    lease.renew(100.0)
    sender = Sender()
    statuses: list[int] = []
    guard_sender(sender, lease, lambda: Seat(-1, ""), statuses.append)
    asyncio.run(sender._send_produce_req(1, "batch"))
    assert statuses == [SEAT_LOST]
    assert sender.sent == []


def test_what_is_due_is_known_before_the_partitions_are_read_from_there(
    consumer: BatchConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fetch can come as soon as the thread has sought; dropped then, nothing brings it again."""
    known: list[dict[Partition, int]] = []

    async def committed() -> dict[TP, int | None]:
        return {DEALS: 10}

    async def earliest(*partitions: TP) -> dict[TP, int]:
        return dict.fromkeys(partitions, 0)

    async def seek(partitions: object) -> None:
        known.append(dict(consumer.progress.due))

    monkeypatch.setattr(consumer._thread, "seek_to_committed", committed)
    monkeypatch.setattr(consumer._thread, "earliest_offsets", earliest)
    monkeypatch.setattr(consumer._thread, "seek_wait", seek)
    monkeypatch.setattr(consumer._thread, "assignment", lambda: {DEALS})
    asyncio.get_event_loop().run_until_complete(consumer.perform_seek())
    assert known[-1] == {Partition(*DEALS): 10}
