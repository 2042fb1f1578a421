"""What the topics say becomes rows: once, in any batches, and never an older one over a newer."""

from collections.abc import Iterable
from typing import Any

import msgspec
from sqlalchemy import Engine

from schemas.records import Alarm, AnyRecord
from streams.database import history, writing
from streams.historian.rows import ALARMS, FINDINGS, NO_VALUE, Message, rows_of
from streams.historian.writer import begin_anew, positions
from tests.history_database import keep, rows_in
from tests.history_records import (
    START,
    a_command,
    a_finding,
    a_round,
    an_act,
    an_alarm,
    an_answer,
    digest,
    messages,
)


def keep_each(engine: Engine, *batches: Iterable[AnyRecord]) -> None:
    """Write records in batches; the first batch has the topics' first records."""
    told = messages(*(record for batch in batches for record in batch))
    at = 0
    for batch in batches:
        count = len(list(batch))
        keep(engine, told[at : at + count])
        at += count


def test_a_round_is_a_row_with_its_findings(engine: Engine) -> None:
    record = a_round(number=3, findings=[("deal_order", digest(1)), ("burn_missed", digest(2))])
    keep_each(engine, [record])
    (row,) = rows_in(engine, history.rounds)
    assert row["opened_by"] == "CS-01/shoe/1/300"
    assert (row["table"], row["number"], row["dealer"], row["findings"]) == ("CS-01", 3, "D1", 2)
    assert msgspec.json.decode(row["body"], type=type(record)) == record
    assert rows_in(engine, history.round_findings) == [
        {"opened_by": row["opened_by"], "finding": digest(number)} for number in (1, 2)
    ]


def test_a_finding_raised_and_cleared_is_two_rows(engine: Engine) -> None:
    keep_each(engine, [a_finding(1), a_finding(1, state="cleared", at=START + 9)])
    assert [(row["state"], row["at"]) for row in rows_in(engine, history.findings)] == [
        ("cleared", START + 9),
        ("raised", a_finding(1).at),
    ]


def test_offsets_are_kept_with_the_rows(engine: Engine) -> None:
    told = [*messages(a_finding(1), a_finding(2), a_round()), *messages(a_finding(3), partition=5)]
    keep(engine, told)
    with engine.connect() as connection:
        assert positions(connection) == {
            ("pitwatch.findings.v1", 0): 2,
            ("pitwatch.findings.v1", 5): 1,
            ("pitwatch.rounds.v1", 0): 1,
        }


def test_an_older_alarm_never_replaces_a_newer_one(engine: Engine) -> None:
    old, new = messages(an_alarm(1), an_alarm(1, state="normal", closed_at=START))
    keep(engine, [old, new])
    keep(engine, [old])
    assert [row["state"] for row in rows_in(engine, history.alarms)] == ["normal"]


def test_a_topic_made_anew_replaces_what_stood_there(engine: Engine) -> None:
    keep(engine, messages(an_alarm(1, state="normal"), first=1000))
    with writing(engine) as connection:
        begin_anew(connection, f"pitwatch.{ALARMS}", ALARMS, 0)
    keep(engine, messages(an_alarm(1)))
    assert [row["state"] for row in rows_in(engine, history.alarms)] == ["unacknowledged"]
    with engine.connect() as connection:
        assert positions(connection) == {("pitwatch.alarms.v1", 0): 1}


def acted(*acts: Any, answer: Any = None, **other: Any) -> Alarm:
    return an_alarm(1, acts=acts, answer=answer, **other)


def test_an_act_is_the_same_row_in_whatever_order_it_is_told(engine: Engine) -> None:
    command = a_command("c1", 1, code="deal_order")
    carried_out = acted(an_act("c1"), answer=an_answer("c1"))
    told: list[AnyRecord] = [command, carried_out]
    for order in (told, told[::-1]):
        with writing(engine) as connection:
            connection.execute(history.acts.delete())
            connection.execute(history.alarms.delete())
        keep_each(engine, *([record] for record in order))
        (row,) = rows_in(engine, history.acts)
        assert row == {
            "command": "c1",
            "alarm": digest(1),
            "table": "CS-01",
            "code": "deal_order",
            "act": "acknowledge",
            "by": "ann",
            "role": "operator",
            "at": command.at,
            "until": None,
            "disposition": "confirmed",
            "note": None,
            "accepted": True,
            "reason": None,
        }


