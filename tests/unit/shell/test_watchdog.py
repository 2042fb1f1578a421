import threading

from streams.shell.ending import STALLED
from streams.shell.watchdog import Beat, Verdict, Watchdog, verdict


def test_half_the_limit_is_stalled_and_the_whole_is_dead() -> None:
    assert verdict(0, 60) is Verdict.WELL
    assert verdict(29.9, 60) is Verdict.WELL
    assert verdict(30, 60) is Verdict.STALLED
    assert verdict(60, 60) is Verdict.DEAD


def test_a_worker_without_progress_is_ended_once() -> None:
    ended = threading.Event()
    statuses = []

    def end(status: int) -> None:
        statuses.append(status)
        ended.set()

    watchdog = Watchdog(lambda: 5.0, 0.04, end)
    watchdog.start()
    assert ended.wait(10)
    assert statuses == [STALLED]


def test_a_worker_that_is_stopping_is_left_alone() -> None:
    statuses: list[int] = []
    watchdog = Watchdog(lambda: 5.0, 400.0, statuses.append)
    watchdog.start()
    watchdog.stop()
    assert watchdog.verdict() is Verdict.WELL
    assert statuses == []


def test_a_beat_has_an_age() -> None:
    at = [10.0]
    beat = Beat(lambda: at[0])
    at[0] = 12.5
    assert beat.age() == 2.5
    beat.mark()
    assert beat.age() == 0
