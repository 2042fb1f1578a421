"""What the guide says of lost states, databases and Kafkas, rehearsed with its commands."""

import random
import shutil
import signal
from pathlib import Path

import psycopg
import pytest
from kafka import KafkaAdminClient, TopicPartition

from deploy.local.kafka import LocalKafka
from deploy.local.ports import free_port
from streams.core.advance import advance_all
from streams.core.findings import FindingCleared, FindingRaised, RoundEnded
from streams.core.table import new_table
from streams.database import history
from streams.historian.rows import FINDINGS, ROUNDS
from streams.wire.outbound import to_round_record
from streams.wire.topics import APPLICATION, PREFIX
from tests.gateway_harness import (
    RunningGateway,
    line,
    published,
    running_gateway,
    seqs_by_table,
    until,
)
from tests.guide import commands, run, running
from tests.historian_harness import HistorianFloor, expected, found, night
from tests.history_database import rows_in
from tests.history_records import a_finding
from tests.kafka_fixtures import Broker, CreateFloor, Floor
from tests.shell_models import book, by_table, floor_events
from tests.worker_harness import DEALS, VERSION, KeyedFloor, WorkerFloor

pytestmark = [pytest.mark.kafka, pytest.mark.slow, pytest.mark.timeout(240)]

PARTITIONS = 4
OPTIONS = ("--instance-id", "worker-0", "--tick", "3600")


def settings(kafka: Broker) -> dict[str, str]:
    """Return what the guide's commands take from their surroundings on one small Kafka."""
    return {
        "KAFKA": kafka.bootstrap,
        "PITWATCH_TOPICS_SINGLE": "true",
        "PITWATCH_TOPICS_PARTITIONS": str(PARTITIONS),
    }


@pytest.fixture
def floor(own_kafka: Broker, tmp_path: Path) -> WorkerFloor:
    """A floor with the names that the guide has."""
    (made,) = commands("Kafka is lost")
    run(made, tmp_path, settings(own_kafka))
    return WorkerFloor(Floor(own_kafka.bootstrap, PREFIX, APPLICATION, PARTITIONS), tmp_path)


def forget(floor: Floor, *topics: str) -> None:
    """Delete all records that topics have, as their retention does in time."""
    admin = KafkaAdminClient(bootstrap_servers=floor.bootstrap)
    try:
        parts = [
            TopicPartition(floor.topic(topic), number)
            for topic in topics
            for number in range(floor.partitions)
        ]
        admin.delete_records(dict.fromkeys(parts, -1))
    finally:
        admin.close()


def due(floor: WorkerFloor) -> tuple[set[tuple[str, str]], set[str]]:
    """Return the findings (id, state) and rounds (by what opened them) of what was written."""
    findings: set[tuple[str, str]] = set()
    rounds: set[str] = set()
    for table, events in by_table(floor.written).items():
        for effect in advance_all(new_table(table), events, book()).effects:
            if isinstance(effect, FindingRaised | FindingCleared):
                findings.add((effect.finding.id, effect.finding.state))
            elif isinstance(effect, RoundEnded):
                rounds.add(to_round_record(effect.round, book(), VERSION).opened_by)
    return findings, rounds


def test_lost_states_come_from_the_deals_and_older_history_with_them(
    floor: WorkerFloor, own_kafka: Broker
) -> None:
    floor.write(floor_events(12, 6_000))
    with floor.worker(*OPTIONS) as worker:
        floor.wait_judged()
        worker.terminate()
    states = {table: state for table, (state, _) in floor.states().items()}
    findings = set(floor.finding_ids())
    forget(floor.floor, FINDINGS, ROUNDS)
    for each in commands("The states are lost"):
        run(each, floor.folder, settings(own_kafka))
    assert floor.read("changelog") == []

    database = f"sqlite:///{floor.folder / 'new.db'}"
    told = HistorianFloor(floor.floor, database, floor.folder)
    with floor.worker(*OPTIONS) as worker, told.historian() as historian:
        worker.wait_ready()
        said = worker.said(
            "no state is there of what was judged, all is judged again from its deals"
        )
        assert {each["partition"] for each in said} == set(floor.ends())
        floor.wait_judged()
        assert {table: state for table, (state, _) in floor.states().items()} == states
        assert set(floor.finding_ids()) == findings
        floor.assert_exact()
        historian.wait_done()
        with told.opened() as engine:
            kept = {(row["id"], row["state"]) for row in rows_in(engine, history.findings)}
            rounds = {row["opened_by"] for row in rows_in(engine, history.rounds)}
        assert (kept, rounds) == due(floor)