def test_a_refused_act_says_who_asked_and_why_it_was_refused(engine: Engine) -> None:
    command = a_command("c1", 1, by="bob", act="shelve", until=START)
    refused = acted(answer=an_answer("c1", "surveillance alone may shelve this"))
    expected = None
    told: list[AnyRecord] = [command, refused]
    for order in (told, told[::-1]):
        with writing(engine) as connection:
            connection.execute(history.acts.delete())
            connection.execute(history.alarms.delete())
        keep_each(engine, *([record] for record in order))
        (row,) = rows_in(engine, history.acts)
        assert (row["by"], row["act"], row["accepted"]) == ("bob", "shelve", False)
        assert row["reason"] == "surveillance alone may shelve this"
        expected = row if expected is None else expected
        assert row == expected


def test_an_act_without_an_answer_is_neither_accepted_nor_refused(engine: Engine) -> None:
    keep_each(engine, [a_command("c9", None, code="deal_order", act="out_of_service")])
    (row,) = rows_in(engine, history.acts)
    assert (row["alarm"], row["act"], row["accepted"]) == (None, "out_of_service", None)


def test_another_command_of_the_same_id_changes_nothing(engine: Engine) -> None:
    keep_each(
        engine,
        [acted(an_act("c1"))],
        [a_command("c1", 1, by="mallory", note="it was not me")],
    )
    (row,) = rows_in(engine, history.acts)
    assert (row["by"], row["note"]) == ("ann", None)


FORGOTTEN = Message(ALARMS, 0, 1, None, digest(1).encode(), START + 99)


def test_an_alarm_forgotten_by_its_topic_is_kept_as_it_was_closed(engine: Engine) -> None:
    keep(engine, [*messages(an_alarm(1, state="normal", closed_at=START)), FORGOTTEN])
    assert [row["closed_at"] for row in rows_in(engine, history.alarms)] == [START]


def test_an_alarm_whose_closing_was_not_read_is_closed_when_it_is_forgotten(
    engine: Engine,
) -> None:
    keep(engine, messages(an_alarm(1), an_alarm(2)))
    keep(engine, [FORGOTTEN, Message(ALARMS, 0, 2, None, b"\xff\0no alarm", START)])
    first, second = rows_in(engine, history.alarms)
    assert (first["state"], first["closed_at"]) == ("normal", START + 99)
    record = msgspec.json.decode(first["body"], type=Alarm)
    assert (record.state, record.closed_at) == ("normal", START + 99)
    assert second["closed_at"] is None


def test_what_cannot_be_read_is_skipped_with_its_reason(engine: Engine) -> None:
    told = [
        Message(FINDINGS, 0, 0, b"junk"),
        Message(FINDINGS, 0, 1, None),
        Message(FINDINGS, 0, 2, messages(a_round())[0].value),
        *messages(a_finding(1), first=3),
    ]
    keep(engine, told)
    assert [skipped.reason for skipped in rows_of(told).skipped] == [
        "unknown_format",
        NO_VALUE,
        "wrong_record",
    ]
    assert len(rows_in(engine, history.findings)) == 1
    with engine.connect() as connection:
        assert positions(connection) == {("pitwatch.findings.v1", 0): 4}


def test_texts_that_postgresql_cannot_hold_are_kept_all_the_same(engine: Engine) -> None:
    keep_each(engine, [a_round(dealer="D\0 1", deck="\0")])
    (row,) = rows_in(engine, history.rounds)
    assert row["dealer"] == "D\ufffd 1"
    assert msgspec.json.decode(row["body"])["dealer"] == "D\0 1"
