"""Files of keys: what they may hold, and that a key is shown nowhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import keys as module
from schemas.keys import KeyFault, NamedKey, by_name, key_line, load_keys, parse_keys, read_key

KEY = "0f" * 32
NAMES = st.from_regex(r"\A[A-Za-z0-9._-]{1,64}\Z")
KEYS = st.lists(
    st.builds(NamedKey, NAMES, st.binary(min_size=16, max_size=128)),
    min_size=1,
    max_size=5,
    unique_by=(lambda each: each.name, lambda each: each.key),
)


@given(KEYS)
def test_what_is_written_is_read(keys: list[NamedKey]) -> None:
    text = "# the floor's\n\n" + "".join(map(key_line, keys)).replace("\n", "  \r\n")
    assert list(parse_keys(text.encode())) == keys
    assert by_name(keys) == {each.name: each.key for each in keys}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "expected 1 to 4096 keys, found 0"),
        (b"# none\n", "expected 1 to 4096 keys, found 0"),
        (b"east:00", "line 1: expected NAME:HEX"),
        (f"a:{KEY}\nb {KEY}".encode(), "line 2: expected NAME:HEX"),
        (f"a:{KEY}\na:{KEY}00".encode(), "line 2: expected each name once, found a again"),
        (f"a:{KEY}\nb:{KEY}".encode(), "line 2: expected each key once, found that of b"),
        (b"\xff" * 10, "line 1: expected NAME:HEX"),
    ],
)
def test_what_is_no_file_of_keys_is_said_by_its_line_and_not_shown(
    content: bytes, said: str
) -> None:
    with pytest.raises(KeyFault) as caught:
        parse_keys(content)
    assert str(caught.value).startswith(said)
    assert KEY not in str(caught.value)


def test_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "keys"
    file.write_text(f"a:{KEY}\n")
    assert load_keys(file) == (NamedKey("a", bytes.fromhex(KEY)),)
    monkeypatch.setattr(module, "LARGEST_FILE", 10)
    with pytest.raises(KeyFault, match="at most 10 bytes"):
        load_keys(file)


@given(st.text(max_size=200))
def test_any_text_is_a_key_or_none(text: str) -> None:
    key = read_key(text)
    assert key is None or read_key(key_line(key).strip()) == key


def test_a_key_is_in_no_repr() -> None:
    key = NamedKey("east", b"0123456789abcdef")
    assert repr(key) == "NamedKey(name='east')"
