import errno
import math

import pytest

from producers.gateway.committer import Bounds, Committer, DiskFault, Full, Outcome, Stored
from producers.gateway.entries import Accepted, Entry, Merged, Refused
from producers.gateway.merge import Merger
from producers.gateway.spool import Spool, SpoolReader
from tests.crashing_files import CrashingFiles

HOLD = 0.15


def event(source: str, at: int) -> Accepted:
    return Accepted("CS-01", source, 1, 1, at, 1, b"", b"value")


class Rig:
    """A committer without its thread over a modelled disk."""

    def __init__(self, size: int = 1_000_000) -> None:
        self.files = CrashingFiles()
        self.spool = Spool(self.files, segment_bytes=1_000_000)
        self.stored: list[int] = []
        self.outcomes: list[Outcome] = []
        self.committer = Committer(
            self.spool,
            Bounds(size, 3600.0),
            Merger(HOLD),
            oldest=lambda: None,
            clock=lambda: 0,
            stored=lambda entries, _seconds: self.stored.append(entries),
        )

    def submit(self, *entries: Entry) -> None:
        self.committer.submit(entries, self.outcomes.append)

    def entries(self) -> list[Entry]:
        reader = SpoolReader(self.spool)
        entries: list[Entry] = []
        while batch := reader.read():
            entries += [entry for _, entry in batch]
        return entries


def test_requests_that_gathered_share_one_sync() -> None:
    rig = Rig()
    for at in range(5):
        rig.submit(event("a", at), Refused(None, 1, b"{", 1, "bad_line", "line", "x", "y"))
    rig.committer.turn(0.0)
    assert rig.outcomes == [Stored()] * 5
    assert rig.stored == [10]
    assert [call for call, _ in rig.files.calls].count("sync") == 1
    assert len(rig.entries()) == 10


def test_a_request_that_finds_no_room_is_told_and_a_smaller_one_is_taken() -> None:
    rig = Rig(size=300)
    rig.submit(*[event("a", at) for at in range(10)])
    rig.submit(event("a", 10))
    rig.committer.turn(0.0)
    full, stored = rig.outcomes
    assert isinstance(full, Full)
    assert stored == Stored()
    assert rig.entries() == [event("a", 10)]


def test_a_decision_is_written_when_it_is_due_without_a_request() -> None:
    rig = Rig()
    rig.submit(event("a", 10), event("b", 30), event("a", 20))
    rig.committer.turn(0.0)
    assert [isinstance(entry, Accepted) and entry.held for entry in rig.entries()] == [
        False,
        True,
        True,
    ]
    rig.committer.turn(HOLD)
    assert rig.entries()[-1] == Merged((3, 2))
    assert rig.stored == [3, 0]


@pytest.mark.parametrize("where", ["append", "sync"])
def test_a_decision_that_the_disk_did_not_take_is_made_again(where: str) -> None:
    rig = Rig()
    rig.submit(event("a", 10), event("b", 30), event("a", 20))
    rig.committer.turn(0.0)
    fault = OSError(errno.EIO, "input/output error")
    if where == "append":
        rig.files.fault = fault
    else:
        rig.files.sync_fault = fault
    rig.submit(event("b", 15))
    rig.committer.turn(HOLD)
    assert rig.outcomes == [Stored(), DiskFault("[Errno 5] input/output error")]
    assert rig.committer.fault is not None
    rig.committer.turn(HOLD)
    assert rig.entries()[-1] == Merged((3, 2))
    assert rig.committer.fault is None


def test_everything_held_is_decided_at_the_end() -> None:
    rig = Rig()
    rig.submit(event("a", 10), event("b", 30), event("a", 20))
    rig.committer.turn(0.0)
    rig.committer.turn(math.inf)
    assert rig.entries()[-1] == Merged((3, 2))


def test_the_thread_writes_what_comes_and_what_is_held_and_ends_when_closed() -> None:
    rig = Rig()
    rig.committer.start()
    alive = rig.committer.alive
    rig.submit(event("a", 10), event("b", 30), event("a", 20))
    rig.submit(event("b", 40))
    rig.committer.close()
    assert (alive, rig.committer.alive) == (True, False)
    assert rig.outcomes == [Stored(), Stored()]
    decided = [entry.positions for entry in rig.entries() if isinstance(entry, Merged)]
    assert [position for positions in decided for position in positions] == [3, 2, 4]
    with pytest.raises(RuntimeError, match="found it closed"):
        rig.submit(event("a", 50))
