"""A signature holds for its command and key alone; any other field, key or name breaks it."""

import hashlib
from typing import Any

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.codec import CODEC
from schemas.records import OperatorCommand
from schemas.signing import LEAST_KEY, sign, signed_by
from tests.record_strategies import structs, values

COMMANDS = structs(OperatorCommand)
KEYS = st.binary(min_size=LEAST_KEY, max_size=64)


@given(COMMANDS, KEYS)
def test_a_signed_command_is_known_by_its_key_also_after_it_travelled(
    command: OperatorCommand, key: bytes
) -> None:
    signed = sign(command, key)
    travelled = CODEC.decode(CODEC.encode(signed), OperatorCommand)
    assert isinstance(travelled, OperatorCommand)
    assert signed_by(travelled, {command.key: key})


@given(COMMANDS, KEYS, st.data())
def test_a_changed_field_is_not_signed(
    command: OperatorCommand, key: bytes, data: st.DataObject
) -> None:
    signed = sign(command, key)
    field = data.draw(st.sampled_from(msgspec.structs.fields(OperatorCommand)))
    value: Any = data.draw(values(msgspec.inspect.type_info(field.type)))
    assume(value != getattr(signed, field.name))
    changed = msgspec.structs.replace(signed, **{field.name: value})
    assert not signed_by(changed, {changed.key: key})


@given(COMMANDS, KEYS, KEYS)
def test_another_key_or_none_of_the_name_is_not_its_key(
    command: OperatorCommand, key: bytes, other: bytes
) -> None:
    assume(key.rstrip(b"\0") != other.rstrip(b"\0"))  # HMAC fills a short key up with noughts
    signed = sign(command, key)
    assert not signed_by(signed, {command.key: other})
    assert not signed_by(signed, {f"{command.key}2": key})
    assert not signed_by(signed, {})


@given(COMMANDS, KEYS)
def test_a_command_that_nobody_signed_is_not_signed(command: OperatorCommand, key: bytes) -> None:
    unsigned = msgspec.structs.replace(command, signature=b"")
    assert not signed_by(unsigned, {command.key: key})


def test_the_signature_is_rfc_2104_over_the_encoding_with_an_empty_one() -> None:
    command = OperatorCommand(
        id="c1",
        act="comment",
        table="BJ-01",
        alarm="0" * 32,
        code=None,
        by="ada",
        role="operator",
        pits=(),
        at=1_790_000_000_000_000,
        until=None,
        disposition=None,
        note="seen",
        key="console",
        signature=b"",
    )
    key = bytes(range(32))
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + CODEC.encode(command)).digest()
    outer = hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).digest()
    assert sign(command, key).signature == outer
