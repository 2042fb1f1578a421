"""A card dealt face down is named by nothing that leaves a worker until it is seen.

Of every event of the recordings, of simulated nights and of walks away from both: the findings,
the alarms, the table's view, the rounds that ended, the headers of dead letters, the log and the
metrics. The state topic and the bytes of a dead letter are read by workers and administrators
alone.
"""

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from deploy.cli.main import main
from producers.simulator.faults import FAULTS
from producers.simulator.floor import SETUPS, Floor
from producers.simulator.lines import line
from producers.simulator.night import ENDLESS
from schemas.codec import CODEC
from schemas.faults import CodecFault, LineFault
from schemas.ndjson import decode_line
from schemas.records import Alarm, Finding, Round, TableView
from streams.core.advance import advance_all
from streams.core.events import CardDealt, Event
from streams.core.findings import FindingCleared, FindingRaised
from streams.core.projection import view
from streams.core.table import new_table
from streams.serving.logs import JsonLines
from streams.shell.ports import OutputRecord
from tests.face_down import FaceDown, cards_in, unseen
from tests.runtime_bench import Bench
from tests.shell_models import book
from tests.wandering import recorded, wander

RECORDED = list(recorded())
START = 1_790_000_000_000_000
NIGHT = 500
"""Events of a simulated night: seven rounds or more of each game."""


class Worker:
    """A worker over models, and all that it says."""

    def __init__(self) -> None:
        self.bench = Bench()
        self.bench.read(0)
        self.bench.start()
        self.lines: list[str] = []
        self.offset = 0

    async def take(self, event: Event) -> list[str]:
        """Judge an event and return all that was said of it."""
        bench = self.bench
        said = len(bench.log.taken)
        records = bench.records([event], first=self.offset)
        self.offset += 1
        await bench.runtime.take({bench.deals: records})
        await bench.runtime.show()
        texts = [text for record in bench.log.taken[said:] for text in self.told(record)]
        texts += self.lines
        self.lines.clear()
        return texts

    def told(self, record: OutputRecord) -> Iterator[str]:
        """Yield a written record as the text that its readers get."""
        topics = self.bench.topics
        yield from (f"{name} {value!r}" for name, value in record.headers)
        kinds: dict[str, Any] = {
            topics.findings: Finding,
            topics.rounds: Round,
            topics.tables: TableView,
            topics.alarms: Alarm,
        }
        if record.topic in kinds and record.value is not None:
            value = CODEC.decode(record.value, kinds[record.topic])
            assert not isinstance(value, CodecFault)
            yield json.dumps(msgspec.to_builtins(value))
        else:
            assert record.topic in (topics.changelog, topics.dead, topics.alarms)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            made.lines.append(JsonLines().format(record))

    handler, before = Lines(), logging.root.level
    logging.root.addHandler(handler)
    logging.root.setLevel(logging.DEBUG)
    yield made
    logging.root.removeHandler(handler)
    logging.root.setLevel(before)


def simulated(game: str, seed: int) -> list[Event]:
    """Return a night in which every fault of the game is planted in turn."""
    floor = Floor([game], 1, ENDLESS, seed, START)
    night = floor.tables[0].night
    faults = [fault for (_, of), fault in FAULTS.items() if of == game and fault.fits(night.setup)]
    night.faults = Random(seed).sample(faults, len(faults))
    events = (what for what in floor.stream() if isinstance(what, Event))
    return list(islice(events, NIGHT))


STREAMS: dict[str, Sequence[Event]] = {
    **{f"recording {number}": events for number, events in enumerate(RECORDED)},
    **{
        f"walk {number}": list(wander(events, Random(f"hidden/{number}")))
        for number, events in enumerate(RECORDED)
    },
    **{f"{game} {seed}": simulated(game, seed) for game in SETUPS for seed in range(2)},
}


@pytest.mark.parametrize("name", STREAMS)
def test_no_card_that_lies_face_down_is_named(name: str, worker: Worker) -> None:
    asyncio.run(follow(STREAMS[name], worker))


async def follow(events: Sequence[Event], worker: Worker) -> None:
    table = FaceDown()
    for number, event in enumerate(events):
        table.follow(event)
        hidden = table.hidden
        texts = await worker.take(event)
        assert texts, "a table is shown after each event"
        if number % 150 == 40:
            texts.append(worker.bench.page())
        assert not cards_in(texts) & hidden, (event, texts)


