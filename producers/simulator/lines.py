"""Events as lines of JSON, fast: one object a line, UTF-8, as devices send them.

A floor repeats itself: the JSON of a body is kept, and only identity and time are written anew.
"""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import msgspec

from streams.core.events import Body, Event

KEPT_BODIES: Final = 65_536
"""Bodies whose JSON is kept: one of cards and positions is a few thousand, amounts are bounded."""


@lru_cache(maxsize=KEPT_BODIES)
def body_json(body: Body) -> str:
    """Return a body as the inside of a JSON object, ``kind`` first, without absent fields."""
    fields: dict[str, object] = {"kind": body.kind}
    for name in body.__slots__:
        value = getattr(body, name)
        if value is not None:
            fields[name] = value
    return msgspec.json.encode(fields).decode()[1:]


@lru_cache(maxsize=1024)
def second_text(second: int) -> str:
    """Return a second since the epoch as RFC 3339 up to the second."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def line(event: Event) -> bytes:
    """Return an event as one line, its time in UTC to the millisecond."""
    second, micro = divmod(event.at, 1_000_000)
    return (
        f'{{"table":"{event.table}","source":"{event.source}","boot":{event.boot},'
        f'"seq":{event.seq},"at":"{second_text(second)}.{micro // 1_000:03d}Z",'
        f"{body_json(event.body)}\n"
    ).encode()
