"""Signatures of operators' commands: who may ask for an act is known by the key it is signed with.

The console signs what its signed-in operator asks for, and a worker carries out nothing that is
not signed with a key it was given: whoever else can write to the topic can ask for no act. The
signature is HMAC-SHA256 (RFC 2104) over the encoded record with an empty signature, so that it
covers every field, the key's name among them. It is encoded in the oldest version that has a place
for all of it: a console and a worker of different releases then sign the same bytes.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from schemas.catalog import BY_STRUCT
from schemas.codec import Codec
from schemas.faults import CodecFault
from schemas.records import OperatorCommand

LEAST_KEY: Final = 16
"""Bytes of a key, at least: half of the digest's, below which it would be the weaker part."""

_SUBJECT: Final = BY_STRUCT[OperatorCommand]
_CODECS: Final = tuple(
    Codec(subjects=[_SUBJECT], versions={_SUBJECT.name: release.version})
    for release in _SUBJECT.releases
)
"""One for each version of a command, the oldest first."""


def sign(command: OperatorCommand, key: bytes) -> OperatorCommand:
    """Return a command with its signature.

    Args:
        command: the command, its ``key`` the name that the worker knows the key by.
        key: the key.

    Raises:
        RecordFault: a value of the command is out of range.
    """
    return replace(command, signature=_signature(command, key))


def signed_by(command: OperatorCommand, keys: Mapping[str, bytes]) -> bool:
    """Say whether a command as it was read bears the signature of the key it names.

    Args:
        command: the command.
        keys: the keys known, by name.
    """
    key = keys.get(command.key)
    return key is not None and hmac.compare_digest(_signature(command, key), command.signature)


def _signature(command: OperatorCommand, key: bytes) -> bytes:
    return hmac.digest(key, encoded(replace(command, signature=b"")), "sha256")


def encoded(command: OperatorCommand, codecs: Sequence[Codec] = _CODECS) -> bytes:
    """Return a command's bytes in the oldest version that leaves nothing of it out.

    Args:
        command: the command.
        codecs: each writes another version, the oldest first; the last leaves nothing out.
    """
    whole = [codec for codec in codecs if _again(command, codec) == command]
    return whole[0].encode(command)


def _again(command: OperatorCommand, codec: Codec) -> OperatorCommand | CodecFault:
    return codec.decode(codec.encode(command), OperatorCommand)
