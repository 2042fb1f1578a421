"""Boot and seq: what makes an event's identity one that no other event ever had.

| file `boot` in the folder | the next boot is |
|---|---|
| has the last boot | one more, or the time in seconds since 1970 if that is more |
| is absent or damaged: a new disk, a new device | the time in seconds since 1970 |

So a boot is higher than all before it if the file survived or the clock is right. A client that
has neither may give an identity a second time, and its events are then set aside as late: a device
whose disk is replaced must have its clock set before it starts.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from producers.client.disk import read_file, replace_file

BOOT: Final = "boot"
SAFE_INT: Final = 2**53 - 1


def wall_seconds() -> int:
    """Return the time in whole seconds since 1970-01-01 UTC."""
    return int(time.time())


def next_boot(folder: Path, seconds: Callable[[], int] = wall_seconds) -> int:
    """Return this start's boot, which is on the disk before any event has it.

    Raises:
        OSError: the disk does not read or write; without a boot on it no event may be sent.
    """
    values = read_file(folder / BOOT) or {}
    last = values.get("boot", 0)
    last = last if isinstance(last, int) and 0 <= last < SAFE_INT else 0
    boot = max(last + 1, seconds(), 1)
    replace_file(folder / BOOT, {"boot": boot})
    return boot
