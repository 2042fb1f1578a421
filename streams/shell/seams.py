"""Every private name of Faust and aiokafka that the worker relies on, in this one file.

The three libraries are pinned together; a contract test fails when a name or signature below
changes. What each override is for, and what the stock version does instead:

| seam | here | stock |
|---|---|---|
| ``Thread._fetch_records`` | seeks back to what is not taken | read past, and lost to a recovery |
| ``Consumer.scheduler`` | a fetch of all deals, states by list | one record at a time, 11,000/s |
| ``Consumer.getmany`` | tells the judge once of all that waits | a message for each record |
| ``Consumer._to_message`` | the fetch or list is one message | one per record |
| ``Consumer._read_offset`` | source partitions always read | drops what it read before a seek |
| ``Consumer._new_offset`` | commits what was finished | an exception counts as processed |
| ``Consumer._filter_tps_with_pending_acks`` | all that was finished | only what it has acks of |
| ``Consumer._add_gap`` | nothing for source topics | a hole counts as processed |
| ``Consumer._should_commit``, ``_commit`` | remembers what the broker took | what was tried |
| ``Thread._create_worker_consumer`` | an empty fetch waits 50 ms | 1.5 s |
| ``Consumer.on_buffer_full`` | nothing: the queue holds the fetch back | sleeps a second |
| ``Consumer.perform_seek`` | also says what is due next | seeks only |
| ``Recovery`` order | states read, table told, then seek | relied on, not changed |
| ``GroupCoordinator._do_heartbeat`` | renews the lease | |
| ``GroupCoordinator._on_join_complete`` | renews it; waits for who sat there | goes on at once |
| ``GroupCoordinator.reset_generation`` | ends a worker whose id another took | takes it back |
| ``Sender._send_produce_req`` | ends a worker that lost its seat | writes over its successor |
| ``TableManager.on_start`` | at once | a second later |
| ``Table.apply_changelog_batch`` | never goes backwards, never fails | the last record wins |
"""

import asyncio
import logging
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import Any, ClassVar, Final, Protocol, cast

import faust
from faust.tables.manager import TableManager
from faust.transport.consumer import Consumer as BaseConsumer
from faust.transport.drivers import aiokafka as driver
from faust.types import TP, ConsumerMessage, EventT, Message

from streams.shell.arrivals import Arrivals
from streams.shell.batching import BatchScheduler, ReadOffsets
from streams.shell.contiguity import Partition, Progress
from streams.shell.ending import SEAT_LOST, end_process
from streams.shell.lease import Answer, Lease, Seat
from streams.shell.ports import OutputRecord
from streams.shell.store import TableStore

log = logging.getLogger("streams.shell.kafka")
"""Faust's services log under the name of the module that has their class, which is this one."""

FETCH_WAIT_MS: Final = 50
"""How long the broker may hold an empty fetch back. While the judge holds back what was fetched,
aiokafka asks for the other partitions alone, and for nothing else until that is answered: with
Faust's 1,500 ms a busy worker got nothing for 1.4 s, again and again."""

BREATH_SECONDS: Final = 0.01
"""Between two fetches while the judge is at work: many small ones take its time away."""

WAIT_SECONDS: Final = 0.05
"""How often a write asks whether its lease was renewed."""


class GuardedThread(driver.AIOKafkaConsumerThread):
    """Faust's consumer thread, whose group coordinator renews the lease."""

    app: "WorkerApp"

    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer = super()._create_worker_consumer(transport)
        consumer._fetch_max_wait_ms = FETCH_WAIT_MS
        return consumer

    async def _fetch_records(
        self, consumer: Any, active_partitions: set[TP], *args: Any, **kwargs: Any
    ) -> Mapping[TP, list[Any]]:
        """Fetch, and read again later what Faust will not take now.

        While all partitions are paused aiokafka takes "these partitions alone" for "all", and
        hands out states in the moment between a recovery's seek to them and the flow's return.
        Faust drops them and waits for them for ever: one roll in ten on a busy machine.
        """
        fetched = await super()._fetch_records(consumer, active_partitions, *args, **kwargs)
        taken = {}
        for tp, records in fetched.items():
            if self.consumer.flow_active and tp in active_partitions:
                taken[tp] = records
            elif tp in consumer.assignment():
                consumer.seek(tp, records[0].offset)
        return taken

    async def on_start(self) -> None:
        """Start the consumer and listen to its heartbeats."""
        await super().on_start()
        guard_coordinator(self._ensure_consumer()._coordinator, self.app.lease)


