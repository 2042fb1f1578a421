from producers.gateway.identities import Identities


def remembered(identities: Identities, source: str, seqs: range) -> None:
    for seq in seqs:
        identities.remember("CS-01", source, 1, seq, b"%d" % seq)


def known(identities: Identities, source: str, seqs: range) -> list[int]:
    return [seq for seq in seqs if identities.known("CS-01", source, 1, seq) == b"%d" % seq]


def test_the_last_of_each_source_are_known() -> None:
    identities = Identities(most_of_a_source=64)
    remembered(identities, "a", range(1, 101))
    remembered(identities, "b", range(1, 11))
    assert known(identities, "a", range(1, 101)) == list(range(37, 101))
    assert known(identities, "b", range(1, 101)) == list(range(1, 11))


def test_the_source_that_was_silent_longest_is_forgotten_first() -> None:
    identities = Identities(most_sources=2)
    for source in ("a", "b", "a", "c"):
        remembered(identities, source, range(1, 3))
    assert known(identities, "a", range(1, 3)) == [1, 2]
    assert known(identities, "b", range(1, 3)) == []
    assert known(identities, "c", range(1, 3)) == [1, 2]


def test_an_identity_keeps_what_it_said_first() -> None:
    identities = Identities()
    identities.remember("CS-01", "a", 1, 1, b"first")
    identities.remember("CS-01", "a", 1, 1, b"second")
    assert identities.known("CS-01", "a", 1, 1) == b"first"
    assert identities.known("CS-02", "a", 1, 1) is None
    assert identities.known("CS-01", "a", 2, 1) is None
