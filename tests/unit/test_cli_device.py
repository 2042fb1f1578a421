"""`pitwatch check --device` tells a vendor what each source says and what it leaves out."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from deploy.cli.conformance import capabilities_shown
from deploy.cli.main import main
from streams.core import events
from streams.core.cards import Card
from streams.core.events import CAPABILITIES

RECORDINGS = Path(__file__).parents[1] / "recordings"


def report(name: str, *arguments: str) -> str:
    path = str(RECORDINGS / f"{name}.ndjson")
    return CliRunner().invoke(main, ["check", "--device", *arguments, path]).stdout


def sources(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in report(name).splitlines()]


def test_kinds_and_capabilities_of_a_source() -> None:
    (row,) = sources("cs-legal-12-rounds")
    assert row["source"] == "gw-1"
    assert row["tables"] == ["CS-01"]
    assert row["events"] == sum(row["kinds"].values()) == 425
    assert row["kinds"]["table_opened"] == 1
    assert row["gaps"] == row["missing_events"] == row["bad_lines"] == 0
    assert set(row["capabilities_used"]) >= {"wagers", "lockout", "shuffles", "faces", "cards"}
    assert row["used_not_declared"] == []
    assert set(row["capabilities_used"]) | set(row["declared_not_used"]) == set(CAPABILITIES)


def test_gaps_are_counted_with_what_is_missing() -> None:
    (row,) = sources("gap-in-round-silences-counts-and-orders")
    assert row["gaps"] == 1
    assert row["missing_events"] >= 1


def test_late_and_conflicting_events_are_counted() -> None:
    (late,) = sources("late-event-set-aside")
    assert late["late_events"] >= 1
    (conflict,) = sources("dup-conflicting-event")
    assert conflict["conflicting_events"] == 1


def test_bad_lines_stand_with_the_source_they_name_else_last() -> None:
    named, nameless = sources("bad-lines-named-others-judged")
    assert (named["source"], named["bad_lines"]) == ("gw-1", 1)
    assert named["bad"][0]["line"] == 13
    assert set(named["bad"][0]) == {"line", "field", "expected", "found"}
    assert (nameless["source"], nameless["bad_lines"]) == (None, 1)
    assert nameless["bad"][0]["line"] == 7


def test_table_is_to_be_read() -> None:
    text = report("bad-lines-named-others-judged", "--format", "table")
    assert text.startswith("gw-1\n  tables               CS-01\n")
    assert "\n    line 13: kind: expected " in text
    assert "\nlines that name no source\n" in text
    assert "  used not declared    none\n" in text


def test_undeclared_capability_is_told(tmp_path: Path) -> None:
    lines = (RECORDINGS / "cs-legal-12-rounds.ndjson").read_text(encoding="utf-8")
    path = tmp_path / "recording.ndjson"
    path.write_text(lines.replace('"observes": ["*"]', '"observes": ["stub"]'), encoding="utf-8")
    result = CliRunner().invoke(main, ["check", "--device", str(path)])
    row = json.loads(result.stdout)
    assert "lockout" in row["used_not_declared"]
    assert "stub" not in row["used_not_declared"]


def test_event_out_of_place_is_counted_by_kind(tmp_path: Path) -> None:
    lines = (RECORDINGS / "cs-legal-12-rounds.ndjson").read_bytes().splitlines()
    last = json.loads(lines[-1])
    odd = {key: last[key] for key in ("table", "source", "boot", "at")}
    odd |= {"seq": last["seq"] + 1, "kind": "up_card_moved"}
    path = tmp_path / "recording.ndjson"
    path.write_bytes(b"\n".join([*lines, json.dumps(odd).encode()]))
    result = CliRunner().invoke(main, ["check", "--device", str(path)])
    assert json.loads(result.stdout)["out_of_place"] == {"up_card_moved": 1}


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (events.CardDealt("player", "down", 1), {"faces"}),
        (
            events.CardDealt("player", "up", 1, card=Card("AS"), drawn_with="left"),
            {"faces", "cards", "draw_hand"},
        ),
        (events.CardExposed("dealer", card=Card("AS")), {"faces", "cards"}),
        (events.CardExposed("dealer"), {"faces"}),
        (events.Burned("discard_rack", card=Card("AS")), {"burns", "cards"}),
        (events.DrawnInError(exposed=False), set()),
        (events.Announced("dealer", "total", total=12), {"announcements", "totals"}),
        (events.Announced("dealer", "dealers_card"), {"announcements"}),
        (events.UpCardMoved(), {"up_card"}),
        (events.RoundClosed(), set()),
    ],
)
def test_capabilities_that_an_event_shows(body: events.Body, shown: set[str]) -> None:
    assert capabilities_shown(body) == shown
