"""A gateway and a worker that believe nobody unproven, on the secured Kafka, and who tries them."""

import os
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from deploy.cli.devices import changing
from deploy.local.leash import spawn
from deploy.local.ports import LOOPBACK, free_port
from deploy.secure.certificates import Authority, today
from deploy.secure.files import write_private
from deploy.secure.floor_keys import FloorKeys
from producers.gateway.devices import new_token, with_new_token, without_device
from schemas.codec import CODEC
from schemas.keys import NamedKey, load_keys
from schemas.ndjson import decode_line
from schemas.record_signing import Headers, RecordSigner
from schemas.records import Alarm, DealEvent, Finding, OperatorCommand
from streams.shell.letters import Letter, read_letter
from streams.shell.partitioning import partition_of
from streams.wire.acls import ADMIN, CONSOLE, WORKER
from streams.wire.topics import APPLICATION, PREFIX
from tests.alarm_records import order, signed
from tests.gateway_harness import RunningGateway, line
from tests.secured_kafka import EAST, PARTITIONS, Secured
from tests.worker_harness import RunningWorker, until

FLOOR: Final = """
[[pits]]
name = "east"
[[pits.tables]]
name = "CS-01"
[[pits.tables]]
name = "CS-02"
[[pits]]
name = "west"
[[pits.tables]]
name = "CS-09"
[[gateways]]
name = "east"
key = {east}
tables = ["CS-01", "CS-02"]
[[gateways]]
name = "west"
key = "west"
tables = ["CS-09"]
"""
DEVICES: Final = {"shoe-1": ["CS-01"], "shoe-2": ["CS-02"], "wide": ["CS-01", "CS-09"]}
DEALS: Final = f"{PREFIX}deals.v1"
COMMANDS: Final = f"{PREFIX}commands.v1"


def own_partition(table: str) -> int:
    return partition_of(table.encode(), PARTITIONS)


@dataclass
class Followed:
    """A topic as one user reads it, from where it ended when the scene began."""

    consumer: Any
    records: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, secured: Secured, user: str, topic: str) -> "Followed":
        consumer = KafkaConsumer(
            bootstrap_servers=secured.bootstrap,
            enable_auto_commit=False,
            **secured.access(user).client(),
        )
        partitions = [TopicPartition(PREFIX + topic, each) for each in range(PARTITIONS)]
        consumer.assign(partitions)
        consumer.seek_to_end(*partitions)
        for each in partitions:
            consumer.position(each)
        return cls(consumer)

    def poll(self) -> list[Any]:
        for fetched in self.consumer.poll(timeout_ms=100).values():
            self.records += fetched
        return self.records

    def ends(self) -> dict[TopicPartition, int]:
        """Return where each partition that has records ends."""
        ends = self.consumer.end_offsets(self.consumer.assignment())
        return {partition: end for partition, end in ends.items() if end}


@dataclass
class Trusted:
    """The processes, the floor's keys, and everyone's view of the topics."""

    secured: Secured
    folder: Path
    keys: FloorKeys
    gateway: RunningGateway
    worker: RunningWorker
    dead: Followed
    found: Followed
    told: Followed
    deals: Followed
    producers: dict[str, Any] = field(default_factory=dict)

    # Devices

    def token(self, device: str) -> str:
        return self.keys.token(device).read_text().strip()

    def post(self, body: bytes, token: str | None) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.gateway.client.post("/v1/events", content=body, headers=headers, timeout=30)

    def revoke(self, device: str) -> None:
        with changing(self.keys.devices) as change:
            change(lambda file: without_device(file, device))

    def rotate(self, device: str) -> str:
        token = new_token()
        with changing(self.keys.devices) as change:
            change(lambda file: with_new_token(file, device, token, 1, 1))
        return token

    # Records

    def key(self, name: str) -> NamedKey:
        return next(each for each in load_keys(self.keys.gateway_keys) if each.name == name)

    def value(self, seq: int, table: str, source: str) -> bytes:
        """Return an event as a gateway writes it."""
        event = decode_line(line(seq, table, source))
        assert isinstance(event, DealEvent)
        return CODEC.encode(event)

    def headers(
        self, gateway: str, key: NamedKey, value: bytes, partition: int, topic: str = DEALS
    ) -> Headers:
        return RecordSigner(topic, partition, gateway, key).headers(value)

    def write(
        self,
        user: str,
        topic: str,
        table: str,
        value: bytes,
        headers: Headers = (),
        partition: int | None = None,
    ) -> Any:
        """Write a record as a user of Kafka and return where it stands."""
        if user not in self.producers:
            self.producers[user] = self.secured.producer(self.secured.access(user))
        where = own_partition(table) if partition is None else partition
        sent = self.producers[user].send(
            topic, value, key=table.encode(), headers=list(headers), partition=where
        )
        return sent.get(timeout=20)

    def letter_of(self, written: Any) -> Letter:
        """Return the letter that a record became, once it has."""

        def find() -> Letter | None:
            for record in self.dead.poll():
                letter = read_letter(record)
                source = (letter.topic, letter.source_partition, letter.source_offset)
                if source == (written.topic, written.partition, written.offset):
                    return letter
            return None

        letter: Letter = until("the record's letter", find)
        return letter

    def drained(self) -> None:
        """Wait until all that was posted is published and judged."""
        until("all to be published", self.gateway.drained)
        # Its lag says what the worker has heard of, and that may be less.
        ends = self.deals.ends()
        until("all to be judged", lambda: ends.items() <= self.committed().items())

    def committed(self) -> dict[TopicPartition, int]:
        """Return how far the worker has committed."""
        admin = KafkaAdminClient(
            bootstrap_servers=self.secured.bootstrap, **self.secured.access(ADMIN).client()
        )
        try:
            found = admin.list_group_offsets({APPLICATION: None})[APPLICATION]
        finally:
            admin.close()
        return {partition: at.offset for partition, at in found.items()}

    def findings(self, table: str) -> list[Finding]:
        found = [CODEC.decode(each.value, Finding) for each in self.found.poll()]
        return [each for each in found if isinstance(each, Finding) and each.table == table]

    # Commands

    def alarm(self, table: str, code: str) -> Alarm | None:
        """Return the newest record of a table's alarm of a code."""
        newest = None
        for record in self.told.poll():
            alarm = None if record.value is None else CODEC.decode(record.value, Alarm)
            if isinstance(alarm, Alarm) and (alarm.table, alarm.code) == (table, code):
                newest = alarm
        return newest

    def order(self, alarm: Alarm, id_: str, **fields: Any) -> OperatorCommand:
        at = alarm.last_at + 1_000_000
        return order("comment", id_, table=alarm.table, alarm=alarm.id, at=at, note="x", **fields)

    def ask(self, command: OperatorCommand, key: bytes) -> Any:
        return self.write(CONSOLE, COMMANDS, command.table, signed(command, key))

    def answer(self, alarm: Alarm, command: str) -> tuple[bool, str | None]:
        def find() -> tuple[bool, str | None] | None:
            now = self.alarm(alarm.table, alarm.code)
            if now is None or now.answer is None or now.answer.command != command:
                return None
            return now.answer.accepted, now.answer.reason

        answered: tuple[bool, str | None] = until("the command's answer", find)
        return answered

    # Files

    def plan(self, east: str) -> None:
        """Write the floor file with the names of the keys of the gateway east."""
        write_private(self.folder / "floor.toml", FLOOR.format(east=east).encode())


