"""Where a table goes: remembered, and the same as for every other client of Kafka."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import DefaultPartitioner

from producers.gateway import publisher
from producers.gateway.publisher import KeptPartitions


class Cluster:
    """A cluster's metadata, as a partitioner reads it."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions

    def topics(self) -> set[str]:
        return {"deals"}

    def partitions_for_topic(self, _topic: str) -> set[int]:
        return set(range(self.partitions))

    def available_partitions_for_topic(self, _topic: str) -> set[int]:
        return set(range(self.partitions))


@given(st.lists(st.tuples(st.binary(max_size=20), st.integers(1, 30)), max_size=20))
def test_a_key_goes_where_kafkas_own_partitioner_sends_it(asked: list[tuple[bytes, int]]) -> None:
    kept, own = KeptPartitions(), DefaultPartitioner()
    for key, partitions in asked * 2:
        cluster = Cluster(partitions)
        place = kept.partition("deals", key, key, b"", b"", cluster)
        assert place == own.partition("deals", key, key, b"", b"", cluster)


def test_a_record_without_a_key_goes_anywhere_and_is_not_remembered() -> None:
    kept = KeptPartitions()
    places = {kept.partition("deals", None, None, b"", b"", Cluster(4)) for _ in range(200)}
    assert places == {0, 1, 2, 3}


def test_endless_keys_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "MOST_KEYS", 3)
    kept = KeptPartitions()
    for number in range(20):
        key = b"%d" % number
        place = kept.partition("deals", key, key, b"", b"", Cluster(7))
        assert place == DefaultPartitioner().partition("deals", key, key, b"", b"", Cluster(7))
