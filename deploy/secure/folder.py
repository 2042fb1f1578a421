"""The secrets of a floor on one machine, in one folder that its owner alone can read.

    authority.key    signs; it never leaves this folder
    authority.pem    its certificate: what clients are given to know Kafka by
    kafka.pem        Kafka's key and certificate
    gateway.pem      those of the gateways, where they have one of this authority
    passwords/USER   the password of each user of Kafka

What is there is kept, what is absent is made, and Kafka's certificate is made anew before it ends.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from deploy.secure.certificates import Authority, due
from deploy.secure.files import write_private
from streams.brokers.access import KafkaAccess, Login, PasswordFile

KAFKA: Final = "kafka"
"""Who Kafka's own certificate is of."""

GATEWAY: Final = "gateway"
"""Who the gateways' certificate is of."""

PASSWORD_BYTES: Final = 32
"""256 bits made at random: no word list has them, so the iterations of SCRAM do not matter."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The folder.

    Attributes:
        folder: where it is.
    """

    folder: Path

    @property
    def authorities(self) -> Path:
        """What clients are given to know Kafka by."""
        return self.folder / "authority.pem"

    @property
    def keystore(self) -> Path:
        """Kafka's key and certificate."""
        return self.folder / "kafka.pem"

    @property
    def gateway_certificate(self) -> Path:
        """The gateways' key and certificate, in one file."""
        return self.folder / "gateway.pem"

    def authority(self, now: datetime) -> Authority:
        """Return the floor's authority, made where there is none.

        Raises:
            CertificateFault: its files hold something else.
            FileFault: others can read its key.
            OSError: its files cannot be read or written.
        """
        return Authority.kept(self.folder / "authority.key", self.authorities, now)

    def prepare(self, hosts: Iterable[str], users: Iterable[str], now: datetime) -> None:
        """Make what is absent, and Kafka's certificate anew where it ends soon.

        Args:
            hosts: names and addresses by which Kafka is dialled.
            users: who is to have a password.
            now: by this machine's clock.

        Raises:
            CertificateFault: a file holds something else.
            FileFault: others can read a secret.
            OSError: a file cannot be read or written.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.authority(now)
        if due(self.keystore, now):
            self.renew_certificate(hosts, now)
        for user in users:
            if not self.password_file(user).exists():
                with self.new_password(user):
                    pass

    def renew_certificate(self, hosts: Iterable[str], now: datetime) -> None:
        """Make Kafka's key and certificate anew; a Kafka that runs has the old ones in memory.

        Raises:
            CertificateFault: the authority's files hold something else.
            FileFault: others can read its key.
            OSError: a file cannot be read or written.
        """
        issued = self.authority(now).issue(KAFKA, tuple(hosts), now)
        write_private(self.keystore, issued.keystore)

    def prepare_gateways(self, hosts: Iterable[str], now: datetime) -> None:
        """Make the gateways' certificate where there is none of these names, or it ends soon.

        Args:
            hosts: names and addresses by which gateways are dialled.
            now: by this machine's clock.

        Raises:
            CertificateFault: the authority's files hold something else.
            FileFault: others can read a key.
            OSError: a file cannot be read or written.
        """
        named = tuple(hosts)
        if due(self.gateway_certificate, now, named):
            issued = self.authority(now).issue(GATEWAY, named, now)
            write_private(self.gateway_certificate, issued.keystore)

    def password_file(self, user: str) -> Path:
        """Return where the password of a user stands."""
        return self.folder / "passwords" / quote(user, safe="")

    def password(self, user: str) -> bytes:
        """Return the password of a user.

        Raises:
            AccessFault: its file cannot be read.
        """
        return PasswordFile(self.password_file(user)).encode()

    @contextmanager
    def new_password(self, user: str) -> Iterator[bytes]:
        """Make a new password, and put it in its place when the context has ended well.

        Raises:
            OSError: it cannot be written.
        """
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        file = self.password_file(user)
        new = file.with_name(f".{file.name}.new")
        write_private(new, f"{password}\n".encode())
        try:
            yield password.encode()
        except BaseException:
            new.unlink()
            raise
        new.replace(file)

    def access(self, user: str) -> KafkaAccess:
        """Return how a user speaks to Kafka."""
        return KafkaAccess(Login(user, PasswordFile(self.password_file(user)), self.authorities))

    def environment(self, user: str) -> Mapping[str, str]:
        """Return what the environment tells a process that is this user; no secret is in it."""
        return {
            "PITWATCH_KAFKA_USER": user,
            "PITWATCH_KAFKA_PASSWORD_FILE": str(self.password_file(user)),
            "PITWATCH_KAFKA_CA": str(self.authorities),
        }
