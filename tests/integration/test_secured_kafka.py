"""On a real secured Kafka: who is refused, and that nobody may do more than is on the list."""

import re
import socket
import ssl
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaError, TopicAuthorizationFailedError

from deploy.secure.certificates import Authority, today
from deploy.secure.cluster import ClusterFault, Comparison, Security, as_kafka, security_of
from deploy.secure.files import write_private
from deploy.secure.users import revoke_user
from streams.brokers.access import PLAINTEXT, KafkaAccess, Login, PasswordFile
from streams.wire.acls import ADMIN, CONSOLE, HISTORIAN, WORKER, Acl, floor_acls, gateway_user
from streams.wire.topics import PREFIX
from tests.gateway_harness import until
from tests.secured_kafka import BRIEF_MS, EAST, GATEWAYS, Secured

pytestmark = pytest.mark.kafka


def login(secured: Secured, user: str) -> Login:
    found = secured.access(user).login
    assert found is not None
    return found


def refused(secured: Secured, access: KafkaAccess) -> str:
    """Return what a client says that is let in nowhere."""
    with pytest.raises(KafkaError) as caught:
        KafkaAdminClient(
            bootstrap_servers=secured.bootstrap, bootstrap_timeout_ms=BRIEF_MS, **access.client()
        )
    return str(caught.value)


@contextmanager
def administrator(secured: Secured) -> Iterator[Security]:
    with security_of(secured.bootstrap, secured.access(ADMIN)) as security:
        yield security


@contextmanager
def temporary_user(secured: Secured, user: str, *acls: Acl) -> Iterator[KafkaAccess]:
    """Give Kafka another user while the context lasts."""
    with administrator(secured) as security:
        with secured.kept.new_password(user) as password:
            security.set_password(user, password)
        security.allow(acls)
    try:
        yield secured.access(user)
    finally:
        with administrator(secured) as security:
            revoke_user(security, secured.kept, user)


# Who is let in


def test_a_wrong_password_is_refused(secured: Secured, tmp_path: Path) -> None:
    wrong = tmp_path / "password"
    wrong.write_text("wrong")
    refused(secured, KafkaAccess(replace(login(secured, WORKER), password=PasswordFile(wrong))))


def test_another_users_password_is_refused(secured: Secured) -> None:
    refused(secured, KafkaAccess(replace(login(secured, CONSOLE), user=WORKER)))


def test_a_gateway_that_nobody_knows_is_refused(secured: Secured) -> None:
    refused(secured, KafkaAccess(replace(login(secured, EAST), user=gateway_user("north"))))


def test_without_tls_nobody_is_let_in(secured: Secured) -> None:
    refused(secured, PLAINTEXT)
    own = secured.access(WORKER).client()
    with pytest.raises(KafkaError):
        KafkaAdminClient(
            bootstrap_servers=secured.bootstrap,
            bootstrap_timeout_ms=BRIEF_MS,
            **{**own, "security_protocol": "SASL_PLAINTEXT"},
        )


def test_with_tls_and_without_a_user_nobody_is_let_in(secured: Secured) -> None:
    with pytest.raises(KafkaError):
        KafkaAdminClient(
            bootstrap_servers=secured.bootstrap,
            bootstrap_timeout_ms=BRIEF_MS,
            security_protocol="SSL",
            ssl_cafile=str(secured.kept.authorities),
        )


def test_a_kafka_that_another_authority_signed_is_not_spoken_to(
    secured: Secured, tmp_path: Path
) -> None:
    other = tmp_path / "authority.pem"
    other.write_bytes(Authority.new("another", today()).pem)
    refused(secured, KafkaAccess(replace(login(secured, WORKER), authorities=other)))


def test_the_inner_listeners_take_nobody_without_the_brokers_certificate(secured: Secured) -> None:
    properties = (secured.node.data / "server.properties").read_text()
    ports = [
        int(port)
        for port in re.findall(r"(?:INTERNAL|CONTROLLER)://127\.0\.0\.1:(\d+)", properties)
    ]
    assert len(set(ports)) == 2
    context = ssl.create_default_context(cafile=secured.kept.authorities)
    for port in set(ports):
        # In TLS 1.3 a server asks for the certificate after the client thinks it is through.
        with (
            socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
            pytest.raises(ssl.SSLError, match=r"(?i)certificate.required|bad.certificate"),
        ):
            connection.recv(1)


def test_of_old_tls_and_of_weak_mechanisms_none_is_spoken(secured: Secured) -> None:
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.load_verify_locations(secured.kept.authorities)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        socket.create_connection(("127.0.0.1", secured.node.port), timeout=10) as plain,
        pytest.raises((ssl.SSLError, OSError)),
    ):
        old.wrap_socket(plain, server_hostname="127.0.0.1")
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        with pytest.raises(KafkaError):
            KafkaAdminClient(
                bootstrap_servers=secured.bootstrap,
                bootstrap_timeout_ms=BRIEF_MS,
                **{**secured.access(WORKER).client(), "sasl_mechanism": mechanism},
            )


