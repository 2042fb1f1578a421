"""Builds a worker from its settings; nothing is made when this module is imported."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, cast

import faust
from faust.types import TP

from schemas.codec import CODEC
from streams.brokers.access import MECHANISM, KafkaAccess, RereadContext
from streams.serving.health import HealthServer
from streams.serving.tracing import Tracing, tracing_to
from streams.shell.arrivals import Arrivals
from streams.shell.beginning import Start
from streams.shell.collector import collect_less
from streams.shell.config import (
    BATCH_BYTES,
    BUFFERED_BATCHES,
    COMMIT_SECONDS,
    FETCH_BYTES,
    HEARTBEAT_SECONDS,
    REQUEST_SECONDS,
    WRITE_BYTES,
    WorkerSettings,
)
from streams.shell.contiguity import Progress
from streams.shell.deadletters import REASONS, shown_key
from streams.shell.display import SHOW_SECONDS
from streams.shell.ending import BATCH_FAILED, NOTHING_READ, STALLED, end_process
from streams.shell.judged import NothingRead
from streams.shell.lease import STATIC_SECONDS, Lease
from streams.shell.metrics import WorkerMetrics
from streams.shell.pipeline import Pipeline
from streams.shell.poison import Poison
from streams.shell.runtime import Runtime, WallClock
from streams.shell.seams import BatchConsumer, KafkaPublisher, StateTable, StateTables, WorkerApp
from streams.shell.store import TableStore
from streams.shell.traced import Trace
from streams.shell.translate import UNREADABLE_REASONS
from streams.shell.watchdog import Beat, Verdict, Watchdog

log = logging.getLogger(__name__)

BEAT_SECONDS: Final = 1.0
ALIVE_SECONDS: Final = 30.0
"""A loop that did not run for this long is not alive; a batch takes less than one."""

TABLES: Final = "tables"
"""Faust's name of the states; the state topic is named after it."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that is ready to run.

    Attributes:
        app: the Faust app.
        runtime: what judges.
        metrics: what it tells Prometheus.
        health: serves health and metrics.
        watchdog: ends it when it stalls.
        start: waits for Kafka before anything else.
    """

    app: WorkerApp
    runtime: Runtime
    metrics: WorkerMetrics
    health: HealthServer
    watchdog: Watchdog
    start: Start

    def run(self) -> None:
        """Judge until the process is told to stop; raises `SystemExit` with its status."""
        self.health.start()
        try:
            if not self.start.wait():
                raise SystemExit(0)
        except TimeoutError as error:
            log.critical("Kafka is away for too long, the worker ends", extra={"found": str(error)})
            end_process(STALLED)
        self.runtime.come_forward()
        self.watchdog.start()
        collect_less()
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        worker = faust.Worker(
            self.app, loop=loop, override_logging=False, redirect_stdouts=False, quiet=True
        )
        worker.spinner = None
        worker.execute_from_commandline()


class _States:
    """Ends the process where putting states right fails: Faust would go on without."""

    def __init__(self, app: WorkerApp, runtime: Runtime, deals: str) -> None:
        self._app = app
        self._runtime = runtime
        self._deals = deals

    def reading(self, partitions: set[int]) -> None:
        self._runtime.connect(cast(BatchConsumer, self._app.consumer))
        self._runtime.reading(partitions)

    async def read(self, partitions: set[int]) -> None:
        try:
            await self._runtime.read(partitions)
        except Exception:
            log.exception("states could not be put right, the worker ends")
            end_process(BATCH_FAILED)

    async def lost(self, tp: TP, first: int, last: int) -> None:
        if tp.topic != self._deals:
            return
        try:
            await self._runtime.lost(tp.partition, first, last)
        except Exception:
            log.exception("deals are lost and that could not be written, the worker ends")
            end_process(BATCH_FAILED)


def build_app(settings: WorkerSettings) -> Worker:
    """Return a worker that is connected to nothing yet.

    Raises:
        OSError: the port for health and metrics is taken.
    """
    topics = settings.topics
    store = TableStore()
    progress = Progress()
    metrics = WorkerMetrics(settings.book, settings.version, (*REASONS, *UNREADABLE_REASONS))
    settings.rights.tell(lambda file: metrics.reload_failures.labels(file).inc())
    clock = WallClock()
    app = WorkerApp(
        settings.application,
        broker=[f"aiokafka://{address}" for address in settings.bootstrap.split(",")],
        broker_credentials=credentials_of(settings.access),
        sources=topics.sources,
        store=store,
        progress=progress,
        arrivals=Arrivals(settings.fetch_records),
        lease=Lease(settings.session_seconds, static=settings.instance_id is not None),
        Table=StateTable,
        TableManager=StateTables,
        datadir=settings.data,
        autodiscover=False,
        web_enabled=False,
        topic_allow_declare=False,
        topic_disable_leader=True,
        processing_guarantee="at_least_once",
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=settings.instance_id,
        consumer_max_fetch_size=FETCH_BYTES,
        broker_session_timeout=settings.session_seconds,
        broker_rebalance_timeout=settings.session_seconds,
        broker_heartbeat_interval=min(
            HEARTBEAT_SECONDS if settings.instance_id is None else STATIC_SECONDS / 3,
            settings.session_seconds / 4,
        ),
        broker_commit_interval=COMMIT_SECONDS,
        broker_max_poll_records=settings.fetch_records,
        broker_request_timeout=max(REQUEST_SECONDS, settings.session_seconds),
        producer_acks=-1,
        producer_linger=0,
        producer_request_timeout=settings.produce_seconds,
        producer_threaded=False,
        producer_max_batch_size=BATCH_BYTES,
        producer_max_request_size=WRITE_BYTES,
        stream_buffer_maxsize=BUFFERED_BATCHES,
        stream_wait_empty=True,
        stream_recovery_delay=0,
        table_standby_replicas=0,
    )
    publisher = KafkaPublisher(app)
    tracing = tracing_to(settings.collector, "pitwatch-worker", settings.version)
    poison = Poison(time.monotonic, shown_key)
    codec = CODEC.writing(settings.versions)
    runtime = Runtime(
        settings,
        store=store,
        progress=progress,
        pipeline=Pipeline(
            book=settings.book,
            topics=topics,
            store=store,
            publisher=publisher,
            clock=clock,
            version=settings.version,
            poison=poison,
            rights=settings.rights,
            codec=codec,
            trace=None if tracing is None else _judged_by(tracing),
        ),
        publisher=publisher,
        metrics=metrics,
        poison=poison,
        clock=clock,
        codec=codec,
    )
    app.on_states = _States(app, runtime, topics.deals)
    metrics.watch_lag(runtime.lag)
    beat = Beat()
    start = Start(settings, beat.mark)
    watchdog = Watchdog(runtime.idle, settings.stalled_seconds, end_process)
    health = HealthServer(
        settings.host,
        settings.port,
        registry=metrics.registry,
        alive=lambda: None if beat.age() < ALIVE_SECONDS else "the loop does not run",
        ready=lambda: start.missing or not_ready(app, runtime, watchdog),
    )
    worker = Worker(app, runtime, metrics, health, watchdog, start)
    _add_tasks(worker, settings, beat)
    if tracing is not None:
        _end_with(app, tracing)
    return worker


def _end_with(app: WorkerApp, tracing: Tracing) -> None:
    """Send the last spans when the worker stops."""

    @app.on_before_shutdown.connect
    async def stop(*_: object, **__: object) -> None:
        await asyncio.to_thread(tracing.close)


def _judged_by(tracing: Tracing) -> Trace:
    """Return what records that a deal was judged, from when it was written to its topic."""
    return lambda deal: tracing.go_on("judge", deal.headers, deal.timestamp * 1000)


def credentials_of(access: KafkaAccess) -> faust.SASLCredentials | None:
    """Return who a worker is to Kafka, as Faust hands it to aiokafka; nothing in the clear."""
    login = access.login
    if login is None:
        return None
    return faust.SASLCredentials(
        username=login.user,
        # It is encoded by aiokafka with each connection, and read then.
        password=cast(str, login.password),
        ssl_context=RereadContext.of(login.authorities),
        mechanism=MECHANISM,
    )


def not_ready(app: WorkerApp, runtime: Runtime, watchdog: Watchdog) -> str | None:
    """Return why a worker does not do its work, or nothing where it does."""
    if app.should_stop:
        return "stopping"
    if not runtime.judging or app.rebalancing:
        return "reading states back"
    if watchdog.verdict() is not Verdict.WELL:
        return "no progress"
    return None


def _add_tasks(worker: Worker, settings: WorkerSettings, beat: Beat) -> None:
    app, runtime = worker.app, worker.runtime
    # What is read back comes in lists, of which few are held. Faust takes 1 for a table that is to
    # follow its log for ever, which would read back all that this worker writes itself.
    app.Table(TABLES, key_type=bytes, value_type=bytes, recovery_buffer_size=2)
    topics = settings.topics
    source = app.topic(
        topics.deals,
        topics.commands,
        key_type=bytes,
        value_type=bytes,
        key_serializer="raw",
        value_serializer="raw",
    )

    @app.agent(source, name="judge", concurrency=1)
    async def judge(stream: faust.StreamT[bytes]) -> AsyncIterator[None]:
        async for _ in stream.events():
            try:
                while fetch := app.arrivals.take():
                    await runtime.take(fetch)
            except NothingRead:
                log.critical("nothing of any table can be read, the worker ends")
                end_process(NOTHING_READ)
            except Exception:
                # Judging a fetch again from what was acknowledged is proven; going on is not.
                log.exception("a fetch could not be finished, the worker ends")
                end_process(BATCH_FAILED)
            yield

    @app.timer(BEAT_SECONDS)  # type: ignore[untyped-decorator]  # Faust is untyped
    async def mark() -> None:
        beat.mark()

    @app.timer(BEAT_SECONDS)  # type: ignore[untyped-decorator]  # Faust is untyped
    async def start_over_if_unheard() -> None:
        if app.rebalancing:
            return
        try:
            await runtime.start_over_if_unheard()
        except Exception:
            # The group may change meanwhile, which seeks by itself; else it is tried again.
            log.exception("could not read again from what is committed")

    @app.timer(SHOW_SECONDS)  # type: ignore[untyped-decorator]  # Faust is untyped
    async def show() -> None:
        if app.rebalancing:
            return
        try:
            await runtime.show()
        except Exception:
            log.exception("tables could not be shown, the worker ends")
            end_process(BATCH_FAILED)

    @app.timer(settings.tick_seconds)  # type: ignore[untyped-decorator]  # Faust is untyped
    async def tell_time() -> None:
        try:
            await runtime.tell_time()
        except Exception:
            # Ticks are told again at the next interval; a write that fails is no reason to end.
            log.exception("ticks could not be written")

    @app.on_before_shutdown.connect
    async def stop(*_: object, **__: object) -> None:
        worker.watchdog.stop()
