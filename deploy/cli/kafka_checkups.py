"""What `pitwatch doctor` looks at on the cluster: brokers, topics, the workers and their lag."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.errors import KafkaError

from deploy.cli.checkups import FAIL, OK, WARN, Checkup
from streams.brokers.access import PLAINTEXT, KafkaAccess
from streams.shell.topic_admin import ANSWER_MS, TopicsUnavailable, cluster
from streams.wire.topics import IN_SYNC, PREFIX, REPLICATION, faults, floor_topics

SLACK_SECONDS: Final = 5.0
"""Clocks of two machines that are kept by NTP differ by less."""
MUCH_LAG: Final = 100_000
"""Three seconds of work for a worker, and more than any moment of a floor leaves."""
SHOWN: Final = 20
"""The most faults of topics that are told one by one."""


def kafka(
    bootstrap: str,
    *,
    prefix: str = PREFIX,
    application: str,
    partitions: int,
    single: bool,
    access: KafkaAccess = PLAINTEXT,
) -> Iterator[Checkup]:
    """Look at a cluster.

    Args:
        bootstrap: addresses of some brokers, ``host:port``, with commas between them.
        prefix: what topic names begin with.
        application: the workers' group.
        partitions: of every topic.
        single: whether one replica of a record is enough.
        access: who asks.
    """
    replication, in_sync = (1, 1) if single else (REPLICATION, IN_SYNC)
    wanted = floor_topics(
        prefix=prefix,
        application=application,
        partitions=partitions,
        replication=replication,
        in_sync=in_sync,
    )
    try:
        with cluster(bootstrap, access) as admin:
            yield brokers(bootstrap, admin.brokers(), single=single)
            wrong = faults(wanted, admin.found([topic.name for topic in wanted]))
    except TopicsUnavailable as error:
        yield Checkup(
            "kafka", FAIL, str(error), "start it; `pitwatch up` brings one for this machine"
        )
        return
    if access.login is not None:
        # cryptography takes 0.1 s to import, which a Kafka in the clear need not wait for.
        from deploy.cli.login_checkups import login  # noqa: PLC0415  see above

        yield from login(bootstrap, access.login, datetime.now(UTC))
    for fault in wrong[:SHOWN]:
        found = f"{fault.topic}: {fault.what}: expected {fault.expected}, found {fault.found}"
        yield Checkup("topics", FAIL, found, fault.remedy)
    if len(wrong) > SHOWN:
        yield Checkup(
            "topics",
            FAIL,
            f"{len(wrong) - SHOWN} more differences",
            "see `pitwatch topics --check`",
        )
    if wrong:
        return
    yield Checkup("topics", OK, f"{len(wanted)} with {partitions} partitions, as they must be")
    try:
        yield from workers(bootstrap, f"{prefix}deals.v1", application, access)
    except KafkaError as error:
        todo = "see whether this user may read the deals and describe the workers' group"
        yield Checkup("workers", FAIL, str(error) or type(error).__name__, todo)


def brokers(bootstrap: str, count: int, *, single: bool) -> Checkup:
    """Look at how many brokers there are."""
    found = f"{count} brokers answer at {bootstrap}" if count != 1 else f"one at {bootstrap}"
    if single and count < REPLICATION:
        return Checkup("kafka", OK, found)
    if count < REPLICATION:
        todo = f"have {REPLICATION} brokers, or say --single: its loss is then the loss of its data"
        return Checkup("kafka", FAIL, found, todo)
    return Checkup("kafka", OK, found)


def workers(
    bootstrap: str, deals: str, application: str, access: KafkaAccess = PLAINTEXT
) -> Iterator[Checkup]:
    """Look at the workers' group, how far it is behind, and the clocks of those who write.

    Raises:
        KafkaError: the cluster refuses or does not answer.
    """
    how = {"bootstrap_timeout_ms": ANSWER_MS, "request_timeout_ms": 30_000, **access.client()}
    admin: Any = KafkaAdminClient(bootstrap_servers=bootstrap.split(","), **how)
    try:
        group = admin.describe_groups([application])[application]
        committed = admin.list_group_offsets({application: None})[application]
    finally:
        admin.close()
    consumer: Any = KafkaConsumer(
        bootstrap_servers=bootstrap.split(","),
        enable_auto_commit=False,
        bootstrap_timeout_ms=ANSWER_MS,
        **access.client(),
    )
    try:
        partitions = [
            TopicPartition(deals, number) for number in consumer.partitions_for_topic(deals) or ()
        ]
        begins, ends = consumer.beginning_offsets(partitions), consumer.end_offsets(partitions)
        soon = int((time.time() + SLACK_SECONDS) * 1000)
        future = consumer.offsets_for_times(dict.fromkeys(partitions, soon))
    finally:
        consumer.close()
    judged = {each: at.offset for each, at in committed.items() if at.offset >= 0}
    lag = sum(ends[each] - max(begins[each], judged.get(each, 0)) for each in partitions)
    yield group_checkup(len(group["members"]), lag)
    ahead = [each for each in partitions if future[each] is not None]
    yield Checkup(
        "clocks",
        FAIL if ahead else OK,
        "a gateway wrote a deal that is still to come by this clock"
        if ahead
        else "no deal is from the future by this clock",
        "compare the clocks of this machine and of the gateways; keep them by NTP" if ahead else "",
    )


def group_checkup(members: int, lag: int) -> Checkup:
    """Look at how many workers there are for what waits."""
    found = f"{members} in the group, {lag:,} deals not judged yet"
    if not members:
        todo = "start `pitwatch worker`: nothing is judged"
        return Checkup("workers", WARN if not lag else FAIL, found, todo)
    if lag > MUCH_LAG:
        return Checkup("workers", WARN, found, "see each worker's /readyz and log, or add workers")
    return Checkup("workers", OK, found)
