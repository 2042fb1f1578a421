"""The topics of a floor: names, partitions and settings, and how a cluster differs from them.

Everything about one table is in the same partition of every topic, the state topic included, so
all have equally many partitions and that number is fixed at the installation: adding some would
move tables away from their history.

| topic | key | kept |
|---|---|---|
| ``deals.v1`` | table | 35 days |
| ``findings.v1``, ``rounds.v1``, ``commands.v1`` | table | 7 days |
| ``tables.v1`` | table | the last of each key |
| ``alarms.v1`` | alarm | the last of each key |
| ``deals.dead.v1`` | table or none | 35 days |
| the worker's state topic | table | the last of each key, replaced ones at least a minute |
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PARTITIONS: Final = 24
"""Divided evenly among 1, 2, 3, 4, 6, 8, 12 or 24 workers."""

PREFIX: Final = "pitwatch."
APPLICATION: Final = "pitwatch-worker"
"""The workers' group, and the first part of their state topic's name."""

REPLICATION: Final = 3
IN_SYNC: Final = 2
"""With both, any one broker may be lost without a loss and without a halt."""

DAY_MS: Final = 24 * 3600 * 1000
RETENTION: Final = "retention.ms"

FACTS_35_DAYS: Final = {"cleanup.policy": "delete", RETENTION: str(35 * DAY_MS)}
FACTS_7_DAYS: Final = {"cleanup.policy": "delete", RETENTION: str(7 * DAY_MS)}

NO_FUTURE: Final = {
    # A record from the future would keep its whole segment from being deleted.
    "message.timestamp.after.max.ms": str(3600 * 1000),
}

COMPACTED: Final = {
    # Kafka compacts only segments that are closed and half of them dirty: with its own settings a
    # topic of 400,000 records had none compacted after a minute, with these 4,447 are left.
    "cleanup.policy": "compact",
    "segment.bytes": str(1024 * 1024),
    "segment.ms": "60000",
    "min.cleanable.dirty.ratio": "0.05",
    "max.compaction.lag.ms": "120000",
}

STATE: Final = {
    **COMPACTED,
    # A worker that was paused may write an old state over a newer one; the newer one is found
    # again while it is not compacted away, so this is longer than any believable pause.
    "min.compaction.lag.ms": "60000",
}

SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "deals.v1": {**FACTS_35_DAYS, **NO_FUTURE},
    "findings.v1": FACTS_7_DAYS,
    "rounds.v1": FACTS_7_DAYS,
    "tables.v1": COMPACTED,
    "alarms.v1": COMPACTED,
    "commands.v1": {**FACTS_7_DAYS, **NO_FUTURE},
    # A letter holds a record of the largest size that Kafka takes, and why it is one.
    "deals.dead.v1": {**FACTS_35_DAYS, "max.message.bytes": str(2 * 1024 * 1024)},
}
"""Each topic by its name without the prefix."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic as it is to be.

    Attributes:
        name: its full name.
        partitions: how many partitions.
        replication: on how many brokers each partition is.
        settings: Kafka's topic settings that matter here; all others are the cluster's.
    """

    name: str
    partitions: int
    replication: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FoundTopic:
    """One topic as a cluster has it.

    Attributes:
        partitions: how many partitions.
        replication: on how many brokers the partition with the fewest is.
        settings: all its settings, those it has from the cluster too.
    """

    partitions: int
    replication: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TopicFault:
    """One difference between a topic as it is to be and as it was found.

    Attributes:
        topic: its full name.
        what: ``partitions``, ``replication``, or the name of a setting.
        expected: what it is to be.
        found: what it is.
        remedy: what to do about it.
    """

    topic: str
    what: str
    expected: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return (
            f"{self.topic}: {self.what}: expected {self.expected}, found {self.found}; "
            f"{self.remedy}"
        )


def changelog(application: str = APPLICATION) -> str:
    """Return the name of the workers' state topic, as Faust makes it from the application's."""
    return f"{application}-tables-changelog"


def floor_topics(
    *,
    prefix: str = PREFIX,
    application: str = APPLICATION,
    partitions: int = PARTITIONS,
    replication: int = REPLICATION,
    in_sync: int = IN_SYNC,
) -> tuple[Topic, ...]:
    """Return all topics of a floor, the workers' state topic last.

    Args:
        prefix: what all names but the state topic's begin with.
        application: the workers' group, which names the state topic.
        partitions: of every topic.
        replication: of every topic.
        in_sync: ``min.insync.replicas`` of every topic.
    """
    named = {prefix + name: settings for name, settings in SETTINGS.items()}
    named[changelog(application)] = STATE
    return tuple(
        Topic(name, partitions, replication, {**settings, "min.insync.replicas": str(in_sync)})
        for name, settings in named.items()
    )


def faults(wanted: Sequence[Topic], found: Mapping[str, FoundTopic]) -> list[TopicFault]:
    """Return every difference between the topics wanted and those found; absent ones count too.

    More replicas than wanted and a longer retention are no fault.
    """
    return [fault for topic in wanted for fault in _of_one(topic, found.get(topic.name))]


def _of_one(topic: Topic, found: FoundTopic | None) -> Iterator[TopicFault]:
    if found is None:
        yield TopicFault(topic.name, "topic", "it to exist", "none", "run `pitwatch topics`")
        return
    if found.partitions != topic.partitions:
        yield TopicFault(
            topic.name,
            "partitions",
            str(topic.partitions),
            str(found.partitions),
            "tables would leave their history: say --partitions as it was installed, "
            "or replay into new topics under another --topic-prefix",
        )
    if found.replication < topic.replication:
        yield TopicFault(
            topic.name,
            "replication",
            f"at least {topic.replication}",
            str(found.replication),
            "reassign its partitions to more brokers, or say --single for a floor that may lose "
            "its data with one machine",
        )
    for name, value in topic.settings.items():
        has = found.settings.get(name, "nothing")
        if has != value and not _enough(name, value, has):
            yield TopicFault(
                topic.name, name, value, has, "set it with kafka-configs or your cluster's own tool"
            )


def _enough(name: str, value: str, has: str) -> bool:
    if name == RETENTION:
        return has == "-1" or int(has) >= int(value)
    return name == "min.insync.replicas" and int(has) >= int(value)
