"""Who a process is to Kafka: made once at its start, and given to each of its clients.

Without a login a client speaks in the clear, as on one machine alone. With one it speaks SASL_SSL:
TLS to a broker whose certificate one of the given authorities has signed for the name or address
that was dialled, and SCRAM-SHA-512 (RFC 5802, RFC 7677) inside it.

Nothing is read at the start but to check that it is there. Both files are read with each new
connection, so that what is replaced in them holds from the next one on:

- kafka-python (all but the worker) encodes the password when a connection authenticates, and again
  when the broker wants it anew (KIP-368); it makes each connection a TLS context from the file;
- aiokafka (the worker) encodes the password likewise; its connections share one TLS context, which
  is therefore a `RereadContext`.

Connections that stand are not touched. A secret is thereby in no setting, no ``repr`` and no
client's configuration, only the path of its file.
"""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MECHANISM: Final = "SCRAM-SHA-512"
PROTOCOL: Final = "SASL_SSL"

LONGEST_PASSWORD: Final = 1024
"""Bytes; a longer file is no password, but another file given by mistake."""


class AccessFault(Exception):
    """A file that a login needs cannot be used; the text says which, and what to do."""


@dataclass(frozen=True, slots=True)
class PasswordFile:
    """A password that stands in a file and is read whenever a client encodes it to send it.

    Both clients do with a password nothing but ``encode`` it, once for each authentication; a
    contract test holds them to that.
    """

    path: Path

    def encode(self, encoding: str = "utf-8") -> bytes:
        """Return the password as the file has it now, without the line's end.

        Raises:
            AccessFault: the file cannot be read or holds no password.
        """
        try:
            with self.path.open("rb") as file:
                content = file.read(LONGEST_PASSWORD + 1)
            password = content.decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            found = getattr(error, "strerror", None) or "bytes that are no UTF-8"
            raise AccessFault(
                f"{self.path}: expected a file with Kafka's password, found: {found}; "
                "see --kafka-password-file and who may read it"
            ) from None
        if not password or len(content) > LONGEST_PASSWORD or not password.isprintable():
            raise AccessFault(
                f"{self.path}: expected one line with a password of at most {LONGEST_PASSWORD} "
                "bytes, found something else; see --kafka-password-file"
            )
        return password.encode(encoding)


@dataclass(frozen=True, slots=True)
class Login:
    """A user of Kafka.

    Attributes:
        user: its name.
        password: where its password stands.
        authorities: a PEM file with the certificates of whoever may sign a broker's.
    """

    user: str
    password: PasswordFile
    authorities: Path


class RereadContext(ssl.SSLContext):
    """A TLS context for clients that reads the authorities anew for each connection.

    asyncio keeps one context for all connections of a client, and authorities can be added to one
    but never taken away.
    """

    _authorities: Path

    @classmethod
    def of(cls, authorities: Path) -> "RereadContext":
        """Return a context of a PEM file of authorities, which is not read yet."""
        context = cls(ssl.PROTOCOL_TLS_CLIENT)
        context._authorities = authorities
        return context

    def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:  # noqa: ANN401  passed on as it came
        """Begin a connection, as asyncio does, with the authorities as they are now.

        Raises:
            OSError: the file cannot be read, or holds no certificate; the attempt has failed.
        """
        fresh = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        fresh.minimum_version = ssl.TLSVersion.TLSv1_2
        fresh.load_verify_locations(self._authorities)
        return fresh.wrap_bio(*given, **named)


@dataclass(frozen=True, slots=True)
class KafkaAccess:
    """How a process speaks to Kafka.

    Attributes:
        login: who it is; nothing where it speaks in the clear.
    """

    login: Login | None = None

    @classmethod
    def of(
        cls, user: str | None, password_file: Path | None, authorities: Path | None
    ) -> "KafkaAccess":
        """Return the access that three settings ask for: all of them, or none.

        Raises:
            AccessFault: one is missing, or a file of theirs cannot be used.
        """
        if user is None and password_file is None and authorities is None:
            return PLAINTEXT
        if not user or password_file is None or authorities is None:
            raise AccessFault(
                "expected --kafka-user, --kafka-password-file and --kafka-ca together, or none of "
                "them for a Kafka that is spoken to in the clear, found some of them"
            )
        login = Login(user, PasswordFile(password_file), authorities)
        login.password.encode()
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(authorities)
        except OSError as error:
            raise AccessFault(
                f"{authorities}: expected a PEM file with the certificates of Kafka's authorities, "
                f"found: {error.strerror or error}; see --kafka-ca"
            ) from error
        return cls(login)

    def client(self) -> dict[str, Any]:
        """Return the arguments of a client of kafka-python: producer, consumer or admin."""
        if self.login is None:
            return {}
        return {
            "security_protocol": PROTOCOL,
            "sasl_mechanism": MECHANISM,
            "sasl_plain_username": self.login.user,
            "sasl_plain_password": self.login.password,
            "ssl_cafile": str(self.login.authorities),
        }


PLAINTEXT: Final = KafkaAccess()
"""In the clear, as nobody: for one machine alone."""
