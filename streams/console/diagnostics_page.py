"""The diagnostics page as values: workers, gateways, historian, console, topics, schemas.

Pure functions of what processes say of themselves and of the live floor; what is not known is a
dash, never a nought.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.catalog import SUBJECTS
from schemas.times import MICROS_IN_SECOND
from streams.console.live.floor import LiveFloor
from streams.console.watching import Process
from streams.console.wording import NOTHING, age_words, words


@dataclass(frozen=True, slots=True)
class Line:
    """One process as a row: its name, what is wrong with it if anything is, its figures."""

    name: str
    fault: str | None
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SchemaLine:
    """One record: its topic, its versions, and the newest one's fingerprint and promise."""

    name: str
    topic: str
    versions: str
    fingerprint: str
    promise: str


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The whole page."""

    workers: tuple[Line, ...]
    gateways: tuple[Line, ...]
    historians: tuple[Line, ...]
    silent: tuple[Line, ...]
    lag: tuple[tuple[str, str], ...]
    dead_letters: tuple[tuple[str, str], ...]
    console: tuple[tuple[str, str], ...]
    schemas: tuple[SchemaLine, ...]


def figure(value: float | None) -> str:
    """Return a figure as a whole number with its thousands, a dash where it is not known."""
    return NOTHING if value is None else f"{value:,.0f}"


def since(value: float | None, now: int) -> str:
    """Return how long ago a time in seconds was; one that is nought or not known is a dash."""
    return age_words(now - int(value * MICROS_IN_SECOND)) if value else NOTHING


def diagnostics(
    processes: Sequence[Process], floor: LiveFloor, *, clients: int, frames: int, now: int
) -> Diagnostics:
    """Return the page.

    Args:
        processes: What was said by those whose addresses the console has.
        floor: The live floor.
        clients: Live pages.
        frames: Frames made since the console's start.
        now: The time it is, microseconds.
    """
    by_kind: dict[str, list[Process]] = {}
    for process in processes:
        kind = "silent" if process.fault is not None else process.kind
        by_kind.setdefault(kind, []).append(process)
    workers = by_kind.get("worker", [])
    return Diagnostics(
        workers=tuple(_worker(each, now) for each in workers),
        gateways=tuple(_gateway(each, now) for each in by_kind.get("gateway", [])),
        historians=tuple(_historian(each, now) for each in by_kind.get("historian", [])),
        silent=tuple(
            Line(each.name, each.fault or "is none of Pitwatch's", ())
            for each in (*by_kind.get("silent", []), *by_kind.get("unknown", []))
        ),
        lag=tuple(_lag(workers)),
        dead_letters=tuple(_dead_letters(workers)),
        console=_console(floor, clients, frames, now),
        schemas=tuple(_schemas()),
    )


def _state(process: Process) -> str:
    states = process.by("pitwatch_worker_state", "state")
    return next((words(state) for state, value in states.items() if value == 1), NOTHING)


def _version(process: Process) -> str:
    versions = process.by("pitwatch_build_info", "version")
    return next(iter(versions), NOTHING)


def _worker(each: Process, now: int) -> Line:
    lag = each.by("pitwatch_partition_lag_events", "partition")
    return Line(
        each.name,
        None,
        (
            _state(each),
            str(len(lag)) if lag else NOTHING,
            figure(each.total("pitwatch_partition_lag_events")),
            since(each.one("pitwatch_progress_timestamp_seconds"), now),
            figure(each.total("pitwatch_events_total")),
            figure(each.total("pitwatch_findings_total")),
            figure(each.total("pitwatch_dead_letters_total")),
            _version(each),
        ),
    )


def _gateway(each: Process, now: int) -> Line:
    oldest = since(each.one("pitwatch_gateway_oldest_spooled_timestamp_seconds"), now)
    return Line(
        each.name,
        None,
        (
            figure(each.total("pitwatch_gateway_accepted_total")),
            figure(each.total("pitwatch_gateway_published_total")),
            figure(each.total("pitwatch_gateway_rejected_total")),
            figure(each.one("pitwatch_gateway_spooled_events")),
            oldest,
            _version(each),
        ),
    )


def _historian(each: Process, now: int) -> Line:
    return Line(
        each.name,
        None,
        (
            figure(each.total("pitwatch_historian_lag_events")),
            since(each.one("pitwatch_historian_commit_timestamp_seconds"), now),
            figure(each.total("pitwatch_historian_rows_total")),
            figure(each.total("pitwatch_historian_missed_events_total")),
            _version(each),
        ),
    )


def _lag(workers: Iterable[Process]) -> Iterable[tuple[str, str]]:
    found: dict[str, float] = {}
    for each in workers:
        found.update(each.by("pitwatch_partition_lag_events", "partition"))
    for partition in sorted(found, key=lambda text: (len(text), text)):
        yield partition, figure(found[partition])


def _dead_letters(workers: Iterable[Process]) -> Iterable[tuple[str, str]]:
    found: dict[str, float] = {}
    for each in workers:
        for reason, value in each.by("pitwatch_dead_letters_total", "reason").items():
            found[reason] = found.get(reason, 0) + value
    if found and not any(found.values()):
        yield "none", "0"
    for reason in sorted(filter(found.get, found), key=lambda text: (-found[text], text)):
        yield words(reason), figure(found[reason])


def _console(floor: LiveFloor, clients: int, frames: int, now: int) -> tuple[tuple[str, str], ...]:
    rounds = sum(len(table.rounds) for table in floor.tables.values())
    dropped = ", ".join(f"{words(why)} {many}" for why, many in sorted(floor.dropped.items()))
    rate = floor.events_a_second
    answered = NOTHING if floor.as_of is None else age_words(now - floor.as_of)
    return (
        ("Feed", "lost" if floor.lost else "live" if floor.as_of is not None else NOTHING),
        ("Last answer of the feed", answered),
        ("Events a second", NOTHING if rate is None else f"{rate:,.1f}"),
        ("Tables", str(len(floor.tables))),
        ("Alarms kept", str(len(floor.alarms))),
        ("Rounds kept", str(rounds)),
        ("Findings kept", str(len(floor.findings))),
        ("Left out for its bounds", dropped or "none"),
        ("Live pages", str(clients)),
        ("Frames made", str(frames)),
    )


def _schemas() -> Iterable[SchemaLine]:
    for subject in SUBJECTS:
        yield SchemaLine(
            words(subject.name),
            subject.topic,
            ", ".join(str(release.version) for release in subject.releases),
            f"{subject.newest.fingerprint:016x}",
            words(subject.mode.value.lower()),
        )
