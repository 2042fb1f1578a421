"""How a device speaks to a gateway that asks who it is: by TLS, with a token from a file."""

import ssl
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import httpx

LONGEST_TOKEN: Final = 256


class TokenFault(Exception):
    """A token, or the authorities of a gateway, cannot be used; the text says what to do."""


class FileToken(httpx.Auth):
    """A token that stands in a file, read with each request: what replaces it holds at once.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Give a request its token.

        Raises:
            TokenFault: the file has none.
        """
        request.headers["Authorization"] = f"Bearer {self.token()}"
        yield request

    def token(self) -> str:
        """Return the token.

        Raises:
            TokenFault: the file cannot be read, or has none.
        """
        try:
            text = self._path.read_text("ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            found = getattr(error, "strerror", None) or "something else"
            raise TokenFault(
                f"{self._path}: expected a file with a token, found: {found}; `pitwatch devices "
                "add` prints one"
            ) from None
        if not 0 < len(text) <= LONGEST_TOKEN or not text.isprintable() or " " in text:
            raise TokenFault(
                f"{self._path}: expected a token, found something else; `pitwatch devices add` "
                "prints one"
            )
        return text


def device_client(
    gateway: str,
    token: Path | None = None,
    authorities: Path | None = None,
    **how: Any,  # noqa: ANN401  httpx's own
) -> httpx.Client:
    """Return a client that speaks to a gateway as a device.

    Args:
        gateway: its address, ``http://`` or ``https://HOST:PORT``.
        token: a file with the device's token; without one it says none.
        authorities: who signed the gateway's certificate, PEM; the system's where none are given.
        how: httpx's own arguments.

    Raises:
        TokenFault: a file cannot be used.
    """
    auth = None
    if token is not None:
        auth = FileToken(token)
        auth.token()
    context = ssl.create_default_context()
    if authorities is not None:
        try:
            context = ssl.create_default_context(cafile=authorities)
        except OSError as error:
            raise TokenFault(
                f"{authorities}: expected a PEM file with the gateway's authorities, found: "
                f"{error.strerror or error}"
            ) from None
    return httpx.Client(base_url=gateway, auth=auth, verify=context, **how)