def test_more_partitions_are_other_topics_with_the_same_states_and_findings(
    floor: WorkerFloor, own_kafka: Broker
) -> None:
    """Copied while deals come in, and told to end when no more come."""
    events = floor_events(12, 6_000)
    floor.write(events[:5_000])
    make, copy = commands("More partitions")
    assert copy.endswith(" --follow")
    run(make, floor.folder, settings(own_kafka))
    new = KeyedFloor(
        Floor(own_kafka.bootstrap, "pitwatch-48.", "pitwatch-worker-48", 48), floor.folder
    )
    with running(f"exec {copy}", floor.folder, settings(own_kafka)) as process:
        until("most to be copied", lambda: len(new.read(DEALS)) == 5_000, 120)
        floor.write(events[5_000:])
        process.send_signal(signal.SIGINT)
        said, error = process.communicate(timeout=60)
    assert (said, process.returncode) == ("6000 deals copied to pitwatch-48.deals.v1\n", 0), error
    new.written = floor.written
    with new.worker(*OPTIONS):
        new.wait_judged()
        new.assert_exact()
    with running(copy, floor.folder, settings(own_kafka)) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "expected no records, found 6000; make it anew" in error


def test_what_gateways_keep_goes_to_the_new_kafka_when_kafka_is_lost(tmp_path: Path) -> None:
    port = free_port()
    floor = Floor(f"127.0.0.1:{port}", PREFIX, APPLICATION, PARTITIONS)
    database = f"sqlite:///{tmp_path / 'pitwatch.db'}"
    told = HistorianFloor(floor, database, tmp_path)
    (make,) = commands("Kafka is lost")
    tables = ("CS-01", "CS-02", "FC-01")

    def lines(*seqs: int) -> bytes:
        return b"\n".join(line(seq, table) for table in tables for seq in seqs)

    with running_gateway(tmp_path / "gate", floor.bootstrap, PREFIX, "--hold", "0") as gate:
        with LocalKafka(tmp_path / "lost", port=port) as lost:
            run(make, tmp_path, settings(lost))
            accepted(gate, lines(*range(1, 21)))
            until("these to be published", gate.drained)
            told.write([a_finding(number) for number in range(5)])
            with told.historian() as historian:
                historian.wait_done()
            lost.kill()
            accepted(gate, lines(*range(21, 31)))
        shutil.rmtree(tmp_path / "lost")
        accepted(gate, lines(*range(31, 41)))
        assert gate.metric("pitwatch_gateway_spooled_events") == 60

        with LocalKafka(tmp_path / "new", port=port) as new:
            run(make, tmp_path, settings(new))
            until("what was kept to be published", gate.drained, 120)
            seqs = seqs_by_table(published(new.bootstrap, floor.topic(DEALS)))
            assert seqs == {table: list(range(21, 41)) for table in tables}
            with told.historian() as historian, told.opened() as engine:
                historian.wait_done()
                anew = historian.said("a topic was made anew, it is read from its beginning")
                assert [each["topic"] for each in anew] == [floor.topic(FINDINGS)]
                told.write([a_finding(7)])
                until("it to be kept", lambda: len(rows_in(engine, history.findings)) == 6)
            judged = WorkerFloor(floor, tmp_path)
            with judged.worker(*OPTIONS):
                until("all to be judged", lambda: sum(judged.committed().values()) == 60, 120)
            assert judged.states().keys() == set(tables)


def accepted(gate: RunningGateway, lines: bytes) -> None:
    answer = gate.post(lines)
    assert answer is not None
    assert answer.status_code == 202, answer.text


def test_a_database_put_back_is_whole_again_and_a_new_one_as_far_as_topics_go(
    create_floor: CreateFloor, database_url: str, tmp_path: Path
) -> None:
    records = night(random.Random(8), tables=6, rounds=40)
    half = len(records) // 2
    floor = HistorianFloor(create_floor(partitions=4), database_url, tmp_path)
    floor.write(records[:half])
    with floor.historian() as historian:
        historian.wait_done()
    back_up, put_back = backup_of(database_url)
    run(back_up, tmp_path, {"PITWATCH_DATABASE": database_url})
    floor.write(records[half:])
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        whole = found(engine)
    assert whole == expected(records)
    lose(database_url)
    run(put_back, tmp_path, {"PITWATCH_DATABASE": database_url})
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        assert found(engine) == whole

    forget(floor.floor, ROUNDS, FINDINGS)
    more = night(random.Random(9), tables=6, rounds=3)
    floor.write(more)
    floor.database = f"sqlite:///{tmp_path / 'new.db'}"
    with floor.historian() as historian, floor.opened() as engine:
        historian.wait_done()
        anew = found(engine)
    for name in ("rounds", "findings", "links"):
        assert anew[name] == expected(more)[name]
    for name in ("alarms", "acts"):
        assert anew[name] == expected([*records, *more])[name]


def backup_of(database: str) -> tuple[str, str]:
    """Return the guide's commands that back a database up and put it back."""
    back_up = commands("Backup")
    put_back = commands("The database is lost")
    kind = 0 if database.startswith("postgresql:") else 1
    return back_up[kind], put_back[kind]


def lose(database: str) -> None:
    """Delete all that a database holds."""
    if database.startswith("postgresql:"):
        with psycopg.connect(database) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return
    file = Path(database.removeprefix("sqlite:///"))
    for path in file.parent.glob(f"{file.name}*"):
        path.unlink()
