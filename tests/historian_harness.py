"""A historian as a process of its own, on a real broker and a database."""

import json
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from sqlalchemy import Engine

from deploy.local.leash import spawn
from deploy.local.ports import free_port
from schemas.codec import CODEC
from schemas.records import Alarm, AnyRecord, Finding, OperatorCommand, Round
from streams.database import history, migrate, open_database
from streams.historian.rows import RECORDS
from tests.history_database import rows_in
from tests.history_records import (
    MINUTE,
    START,
    TOPIC,
    a_command,
    a_finding,
    a_round,
    an_act,
    an_alarm,
    an_answer,
    digest,
)
from tests.kafka_fixtures import Floor
from tests.log_lines import whole_lines
from tests.worker_harness import until

if TYPE_CHECKING:
    from subprocess import Popen

HISTORIAN = (sys.executable, "-m", "deploy.cli", "historian")


@dataclass
class RunningHistorian:
    """One historian and its log."""

    process: "Popen[bytes]"
    log: Path
    port: int

    def tail(self) -> str:
        return self.log.read_text()[-4000:]

    def said(self, message: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in whole_lines(self.log) if line[:1] == b"{"]
        return [line for line in lines if line["message"] == message]

    def get(self, path: str) -> httpx.Response | None:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}{path}", timeout=10)
        except httpx.TransportError:
            return None

    def ready(self) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"the historian ended: {self.tail()}")
        answer = self.get("/readyz")
        return answer is not None and answer.status_code == 200

    def metric(self, series: str) -> float:
        """Return a family's sum; -1 until the historian answers."""
        answer = self.get("/metrics")
        if answer is None:
            return -1.0
        pattern = re.compile(rf"^{re.escape(series)}(?:{{[^}}]*}})? (\S+)$", re.MULTILINE)
        return sum(map(float, pattern.findall(answer.text)))

    def wait_rows(self, count: int) -> None:
        """Wait until it has written so many rows; with 0 until it has started."""
        until("its rows", lambda: self.metric("pitwatch_historian_rows_total") >= count)

    def wait_done(self) -> None:
        """Wait until it has read all that there is."""
        until(
            "all to be in the database",
            lambda: self.ready() and self.metric("pitwatch_historian_lag_events") == 0,
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        self.process.terminate()
        return self.process.wait(30)


@dataclass
class HistorianFloor:
    """A floor's topics, what was written to them, and a database."""

    floor: Floor
    database: str
    folder: Path
    written: list[AnyRecord] = field(default_factory=list)
    started: int = 0

    @contextmanager
    def historian(self, *options: str) -> Iterator[RunningHistorian]:
        """Start a historian that is killed at the end, if it still runs."""
        running = self.start(*options)
        try:
            yield running
        finally:
            running.kill()

    def start(self, *options: str) -> RunningHistorian:
        log = self.folder / f"historian-{self.started}.log"
        self.started += 1
        port = free_port()
        arguments = [
            *(*HISTORIAN, "--bootstrap", self.floor.bootstrap),
            *("--topic-prefix", self.floor.prefix, "--database", self.database),
            *("--port", str(port), *options),
        ]
        with log.open("wb") as output:
            process = spawn(arguments, output=output, environment=os.environ)
        return RunningHistorian(process, log, port)

    def partition(self, table: str) -> int:
        return sum(table.encode()) % self.floor.partitions

    def write(self, records: Sequence[AnyRecord]) -> None:
        """Write records as a worker and a console do, and wait until the broker has them."""
        sent = [
            (
                self.floor.topic(TOPIC[type(record)]),
                self.partition(record.table),
                (record.id if isinstance(record, Alarm) else record.table).encode(),
                CODEC.encode(record),
            )
            for record in records
        ]
        self.write_raw(sent)
        self.written += records

    def write_raw(self, values: Sequence[tuple[str, int, bytes | None, bytes | None]]) -> None:
        producer = KafkaProducer(bootstrap_servers=self.floor.bootstrap, linger_ms=5)
        try:
            sent = [
                producer.send(topic, value, key=key, partition=partition)
                for topic, partition, key, value in values
            ]
            for future in sent:
                future.get(30)
        finally:
            producer.close()

    def ends(self) -> dict[tuple[str, int], int]:
        """Return where each partition that has records ends."""
        consumer = KafkaConsumer(bootstrap_servers=self.floor.bootstrap)
        try:
            partitions = [
                TopicPartition(self.floor.topic(name), number)
                for name in RECORDS
                for number in range(self.floor.partitions)
            ]
            ends = consumer.end_offsets(partitions)
        finally:
            consumer.close()
        return {(part.topic, part.partition): end for part, end in ends.items() if end}

    @contextmanager
    def opened(self) -> Iterator[Engine]:
        engine = open_database(self.database)
        try:
            migrate(engine)
            yield engine
        finally:
            engine.dispose()


def night(chance: random.Random, tables: int, rounds: int) -> list[AnyRecord]:
    """Return what some tables' rounds make: findings, alarms that change, acts and commands."""
    told: list[AnyRecord] = []
    number = 0
    for round_ in range(1, rounds + 1):
        for table in (f"T-{each:02}" for each in range(tables)):
            raised = []
            for _ in range(chance.choice((0, 0, 0, 1, 2))):
                number += 1
                id_ = number * 1000 + chance.randrange(1000)
                at = START + round_ * MINUTE + number
                raised.append(("deal_order", digest(id_)))
                told.append(a_finding(id_, table=table, round=round_, at=at))
                alarm: dict[str, Any] = {"table": table, "round": round_, "raised_at": at}
                told.append(an_alarm(id_, last_at=at, **alarm))
                if chance.random() < 0.7:
                    told += acknowledged(chance, id_, alarm)
            told.append(a_round(table, round_, findings=raised))
    return told


def acknowledged(chance: random.Random, id_: int, alarm: dict[str, Any]) -> list[AnyRecord]:
    """Return a command and what it makes of an alarm: carried out, or refused first."""
    told: list[AnyRecord] = []
    if chance.random() < 0.3:
        refused = f"r{id_}"
        told.append(a_command(refused, id_, table=alarm["table"], act="shelve", by="bob"))
        told.append(an_alarm(id_, answer=an_answer(refused, "it is critical"), **alarm))
    asked = f"c{id_}"
    done = an_act(asked, at=alarm["raised_at"] + MINUTE)
    told.append(a_command(asked, id_, table=alarm["table"]))
    told.append(
        an_alarm(
            id_,
            state="normal",
            acts=(done,),
            answer=an_answer(asked),
            acknowledged_at=done.at,
            closed_at=done.at,
            **alarm,
        )
    )
    return told


def expected(written: Sequence[AnyRecord]) -> dict[str, set[Any]]:
    """Return what must be in the database after some records: keys with what tells them apart."""
    alarms: dict[str, tuple[str, int]] = {}
    acts: dict[str, bool] = {}
    found: dict[str, set[Any]] = {"rounds": set(), "findings": set(), "links": set()}
    for record in written:
        match record:
            case Round():
                found["rounds"].add((record.opened_by, record.number, len(record.findings)))
                found["links"] |= {(record.opened_by, each.id) for each in record.findings}
            case Finding():
                found["findings"].add((record.id, record.state, record.at))
            case Alarm():
                alarms[record.id] = (record.state, len(record.acts))
                if record.answer is not None:
                    acts[record.answer.command] = record.answer.accepted
            case OperatorCommand() | _:
                pass
    return found | {
        "alarms": {(id_, *rest) for id_, rest in alarms.items()},
        "acts": set(acts.items()),
    }


def found(engine: Engine) -> dict[str, set[Any]]:
    """Return what is in the database, as ``expected`` tells it."""
    return {
        "rounds": {
            (row["opened_by"], row["number"], row["findings"])
            for row in rows_in(engine, history.rounds)
        },
        "links": {
            (row["opened_by"], row["finding"]) for row in rows_in(engine, history.round_findings)
        },
        "findings": {
            (row["id"], row["state"], row["at"]) for row in rows_in(engine, history.findings)
        },
        "alarms": {
            (row["id"], row["state"], len(msgspec.json.decode(row["body"], type=Alarm).acts))
            for row in rows_in(engine, history.alarms)
        },
        "acts": {(row["command"], row["accepted"]) for row in rows_in(engine, history.acts)},
    }