# Where no hand is judged by its cards, nothing but counts of copies and runs depends on what lies
# face down: dealt in another order, it gives the same output, byte for byte, whatever its form.

BY_IDENTITY = {"duplicate_card", "ordered_cards"}
CUTS = 12


def cuts(events: Sequence[Event]) -> list[int]:
    """Return the lengths at which at least three cards lie face down and none was turned up."""
    return [end for end in range(1, len(events) + 1) if len(unseen(events[:end])) > 2]


def otherwise(events: Sequence[Event]) -> list[Event]:
    """Return a stream in which each of those cards is the one dealt face down before it."""
    places = unseen(events)
    bodies = [events[place].body for place in places]
    dealt = list(events)
    for place, body, other in zip(places, bodies, [*bodies[1:], bodies[0]], strict=True):
        assert isinstance(body, CardDealt)
        assert isinstance(other, CardDealt)
        dealt[place] = replace(events[place], body=replace(body, card=other.card))
    return dealt


POKER = {
    name: lengths
    for name, events in STREAMS.items()
    if "walk" not in name
    and getattr(events[0].body, "game", None) in ("caribbean_stud", "four_card_poker")
    and (lengths := cuts(events))
}


@pytest.mark.parametrize("name", POKER)
def test_what_lies_face_down_changes_no_finding_and_no_view(name: str) -> None:
    for end in Random(f"unseen/{name}").sample(POKER[name], CUTS):
        events = STREAMS[name][:end]
        other = otherwise(events)
        assert other != events
        steps = [advance_all(new_table(events[0].table), each, book()) for each in (events, other)]
        found = [
            [
                effect.finding
                for effect in step.effects
                if isinstance(effect, FindingRaised | FindingCleared)
                and effect.finding.code not in BY_IDENTITY
            ]
            for step in steps
        ]
        assert found[0] == found[1]
        assert view(steps[0].state) == view(steps[1].state)


COMMANDS = {
    "check": ["check"],
    "check, a table": ["check", "--format", "table"],
    "check of devices": ["check", "--device"],
    "rounds": ["rounds"],
    "rounds, to be read": ["rounds", "--format", "table"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_lies_face_down_changes_nothing_that_is_printed(
    command: list[str], tmp_path: Path
) -> None:
    for name, lengths in POKER.items():
        events = STREAMS[name][: Random(f"printed/{name}").choice(lengths)]
        path = tmp_path / "table.ndjson"
        printed = []
        for each in (events, otherwise(events)):
            path.write_bytes(b"".join(map(line, each)))
            result = CliRunner().invoke(main, [*command, str(path)])
            assert result.exit_code in (0, 1, 2), result.output
            printed.append((result.stdout, result.stderr))
        assert printed[0] == printed[1]


def test_a_refused_line_tells_no_card_that_it_has() -> None:
    """Whatever else is wrong with a line, the answer to its device leaves out the card."""
    texts = [line(event).strip() for name in POKER for event in STREAMS[name][:60]]
    down = [text for text in texts if b'"face":"down"' in text and b'"card":' in text]
    assert len(down) > 100
    refused = 0
    for text, rng in zip(down, map(Random, range(len(down))), strict=True):
        for broken in broken_lines(text, rng):
            answer = decode_line(broken)
            if isinstance(answer, LineFault):
                refused += 1
                said = (answer.field, answer.expected, answer.found, str(answer))
                assert not cards_in(said) & cards_in([text.decode()]), broken
    assert refused > 5 * len(down)


def broken_lines(text: bytes, rng: Random) -> Iterator[bytes]:
    """Yield a line with one thing wrong: cut, doubled, renamed, misplaced or of another type."""
    values = json.loads(text)
    card = values["card"]
    yield text[: rng.randrange(1, len(text))]
    yield text[:-1] + f',"card":"{card}"}}'.encode()
    yield json.dumps([values]).encode()
    yield json.dumps(values | {card: 1}).encode()
    yield json.dumps(values | {"colour": card}).encode()
    yield json.dumps(values | {"card": card.lower()}).encode()
    yield json.dumps(values | {"card": f"{card} "}).encode()
    yield json.dumps(values | {"card": [card]}).encode()
    yield json.dumps(values | {"card": {"card": card}}).encode()
    for name in values:
        yield json.dumps({key: value for key, value in values.items() if key != name}).encode()
        yield json.dumps(values | {name: card}).encode()
        yield json.dumps(values | {name: [f"the card is {card}"]}).encode()