def options_of(keys: FloorKeys, folder: Path) -> tuple[list[Any], list[Any]]:
    """Return the gateway's and the worker's options."""
    gateway = [
        *("--name", "east", "--signing-key-file", keys.signing_key("east"), "--hold", "0"),
        *("--tls-certificate", folder / "certificate.pem", "--tls-key", folder / "key.pem"),
        *("--device-ca", folder / "authority.pem", "--device-tokens", keys.devices),
    ]
    worker = [
        *("--floor", folder / "floor.toml", "--gateway-keys", keys.gateway_keys),
        *("--command-keys", keys.command_keys, "--instance-id", "trusted", "--tick", "3600"),
    ]
    return gateway, worker


@contextmanager
def trusted_floor(secured: Secured, folder: Path) -> Iterator[Trusted]:
    """Run a gateway and a worker that ask everyone who he is."""
    keys = FloorKeys(folder / "keys")
    keys.prepare({"east": ["east"], "west": ["west"]}, DEVICES)
    write_private(folder / "floor.toml", FLOOR.format(east='"east"').encode())
    authority = Authority.new("floor", today())
    issued = authority.issue("gateway", [LOOPBACK], today())
    (folder / "authority.pem").write_bytes(authority.pem)
    write_private(folder / "key.pem", issued.key)
    (folder / "certificate.pem").write_bytes(issued.certificate)
    of_gateway, of_worker = options_of(keys, folder)
    ports = free_port(), free_port()
    common = ["--bootstrap", secured.bootstrap, "--topic-prefix", PREFIX]
    started = []
    for name, user, port, options in (
        ("gateway", EAST, ports[0], [*of_gateway, "--spool", folder / "spool"]),
        ("worker", WORKER, ports[1], of_worker),
    ):
        log = folder / f"{name}.log"
        command = [sys.executable, "-m", "deploy.cli", name, "--port", port, *common, *options]
        environment = {**os.environ, **secured.kept.environment(user)}
        with log.open("wb") as output:
            started.append(
                (spawn(list(map(str, command)), output=output, environment=environment), log)
            )
    context = ssl.create_default_context(cafile=folder / "authority.pem")
    client = httpx.Client(
        base_url=f"https://{LOOPBACK}:{ports[0]}", verify=context, trust_env=False
    )
    gateway = RunningGateway(*started[0], ports[0], client)
    worker = RunningWorker(*started[1], ports[1])
    dead, found, told, deals = (
        Followed.of(secured, *each)
        for each in (
            (ADMIN, "deals.dead.v1"),
            (CONSOLE, "findings.v1"),
            (CONSOLE, "alarms.v1"),
            (ADMIN, "deals.v1"),
        )
    )
    scene = Trusted(secured, folder, keys, gateway, worker, dead, found, told, deals)
    try:
        until("the gateway to accept", gateway.ready)
        worker.wait_ready()
        yield scene
    finally:
        for producer in scene.producers.values():
            producer.close(timeout=1)
        for each in (dead, found, told, deals):
            each.consumer.close()
        client.close()
        gateway.kill()
        worker.kill()
