"""The devices that may speak to a gateway, and the file that says so.

| a device has | and is known by |
|---|---|
| tokens, of which the file has only SHA-256 | ``Authorization: Bearer TOKEN`` |
| nothing | the common name of its certificate, where the gateway takes certificates |

Each may speak for the tables that are named with it and no others. A token is 256 random bits, so
that its digest need not be a slow one: nobody tries them all. It may have an end, up to which an
old one holds beside its successor. The file is JSON; what it may not hold is told without any
digest.
"""

import secrets
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from schemas.fields import Source, Table

MOST_DEVICES: Final = 10_000
MOST_TABLES: Final = 2_000
MOST_TOKENS: Final = 4
"""Of one device: the newest, and those that still hold beside it."""
LARGEST_FILE: Final = 16 * 1024 * 1024
TOKEN_BYTES: Final = 32
TOKEN_BEGINS: Final = "pwt_"  # noqa: S105  no token, only how each begins
"""What every token begins with, so that one that strays into a file is found by a search."""
LONGEST_TOKEN: Final = 256

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]


class DevicesFault(ValueError):
    """A file of devices cannot be used."""


class Token(Struct, frozen=True, forbid_unknown_fields=True):
    """A token as the file has it.

    ``digest`` is SHA-256 of the token; times are microseconds since 1970-01-01 UTC, ``ends_at``
    when it no longer holds.
    """

    digest: Digest
    added_at: int
    ends_at: int | None = None

    def __repr__(self) -> str:
        """Return its times alone: a digest is nobody's business."""
        return f"Token(added_at={self.added_at}, ends_at={self.ends_at})"


class Device(Struct, frozen=True, forbid_unknown_fields=True):
    """A device: its name, the tables that it may speak for, and its tokens, the newest last."""

    name: Source
    tables: Annotated[tuple[Table, ...], Meta(min_length=1, max_length=MOST_TABLES)]
    tokens: Annotated[tuple[Token, ...], Meta(max_length=MOST_TOKENS)] = ()


class DeviceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a file of devices."""

    version: Annotated[int, Meta(ge=1, le=1)] = 1
    devices: Annotated[tuple[Device, ...], Meta(max_length=MOST_DEVICES)] = ()


def parse_devices(data: bytes) -> DeviceFile:
    """Return what a file of devices says.

    Raises:
        DevicesFault: it holds what it may not.
    """
    if len(data) > LARGEST_FILE:
        raise DevicesFault(f"expected at most {LARGEST_FILE} bytes of devices, found more")
    try:
        file = msgspec.json.decode(data, type=DeviceFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DevicesFault(
            f"expected a file that `pitwatch devices` wrote, found another: {error}"
        ) from None
    names = {device.name for device in file.devices}
    digests = [token.digest for device in file.devices for token in device.tokens]
    if len(names) < len(file.devices) or len(set(digests)) < len(digests):
        raise DevicesFault("expected each device and each token once, found one again")
    return file


def encode_devices(file: DeviceFile) -> bytes:
    """Return the bytes of a file of devices."""
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def digest_of(token: str) -> str:
    """Return the digest by which a token is known."""
    return sha256(token.encode()).hexdigest()


def new_token() -> str:
    """Return a token, made at random."""
    return TOKEN_BEGINS + secrets.token_urlsafe(TOKEN_BYTES)


def load_devices(path: Path) -> DeviceFile:
    """Return what a file of devices says.

    Raises:
        DevicesFault: it holds what it may not.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return parse_devices(file.read(LARGEST_FILE + 1))


def with_device(
    file: DeviceFile, name: str, tables: Sequence[str], token: str | None, now: int
) -> DeviceFile:
    """Return a file with one device more.

    Args:
        file: the file.
        name: the device's.
        tables: those that it may speak for.
        token: its token; without one it is known by its certificate.
        now: microseconds since 1970-01-01 UTC.

    Raises:
        DevicesFault: there is one of that name, or a name is none.
    """
    if any(device.name == name for device in file.devices):
        raise DevicesFault(
            f"expected a new name, found {name}, which is there; `pitwatch devices rotate` gives "
            "it a new token, `revoke` takes it out"
        )
    tokens = () if token is None else (Token(digest_of(token), now),)
    return _checked((*file.devices, Device(name, tuple(dict.fromkeys(tables)), tokens)))


def with_new_token(file: DeviceFile, name: str, token: str, now: int, ends_at: int) -> DeviceFile:
    """Return a file with a new token of a device.

    Args:
        file: the file.
        name: the device's.
        token: its new token.
        now: microseconds since 1970-01-01 UTC.
        ends_at: until when those before it still hold; what ended by now is taken out.

    Raises:
        DevicesFault: there is no device of that name.
    """
    device = device_of(file, name)
    kept = [
        msgspec.structs.replace(each, ends_at=min(ends_at, each.ends_at or ends_at))
        for each in device.tokens
        if each.ends_at is None or each.ends_at > now
    ]
    old = [each for each in kept if each.ends_at is not None and each.ends_at > now]
    tokens = (*old[-(MOST_TOKENS - 1) :], Token(digest_of(token), now))
    after = msgspec.structs.replace(device, tokens=tokens)
    return _checked(tuple(after if each is device else each for each in file.devices))


def with_tables(file: DeviceFile, name: str, tables: Sequence[str]) -> DeviceFile:
    """Return a file in which a device may speak for these tables.

    Raises:
        DevicesFault: there is no device of that name, or a table's name is none.
    """
    device = device_of(file, name)
    after = msgspec.structs.replace(device, tables=tuple(dict.fromkeys(tables)))
    return _checked(tuple(after if each is device else each for each in file.devices))


def without_device(file: DeviceFile, name: str) -> DeviceFile:
    """Return a file without a device.

    Raises:
        DevicesFault: there is no device of that name.
    """
    device = device_of(file, name)
    return _checked(tuple(each for each in file.devices if each is not device))


def device_of(file: DeviceFile, name: str) -> Device:
    """Return a device by its name.

    Raises:
        DevicesFault: there is none.
    """
    for device in file.devices:
        if device.name == name:
            return device
    raise DevicesFault(
        f"expected a device of the file, found {name}, which is not in it; see `pitwatch devices "
        "list`"
    )


def _checked(devices: tuple[Device, ...]) -> DeviceFile:
    """Return a file of devices that can be read back.

    Raises:
        DevicesFault: it could not.
    """
    return parse_devices(encode_devices(DeviceFile(devices=devices)))