def guard_coordinator(
    coordinator: Any, lease: Lease, end: Callable[[int], Any] = end_process
) -> None:
    """Renew the lease with each heartbeat that the coordinator accepts, and with each join.

    A static member that the group no longer knows, although its session is not over, has lost its
    seat to another process with its id. Joining again would take the seat back, and both would
    write in turn; so it ends instead, and whoever started two sees one of them end.
    """
    heartbeat: Callable[[], Awaitable[bool]] = coordinator._do_heartbeat
    join_complete: Callable[..., Awaitable[None]] = coordinator._on_join_complete
    reset: Callable[[], None] = coordinator.reset_generation

    async def beat() -> bool:
        sent = lease.now()
        accepted = await heartbeat()
        if accepted:
            lease.renew(sent)
        return accepted

    async def joined(
        generation: int, member_id: str, protocol: str, member_assignment_bytes: bytes
    ) -> None:
        # The first heartbeat comes an interval after the join; until then nothing could be sent.
        await beat()
        await asyncio.sleep(lease.take_over())
        lease.assign(Seat(generation, member_id))
        await join_complete(generation, member_id, protocol, member_assignment_bytes)

    def lost() -> None:
        instance = coordinator._group_instance_id
        if instance is not None and lease.left() > 0 and not coordinator._closing.done():
            log.error(
                "another process took this worker's instance id", extra={"instance": instance}
            )
            end(SEAT_LOST)
        reset()

    coordinator.reset_generation = lost
    coordinator._do_heartbeat = beat
    coordinator._on_join_complete = joined


def guard_sender(
    sender: Any, lease: Lease, seat: Callable[[], Seat], end: Callable[[int], Any] = end_process
) -> None:
    """Let no write leave the process without a seat and a lease.

    It stands in aiokafka's sender, behind its buffer and its retries; what is left is a stop
    between this check and the socket.
    """
    send: Callable[[int, Any], Awaitable[None]] = sender._send_produce_req

    async def guarded(node_id: int, batches: Any) -> None:
        while (answer := lease.check(seat())) is not Answer.WRITE:
            if answer is Answer.LOST:
                log.error("seat in the group lost, nothing more is written")
                end(SEAT_LOST)
                return
            await asyncio.sleep(WAIT_SECONDS)
        await send(node_id, batches)

    sender._send_produce_req = guarded


