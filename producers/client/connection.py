"""One connection to the gateway, kept open between requests, with token and certificates.

Token and certificates are read from their files anew, the token for each request and the
certificates for each connection, so that they rotate while the device runs. No proxy of the
environment is used and no redirection followed: a device speaks to its gateway or to nobody.
"""

import ssl
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from producers.client.answers import Answer
from producers.client.settings import Settings

EVENTS: Final = "/v1/events"
CONTENT_TYPE: Final = "application/x-ndjson"
MOST_ANSWER_BYTES: Final = 1024 * 1024


class Unanswered(Exception):
    """No answer came: whether the gateway has the lines is not known."""


class Connection:
    """Posts lines to the gateway that the settings name."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        address = urlsplit(settings.gateway)
        self._secure = address.scheme == "https"
        self._host = address.hostname or ""
        self._port = address.port
        self._path = f"{address.path.rstrip('/')}{EVENTS}"
        self._open: HTTPConnection | None = None

    def post(self, lines: tuple[bytes, ...]) -> Answer:
        """Post lines and return the answer.

        Raises:
            Unanswered: there was none, or token or certificates cannot be read.
        """
        body = b"".join(line + b"\n" for line in lines)
        try:
            headers = {"Content-Type": CONTENT_TYPE, **self._authorization()}
            # A gateway closes a connection that was idle: that costs one try, not a pause.
            kept = self._open is not None
            try:
                return self._exchange(body, headers)
            except (OSError, HTTPException):
                self.close()
                if not kept:
                    raise
            return self._exchange(body, headers)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            raise Unanswered(f"{type(error).__name__}: {error}"[:200]) from error

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _authorization(self) -> dict[str, str]:
        path = self._settings.token_file
        if path is None:
            return {}
        token = path.read_text(encoding="ascii").strip()
        if not token or not token.isprintable() or " " in token:
            raise ValueError(f"{path}: expected one token, found something else")
        return {"Authorization": f"Bearer {token}"}

    def _exchange(self, body: bytes, headers: dict[str, str]) -> Answer:
        if self._open is None:
            self._open = self._opened()
        self._open.request("POST", self._path, body, headers)
        response = self._open.getresponse()
        text = response.read(MOST_ANSWER_BYTES)
        if not response.isclosed() or response.will_close:
            self.close()
        return Answer(response.status, response.getheader("Retry-After"), text)

    def _opened(self) -> HTTPConnection:
        seconds = self._settings.answer_seconds
        if not self._secure:
            return HTTPConnection(self._host, self._port, timeout=seconds)
        ca_file = self._settings.ca_file
        context = ssl.create_default_context(cafile=None if ca_file is None else str(ca_file))
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self._settings.certificate_file is not None:
            context.load_cert_chain(self._settings.certificate_file, self._settings.key_file)
        return HTTPSConnection(self._host, self._port, timeout=seconds, context=context)
