"""`make fuzz`: each target for some minutes; what breaks one is made small and kept.

`python -m tests.fuzz MINUTES [TARGET...]`. The exit status is 1 where something broke. A kept input
is tried by every run of the tests from then on.
"""

import logging
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.console_target import stop_console
from tests.fuzz.http_target import stop_http
from tests.fuzz.mutation import CORPORA, corpus, inputs
from tests.fuzz.targets import TARGETS

ROUND: Final = 500
"""Inputs between two looks at the clock."""


def keep(name: str, data: bytes) -> str:
    """Write an input into its target's corpus; return its file's name."""
    path = CORPORA / name / f"broke-{sha256(data).hexdigest()[:12]}.bin"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path.name


def round_of(name: str, count: list[int], last: list[bytes]) -> Callable[[], None]:
    """Return a function that tries some inputs of a target, with chance of its own."""

    @seed(secrets.randbits(64))
    @settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.target, Phase.shrink],
    )
    @given(data=inputs(name))
    def tried(data: bytes) -> None:
        count[0] += 1
        last[0] = data
        TARGETS[name].check(data)

    return tried


def fuzz(name: str, seconds: float) -> bool:
    """Try inputs of a target for so long, or until one breaks it; return whether none did."""
    count, last = [0], [b""]
    end = time.monotonic() + seconds
    try:
        for path in corpus(name):
            last[0] = path.read_bytes()
            TARGETS[name].check(last[0])
        while time.monotonic() < end:
            round_of(name, count, last)()
    except Exception:
        traceback.print_exc()
        print(f"{name}: broke after {count[0]} inputs, kept as {keep(name, last[0])}")
        return False
    print(f"{name}: {count[0]} inputs, none broke it", flush=True)
    return True


def main(arguments: list[str]) -> int:
    """Fuzz the named targets, or all, each for so many minutes; return the exit status."""
    minutes, *names = arguments
    # A spool says each damage that it finds, which is every one of these inputs'.
    logging.disable(logging.CRITICAL)
    whole = [fuzz(name, float(minutes) * 60) for name in names or TARGETS]
    stop_http()
    stop_console()
    return 0 if all(whole) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
