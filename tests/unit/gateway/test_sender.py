"""The sender, turn by turn, against a broker that is away, slow, forgetful or failing."""

import errno
import random
import threading
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from producers.gateway.entries import Accepted, Entry, Refused, encode_entry
from producers.gateway.publisher import BrokerAway, Record, Settled
from producers.gateway.sender import REST_SECONDS, RETRY_SECONDS, Destination, Sender
from producers.gateway.spool import Spool
from producers.gateway.window import IN_FLIGHT_OF_A_LANE, MOST_ENTRIES, ROOMY
from tests.crashing_files import Crash, CrashingFiles
from tests.gateway_harness import until

DESTINATION = Destination("deals", "dead", "gateway-7", "1.2.3")
STALL = 30.0
HOUR = 3600


@dataclass
class Broker:
    """A log, and what it was sent and has not written yet."""

    away: bool = False
    refuses: bool = False
    fails_and_refuses: bool = False
    lacks: str | None = None
    """A topic that is not there."""
    fails_topic: str | None = None
    """A topic whose records it does not take."""
    log: list[Record] = field(default_factory=list)
    pending: list[tuple[int, Record, Settled]] = field(default_factory=list)
    built: int = 0
    hung: int = 0

    def connect(self, settled: Settled) -> "BrokerProducer":
        if self.away:
            raise BrokerAway("no one is there")
        self.built += 1
        return BrokerProducer(self, settled, self.built)

    def write(self, count: int) -> None:
        """Write and acknowledge."""
        for number, record, settled in self.pending[:count]:
            self.log.append(record)
            settled(number, None)
        del self.pending[:count]

    def hang(self, count: int) -> None:
        """Write some, and say nothing more to anyone: no producer so far writes what follows."""
        self.hung = self.built
        self.log += [record for _, record, _ in self.pending[:count]]
        self.pending.clear()

    def fail(self, count: int) -> None:
        """Fail some; a producer that failed sends nothing more."""
        for number, _, settled in self.pending[:count]:
            settled(number, "it timed out")
        self.pending.clear()


@dataclass
class BrokerProducer:
    broker: Broker
    settled: Settled
    number: int

    def send(self, number: int, record: Record) -> None:
        if self.broker.fails_and_refuses:
            self.settled(number, "it is too large")
            raise BrokerAway("closed")
        if self.broker.refuses or record.topic == self.broker.lacks:
            raise BrokerAway("no metadata")
        if record.topic == self.broker.fails_topic:
            self.broker.pending.clear()
            self.settled(number, "it is not allowed")
            raise BrokerAway("closed")
        if self.number > self.broker.hung:
            self.broker.pending.append((number, record, self.settled))

    def abandon(self) -> None:
        self.broker.pending.clear()

    def close(self) -> None:
        self.broker.write(len(self.broker.pending))


@dataclass
class Counts:
    published_events: int = 0
    resent_entries: int = 0
    given_up_letters: int = 0
    spooled_entries: int = 0

    def published(self, events: int) -> None:
        self.published_events += events

    def resent(self, entries: int) -> None:
        self.resent_entries += entries

    def given_up(self, letters: int) -> None:
        self.given_up_letters += letters

    def spooled(self, entries: int) -> None:
        self.spooled_entries += entries


class Rig:
    """A spool, its sender, a broker and a clock that only the test moves."""

    def __init__(self, files: CrashingFiles | None = None, broker: Broker | None = None) -> None:
        self.files = files or CrashingFiles()
        self.broker = broker or Broker()
        self.now = 100.0
        self.counts = Counts()
        self.start()

    def start(self) -> None:
        self.spool = Spool(self.files, segment_bytes=2000)
        self.sender = Sender(
            self.spool,
            self.broker.connect,
            DESTINATION,
            self.counts,
            monotonic=lambda: self.now,
            stall_seconds=STALL,
        )

    def append(self, *entries: Entry) -> None:
        self.spool.append([encode_entry(entry) for entry in entries])

    def turn(self, seconds: float = 0.0) -> None:
        self.now += seconds
        self.sender.step()

    def drain(self) -> None:
        self.broker.away = self.broker.refuses = False
        for _ in range(500):
            self.turn(RETRY_SECONDS)
            self.broker.write(len(self.broker.pending))
            if self.sender.drained:
                return
        raise AssertionError("expected a drained spool, found it go on for ever")


