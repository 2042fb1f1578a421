"""What `pitwatch dlq` tells of letters, without a Kafka."""

import io
import os
import stat
import sys
import time
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from deploy.cli import letters as shown
from deploy.cli.dlq import Place, place_options, printable
from deploy.cli.main import main
from deploy.cli.moments import Moment
from deploy.cli.progress import RecordProgress
from deploy.cli.replaying import BATCH, Rest, Wanted, batches, totals
from producers.gateway.protocol import REASONS as LINE_REASONS
from producers.gateway.spool import DAMAGE
from schemas.faults import REASONS as BYTE_REASONS
from streams.core.events import Event, RoundClosed
from streams.shell.deadletters import REASONS as WORKER_REASONS
from streams.shell.letters import Letter, Readable, contents
from streams.shell.replay import Fate, Places, Replay
from tests.letter_models import letter_of, line_letter
from tests.shell_models import TOPICS

EVENT = Event("CS-01", "gw/1", 1, 1, 1_796_040_000_000_000, RoundClosed(), None)


def readable(letter: Letter) -> Readable:
    (piece,) = contents(letter)
    assert isinstance(piece, Readable)
    return piece


def test_every_reason_says_what_to_do_about_it() -> None:
    reasons = {*LINE_REASONS, *BYTE_REASONS, *WORKER_REASONS, DAMAGE}
    assert reasons - set(shown.REMEDIES) == set()
    assert shown.remedy(letter_of(b"", reason="of tomorrow")) == shown.UNKNOWN_REASON
    assert set(shown.FATES) == set(Fate)


def test_a_list_never_has_the_bytes() -> None:
    row = shown.row_of(letter_of(b"AS AS AS", offset=7), 8)
    assert row["letter"] == "0/7"
    assert row["from"] == f"{TOPICS.deals}/0/7"
    assert row["bytes"] == 8
    assert "AS" not in str(row)
    assert shown.row_of(line_letter(b"{"), 1)["from"] == "gw-7"
    assert shown.origin(replace(line_letter(b"{"), gateway=None)) == "a writer that does not say"


def test_a_letter_is_shown_with_what_this_version_makes_of_it() -> None:
    assert '"kind":"round_closed"' in str(shown.whole(letter_of(EVENT), command=False)["now"])
    refused = shown.whole(line_letter(b"{", length=99), command=False)
    assert str(refused["now"]).startswith("line: expected a JSON object, found")
    assert refused["cut from"] == 99
    many = shown.whole(line_letter(b"{\n" * 1000), command=False)
    assert str(many["now"]).count("expected a JSON object") == shown.MOST_LINES
    assert shown.whole(letter_of(b""), command=True)["now"] == "an operator's act"
    assert shown.shown_reason(letter_of(b"", reason="anyone's")) == "none"


def test_the_stack_of_what_could_not_be_judged_is_shown() -> None:
    letter = letter_of(EVENT, reason="judge_error", stack="Traceback\nValueError: 3")
    assert shown.whole(letter, command=False)["stack"] == "Traceback\nValueError: 3"


def test_bytes_are_shown_in_lines_of_sixteen_and_cut() -> None:
    first, second = shown.dump(b"\x00ABC" + b"\xff" * 13)
    assert first == "00000000  00 41 42 43" + " ff" * 12 + "  .ABC............"
    assert second.split() == ["00000010", "ff", "."]
    *_, last = shown.dump(bytes(5000))
    assert last == "904 more bytes; --raw writes all of them"


@pytest.mark.parametrize(
    ("text", "ago"), [("90s", 90), ("5m", 300), ("2h", 7200), ("35d", 35 * 86_400)]
)
def test_a_time_may_be_said_as_how_long_ago(text: str, ago: int) -> None:
    before = time.time_ns() // 1000
    found = Moment().convert(text, None, None)
    assert before <= found + ago * 1_000_000 <= time.time_ns() // 1000


def test_a_time_is_one_in_utc() -> None:
    assert Moment().convert("2026-11-30T12:00:00Z", None, None) == 1_796_040_000_000_000
    assert Moment().convert(5, None, None) == 5
    with pytest.raises(click.BadParameter, match="expected 2026-11-30T12:00:00Z"):
        Moment().convert("yesterday", None, None)


