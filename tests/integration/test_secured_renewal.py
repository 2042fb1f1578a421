"""On a real secured Kafka: passwords, certificates and authorities are replaced with no restart.

Each client has one access for its whole life, as each process has; what changes is only files.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psutil
import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaConnectionError
from click.testing import CliRunner
from faust.transport.drivers.aiokafka import credentials_to_aiokafka_auth
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from deploy.cli.main import main
from deploy.secure.certificates import Authority, today
from deploy.secure.cluster import Security, security_of
from deploy.secure.files import write_private, write_public
from deploy.secure.folder import KAFKA
from deploy.secure.served import served, wait_served
from streams.brokers.access import AccessFault, KafkaAccess
from streams.shell.app import credentials_of
from streams.wire.acls import ADMIN, WORKER
from streams.wire.topics import PREFIX
from tests.secured_kafka import BRIEF_MS, EAST, PATIENT_MS, Secured

pytestmark = pytest.mark.kafka

HOSTS = ("127.0.0.1", "localhost")
DEALS = f"{PREFIX}deals.v1"
IDLE_MS = 500


def pitwatch(secured: Secured, *arguments: str) -> None:
    """Run a command of the administrator's."""
    own = secured.kept.environment(ADMIN)
    result = CliRunner().invoke(main, [*arguments, "--bootstrap", secured.bootstrap], env=own)
    assert result.exit_code == 0, result.output


def connections(secured: Secured) -> int:
    """Return how many connections this process has to Kafka."""
    return sum(
        bool(each.raddr) and each.raddr.port == secured.node.port
        for each in psutil.Process(os.getpid()).net_connections("tcp")
        if each.status == psutil.CONN_ESTABLISHED
    )


def until(happened: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@contextmanager
def sending(secured: Secured, **how: object) -> Iterator[Callable[..., None]]:
    """Give a function that writes a deal as a gateway does, over one producer.

    It waits for the acknowledgement, for ten seconds or as many as it is told.
    """
    producer = secured.producer(secured.access(EAST), **how)
    try:
        yield lambda seconds=10: producer.send(DEALS, value=b"a").get(timeout=seconds)
    finally:
        producer.close(timeout=1)


def workers(secured: Secured, access: KafkaAccess, **how: object) -> Any:
    """Return a producer as Faust makes the worker's, of aiokafka."""
    auth = credentials_to_aiokafka_auth(credentials_of(access), None)
    return AIOKafkaProducer(bootstrap_servers=secured.bootstrap, **auth, **how)


def dialled(secured: Secured, access: KafkaAccess, patience: int = PATIENT_MS) -> None:
    """Connect as kafka-python does, within so many milliseconds, and end."""
    KafkaAdminClient(
        bootstrap_servers=secured.bootstrap, bootstrap_timeout_ms=patience, **access.client()
    ).close()


def renew(secured: Secured, user: str) -> None:
    """Give a user a new password, as its administrator does."""
    before = secured.kept.password(user)
    folder = str(secured.kept.folder)
    pitwatch(
        secured, "floor", "kafka-users", str(secured.floor), "--folder", folder, "--renew", user
    )
    assert secured.kept.password(user) != before


def show(secured: Secured, security: Security, life: timedelta) -> None:
    """Have Kafka show another certificate, and wait until it does."""
    authority = secured.kept.authority(today())
    write_private(secured.kept.keystore, authority.issue(KAFKA, HOSTS, today(), life).keystore)
    security.reread_certificate(1)
    wait_served(secured.bootstrap, secured.kept.keystore)


def test_a_gateway_that_connects_again_has_the_new_password(secured: Secured) -> None:
    with sending(secured, connections_max_idle_ms=IDLE_MS) as send:
        send()
        renew(secured, EAST)
        until(lambda: not connections(secured), "the idle connection to be closed")
        send()


def test_a_worker_that_connects_again_has_the_new_password(secured: Secured) -> None:
    async def run() -> None:
        producer = workers(secured, secured.access(WORKER), connections_max_idle_ms=IDLE_MS)
        await producer.start()
        try:
            await producer.send_and_wait(DEALS, b"a")
            await asyncio.to_thread(renew, secured, WORKER)
            while connections(secured):
                await asyncio.sleep(0.05)
            await producer.send_and_wait(DEALS, b"b")
        finally:
            await producer.stop()

    asyncio.run(asyncio.wait_for(run(), 60))


def test_a_password_that_cannot_be_read_for_a_while_ends_nothing(secured: Secured) -> None:
    file = secured.kept.password_file(EAST)
    away = file.with_name("away")
    with sending(secured, connections_max_idle_ms=IDLE_MS) as send:
        send()
        until(lambda: not connections(secured), "the idle connection to be closed")
        file.rename(away)
        try:
            with pytest.raises((KafkaError, AccessFault)):
                send(1)
        finally:
            away.rename(file)
        until(lambda: sent(send), "a deal to be written again")


def sent(send: Callable[[], None]) -> bool:
    """Return whether a deal was written."""
    try:
        send()
    except (KafkaError, AccessFault):
        return False
    return True


def test_kafkas_certificate_is_made_anew_while_it_runs(secured: Secured) -> None:
    before = served(secured.bootstrap)
    with sending(secured) as send:
        send()
        pitwatch(secured, "floor", "kafka-certificate", "--folder", str(secured.kept.folder))
        assert served(secured.bootstrap) != before
        send()
    dialled(secured, secured.access(EAST))


def test_a_certificate_that_has_ended_is_believed_by_nobody(
    secured: Secured, caplog: pytest.LogCaptureFixture
) -> None:
    async def dial() -> None:
        producer = workers(secured, secured.access(WORKER))
        try:
            await producer.start()
        finally:
            await producer.stop()

    # One that was connected before: an administrator too believes no certificate that has ended.
    with security_of(secured.bootstrap, secured.access(ADMIN)) as security:
        show(secured, security, timedelta(hours=-1))
        try:
            with pytest.raises(KafkaError):
                dialled(secured, secured.access(EAST), BRIEF_MS)
            assert "certificate has expired" in caplog.text
            caplog.clear()
            with pytest.raises(KafkaConnectionError):
                asyncio.run(dial())
            assert "certificate has expired" in caplog.text
        finally:
            show(secured, security, timedelta(days=90))
    dialled(secured, secured.access(EAST))
    asyncio.run(dial())


def test_authorities_that_are_replaced_hold_from_the_next_connection_on(secured: Secured) -> None:
    access = secured.access(EAST)
    own = secured.kept.authorities.read_bytes()
    other = Authority.new("another", today()).pem
    try:
        write_public(secured.kept.authorities, other)
        with pytest.raises(KafkaError):
            dialled(secured, access, BRIEF_MS)
        write_public(secured.kept.authorities, other + own)
        dialled(secured, access)
    finally:
        write_public(secured.kept.authorities, own)