# What they may do


@pytest.mark.parametrize(
    ("user", "topic"),
    [
        (EAST, "commands.v1"),
        (EAST, "findings.v1"),
        (EAST, "alarms.v1"),
        (CONSOLE, "deals.v1"),
        (CONSOLE, "alarms.v1"),
        (HISTORIAN, "deals.v1"),
        (HISTORIAN, "commands.v1"),
        (WORKER, "commands.v1"),
    ],
)
def test_who_may_not_write(secured: Secured, user: str, topic: str) -> None:
    with pytest.raises(TopicAuthorizationFailedError):
        secured.write(secured.access(user), topic)


@pytest.mark.parametrize(
    ("user", "topic"),
    [
        (EAST, "deals.v1"),
        (EAST, "deals.dead.v1"),
        (EAST, "alarms.v1"),
        (CONSOLE, "deals.v1"),
        (CONSOLE, "deals.dead.v1"),
        (HISTORIAN, "deals.v1"),
        (HISTORIAN, "deals.dead.v1"),
    ],
)
def test_who_may_not_read(secured: Secured, user: str, topic: str) -> None:
    with pytest.raises(TopicAuthorizationFailedError):
        secured.read(secured.access(user), topic)


def test_a_user_that_is_on_no_list_may_do_nothing(secured: Secured) -> None:
    with temporary_user(secured, "stranger") as access:
        for do in (secured.read, secured.write):
            with pytest.raises(TopicAuthorizationFailedError):
                do(access, "findings.v1")


@pytest.mark.parametrize(
    ("user", "topic"), [(EAST, "deals.v1"), (EAST, "deals.dead.v1"), (CONSOLE, "commands.v1")]
)
def test_who_may_write(secured: Secured, user: str, topic: str) -> None:
    secured.write(secured.access(user), topic)


@pytest.mark.parametrize(("user", "topic"), [(WORKER, "deals.v1"), (CONSOLE, "tables.v1")])
def test_who_may_read(secured: Secured, user: str, topic: str) -> None:
    secured.read(secured.access(user), topic)


def test_only_the_administrator_changes_users_and_lists(secured: Secured) -> None:
    with (
        pytest.raises(ClusterFault),
        security_of(secured.bootstrap, secured.access(WORKER)) as security,
    ):
        security.set_password("stranger", b"password of a stranger")
    with (
        pytest.raises(ClusterFault),
        security_of(secured.bootstrap, secured.access(WORKER)) as security,
    ):
        security.allow([Acl(WORKER, "topic", f"{PREFIX}rounds.v1", "read")])


# What is taken away, and what is replaced


def stopped(producer: Any, topic: str) -> bool:
    """Return whether a producer that could write to a topic may do so no more."""
    try:
        producer.send(topic, value=b"after").get(timeout=10)
    except TopicAuthorizationFailedError:
        return True
    return False


def test_a_user_that_is_revoked_is_stopped_where_it_is_connected(secured: Secured) -> None:
    user = gateway_user("south")
    right = Acl(user, "topic", f"{PREFIX}deals.v1", "write")
    with temporary_user(secured, user, right) as access:
        producer = secured.producer(access)
        try:
            producer.send(right.name, value=b"before").get(timeout=10)
            connected = (secured.kept.password_file(user)).read_bytes()
            with administrator(secured) as security:
                revoke_user(security, secured.kept, user)
            until("it to be stopped", lambda: stopped(producer, right.name))
        finally:
            producer.close(timeout=1)
        write_private(secured.kept.password_file(user), connected)
        refused(secured, access)


def test_rights_beyond_the_list_are_found_and_withdrawn(secured: Secured) -> None:
    wanted = floor_acls(GATEWAYS)
    stray = Acl(HISTORIAN, "topic", f"{PREFIX}deals.v1", "read")
    with administrator(secured) as security:
        assert security.compare(wanted) == Comparison((), ())
        security.allow([stray])
        secured.read(secured.access(HISTORIAN), "deals.v1")
        found = security.compare(wanted)
        assert found == Comparison((), (as_kafka(stray),))
        security.withdraw(found.beyond)
        # A broker learns of a change a moment after its controller has taken it.
        until("it to be gone", lambda: security.compare(wanted) == Comparison((), ()))
        assert security.compare([*wanted, stray]) == Comparison((stray,), ())
    with pytest.raises(TopicAuthorizationFailedError):
        secured.read(secured.access(HISTORIAN), "deals.v1")