def event(number: int, table: str = "CS-01") -> Accepted:
    value = b"%s %d" % (table.encode(), number)
    return Accepted(table, "gw-1", 1, number, 5, 7_000_000 + number, b"d" * 16, value)


def letter() -> Refused:
    return Refused("CS-01", 7_000_000, b"{", 1, "bad_line", "line", "a JSON object", "an end")


def numbers(log: list[Record], table: str = "CS-01") -> list[int]:
    key = table.encode()
    return [int(record.value.split()[1]) for record in log if record.key == key]


def test_events_go_out_keyed_by_table_at_the_time_they_were_received() -> None:
    rig = Rig()
    rig.append(event(1))
    rig.turn()
    rig.broker.write(1)
    assert rig.broker.log == [Record("deals", b"CS-01", b"CS-01 1", (), 7000)]
    rig.turn()
    assert rig.sender.drained
    assert rig.sender.oldest is None
    assert (rig.counts.published_events, rig.counts.spooled_entries) == (1, -1)


def test_a_refused_line_goes_to_the_dead_letters_with_its_bytes_and_why() -> None:
    rig = Rig()
    rig.append(
        Refused("CS-01", 7_000_000, b"{bad", 4, "bad_line", "line", "a JSON object", "an end"),
        Refused(None, 0, b"cut", 900, "spool_damage", "line", "a", "b"),
    )
    rig.turn()
    rig.broker.write(2)
    letter, cut = rig.broker.log
    assert (letter.topic, letter.key, letter.value, letter.timestamp) == (
        "dead",
        b"CS-01",
        b"{bad",
        7000,
    )
    assert dict(letter.headers) == {
        "__connect.errors.connector.name": b"gateway-7",
        "__connect.errors.task.id": b"0",
        "__connect.errors.class.name": b"schemas.ndjson.decode_line",
        "__connect.errors.exception.class.name": b"schemas.faults.LineFault",
        "__connect.errors.stage": b"VALUE_CONVERTER",
        "__connect.errors.exception.message": b"line: expected a JSON object, found an end",
        "pitwatch.reason": b"bad_line",
        "pitwatch.field": b"line",
        "pitwatch.expected": b"a JSON object",
        "pitwatch.found": b"an end",
        "pitwatch.version": b"1.2.3",
        "pitwatch.gateway": b"gateway-7",
    }
    assert (cut.key, cut.timestamp) == (None, None)
    assert dict(cut.headers)["pitwatch.length"] == b"900"
    rig.turn()
    assert rig.counts.published_events == 0
    assert rig.counts.spooled_entries == -2


def test_no_broker_is_asked_for_before_there_is_something_to_send_nor_too_often() -> None:
    rig = Rig(broker=Broker(away=True))
    rig.turn()
    assert rig.broker.built == 0
    rig.append(event(1))
    rig.turn()
    rig.broker.away = False
    rig.turn(RETRY_SECONDS / 2)
    assert rig.broker.built == 0
    assert rig.sender.oldest == event(1).received
    rig.turn(RETRY_SECONDS)
    assert rig.broker.built == 1
    assert rig.broker.pending


def test_a_failed_record_loses_the_producer_and_all_that_follows_goes_out_again_in_order() -> None:
    rig = Rig()
    rig.append(*[event(number) for number in range(1, 11)])
    rig.turn()
    rig.broker.write(3)
    rig.broker.fail(1)
    rig.turn()
    assert rig.broker.pending == []
    assert rig.counts.resent_entries == 7
    rig.append(event(11))
    rig.drain()
    assert numbers(rig.broker.log) == list(range(1, 12))
    assert rig.broker.built == 2


def test_a_producer_that_cannot_send_is_built_anew() -> None:
    rig = Rig()
    rig.append(event(1))
    rig.broker.refuses = True
    rig.turn()
    rig.broker.refuses = False
    rig.drain()
    assert numbers(rig.broker.log) == [1]
    assert rig.broker.built == 2


