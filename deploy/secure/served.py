"""Which certificate a server shows, asked by dialling it."""

import socket
import ssl
import time
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

WAIT_SECONDS: Final = 60.0
"""A broker takes less than a second on a machine that is idle."""

POLL_SECONDS: Final = 0.1

IN_A_ROW: Final = 8
"""A broker's network threads take connections in turn, and each takes a new certificate by itself;
a broker has three as it is installed."""

DIAL_SECONDS: Final = 5.0


class NotServed(Exception):
    """A server does not show what it is to; the text says what to do."""


def served(address: str) -> bytes:
    """Return the certificate that a server shows, DER, whoever signed it and if it has ended.

    Args:
        address: ``HOST:PORT``.

    Raises:
        OSError: it does not answer, or speaks no TLS.
    """
    host, _, port = address.rpartition(":")
    # Nothing is believed and nothing is sent: what is shown is only compared.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((host, int(port)), DIAL_SECONDS) as plain,
        context.wrap_socket(plain) as connection,
    ):
        return connection.getpeercert(binary_form=True) or b""


def wait_served(bootstrap: str, certificate_file: Path) -> None:
    """Wait until the first of some brokers shows the certificate of a file.

    Args:
        bootstrap: ``host:port,…``.
        certificate_file: PEM; what else stands in it is passed over.

    Raises:
        NotServed: it does not in time.
        OSError: the file cannot be read.
    """
    address = bootstrap.partition(",")[0]
    wanted = x509.load_pem_x509_certificates(certificate_file.read_bytes())[0]
    end = time.monotonic() + WAIT_SECONDS
    found = "another certificate"
    shown = 0
    while time.monotonic() < end:
        try:
            shown = shown + 1 if served(address) == wanted.public_bytes(Encoding.DER) else 0
        except OSError as error:
            found, shown = str(error), 0
        if shown == IN_A_ROW:
            return
        if shown == 0:
            time.sleep(POLL_SECONDS)
    raise NotServed(
        f"{address}: expected the certificate of {certificate_file} within {WAIT_SECONDS:.0f} s, "
        f"found: {found}; see the broker's log: it takes none with other names than it had"
    )
