"""The faults that a worker is held against, a row each; `tests.faults.run` does and judges them.

Each begins with workers that judge a backlog while more comes. Whatever is done, the states, the
findings and the rounds must be those of a floor where nothing failed, nothing may be committed
that was not acknowledged, and no lag may be left.
"""

from dataclasses import dataclass
from typing import Final

from streams.shell.ending import SEAT_LOST
from tests.faults.steps import (
    Step,
    accept,
    all_judged,
    audit,
    ended,
    freeze_broker,
    freeze_broker_under_a_write,
    kill,
    kill_broker,
    pause,
    ready,
    refuse,
    said,
    seconds,
    start,
    start_broker,
    taken_over,
    terminate,
    thaw_broker,
    wake,
    write_old_states,
)

ONE: Final = ("a",)
TWO: Final = ("a", "b")

FREEZE_SECONDS: Final = 20.0
"""Twice a session."""

PRODUCE_SECONDS: Final = 8.0
"""How long a write waits for its acknowledgement where the broker is frozen for longer."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        name: what it is called in the report and in the tests.
        steps: what is done, in order.
        workers: those that run before it.
        static: whether they are static members.
        options: their options beyond the usual ones.
        proxied: whether a proxy stands between them and the broker.
        repeats: whether effects may be written a second time.
        backwards: whether it writes older states over newer ones itself.
        worst: whether it is one of those that `make test` runs too.
    """

    name: str
    steps: tuple[Step, ...]
    workers: tuple[str, ...] = ONE
    static: bool = False
    options: tuple[str, ...] = ()
    proxied: bool = False
    repeats: bool = True
    backwards: bool = False
    worst: bool = False


KILLED: Final = (kill("a"), start("a"), audit, all_judged)
TOLD: Final = (terminate("a"), start("a"), audit, all_judged)
ASLEEP: Final = (pause("a"), taken_over("b"), audit, wake("a"), audit)
COMES: Final = (start("b"), ready("b"), audit)

FAULTS: Final = (
    Fault("sigkill, one worker, dynamic", KILLED),
    Fault("sigkill, one worker, static", 2 * KILLED, static=True),
    Fault("sigkill, one of two workers, dynamic", KILLED, TWO),
    Fault("sigkill, one of two workers, static", 2 * KILLED, TWO, static=True),
    Fault(
        "sigkill, both workers, static",
        (kill("a"), kill("b"), start("a"), start("b"), audit, all_judged),
        TWO,
        static=True,
    ),
    Fault("sigterm, one worker, dynamic", TOLD, repeats=False),
    Fault("sigterm, one worker, static", TOLD, static=True, repeats=False),
    Fault("sigterm, one of two workers, dynamic", TOLD, TWO, repeats=False),
    Fault("a worker joins", COMES, repeats=False),
    Fault("a worker leaves", (terminate("b"), audit, all_judged), TWO, repeats=False),
    Fault(
        "workers join and leave in turn",
        (*COMES, terminate("b"), *COMES, kill("b"), audit, *COMES, terminate("a"), audit),
        worst=True,
    ),
    Fault("sigstop past the session, dynamic", ASLEEP, TWO, worst=True),
    Fault("sigstop past the session, static", ASLEEP, TWO, static=True),
    Fault(
        "two processes with one id",
        (
            *(start("twin", "a"), ended("a", SEAT_LOST), audit),
            *(start("a"), ended("twin", SEAT_LOST), audit),
        ),
        static=True,
        worst=True,
    ),
    Fault(
        "older states over newer ones",
        (
            *(kill("a"), audit, write_old_states, start("a")),
            said("a", "older states stood over newer ones and were replaced"),
        ),
        static=True,
        backwards=True,
    ),
    Fault("broker sigkill and restart", (kill_broker, start_broker, audit), TWO, worst=True),
    Fault(
        "broker frozen for 20 s",
        (freeze_broker, seconds(FREEZE_SECONDS), thaw_broker, audit),
        TWO,
        static=True,
    ),
    Fault(
        "broker frozen past the produce timeout",
        (freeze_broker_under_a_write("a", PRODUCE_SECONDS), thaw_broker, audit),
        static=True,
        options=("--produce", f"{PRODUCE_SECONDS}"),
        worst=True,
    ),
    Fault(
        "connections refused",
        (refuse, seconds(FREEZE_SECONDS), accept, audit),
        TWO,
        proxied=True,
    ),
)
"""All of them, in the order of the report."""