def test_the_reason_of_a_failure_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()
    rig.append(event(1))
    for _ in range(4):
        rig.turn(RETRY_SECONDS)
        rig.broker.fail(1)
    rig.broker.refuses = True
    rig.turn(RETRY_SECONDS)
    rig.turn(RETRY_SECONDS)
    assert caplog.messages.count("producer failed") == 2
    faults = [getattr(record, "fault", None) for record in caplog.records]
    assert faults == ["it timed out", "no metadata"]


def test_a_record_that_failed_before_says_why_the_producer_does_not_send(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rig = Rig()
    rig.append(event(1))
    rig.broker.fails_and_refuses = True
    rig.turn()
    assert [getattr(record, "fault", None) for record in caplog.records] == ["it is too large"]
    rig.broker.fails_and_refuses = False
    rig.drain()
    assert numbers(rig.broker.log) == [1]


@pytest.mark.parametrize("how", ["lacks", "fails_topic"])
def test_dead_letters_that_nobody_takes_do_not_hold_up_the_events(how: str) -> None:
    rig = Rig()
    setattr(rig.broker, how, "dead")
    rig.append(letter(), *[event(number) for number in range(1, 101)])
    for _ in range(6):
        rig.turn(RETRY_SECONDS)
        rig.broker.write(100)
    assert numbers(rig.broker.log) == list(range(1, 101))
    built = rig.broker.built
    for _ in range(3):
        rig.turn(REST_SECONDS)
        rig.turn(RETRY_SECONDS)
    assert built < rig.broker.built <= built + 3
    setattr(rig.broker, how, None)
    rig.turn(REST_SECONDS)
    rig.append(event(101))
    rig.drain()
    assert [record.value for record in rig.broker.log if record.topic == "dead"] == [b"{"]
    events = [record for record in rig.broker.log if record.topic == "deals"]
    assert numbers(events) == list(range(1, 102))


@pytest.mark.parametrize("how", ["lacks", "fails_topic"])
def test_dead_letters_that_nobody_takes_are_given_up_where_they_alone_fill_the_window(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig()
    setattr(rig.broker, how, "dead")
    rig.append(letter(), event(1))
    for _ in range(2 * MOST_ENTRIES // 16):
        rig.append(*[letter() for _ in range(16)])
    rig.append(event(2))
    turns = 0
    while len(rig.broker.log) < 2:
        rig.turn(RETRY_SECONDS)
        rig.broker.write(100)
        turns += 1
        assert turns < 100
    rig.turn()
    assert numbers(rig.broker.log) == [1, 2]
    given_up = rig.counts.given_up_letters
    kept = 2 * MOST_ENTRIES + 1 - given_up
    assert ROOMY <= kept <= MOST_ENTRIES
    assert rig.counts.spooled_entries == -2 - given_up
    assert [each.message for each in caplog.records].count("dead letters given up") == 1
    assert (rig.sender.oldest, rig.sender.oldest_event) == (7_000_000, None)
    rig.append(event(3))
    rig.turn()
    assert (rig.sender.oldest, rig.sender.oldest_event) == (7_000_000, event(3).received)
    setattr(rig.broker, how, None)
    rig.turn(REST_SECONDS)
    rig.drain()
    sent = [record for record in rig.broker.log if record.topic == "dead"]
    assert len(sent) == kept
    assert numbers([record for record in rig.broker.log if record.topic == "deals"]) == [1, 2, 3]
    assert getattr(caplog.records[-1], "given_up", None) == given_up


@pytest.mark.parametrize("behind", [0, 1])
def test_no_dead_letter_is_given_up_while_no_event_was_taken_since(behind: int) -> None:
    rig = Rig()
    rig.broker.refuses = True
    rig.append(*[letter() for _ in range(MOST_ENTRIES - behind)])
    rig.append(*[event(number) for number in range(1, 200)])
    for _ in range(100):
        rig.turn(RETRY_SECONDS)
    assert rig.counts.given_up_letters == 0
    rig.drain()
    assert len(rig.broker.log) == MOST_ENTRIES - behind + 199


def test_a_producer_that_hangs_is_replaced_when_the_broker_answers_and_only_then() -> None:
    rig = Rig()
    rig.append(*[event(number) for number in range(1, 4)])
    rig.turn()
    rig.broker.away = True
    rig.turn(STALL + 1)
    assert rig.counts.resent_entries == 0
    assert len(rig.broker.pending) == 3
    rig.broker.away = False
    rig.turn(STALL / 2)
    assert rig.broker.built == 1
    rig.turn(STALL)
    assert rig.broker.built == 2
    assert rig.counts.resent_entries == 3
    rig.drain()
    assert numbers(rig.broker.log) == [1, 2, 3]


@pytest.mark.parametrize("in_flight", [0, 5])
def test_an_hour_without_a_broker_gives_up_nothing_however_old(in_flight: int) -> None:
    rig = Rig()
    rig.append(*(event(number) for number in range(1, in_flight + 1)))
    rig.turn()
    rig.broker.hang(0)
    rig.broker.away = True
    built = rig.broker.built
    for number in range(in_flight + 1, in_flight + HOUR + 1):
        rig.append(event(number))
        rig.turn(1.0)
    assert rig.broker.built == built
    assert rig.broker.log == []
    assert rig.sender.oldest == 7_000_001
    rig.drain()
    assert numbers(rig.broker.log) == list(range(1, in_flight + HOUR + 1))
    assert rig.sender.oldest is None


def test_a_producer_with_nothing_in_flight_is_never_replaced() -> None:
    rig = Rig()
    rig.append(event(1))
    rig.turn()
    rig.broker.write(1)
    rig.turn()
    rig.turn(10 * STALL)
    rig.append(event(2))
    rig.turn(10 * STALL)
    rig.turn(STALL / 2)
    assert rig.broker.built == 1


def test_what_an_abandoned_producer_says_late_is_not_believed() -> None:
    rig = Rig()
    rig.append(event(1), event(2))
    rig.turn()
    (number, _, settled), _ = rig.broker.pending
    rig.broker.fail(1)
    rig.turn()
    settled(number, None)
    rig.drain()
    assert numbers(rig.broker.log) == [1, 2]


def test_done_segments_leave_the_disk_and_progress_is_synced_within_a_second() -> None:
    rig = Rig()
    for number in range(1, 200):
        rig.append(event(number))
    before = rig.spool.size
    rig.drain()
    rig.turn(2.0)
    assert rig.spool.size < before / 4
    assert rig.files.calls[-1] == ("sync", "progress")


def test_a_disk_that_does_not_take_the_progress_does_not_stop_publishing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    rig = Rig()
    rig.append(event(1), event(2))
    rig.turn()
    rig.files.overwrite_fault = True
    rig.broker.write(1)
    rig.turn()
    rig.broker.write(1)
    rig.turn()
    assert rig.sender.drained
    assert caplog.messages.count("progress not saved") == 1
    rig.files.overwrite_fault = False
    rig.sender.finish()
    rig.start()
    assert rig.sender.drained


def test_done_segments_leave_a_disk_that_has_no_room_for_the_progress() -> None:
    rig = Rig()
    for number in range(1, 200):
        rig.append(event(number))
    before = rig.spool.size
    rig.files.overwrite_fault = True
    rig.drain()
    rig.turn()
    assert rig.spool.size < before / 4
    rig.files.overwrite_fault = False
    rig.start()
    rig.drain()
    arrived = numbers(rig.broker.log)
    assert list(dict.fromkeys(arrived)) == list(range(1, 200))


def test_a_damaged_entry_has_no_age() -> None:
    rig = Rig(broker=Broker(away=True))
    rig.append(Refused(None, 0, b"cut", 3, "spool_damage", "line", "a", "b"))
    rig.turn()
    assert rig.sender.oldest is None
    rig.append(event(1))
    rig.turn()
    assert rig.sender.oldest == event(1).received


def test_what_the_disk_did_not_take_is_not_waited_for() -> None:
    rig = Rig()
    rig.append(event(1))
    rig.drain()
    rig.files.fault = OSError(errno.EIO, "input/output error")
    with pytest.raises(OSError, match="input/output"):
        rig.append(event(2))
    drained = [rig.sender.drained]
    rig.append(event(3))
    drained.append(rig.sender.drained)
    assert drained == [True, False]
    rig.drain()
    assert numbers(rig.broker.log) == [1, 3]


def test_an_end_that_was_hurried_is_not_put_off() -> None:
    asked, answered = threading.Event(), threading.Event()

    class Slow(Broker):
        def connect(self, settled: Settled) -> BrokerProducer:
            asked.set()
            assert answered.wait(30)
            return super().connect(settled)

    rig = Rig(broker=Slow())
    rig.append(event(1))
    rig.sender.start()
    assert asked.wait(30)
    rig.sender.hurry()
    stopping = threading.Thread(target=rig.sender.stop, args=(HOUR,), daemon=True)
    stopping.start()
    answered.set()
    # an hour of this clock, which stands, is for ever
    stopping.join(10)
    assert not rig.sender.alive


def test_a_spool_that_cannot_be_read_is_tried_again_after_a_pause_and_not_with_each_event(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Unreadable(CrashingFiles):
        unreadable = False

        def read(self, name: str, offset: int, count: int) -> bytes:
            if self.unreadable:
                raise OSError(errno.EIO, "input/output error")
            return super().read(name, offset, count)

    files = Unreadable()
    rig = Rig(files)
    rig.append(event(1))
    files.unreadable = True
    rig.sender.start()
    rig.sender.wake()
    until("the fault", lambda: caplog.messages)
    for _ in range(20):
        rig.sender.wake()
        until("the thread to see it", lambda: not rig.sender._wake.is_set())
    assert caplog.messages == ["publishing begins again"]
    files.unreadable = False
    rig.now += RETRY_SECONDS
    rig.sender.wake()
    until("the event to be sent", lambda: rig.broker.pending)
    rig.broker.write(1)
    rig.sender.stop(HOUR)
    assert numbers(rig.broker.log) == [1]


def test_finishing_waits_for_what_was_sent_and_saves_it() -> None:
    rig = Rig()
    rig.append(event(1))
    rig.turn()
    rig.sender.finish()
    assert rig.sender.drained
    rig.start()
    rig.turn(RETRY_SECONDS)
    assert rig.broker.built == 1


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 300)),
        st.tuples(st.just("turn"), st.sampled_from([0, 1, 40])),
        st.tuples(st.just("write"), st.integers(1, 200)),
        st.tuples(st.just("hang"), st.integers(1, 20)),
        st.tuples(st.just("fail"), st.integers(1, 20)),
        st.tuples(st.just("away"), st.booleans()),
        st.tuples(st.just("refuses"), st.booleans()),
        st.tuples(st.just("crash"), st.integers(0, 12)),
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=150)
@given(steps=STEPS, chance=st.randoms(use_true_random=False))
def test_whatever_happens_every_event_arrives_in_order_and_a_kill_repeats_few(
    steps: list[tuple[str, int]], chance: random.Random
) -> None:
    rig = Rig()
    count = 0
    for what, amount in steps:
        match what:
            case "append":
                entries = [
                    event(count + each, f"T-{(count + each) % 2}") for each in range(1, amount + 1)
                ]
                rig.append(*entries)
                count += amount
            case "turn":
                rig.turn(amount)
            case "write":
                rig.broker.write(amount)
            case "hang":
                rig.broker.hang(amount)
            case "fail":
                rig.broker.fail(amount)
            case "away":
                rig.broker.away = bool(amount)
            case "refuses":
                rig.broker.refuses = bool(amount)
            case _:
                crash(rig, amount, chance)
    rig.drain()
    for table in ("T-0", "T-1"):
        arrived = numbers(rig.broker.log, table)
        first_times = list(dict.fromkeys(arrived))
        assert first_times == [each for each in range(1, count + 1) if f"T-{each % 2}" == table]
        assert all(goes_back <= IN_FLIGHT_OF_A_LANE for goes_back in setbacks(arrived))


def crash(rig: Rig, after: int, chance: random.Random) -> None:
    """Kill the process after some operations of the disk, or at the latest after ten turns."""
    rig.files.steps = after
    try:
        for _ in range(10):
            rig.turn(RETRY_SECONDS)
            rig.broker.write(300)
    except Crash:
        pass
    rig.broker.pending.clear()
    rig.files = rig.files.crash(chance, power=False)
    rig.start()


def setbacks(arrived: list[int]) -> list[int]:
    """Return how many events of the table each step back repeats, at most."""
    seen: list[int] = []
    steps = []
    for number in arrived:
        if number in seen:
            steps.append(len(seen) - seen.index(number))
        else:
            seen.append(number)
    return steps
