"""Devices on a cluster: an even load through each gateway's own address, and what became of it."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from schemas.faults import LineFault
from schemas.ndjson import decode_line
from streams.core.events import Event
from tests.cluster.cluster import Cluster, until
from tests.cluster.topics import Topics
from tests.soak.load import Load

RATE: Final = 60
"""Events a second through each gateway: some twenty tables of people, on a machine of two cores."""

TABLES: Final = 8
"""Tables of each gateway, two of each game."""

GATEWAYS: Final = 2


@dataclass
class Devices:
    """The devices of all tables, those of each gateway together.

    Attributes:
        cluster: where the gateways are.
        folder: keeps what was sent.
        boot: how often they were started.
        sent: the identities of all events that a gateway has accepted.
    """

    cluster: Cluster
    folder: Path
    boot: int = 0
    sent: set[str] = field(default_factory=set)

    @contextmanager
    def at_play(self) -> Iterator[None]:
        """Let all tables be dealt, from their opening on, until the end of a with-block."""
        self.boot += 1
        loads = [
            Load(
                self.cluster.gateway(number),
                self.folder / f"sent-{self.boot}-{number}.ndjson",
                RATE,
                TABLES,
                seed=100 * self.boot + number,
                floor=f"G{number}-",
                boot=self.boot,
            )
            for number in range(GATEWAYS)
        ]
        for load in loads:
            load.start()
        try:
            until("every gateway to take events", lambda: all(load.sent for load in loads))
            yield
            before = [load.sent for load in loads]
            until("every gateway to take more", lambda: more(loads, before))
        finally:
            for load in loads:
                load.over.set()
                load.join()
        assert [load.failure for load in loads] == ["" for _ in loads]
        for load in loads:
            self.sent |= identities(load.recording.read_bytes().splitlines())

    def assert_nothing_lost(self, topics: Topics) -> None:
        """Assert that all that was accepted is in Kafka, judged as without any fault, and kept."""
        until("the gateways to publish all", self._all_published)
        until("the workers to judge all", topics.judged)
        deals = topics.deals()
        lost = self.sent - {identity(event) for event in deals}
        assert not lost, f"{len(lost)} events lost of {len(self.sent)}, one of them {min(lost)}"
        assert topics.problems(deals) == []
        findings, rounds = topics.findings(), topics.rounds()
        until(
            "all findings to be in the database", lambda: self._kept("findings", "id") == findings
        )
        until("all rounds to be in it", lambda: self._kept("rounds", "opened_by") == rounds)

    def _kept(self, what: str, key: str) -> set[str]:
        """Return one field of all that the database has of something."""
        export = ("pitwatch", "historian", "export", "--what", what)
        always = ("--since", "2020-01-01T00:00:00Z", "--until", "2100-01-01T00:00:00Z")
        said = self.cluster.kubectl("exec", "deployment/pitwatch-console", "--", *export, *always)
        return {json.loads(line)[key] for line in said.splitlines()}

    def _all_published(self) -> bool:
        return not any(self.cluster.gateway(each).spooled() for each in range(GATEWAYS))


def more(loads: Iterable[Load], before: Iterable[int]) -> bool:
    """Say whether each load has sent more than before."""
    return all(load.sent > sent for load, sent in zip(loads, before, strict=True))


def identity(event: Event) -> str:
    """Return ``table/source/boot/seq``."""
    return f"{event.table}/{event.source}/{event.boot}/{event.seq}"


def identities(lines: Iterable[bytes]) -> set[str]:
    """Return the identities of recorded events."""
    records = [decode_line(line) for line in lines]
    return {record.identity for record in records if not isinstance(record, LineFault)}
