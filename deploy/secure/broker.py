"""What makes a broker a secured one: its settings, and its first user.

| listener | protocol | who |
|---|---|---|
| SASL_SSL | TLS, SCRAM-SHA-512 in it | all clients |
| INTERNAL, CONTROLLER | TLS, both sides with a certificate | the broker itself |

Whoever shows a certificate of the name ``kafka`` to the inner listeners is the broker; whoever
knows the administrator's password may do everything. All others may do what is on the list
(:mod:`streams.wire.acls`), and nothing else: without a list nobody may do anything.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deploy.secure.files import write_private
from deploy.secure.folder import KAFKA, Secrets
from streams.brokers.access import MECHANISM
from streams.wire.acls import ADMIN

CLIENTS: Final = "SASL_SSL"
"""The listener of all clients."""

ITERATIONS: Final = 8192
"""Of SCRAM; RFC 7677 asks for 4096 at least. A password of 256 bits needs none of them."""


def secure_settings(keystore: Path, authorities: Path) -> Mapping[str, str]:
    """Return the settings of a broker whose listeners are as in the table above.

    Args:
        keystore: the broker's key and certificate, PEM.
        authorities: whose certificates it believes on its inner listeners, PEM.
    """
    return {
        "listener.security.protocol.map": f"{CLIENTS}:SASL_SSL,INTERNAL:SSL,CONTROLLER:SSL",
        "inter.broker.listener.name": "INTERNAL",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(keystore),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authorities),
        "ssl.enabled.protocols": "TLSv1.3,TLSv1.2",
        "listener.name.internal.ssl.client.auth": "required",
        "listener.name.controller.ssl.client.auth": "required",
        "sasl.enabled.mechanisms": MECHANISM,
        f"listener.name.{CLIENTS.lower()}.{MECHANISM.lower()}.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "false",
        "super.users": f"User:CN={KAFKA};User:{ADMIN}",
    }


def inner_client(kept: Secrets) -> Mapping[str, str]:
    """Return the arguments of a client of kafka-python at an inner listener: the broker itself."""
    return {
        "security_protocol": "SSL",
        "ssl_cafile": str(kept.authorities),
        "ssl_certfile": str(kept.keystore),
    }


@contextmanager
def with_first_user(
    command: Sequence[str | Path], kept: Secrets, folder: Path
) -> Iterator[list[str | Path]]:
    """Give the command that makes a storage, with its administrator as its first user.

    Arguments are everyone's to read, so all of them stand in a file of the owner's, which is gone
    when the context ends; nor does the Java machine tell them in the file that it keeps for tools.

    Args:
        command: a Java machine with its arguments.
        kept: has the administrator's password.
        folder: where the file stands meanwhile.

    Raises:
        AccessFault: the password cannot be read.
        OSError: the file cannot be written.
    """
    password = kept.password(ADMIN).decode()
    first = f"{MECHANISM}=[name={ADMIN},password={password},iterations={ITERATIONS}]"
    program, *arguments = command
    lines = [_quoted(str(each)) for each in (*arguments, "--add-scram", first)]
    file = folder / "format.arguments"
    try:
        write_private(file, "\n".join(lines).encode())
        yield [program, "-XX:-UsePerfData", f"@{file}"]
    finally:
        file.unlink(missing_ok=True)


def _quoted(argument: str) -> str:
    """Return an argument as a Java machine reads it from a file of arguments."""
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
