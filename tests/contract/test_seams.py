"""The private names of Faust and aiokafka that the worker relies on are as it needs them."""

import inspect
from collections.abc import Callable
from importlib import metadata
from typing import Any

import aiokafka
import faust
import pytest
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.producer.sender import Sender
from faust.tables.manager import TableManager
from faust.tables.recovery import Recovery
from faust.transport.consumer import Consumer
from faust.transport.drivers import aiokafka as driver

from streams.shell import batching, seams


def parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("package", "version"),
    [("faust-streaming", "0.15.3"), ("mode-streaming", "0.7.1"), ("aiokafka", "0.14.0")],
)
def test_the_three_are_pinned_together(package: str, version: str) -> None:
    assert metadata.version(package) == version


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (GroupCoordinator._do_heartbeat, ["self"]),
        (
            GroupCoordinator._on_join_complete,
            ["self", "generation", "member_id", "protocol", "member_assignment_bytes"],
        ),
        (GroupCoordinator.reset_generation, ["self"]),
        (Sender._send_produce_req, ["self", "node_id", "batches"]),
        (Consumer._new_offset, ["self", "tp"]),
        (Consumer._add_gap, ["self", "tp", "offset_from", "offset_to"]),
        (Consumer._should_commit, ["self", "tp", "offset"]),
        (Consumer._commit, ["self", "offsets"]),
        (driver.Consumer._to_message, ["self", "tp", "record"]),
        (driver.Consumer._new_consumer_thread, ["self"]),
        (Consumer.on_buffer_full, ["self", "tp"]),
        (Consumer.perform_seek, ["self"]),
        (driver.Consumer.seek_to_committed, ["self"]),
        (driver.Consumer.seek_wait, ["self", "partitions"]),
        (driver.Consumer.earliest_offsets, ["self", "partitions"]),
        (driver.Producer._new_producer, ["self", "transactional_id"]),
        (driver.AIOKafkaConsumerThread.on_start, ["self"]),
        (
            driver.AIOKafkaConsumerThread._fetch_records,
            ["self", "consumer", "active_partitions", "timeout", "max_records"],
        ),
        (faust.App._new_transport, ["self"]),
        (faust.App._new_producer_transport, ["self"]),
        (faust.App._create_directories, ["self"]),
        (TableManager.on_start, ["self"]),
        (TableManager._update_channels, ["self"]),
        (faust.Table.apply_changelog_batch, ["self", "batch"]),
        (
            faust.Table.on_rebalance,
            ["self", "assigned", "revoked", "newly_assigned", "generation_id"],
        ),
        (faust.Table.on_recovery_completed, ["self", "active_tps", "standby_tps"]),
    ],
    ids=lambda value: value.__qualname__ if callable(value) else "",
)
def test_a_name_has_the_expected_parameters(
    function: Callable[..., Any], expected: list[str]
) -> None:
    assert parameters(function) == expected


def test_every_override_overrides_something() -> None:
    own = {"_seat", "lag", "rewind", "read_again", "start_over"}
    for ours in (
        seams.BatchConsumer,
        seams.GuardedProducer,
        seams.GuardedThread,
        seams.StateTable,
        seams.StateTables,
        seams.WorkerApp,
        seams.BatchTransport,
        batching.BatchScheduler,
    ):
        for name, value in vars(ours).items():
            if inspect.isfunction(value) and name not in own:
                assert any(hasattr(base, name) for base in ours.__mro__[1:]), (ours, name)


def test_attributes_that_are_read_are_set() -> None:
    source = inspect.getsource
    assert "self._sender = Sender(" in source(aiokafka.AIOKafkaProducer.__init__)
    assert "self._coordinator = GroupCoordinator(" in source(aiokafka.AIOKafkaConsumer.start)
    assert "self.generation = " in source(GroupCoordinator.__init__)
    assert "self.member_id = " in source(GroupCoordinator.__init__)
    for name in ("_acked", "_acked_index", "_read_offset", "scheduler"):
        assert f"self.{name} = " in source(Consumer.__init__)


def test_heartbeats_joins_and_writes_go_through_the_wrapped_names() -> None:
    source = inspect.getsource
    assert "await self._do_heartbeat()" in source(GroupCoordinator._heartbeat_routine)
    assert "await self._on_join_complete(" in source(GroupCoordinator._do_rejoin_group)
    assert "self._send_produce_req(node_id, node_batches)" in source(Sender._sender_routine)


def test_recovery_tells_the_table_before_it_seeks_and_seeks_before_the_flow_resumes() -> None:
    source = inspect.getsource(Recovery.on_recovery_completed)
    told = source.index("table.on_recovery_completed(")
    sought = source.index("consumer.perform_seek()")
    resumed = source.index("consumer.resume_flow()")
    assert told < sought < resumed


def test_a_fetch_of_no_partition_is_one_of_all_and_faust_drops_it() -> None:
    assert "if partitions and tp not in partitions" in inspect.getsource(Fetcher.fetched_records)
    fetch = inspect.getsource(driver.AIOKafkaConsumerThread._fetch_records)
    assert "await fetcher.fetched_records(" in fetch
    # One set for the consumer's life, so that what is paused meanwhile counts.
    assert "self._active_partitions.clear()" in inspect.getsource(Consumer._set_active_tps)


def test_tables_start_as_ours_do_but_for_the_wait() -> None:
    source = inspect.getsource(TableManager.on_start)
    _, statements = source.split('"""Call when table manager is starting."""')
    assert [line.strip() for line in statements.splitlines() if line.strip()] == [
        "await self.sleep(1.0)",
        "if not self.should_stop:",
        "await self._update_channels()",
        "await self.recovery.start()",
    ]


def test_the_drain_reads_read_offsets_as_a_mapping() -> None:
    source = inspect.getsource(Consumer._drain_messages)
    assert "self._read_offset.__getitem__" in source
    assert "self._read_offset.__setitem__" in source


def test_revoked_partitions_have_no_acks_left() -> None:
    assert "self._acked.pop(tp, None)" in inspect.getsource(Consumer.on_partitions_revoked)