class BatchConsumer(driver.Consumer):
    """A consumer that hands out batches of the source topics and commits what was finished."""

    app: "WorkerApp"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sources: frozenset[str] = self.app.sources
        self.progress: Progress = self.app.progress
        self.scheduler = BatchScheduler(self.sources)
        self._read_offset = ReadOffsets(self.sources)
        self._taken: dict[TP, int] = {}

    def _new_consumer_thread(self) -> GuardedThread:
        return GuardedThread(self, loop=self.loop, beacon=self.beacon)

    async def create_topic(self, *args: Any, **kwargs: Any) -> None:
        """Create nothing: the topics are there before the worker."""

    async def getmany(self, timeout: float) -> AsyncIterator[tuple[TP, Message]]:
        """Fetch, and yield a message for the judge only if it does not know that a fetch waits."""
        async for tp, message in super().getmany(timeout):
            if tp.topic not in self.sources or self.app.arrivals.tell():
                yield tp, message
            else:
                await asyncio.sleep(BREATH_SECONDS)

    def _to_message(self, tp: TP, record: Any) -> ConsumerMessage:
        # Faust keeps account of the first partition alone; what was done is kept for each.
        value = record
        last = record[tp][-1] if isinstance(record, dict) else record[-1]
        if isinstance(record, dict):
            self.app.arrivals.put(record)
            value = b""
        return ConsumerMessage(
            last.topic,
            last.partition,
            last.offset,
            last.timestamp / 1000.0,
            last.timestamp_type,
            None,
            None,
            cast(bytes, value),
            None,
            tp=tp,
            generation_id=self.app.consumer_generation_id,
        )

    def _new_offset(self, tp: TP) -> int | None:
        if tp.topic not in self.sources:
            offset: int | None = super()._new_offset(tp)
            return offset
        acked = self._acked[tp]
        if len(acked) > 1:
            # Faust's own list is not needed and would grow with every batch.
            del acked[:-1]
            self._acked_index[tp] = set(acked)
        return self.progress.done.get(Partition(tp.topic, tp.partition))

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Iterator[TP]:
        """Yield also what is done of the source topics, acknowledged or not.

        Faust asks only for what it holds an ack of, and lets acks go when partitions move; what
        was done is tried again until the broker has taken it.
        """
        for tp in super()._filter_tps_with_pending_acks(topics):
            if tp.topic not in self.sources:
                yield tp
        for done in list(self.progress.done):
            tp = TP(done.topic, done.partition)
            if topics is None or tp in topics or tp.topic in topics:
                yield tp

    def _should_commit(self, tp: TP, offset: int) -> bool:
        if tp.topic not in self.sources:
            return bool(super()._should_commit(tp, offset))
        taken = self._taken.get(tp)
        return taken is None or offset > taken

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        taken = bool(await super()._commit(offsets))
        if taken:
            self._taken.update(offsets)
        return taken

    async def _add_gap(self, tp: TP, offset_from: int, offset_to: int) -> None:
        if tp.topic not in self.sources:
            await super()._add_gap(tp, offset_from, offset_to)

    def on_buffer_full(self, tp: TP) -> None:
        """Do nothing: a full queue already holds the fetch back."""

    async def seek_to_committed(self) -> Mapping[TP, int]:
        """Seek to the committed offsets and remember them; a partition may have none."""
        found = await super().seek_to_committed()
        self._taken = {
            TP(tp.topic, tp.partition): offset for tp, offset in found.items() if offset is not None
        }
        return found

    async def perform_seek(self) -> None:
        """Seek to what is committed, or to the log's start, and say what is due next."""
        self.progress.forget()
        self.app.arrivals.clear()
        await super().perform_seek()
        sources = [tp for tp in self.assignment() if tp.topic in self.sources]
        if not sources:
            return
        starts = await self.earliest_offsets(*sources)
        due = {}
        for tp in sources:
            committed = self._taken.get(tp)
            due[tp] = max(starts[tp], committed or 0)
            if committed is not None and committed < starts[tp]:
                log.error(
                    "records were deleted before they were judged",
                    extra={
                        "topic": tp.topic,
                        "partition": tp.partition,
                        "first": committed,
                        "last": starts[tp] - 1,
                    },
                )
                await self.app.on_states.lost(tp, committed, starts[tp] - 1)
        # The thread may fetch as soon as it has sought: a fetch that came before this was known
        # would be dropped, and where no record follows it nothing would bring it again.
        self.progress.start({Partition(*tp): offset for tp, offset in due.items()})
        await self.seek_wait(due)

    async def read_again(self, partition: Partition, offset: int) -> None:
        """Read a partition again from an offset; runs in the consumer's own thread."""
        await self.seek_wait({TP(*partition): offset})

    async def rewind(self, topic: str, floors: Mapping[int, int]) -> Mapping[int, int]:
        """Commit earlier offsets of a source topic, so that it is read again from them on.

        Args:
            topic: the source topic.
            floors: the offset by partition; one that is not below what is committed does nothing.

        Returns:
            The offsets that were committed, by partition.

        Raises:
            RuntimeError: the group is changing and does not take them.
        """
        wanted = [TP(topic, partition) for partition in floors]
        if not wanted:
            return {}
        starts = await self.earliest_offsets(*wanted)
        committed = await self.seek_to_committed()
        earlier = {}
        for tp in wanted:
            floor = max(starts[tp], floors[tp.partition])
            if floor < (committed.get(tp) or 0):
                earlier[tp] = floor
        if earlier and not await self._commit(earlier):
            raise RuntimeError("expected the group to take earlier offsets, found it changing")
        return {tp.partition: offset for tp, offset in earlier.items()}

    async def start_over(self) -> None:
        """Read the source topics again from what is committed."""
        await self.perform_seek()
        self.resume_partitions({tp for tp in self.assignment() if tp.topic in self.sources})

    def lag(self, topic: str) -> dict[int, int]:
        """Return how many records of each owned partition of a topic are not finished."""
        found = {}
        for tp in self.assignment():
            if tp.topic == topic:
                due = self.progress.due.get(Partition(*tp))
                end = self.highwater(tp)
                # Each answer to a fetch tells the end: what has none is not fetched, and waits.
                found[tp.partition] = 1 if due is None or end is None else max(0, end - due)
        return found


