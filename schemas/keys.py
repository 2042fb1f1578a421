"""Named secret keys, and the file that holds them.

| a line of the file | is |
|---|---|
| ``NAME:HEX`` | a key: its name, and 16 to 128 bytes in hexadecimal |
| blank, or begun with ``#`` | nothing |

A name stands once; several keys are valid at once, so that one can be replaced by another while
both are known. Neither a representation nor a fault shows any of a key.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MOST_KEYS: Final = 4096
LARGEST_FILE: Final = 2 * 1024 * 1024
KEY_NAME_WORDS: Final = "a name of 1 to 64 of A-Z a-z 0-9 . _ -"
KEY_WORDS: Final = f"NAME:HEX, {KEY_NAME_WORDS} and a key of 32 to 256 hexadecimal digits"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_NAMED_KEY: Final = re.compile(r"([A-Za-z0-9._-]{1,64}):((?:[0-9A-Fa-f]{2}){16,128})")


class KeyFault(ValueError):
    """A file of keys cannot be used."""


@dataclass(frozen=True, slots=True)
class NamedKey:
    """A key and the name it is known by."""

    name: str
    key: bytes = field(repr=False)


def is_key_name(text: str) -> bool:
    """Say whether a text may be a key's name."""
    return _NAME.fullmatch(text) is not None


def read_key(text: str) -> NamedKey | None:
    """Return the key that a text is, or nothing where it is none."""
    match = _NAMED_KEY.fullmatch(text)
    return None if match is None else NamedKey(match[1], bytes.fromhex(match[2]))


def parse_keys(data: bytes) -> tuple[NamedKey, ...]:
    """Return the keys of a file's content, in order; there is at least one.

    Raises:
        KeyFault: a line is no key, or a name or a key stands twice.
    """
    keys: dict[str, NamedKey] = {}
    secrets: set[bytes] = set()
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        key = read_key(text)
        if key is None:
            raise KeyFault(f"line {number}: expected {KEY_WORDS}, found something else")
        if key.name in keys:
            raise KeyFault(f"line {number}: expected each name once, found {key.name} again")
        if key.key in secrets:
            raise KeyFault(
                f"line {number}: expected each key once, found that of {key.name} under another "
                "name too; make a key for each"
            )
        secrets.add(key.key)
        keys[key.name] = key
    if not 1 <= len(keys) <= MOST_KEYS:
        raise KeyFault(f"expected 1 to {MOST_KEYS} keys, found {len(keys)}; write {KEY_WORDS}")
    return tuple(keys.values())


def load_keys(path: Path) -> tuple[NamedKey, ...]:
    """Return the keys of a file, in order.

    Raises:
        KeyFault: it holds what it may not.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise KeyFault(f"expected at most {LARGEST_FILE} bytes, found more")
    return parse_keys(data)


def by_name(keys: Iterable[NamedKey]) -> Mapping[str, bytes]:
    """Return keys by their names."""
    return {each.name: each.key for each in keys}


def key_line(key: NamedKey) -> str:
    """Return the line of a file that holds a key."""
    return f"{key.name}:{key.key.hex()}\n"
