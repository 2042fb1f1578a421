"""`pitwatch dlq`: what was set aside, why, what to do about it, and its replay.

For administrators: a letter may hold a card that lies face down. A list never says one.
"""

import heapq
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

import click
from rich.text import Text

from deploy.cli.letters import COLUMNS, dump, row_of, shown_reason, whole
from deploy.cli.moments import Moment
from deploy.cli.options import ACCESS_OPTIONS, access_of, format_option, signing_key
from deploy.cli.registries import REGISTRY_HELP, use_registry
from deploy.cli.replaying import STDOUT, Rest, Wanted, letters, run, say, totals
from deploy.cli.terminal import print_rows
from streams.brokers.access import KafkaAccess
from streams.shell.config import topics_of
from streams.shell.letter_log import LetterLog, LogUnavailable, letter_log
from streams.shell.letters import Letter
from streams.shell.ports import Topics
from streams.shell.replay import Fate
from streams.wire.topics import APPLICATION, PREFIX

LIMIT: Final = 100
MOST: Final = 10_000
"""Letters of a list that are in memory at once, without their bytes."""

REST_FILE: Final = "dead-letters.ndjson"
LEFT: Final = 1

_NAME: Final = re.compile(r"(\d{1,9})/(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the letters are, as `pitwatch topics` names it."""

    bootstrap: str = "127.0.0.1:9092"
    topic_prefix: str = PREFIX
    application: str = APPLICATION
    kafka_user: str | None = None
    kafka_password_file: Path | None = None
    kafka_ca: Path | None = None
    registry: str | None = None

    @property
    def topics(self) -> Topics:
        """Return the floor's topics."""
        return topics_of(self.topic_prefix, self.application)

    @property
    def access(self) -> KafkaAccess:
        """Return who asks Kafka.

        Raises:
            click.ClickException: a setting is missing, or a file of theirs cannot be used.
        """
        return access_of(self.kafka_user, self.kafka_password_file, self.kafka_ca)


class NotRead(click.ClickException):
    """Kafka cannot be read; exit status 2."""

    exit_code = 2


def placed(ctx: click.Context, option: click.Parameter, value: str | Path | None) -> None:
    """Take a part of the place, said before the subcommand or after it."""
    if value is not None:
        ctx.obj = replace(ctx.obj or Place(), **{str(option.name): value})


C = TypeVar("C", bound=Callable[..., object])


def place_options(function: C) -> C:
    """Give a command the options that say where the letters are, as the context's object."""
    default = Place()
    for flag, how in reversed(ACCESS_OPTIONS):
        function = click.option(flag, callback=placed, expose_value=False, **how)(function)
    for flag, has, help_ in (
        ("--registry", "none", REGISTRY_HELP),
        ("--application", default.application, "The workers' consumer group."),
        ("--topic-prefix", default.topic_prefix, "What topic names begin with."),
        ("--bootstrap", default.bootstrap, "Kafka brokers, HOST:PORT,…"),
    ):
        text = f"{help_}  [default: {has}]"
        function = click.option(flag, callback=placed, expose_value=False, help=text)(function)
    return function


@click.group("dlq")
@place_options
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, show and replay dead letters: what could not be applied, with its bytes and why."""
    ctx.obj = ctx.obj or Place()


def wanted_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that choose among letters, as the argument ``wanted``."""

    def called(
        place: Place,
        reason: tuple[str, ...],
        table: tuple[str, ...],
        since: int | None,
        until: int | None,
        **others: object,
    ) -> None:
        function(place, Wanted(frozenset(reason), frozenset(table), since, until), **others)

    called.__doc__ = function.__doc__
    moment = Moment()
    for option in (
        click.option("--until", type=moment, help="Only those set aside before."),
        click.option("--since", type=moment, help="Only those set aside since, such as 90m."),
        click.option("--table", multiple=True, help="Only those of this table; repeatable."),
        click.option("--reason", multiple=True, help="Only those of this reason; repeatable."),
    ):
        called = option(called)
    return called


@command.command("list")
@place_options
@click.option(
    "--limit",
    type=click.IntRange(1, MOST),
    default=LIMIT,
    show_default=True,
    help="The last so many are printed.",
)
@format_option("table", "json", "A table, or one JSON object a line.")
@click.pass_obj
@wanted_options
def list_(place: Place, wanted: Wanted, limit: int, format_: str) -> None:
    """List dead letters, the oldest first: PARTITION/OFFSET, where from, and what was wrong.

    How many there are of each reason is told on stderr.
    """
    newest: list[tuple[int, int, int, int, Letter]] = []
    reasons: Counter[str] = Counter()
    with reading(place) as log:
        windows = log.windows(wanted.since, wanted.until)
        for letter in letters(log, windows, wanted):
            reasons[shown_reason(letter)] += 1
            size = len(letter.value or b"")
            kept = replace(letter, value=None)
            row = (letter.at, letter.partition, letter.offset, size, kept)
            (heapq.heappush if len(newest) < limit else heapq.heappushpop)(newest, row)
    rows = [row_of(letter, size) for *_, size, letter in sorted(newest, key=place_of)]
    print_rows(rows, COLUMNS, format_, lambda _, value: Text(printable(value)))
    said = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    click.echo(f"{reasons.total()} dead letters{said and f': {said}'}", err=True)
    if reasons.total() > limit:
        click.echo(f"the last {limit} are shown; --limit, --since or --table choose", err=True)


def place_of(row: tuple[int, int, int, int, Letter]) -> tuple[int, int, int]:
    """Return a letter's time and place, by which a list is ordered."""
    return row[:3]


def printable(value: object) -> str:
    """Return a text of a letter as it may go to a terminal."""
    text = "" if value is None else str(value)
    return text if text.isprintable() else ascii(text)[1:-1]


@command.command("show")
@place_options
@click.argument("name", metavar="PARTITION/OFFSET")
@click.option("--raw", is_flag=True, help="Write the bytes as they came to stdout, nothing else.")
@format_option("text", "json", "For people, or one JSON object.")
@click.pass_obj
def show(place: Place, name: str, raw: bool, format_: str) -> None:
    """Show one dead letter whole: what was wrong, what this version makes of it, what to do.

    Its bytes may be those of a card that lies face down.
    """
    letter = the_letter(place, name)
    value = letter.value or b""
    if raw:
        click.get_binary_stream("stdout").write(value)
        return
    said = whole(letter, command=letter.topic == place.topics.commands)
    if format_ == "json":
        click.echo(json.dumps({**said, "value": value.hex()}, ensure_ascii=False))
        return
    for key, text in said.items():
        for line in str("" if text is None else text).splitlines():
            click.echo(f"{key:<9} {printable(line)}")
    for line in dump(value):
        click.echo(line)


def the_letter(place: Place, name: str) -> Letter:
    """Return the letter of a name.

    Raises:
        click.ClickException: there is none.
    """
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise click.UsageError(
            f"expected PARTITION/OFFSET as `pitwatch dlq list` prints it, found {name!r}"
        )
    partition, offset = int(parts[1]), int(parts[2])
    with reading(place) as log:
        first, last = log.windows().get(partition, (0, 0))
        if not first <= offset < last:
            raise click.ClickException(
                f"{place.topics.dead}: expected a letter in partition {partition} from {first} "
                f"to {last - 1}, found {name}; letters are kept for 35 days"
            )
        return next(log.letters({partition: (offset, offset + 1)}))


@command.command("replay")
@place_options
@click.option("--dry-run", is_flag=True, help="Write nothing, only say what would become of each.")
@click.option(
    "--rest",
    "rest_path",
    default=REST_FILE,
    show_default=True,
    help="The recording of what is judged nowhere else, for `pitwatch check`; - is stdout.",
)
@click.option(
    "--signing-key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The key of the gateway that refused lines, to sign them with, where workers ask for "
    "signatures. What was read from the deals keeps its own.",
)
@format_option("table", "json", "A table, or one JSON object.")
@click.pass_obj
@wanted_options
def replay(
    place: Place,
    wanted: Wanted,
    dry_run: bool,
    rest_path: str,
    signing_key_file: Path | None,
    format_: str,
) -> None:
    """Write what letters hold to the deals again, where that is what their source wants next.

    Judged by sequence numbers: an event is replayed if it was never applied and the last applied
    one of its source stands just before it. A second replay of the same letters writes nothing.
    What came too late for that is written to a recording, to be judged by `pitwatch check`.

    Exit status: 0 all replayed or applied, 1 something is left, 2 Kafka cannot be read.
    """
    rest = Rest(None if dry_run else rest_path)
    key = None if signing_key_file is None else signing_key(signing_key_file)
    with reading(place) as log:
        done = run(log, place.topics, wanted, rest, key, dry_run=dry_run)
    rest.close()
    err = rest_path == STDOUT
    if format_ == "json":
        click.echo(json.dumps(totals(done, rest)), err=err)
    else:
        say(done, rest, err=err, dry_run=dry_run)
    left = sum(count for fate, count in done.left.items() if fate is not Fate.APPLIED)
    sys.exit(LEFT if left else 0)


@contextmanager
def reading(place: Place) -> Iterator[LetterLog]:
    """Read a floor's letters while the context lasts.

    Raises:
        NotRead: the cluster does not answer, or has no such topic.
    """
    use_registry(place.registry, place.topic_prefix)
    try:
        with letter_log(place.bootstrap, place.topics, place.application, place.access) as log:
            yield log
    except LogUnavailable as error:
        raise NotRead(str(error)) from error
