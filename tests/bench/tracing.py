"""What tracing costs where no collector is named: judging with its hooks, and without them.

The side without is the same source with the hooks' text taken out, so that nothing but them is
between the two. Both judge each batch one right after the other, some times over, and the middle of
all these pairs counts: what the machine does besides meets both sides of a pair alike.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Final

from streams.core.events import Event
from streams.shell import pipeline as hooked
from streams.shell.pipeline import Pipeline
from streams.shell.ports import OutputRecord
from streams.shell.rights import FixedRights
from streams.shell.store import TableStore
from tests.bench.rows import Row, Sizes
from tests.bench.workload import floor_events
from tests.shell_models import TOPICS, Record, StillClock, as_records, book, still_poison

BATCH: Final = 500
"""Small, so that the turns of one batch stand close together in time."""

TURNS: Final = 9
EVENTS: Final = 15_000

HOOKS: Final = {
    "streams.shell.alarming": (("context.of_alarm(effect.alarm)", "()", 1),),
    "streams.shell.pipeline": (
        ("context = traced(step, records, self._trace)", "context = None", 1),
        ("context.of(cause)", "()", 2),
    ),
}
"""What tracing has put into each module: the text, what stands there without, and how often."""


class NoLog:
    """Acknowledges at once and keeps nothing."""

    async def publish(self, records: Sequence[OutputRecord]) -> None:
        """Take records."""


def without_hooks() -> ModuleType:
    """Return the pipeline's module as it would be if nothing were ever traced."""
    made = {name: _changed(name, changes) for name, changes in HOOKS.items()}
    pipeline = made["streams.shell.pipeline"]
    vars(pipeline)["Alarming"] = vars(made["streams.shell.alarming"])["Alarming"]
    return pipeline


def _changed(name: str, changes: tuple[tuple[str, str, int], ...]) -> ModuleType:
    """Return a module made of changed source; a hook that moved is a fault of this file."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    for text, instead, times in changes:
        assert source.count(text) == times, f"{name}: expected {times} times {text!r}"
        source = source.replace(text, instead)
    module = ModuleType(f"{name}_without_tracing")
    sys.modules[module.__name__] = module  # where its dataclasses look for their module
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  our own source
    return module


def _pipeline(module: ModuleType) -> Pipeline:
    made: type[Pipeline] = vars(module)["Pipeline"]
    return made(
        book=book(),
        topics=TOPICS,
        store=TableStore(),
        publisher=NoLog(),
        clock=StillClock(),
        version="bench",
        poison=still_poison(),
        rights=FixedRights(),
    )


def tracing(sizes: Sizes) -> list[Row]:
    """Return how fast a worker judges with tracing switched off, beside judging without it."""
    events = floor_events(sizes.tables, min(EVENTS, sizes.events))
    gc.disable()  # a collection in one of the turns is more than all the hooks
    try:
        ratio = asyncio.run(_beside(events))
    finally:
        gc.enable()
    limit = f"{1 - ratio:+.1%} of the time, of which about 0.5 % is chance"
    return [Row("tracing switched off", ratio, "x judging without its hooks", 0.97, limit=limit)]


async def _beside(events: Sequence[Event]) -> float:
    """Return the speed with the hooks beside that without."""
    sides = _pipeline(hooked), _pipeline(without_hooks())
    ratios = []
    for start in range(0, len(events), BATCH):
        batch = as_records(events[start : start + BATCH], first=start)
        for turn in range(TURNS):
            took = [0.0, 0.0]
            for side in (turn % 2, 1 - turn % 2):
                took[side] = _seconds(sides[side], batch)
            with_hooks, without = took
            ratios.append(without / with_hooks)
        for each in sides:
            await each.process([batch])
        gc.collect()
    return median(ratios)


def _seconds(pipeline: Pipeline, batch: Sequence[Record]) -> float:
    """Return the processor time of judging a batch; nothing is written and nothing changes."""
    began = time.process_time()
    pipeline.judge([batch])
    return time.process_time() - began
