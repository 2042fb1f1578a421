"""Times on the command line: in UTC, or how long ago."""

import re
import time
from typing import Final

import click

from schemas.times import parse_time

_DURATION: Final = re.compile(r"(\d{1,6})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


class Moment(click.ParamType):
    """A time in UTC, or how long ago; microseconds since 1970-01-01 UTC."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the time."""
        if isinstance(value, int):
            return value
        text = str(value)
        ago = _DURATION.fullmatch(text)
        at = parse_time(text)
        if ago is not None:
            at = time.time_ns() // 1000 - int(ago[1]) * _SECONDS[ago[2]] * 1_000_000
        if at is None:
            self.fail(
                f"expected 2026-11-30T12:00:00Z, or how long ago, such as 90m, found {text!r}",
                param,
                ctx,
            )
        return at
