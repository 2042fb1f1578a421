from hypothesis import given
from hypothesis import strategies as st

from streams.shell.lease import MARGIN, STATIC_SECONDS, Answer, Lease, Seat, boot_seconds

SEAT = Seat(4, "worker-1")


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


def lease(clock: Hands) -> Lease:
    made = Lease(10.0, clock)
    made.assign(SEAT)
    return made


def test_nothing_may_be_written_before_a_heartbeat() -> None:
    assert lease(Hands()).check(SEAT) is Answer.WAIT


def test_writing_is_allowed_until_the_margin_of_the_session() -> None:
    clock = Hands()
    held = lease(clock)
    held.renew(held.now())
    clock.at += 10.0 - MARGIN
    assert held.check(SEAT) is Answer.WRITE
    clock.at += 0.001
    assert held.check(SEAT) is Answer.WAIT


def test_a_static_members_lease_is_short_though_its_session_is_not() -> None:
    clock = Hands()
    held = Lease(10.0, clock, static=True)
    held.assign(SEAT)
    held.renew(held.now())
    clock.at += STATIC_SECONDS - MARGIN
    assert held.check(SEAT) is Answer.WRITE
    clock.at += 0.001
    assert held.check(SEAT) is Answer.WAIT
    assert held.left() > 8


def test_who_takes_a_static_seat_waits_once_until_the_lease_of_who_had_it_is_over() -> None:
    held = Lease(10.0, Hands(), static=True)
    assert held.take_over() == STATIC_SECONDS
    held.assign(SEAT)
    assert held.take_over() == 0
    assert Lease(1.0, Hands(), static=True).take_over() == 1.0
    assert Lease(10.0, Hands()).take_over() == 0


def test_the_lease_counts_from_when_the_heartbeat_was_sent() -> None:
    clock = Hands()
    held = lease(clock)
    sent = held.now()
    clock.at += 9.9
    held.renew(sent)
    assert held.check(SEAT) is Answer.WAIT


def test_a_heartbeat_after_a_wait_lets_it_write_again() -> None:
    clock = Hands()
    held = lease(clock)
    held.renew(held.now())
    clock.at += 60
    assert held.check(SEAT) is Answer.WAIT
    held.renew(held.now())
    assert held.check(SEAT) is Answer.WRITE


def test_another_generation_or_member_has_lost_its_seat() -> None:
    held = lease(Hands())
    held.renew(held.now())
    assert held.check(Seat(-1, "")) is Answer.LOST
    assert held.check(Seat(5, "worker-1")) is Answer.LOST
    assert held.check(Seat(4, "worker-2")) is Answer.LOST


def test_without_an_assignment_there_is_no_seat() -> None:
    assert Lease(10.0, Hands()).check(SEAT) is Answer.LOST


@given(st.lists(st.tuples(st.floats(0, 30), st.booleans()), max_size=30))
def test_no_write_later_than_a_session_after_the_last_heartbeat(
    steps: list[tuple[float, bool]],
) -> None:
    clock = Hands()
    held = lease(clock)
    last = None
    for seconds, beats in steps:
        clock.at += seconds
        if beats:
            last = held.now()
            held.renew(last)
        if held.check(SEAT) is Answer.WRITE:
            assert last is not None
            assert clock.at - last <= 10.0 - MARGIN + 1e-6


def test_the_clock_runs() -> None:
    assert boot_seconds() <= boot_seconds()