def test_letters_are_chosen_by_reason_and_table() -> None:
    letter = letter_of(EVENT)
    assert Wanted(frozenset(), frozenset(), None, None).takes(letter)
    assert Wanted(frozenset({letter.reason}), frozenset({"CS-01"}), None, None).takes(letter)
    assert not Wanted(frozenset({"late_event"}), frozenset(), None, None).takes(letter)
    assert not Wanted(frozenset(), frozenset({"CS-02"}), None, None).takes(letter)


def test_batches_are_bounded_by_number_and_by_bytes() -> None:
    small = [letter_of(b"x", offset=each) for each in range(BATCH + 3)]
    assert [len(batch) for batch in batches(small)] == [BATCH, 3]
    large = [letter_of(bytes(3 * 1024 * 1024)) for _ in range(7)]
    assert [len(batch) for batch in batches(large)] == [3, 3, 1]
    assert list(batches([])) == []


def test_the_rest_is_written_anew_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "rest.ndjson"
    rest = Rest(str(path))
    rest.begin()
    assert not path.exists()
    rest.add(readable(letter_of(EVENT)))
    rest.add(readable(letter_of(EVENT)))
    rest.begin()
    rest.add(readable(letter_of(EVENT)))
    rest.close()
    assert rest.events == 1
    assert path.read_bytes().count(b"\n") == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_rest_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="expected a file that can be written, found"):
        Rest(str(tmp_path)).add(readable(letter_of(EVENT)))
    nowhere = Rest(None)
    nowhere.add(readable(letter_of(EVENT)))
    nowhere.close()
    assert nowhere.events == 1


def test_a_rest_may_go_to_stdout(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    rest = Rest("-")
    rest.begin()
    rest.add(readable(letter_of(EVENT)))
    rest.begin()
    rest.close()
    assert capsysbinary.readouterr().out.endswith(b'"kind":"round_closed"}\n')


def test_totals_name_every_fate() -> None:
    done = Replay(Places(TOPICS.deals), dead=TOPICS.dead, commands=TOPICS.commands, version="1.0.0")
    list(done.judge([letter_of(EVENT), letter_of(b"")]))
    said = totals(done, Rest("rest.ndjson"))
    assert (said["replayed"], said["unreadable"], said["file"]) == (1, 1, None)
    assert {fate.value for fate in Fate} - set(said) == {"next"}


def test_a_text_of_a_letter_may_go_to_a_terminal() -> None:
    assert printable("\x1b[31mred") == "\\x1b[31mred"
    assert printable(None) == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, shows in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        progress = RecordProgress()
        progress.begin("dead letters", 10)
        progress.moved(5)
        progress.begin("dead letters", 10)
        progress.moved(10)
        progress.end()
        progress.end()
        assert ("dead letters" in stream.getvalue()) is shows


@click.group("probe")
@place_options
@click.pass_context
def probe(ctx: click.Context) -> None:
    ctx.obj = ctx.obj or Place()


@probe.command("list")
@place_options
@click.pass_obj
def probe_list(place: Place) -> None:
    click.echo(f"{place.bootstrap} {place.topics.dead} {place.topics.changelog}")


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ("list", "127.0.0.1:9092 pitwatch.deals.dead.v1 pitwatch-worker-tables-changelog"),
        ("--bootstrap k:1 list", "k:1 pitwatch.deals.dead.v1 pitwatch-worker-tables-changelog"),
        ("--bootstrap k:2 list --bootstrap k:1 --topic-prefix a.", "k:1 a.deals.dead.v1 pitwatch"),
        ("list --application w", "127.0.0.1:9092 pitwatch.deals.dead.v1 w-tables-changelog"),
    ],
)
def test_where_letters_are_is_said_before_the_subcommand_or_after_it(
    arguments: str, found: str
) -> None:
    result = CliRunner().invoke(probe, arguments.split())
    assert result.stdout.startswith(found), result.output


def test_a_name_that_is_none_is_refused() -> None:
    result = CliRunner(env={**os.environ}).invoke(main, ["dlq", "show", "seven"])
    assert result.exit_code == 2
    assert "expected PARTITION/OFFSET as `pitwatch dlq list` prints it, found 'seven'" in (
        result.stderr
    )
