"""Signatures of records: of what they are made, and that nothing else bears them."""

import hmac

from hypothesis import given
from hypothesis import strategies as st

from schemas.keys import NamedKey
from schemas.record_signing import GATEWAY, KEY, SIGNATURE, RecordSigner, Signing, place_of

NAMES = st.from_regex(r"\A[A-Za-z0-9._-]{1,20}\Z")
PLACES = st.tuples(NAMES, st.integers(0, 1000), NAMES, NAMES)


def test_a_record_says_whose_it_is() -> None:
    key = NamedKey("east.1", b"k" * 32)
    headers = dict(RecordSigner("pitwatch.deals.v1", 7, "east", key).headers(b"value"))
    message = b"pitwatch.deals.v1\x007\x00east\x00east.1\x00value"
    assert headers == {
        GATEWAY: b"east",
        KEY: b"east.1",
        SIGNATURE: hmac.digest(b"k" * 32, message, "sha256"),
    }


@given(st.binary(min_size=16, max_size=128), st.binary(max_size=300), st.binary(max_size=300))
def test_it_is_the_mac_of_rfc_2104(key: bytes, place: bytes, value: bytes) -> None:
    signing = Signing(key, place)
    assert signing.of(value) == signing.of(value) == hmac.digest(key, place + value, "sha256")


@given(PLACES, st.binary(max_size=30), PLACES, st.binary(max_size=30))
def test_no_other_place_or_value_has_the_same_bytes_signed(
    place: tuple[str, int, str, str],
    value: bytes,
    other: tuple[str, int, str, str],
    other_value: bytes,
) -> None:
    same = place_of(*place) + value == place_of(*other) + other_value
    assert same == ((place, value) == (other, other_value))
