"""What the floor's topics hold, compared with the fold of the deals without Kafka."""

from dataclasses import dataclass, field
from pathlib import Path

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from schemas.codec import CODEC
from schemas.faults import CodecFault
from schemas.records import Round
from streams.core.events import Event
from streams.wire.inbound import DEALS as READER
from streams.wire.topics import APPLICATION, PARTITIONS, PREFIX
from tests.faults.proof import StateLog, fold, outputs, problems
from tests.kafka_fixtures import Floor
from tests.worker_harness import DEALS, WorkerFloor


@dataclass(slots=True)
class Topics:
    """The topics of the floor that the chart has made, on the site's Kafka.

    Attributes:
        bootstrap: Kafka's address.
    """

    bootstrap: str
    _floor: WorkerFloor = field(init=False)
    _states: StateLog = field(init=False)

    def __post_init__(self) -> None:
        floor = Floor(self.bootstrap, PREFIX, APPLICATION, PARTITIONS)
        self._floor = WorkerFloor(floor, Path.cwd())
        self._states = StateLog(self._floor)

    def deals(self) -> list[Event]:
        """Return all events of the deal topic, each table's in their order."""
        found = [READER.read(each.value) for each in self._floor.read(DEALS)]
        events = [each for each in found if not isinstance(each, CodecFault)]
        assert len(events) == len(found)
        return events

    def ends(self) -> dict[int, int]:
        """Return how many records each partition of the deal topic has, of those that have any."""
        consumer = KafkaConsumer(bootstrap_servers=self.bootstrap, enable_auto_commit=False)
        try:
            name = self._floor.name(DEALS)
            ends = consumer.end_offsets([TopicPartition(name, each) for each in range(PARTITIONS)])
        finally:
            consumer.close()
        return {each.partition: end for each, end in ends.items() if end}

    def judged(self) -> bool:
        """Say whether the workers have committed all that is in the deal topic."""
        return {each: at for each, at in self._floor.committed().items() if at} == self.ends()

    def workers(self) -> int:
        """Return how many workers have joined the group."""
        admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        try:
            return len(admin.describe_groups([APPLICATION])[APPLICATION]["members"])
        finally:
            admin.close()

    def findings(self) -> set[str]:
        """Return the ids of all findings."""
        return {finding for finding, _ in self._floor.finding_ids()}

    def rounds(self) -> set[str]:
        """Return the first event of every round."""
        read = [CODEC.decode(each.value, Round) for each in self._floor.read("rounds.v1")]
        return {each.opened_by for each in read if isinstance(each, Round)}

    def problems(self, deals: list[Event]) -> list[str]:
        """Return every difference between what the workers wrote and the fold of all deals."""
        self._states.read()
        return problems(self._states, outputs(self._floor), fold(deals))
