"""Why a Kafka lets nobody in, for the person who has to do something about it.

A client that finds no broker says no more than that: why each attempt failed stands in the logs of
its library. With a login there are several reasons, so the first broker is dialled once more.
"""

import socket
import ssl
from typing import Final

from streams.brokers.access import KafkaAccess, Login

DIAL_SECONDS: Final = 3.0

UNSPECIFIC: Final = ("KafkaTimeoutError", "NoBrokersAvailable", "KafkaConnectionError")
"""What clients raise for want of a broker, whatever the reason."""


def reason(bootstrap: str, access: KafkaAccess, error: BaseException) -> str:
    """Return what a client's error says, and why no broker let it in if the error does not say.

    Args:
        bootstrap: ``host:port,…``.
        access: who was not let in.
        error: what the client raised.
    """
    said = str(error) or type(error).__name__
    if access.login is None or type(error).__name__ not in UNSPECIFIC:
        return said
    return f"{said}: {dialled(bootstrap.partition(',')[0], access.login)}"


def dialled(address: str, login: Login) -> str:
    """Return what comes of dialling a broker as a user of it does, in words.

    Args:
        address: ``HOST:PORT``.
        login: whose authorities are believed; the password is not sent.
    """
    host, _, port = address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(login.authorities)
        with (
            socket.create_connection((host, int(port)), DIAL_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return f"{address} speaks TLS, so see whether it knows {login.user} and its password"
    except ssl.SSLCertVerificationError as error:
        return f"the certificate of {address} is not believed, {error.verify_message}"
    except ssl.SSLError as error:
        return f"{address} does not speak TLS, {error.reason}"
    except (OSError, ValueError) as error:
        return f"{address} does not answer, {error}"