class GuardedProducer(driver.Producer):
    """A producer of whose writes none leaves the process without a lease."""

    app: "WorkerApp"

    async def create_topic(self, *args: Any, **kwargs: Any) -> None:
        """Create nothing: the topics are there before the worker."""

    def _new_producer(self, transactional_id: str | None = None) -> Any:
        producer = super()._new_producer(transactional_id)
        guard_sender(producer._sender, self.app.lease, self._seat)
        return producer

    def _seat(self) -> Seat:
        coordinator = cast(BatchConsumer, self.app.consumer)._thread._ensure_consumer()._coordinator
        return Seat(coordinator.generation, coordinator.member_id)


class BatchTransport(driver.Transport):
    """Faust's Kafka transport with the consumer and producer above."""

    Consumer: ClassVar[type[BaseConsumer]] = BatchConsumer
    Producer: ClassVar[type[driver.Producer]] = GuardedProducer


class OnStates(Protocol):
    """Who is told of the states that are read back after an assignment."""

    def reading(self, partitions: set[int]) -> None:
        """Hear that the states of these partitions, all that are owned, will be read back."""

    async def read(self, partitions: set[int]) -> None:
        """Hear that they were; the first batch comes after this returns."""

    async def lost(self, tp: TP, first: int, last: int) -> None:
        """Hear that these records of a source partition were deleted before they were judged."""


class StateTable(faust.Table[bytes, bytes]):
    """The table that Faust reads back at a rebalance; the states themselves are in our store."""

    app: "WorkerApp"

    def apply_changelog_batch(self, batch: Iterable[EventT[Any]]) -> None:
        """Absorb records of the state log; none of them can fail."""
        store = self.app.store
        for event in batch:
            for record in cast(Iterable[Any], event.message.value):
                store.absorb(record.partition, record.key, record.value)

    async def on_rebalance(
        self,
        assigned: set[TP],
        revoked: set[TP],
        newly_assigned: set[TP],
        generation_id: int = 0,
    ) -> None:
        """Forget what left and what will be read back; what is kept is read back only in part."""
        topic = self.changelog_topic_name
        self.app.store.purge({tp.partition for tp in revoked | newly_assigned if tp.topic == topic})
        self.app.on_states.reading({tp.partition for tp in assigned if tp.topic == topic})
        await super().on_rebalance(assigned, revoked, newly_assigned, generation_id)

    async def on_recovery_completed(self, active_tps: set[TP], standby_tps: set[TP]) -> None:
        """Say that the states of these partitions were read back; the seek comes after this."""
        await super().on_recovery_completed(active_tps, standby_tps)
        await self.app.on_states.read({tp.partition for tp in active_tps})


class StateTables(TableManager):
    """Faust's tables, which wait no second for tables that are made later: ours is there."""

    async def on_start(self) -> None:
        """Have the state log subscribed to, and wait for an assignment."""
        await self._update_channels()
        await self.recovery.start()


class KafkaPublisher:
    """Writes records with aiokafka's own producer: 10 to 20 µs each, Faust's own way takes 155."""

    def __init__(self, app: "WorkerApp") -> None:
        self._app = app

    async def publish(self, records: Sequence[OutputRecord]) -> None:
        """Write all records and wait until the broker has acknowledged every one.

        Raises:
            KafkaError: one was not acknowledged.
        """
        send = cast(GuardedProducer, self._app.producer)._ensure_producer().send
        sent = [
            await send(
                record.topic,
                record.value,
                key=record.key,
                partition=record.partition,
                headers=list(record.headers),
            )
            for record in records
        ]
        await asyncio.gather(*sent)


class WorkerApp(faust.App):
    """A Faust app over the batch transport.

    Attributes:
        sources: the topics that are read as batches.
        store: the states of the tables.
        progress: where each source partition stands.
        arrivals: the fetches that wait for the judge.
        lease: the right to write.
        on_states: told of an assignment and of the states read back.
    """

    def __init__(
        self,
        *args: Any,
        sources: frozenset[str],
        store: TableStore,
        progress: Progress,
        arrivals: Arrivals,
        lease: Lease,
        **kwargs: Any,
    ) -> None:
        self.sources = sources
        self.store = store
        self.progress = progress
        self.arrivals = arrivals
        self.lease = lease
        self.on_states: OnStates
        super().__init__(*args, **kwargs)

    def _new_transport(self) -> BatchTransport:
        return BatchTransport(self.conf.broker_consumer, self)

    def _new_producer_transport(self) -> BatchTransport:
        return BatchTransport(self.conf.broker_producer, self)

    def _create_directories(self) -> None:
        """Create nothing: states are in memory and in the state log."""
