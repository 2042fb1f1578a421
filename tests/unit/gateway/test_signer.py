"""A gateway signs with the key of the moment, and remembers no more than its partitions."""

from producers.gateway.signer import Signer
from schemas.keys import NamedKey
from schemas.record_signing import KEY, SIGNATURE, Signing, place_of


def test_the_key_of_the_moment_signs_and_old_ones_are_forgotten() -> None:
    keys = [NamedKey("a", b"a" * 32), NamedKey("b", b"b" * 32)]
    now = [keys[0]]
    signer = Signer("gw-1", lambda: now[0])
    for key in (*keys, keys[0]):
        now[0] = key
        for partition in (0, 1, 0):
            headers = dict(signer.headers("deals", partition, b"value"))
            place = place_of("deals", partition, "gw-1", key.name)
            assert headers[KEY] == key.name.encode()
            assert headers[SIGNATURE] == Signing(key.key, place).of(b"value")
        assert len(signer._signers) == 2
    assert "a" * 32 not in repr(signer) + repr(signer._signers)
