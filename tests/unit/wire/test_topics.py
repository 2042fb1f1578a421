"""Topics are as the contract says, and every difference from it is told."""

from dataclasses import replace

import pytest

from streams.wire.topics import FoundTopic, Topic, changelog, faults, floor_topics

WANTED = Topic(
    "pitwatch.deals.v1",
    partitions=24,
    replication=3,
    settings={
        "cleanup.policy": "delete",
        "retention.ms": "1000",
        "min.insync.replicas": "2",
    },
)
SAME = FoundTopic(24, 3, {**WANTED.settings, "segment.bytes": "1073741824"})


def test_all_topics_of_the_contract_are_there_with_equal_partitions() -> None:
    topics = {topic.name: topic for topic in floor_topics()}

    assert {name: topic.settings["cleanup.policy"] for name, topic in topics.items()} == {
        "pitwatch.deals.v1": "delete",
        "pitwatch.findings.v1": "delete",
        "pitwatch.rounds.v1": "delete",
        "pitwatch.tables.v1": "compact",
        "pitwatch.alarms.v1": "compact",
        "pitwatch.commands.v1": "delete",
        "pitwatch.deals.dead.v1": "delete",
        "pitwatch-worker-tables-changelog": "compact",
    }
    assert {topic.partitions for topic in topics.values()} == {24}
    assert {topic.replication for topic in topics.values()} == {3}
    assert {topic.settings["min.insync.replicas"] for topic in topics.values()} == {"2"}


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("deals.v1", 35),
        ("findings.v1", 7),
        ("rounds.v1", 7),
        ("commands.v1", 7),
        ("deals.dead.v1", 35),
    ],
)
def test_facts_are_kept_for_days(name: str, days: int) -> None:
    (topic,) = [topic for topic in floor_topics(prefix="p.") if topic.name == "p." + name]
    assert topic.settings["retention.ms"] == str(days * 86_400_000)


@pytest.mark.parametrize("name", ["deals.v1", "commands.v1"])
def test_source_topics_take_no_record_from_the_future(name: str) -> None:
    (topic,) = [topic for topic in floor_topics(prefix="p.") if topic.name == "p." + name]
    assert topic.settings["message.timestamp.after.max.ms"] == "3600000"


def test_the_state_topic_really_compacts_but_keeps_what_heals_it_for_a_minute() -> None:
    state = floor_topics(application="other", in_sync=1)[-1]
    assert state.name == changelog("other") == "other-tables-changelog"
    assert state.settings == {
        "cleanup.policy": "compact",
        "segment.bytes": "1048576",
        "segment.ms": "60000",
        "min.cleanable.dirty.ratio": "0.05",
        "min.compaction.lag.ms": "60000",
        "max.compaction.lag.ms": "120000",
        "min.insync.replicas": "1",
    }


def test_what_is_as_wanted_has_no_fault() -> None:
    assert faults([WANTED], {WANTED.name: SAME}) == []


@pytest.mark.parametrize(
    "found",
    [
        replace(SAME, replication=5),
        replace(SAME, settings={**SAME.settings, "retention.ms": "-1"}),
        replace(SAME, settings={**SAME.settings, "retention.ms": "1001"}),
        replace(SAME, settings={**SAME.settings, "min.insync.replicas": "3"}),
    ],
)
def test_more_than_wanted_is_no_fault(found: FoundTopic) -> None:
    assert faults([WANTED], {WANTED.name: found}) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, "pitwatch.deals.v1: topic: expected it to exist, found none"),
        (replace(SAME, partitions=12), "partitions: expected 24, found 12; tables would leave"),
        (replace(SAME, replication=2), "replication: expected at least 3, found 2; reassign"),
        (
            replace(SAME, settings={**SAME.settings, "retention.ms": "999"}),
            "retention.ms: expected 1000, found 999; set it",
        ),
        (
            replace(SAME, settings={**SAME.settings, "min.insync.replicas": "1"}),
            "min.insync.replicas: expected 2, found 1; set it",
        ),
        (
            replace(SAME, settings={**SAME.settings, "cleanup.policy": "compact"}),
            "cleanup.policy: expected delete, found compact; set it",
        ),
        (
            replace(SAME, settings={"retention.ms": "1000", "min.insync.replicas": "2"}),
            "cleanup.policy: expected delete, found nothing; set it",
        ),
    ],
)
def test_each_difference_is_told(found: FoundTopic | None, expected: str) -> None:
    (fault,) = faults([WANTED], {} if found is None else {WANTED.name: found})
    assert expected in str(fault)
